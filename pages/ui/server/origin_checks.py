"""Middleware in front of Streamlit: rejects requests of other sites and of other hosts, and of browsers without a key.

Streamlit itself checks ``server.allowedHosts`` for the web socket only, asks an outside service for its own address
when a foreign ``Origin`` connects, lets other pages frame it, and shows its metrics to everybody.
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
_OPEN = ("/_stcore/health",)  # says "ok" to a monitor, which has no key
_YEAR = 365 * 24 * 3600  # seconds
_HEADERS = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"cross-origin-opener-policy", b"same-origin"),  # a window that opened this one cannot send it messages
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


def may_enter(host: str, origin: str | None, path: str, allowed: Sequence[str]) -> bool:
    """Whether a request's host, origin and path are acceptable.

    ``origin``: the ``Origin`` header, ``None`` without one. ``allowed``: names of hosts; () allows all.

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
    known = not allowed or "*" in allowed or name in {entry.lower() for entry in allowed}
    return known and own and not path.rstrip("/").endswith(_CLOSED)


def leads_here(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request comes from this app or a person, or is a link that another site opens in a window.

    Decided by the ``Sec-Fetch-`` headers, which browsers set and no page can forge. Without them the request does not
    come from a browser, and is accepted.

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
    """A relative address without its key, always on this host.

    >>> without_key("/ask", "question=when%3F&key=ab&key="), without_key("//evil.example", "key=ab")
    ('/ask?question=when%3F', '/evil.example')
    """
    rest = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != ASKED_FOR]
    return quote("/" + path.lstrip("/\\")) + ("?" + urlencode(rest) if rest else "")


class Doors:
    """ASGI middleware: rejects a request with 403 and one sentence, or passes it on and adds headers to the response.

    ``keys``: ``None`` checks no key.
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
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _with_headers(send))

    def _answer(self, asked: HTTPConnection, method: str) -> ASGIApp | None:
        """The response in place of the app's own (a rejection or a redirect); ``None`` passes the request on."""
        host, path, query = asked.headers.get("host", ""), asked.url.path, asked.url.query
        allowed = st.get_option("server.allowedHosts") or ()
        if not may_enter(host, asked.headers.get("origin"), path, allowed) or not leads_here(method, asked.headers):
            return PlainTextResponse("This app answers its own pages alone, by the names in server.allowedHosts.", 403)
        if self._keys is None or path.rstrip("/").endswith(_OPEN):
            return None
        cookie = f"lectern-{asked.url.port or 0}"  # browsers do not separate cookies by port
        known = self._keys.fits(asked.cookies.get(cookie), self._keys.kept)
        if ASKED_FOR in asked.query_params and (
            known or self._keys.fits(asked.query_params[ASKED_FOR], self._keys.start)
        ):
            answer = RedirectResponse(without_key(path, query), 303)
            answer.set_cookie(cookie, self._keys.kept, _YEAR, httponly=True, samesite="lax")
            return answer
        # The server takes the client's address from this header, so such a client needs a key.
        forwarded = "x-forwarded-for" in asked.headers
        if known or (self._keys.own and not forwarded and is_own(asked.client, asked.scope.get("server"))):
            return None
        if asked.url.hostname == "localhost" and st.get_option("server.address") == "127.0.0.1":
            # The browser's cookie belongs to 127.0.0.1, where it came in by the key.
            place = asked.url.replace(hostname="127.0.0.1")
            return RedirectResponse(f"{place.scheme}://{place.netloc}{without_key(path, query)}", 307)
        page = text(__file__, "closed.html").replace("FILE", ADDRESS_FILE)
        return HTMLResponse(page, 403, {"cache-control": "no-store"})


def _with_headers(send: Send) -> Send:
    """``send`` with ``_HEADERS`` added to each response, in place of headers of the same names."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in _HEADERS}
            others = [header for header in message.get("headers", ()) if header[0].lower() not in names]
            message = {**message, "headers": [*others, *_HEADERS]}
        await send(message)

    return send_with_headers


def doors(keys: Admission | None) -> list[Middleware]:
    """The middleware for ``st.App``."""
    return [Middleware(Doors, keys)]
