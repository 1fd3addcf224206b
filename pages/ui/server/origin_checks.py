"""Who may come in by which address: a page of this app in a browser of this machine, and nobody else.

Streamlit holds ``server.allowedHosts`` against the web socket alone, asks an outside address for its own when a foreign
``Origin`` knocks, lets other pages frame it and shows its metrics to everybody. This stands before all of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.server import one_script as _  # noqa: F401 - the server runs no script before it
from pages.ui.server.access_key import ADDRESS_FILE, ASKED_FOR, Admission, is_own
from pages.ui.shared.assets import text

_CLOSED = ("/_stcore/metrics",)
_OPEN = ("/_stcore/health",)  # says "ok", to whatever watches over the app
_YEAR = 365 * 24 * 3600  # seconds
_KEPT_OUT = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"cross-origin-opener-policy", b"same-origin"),  # a window that opened this one cannot send it messages
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
        named = urlsplit(f"//{host}")
        name = (named.hostname or "").rstrip(".") if named.port != 0 else ""
        own = origin is None or urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
    known = not allowed or "*" in allowed or name in {one.lower() for one in allowed}
    return known and own and not path.rstrip("/").endswith(_CLOSED)


def leads_here(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request is a page's own, a person's, or a link followed into a window: no other page asks for more.

    Browsers say in ``Sec-Fetch-`` headers what no page can forge; who sends none is no browser.

    >>> link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    >>> leads_here("GET", link), leads_here("POST", link), leads_here("GET", link | {"sec-fetch-dest": "iframe"})
    (True, False, False)
    >>> leads_here("POST", {"sec-fetch-site": "same-origin"}), leads_here("GET", {"sec-fetch-site": "same-site"})
    (True, False)
    """
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return True
    window = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return method == "GET" and window


def without_key(path: str, query: str) -> str:
    """The place on this host that an address with a key leads to.

    >>> without_key("/ask", "question=when%3F&key=ab&key="), without_key("//evil.example", "key=ab")
    ('/ask?question=when%3F', '/evil.example')
    """
    rest = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != ASKED_FOR]
    return quote("/" + path.lstrip("/\\")) + ("?" + urlencode(rest) if rest else "")


class Doors:
    """The app behind its doors: who may not enter gets a sentence with 403, and no answer says more.

    ``keys``: ``None`` asks for none.
    """

    def __init__(self, app: ASGIApp, keys: Admission | None) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer = self._answer(HTTPConnection(scope), scope.get("method", "GET"))
        if answer is None:
            await self._app(scope, receive, _kept_out(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _kept_out(send))

    def _answer(self, asked: HTTPConnection, method: str) -> ASGIApp | None:
        """What is answered in the app's place; ``None``: it may answer itself."""
        host, path, query = asked.headers.get("host", ""), asked.url.path, asked.url.query
        allowed = st.get_option("server.allowedHosts") or ()
        if not may_enter(host, asked.headers.get("origin"), path, allowed) or not leads_here(method, asked.headers):
            return PlainTextResponse("This app answers its own pages alone, by the names in server.allowedHosts.", 403)
        if self._keys is None or path.rstrip("/").endswith(_OPEN):
            return None
        cookie = f"lectern-{asked.url.port or 0}"  # cookies do not know of ports
        known = self._keys.fits(asked.cookies.get(cookie), self._keys.kept)
        if ASKED_FOR in asked.query_params and (
            known or self._keys.fits(asked.query_params[ASKED_FOR], self._keys.start)
        ):
            answer = RedirectResponse(without_key(path, query), 303)
            answer.set_cookie(cookie, self._keys.kept, _YEAR, httponly=True, samesite="lax")
            return answer
        # The server believes this header of who asks: whoever sends it is known by a key alone.
        told = "x-forwarded-for" in asked.headers
        if known or (self._keys.own and not told and is_own(asked.client, asked.scope.get("server"))):
            return None
        if asked.url.hostname == "localhost" and st.get_option("server.address") == "127.0.0.1":
            place = asked.url.replace(hostname="127.0.0.1")  # where a browser was let in, and cookies are a host's
            return RedirectResponse(f"{place.scheme}://{place.netloc}{without_key(path, query)}", 307)
        page = text(__file__, "closed.html").replace("FILE", ADDRESS_FILE)
        return HTMLResponse(page, 403, {"cache-control": "no-store"})


def _kept_out(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = {name for name, _ in _KEPT_OUT}
            others = [header for header in message.get("headers", ()) if header[0].lower() not in named]
            message = {**message, "headers": [*others, *_KEPT_OUT]}
        await send(message)

    return sent


def doors(keys: Admission | None) -> list[Middleware]:
    """What the app stands behind."""
    return [Middleware(Doors, keys)]
