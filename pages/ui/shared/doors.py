"""Who may come in by which address: a page of this app in a browser of this machine, and nobody else.

Streamlit holds ``server.allowedHosts`` against the web socket alone, asks an outside address for its own when a foreign
``Origin`` knocks, lets other pages frame it and shows its metrics to everybody. This stands before all of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.shared import one_script as _  # noqa: F401 - the server runs no script before it

_CLOSED = ("/_stcore/metrics",)
_KEPT_OUT = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


def may_enter(host: str, origin: str | None, path: str, allowed: Sequence[str]) -> bool:
    """Whether a request is let in. ``allowed``: hosts by name; () allows every one. ``origin`` ``None``: no browser's.

    >>> may_enter("localhost:8501", "http://localhost:8501", "/", ["localhost"])
    True
    >>> may_enter("localhost:8501", "http://localhost:9999", "/", ["localhost"])
    False
    >>> may_enter("rebound.example:8501", None, "/", ["localhost"])
    False
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        own = origin is None or urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
    known = not allowed or "*" in allowed or name in {one.lower() for one in allowed}
    return known and own and not path.rstrip("/").endswith(_CLOSED)


class Doors:
    """The app behind its doors; a request that may not enter gets 403, and no answer says more."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in reversed(scope["headers"])}
        allowed = st.get_option("server.allowedHosts") or ()
        if may_enter(headers.get(b"host", ""), headers.get(b"origin"), scope["path"], allowed):
            await self._app(scope, receive, _kept_out(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"This app answers its own pages alone."})


def _kept_out(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = {name for name, _ in _KEPT_OUT}
            others = [header for header in message.get("headers", ()) if header[0].lower() not in named]
            message = {**message, "headers": [*others, *_KEPT_OUT]}
        await send(message)

    return sent


DOORS = [Middleware(Doors)]
