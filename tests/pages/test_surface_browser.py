"""A real browser that was let in, and then opened other people's pages: they read nothing and change nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core.library import Library
from tests.conftest import HOSTILE_NAMES
from tests.pages.browsing import SLOW, WITHOUT_MODEL, free_port, made, serving, settled, shown, visit
from tests.pages.test_origin_checks import key_of

pytestmark = [pytest.mark.browser]
NOTE = "The kettle stands on the second floor."
# Everything that a page can do to an address, told as "kept out" or what came of it.
ATTACK = """async (app) => {
  const ended = (act) => new Promise((told) => { act(told); setTimeout(() => told("kept out"), 5000); });
  const tried = {};
  for (const path of ["/", "/_stcore/host-config"]) {
    for (const settings of [{credentials: "include"}, {method: "POST", body: "x", credentials: "include"}])
      tried[`${settings.method ?? "GET"} ${path}`] =
        await fetch(app + path, settings).then((answer) => answer.text()).catch(() => "kept out");
    tried[`blind ${path}`] = await fetch(app + path, {mode: "no-cors", credentials: "include"})
      .then((answer) => answer.text()).then((text) => text || "kept out").catch(() => "kept out");
  }
  tried.socket = await ended((told) => {
    const socket = new WebSocket(app.replace("http", "ws") + "/_stcore/stream", ["streamlit"]);
    socket.onopen = () => told("opened");
    socket.onerror = () => told("kept out");
  });
  for (const [tag, name] of [["img", "/media/x.png"], ["script", "/static/x.js"], ["iframe", "/"]])
    tried[tag] = await ended((told) => {
      const element = document.body.appendChild(document.createElement(tag));
      element.onerror = () => told("kept out");
      element.onload = () => {
        let read = null;
        try { read = element.contentDocument?.body?.innerText } catch { /* of another origin */ }
        told(tag === "iframe" ? read || "kept out" : "loaded");
      };
      element.src = app + name;
    });
  return tried;
}"""


@contextmanager
def answering(answer: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """A small server on this machine; its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), answer)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def say(self, body: str, kind: str = "text/html", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())


class Elsewhere(Quiet):
    """Another page, whose link leads to the app that its query names."""

    def do_GET(self) -> None:
        self.say(f"<title>Elsewhere</title><body><a href='{parse_qs(urlsplit(self.path).query)['app'][0]}'>A link</a>")


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    """Windows in which the tests are let in, and nobody else is asked."""
    context = browser.new_context()
    context.set_default_timeout(SLOW)
    yield context
    context.close()


def held(home: Path) -> dict[str, str]:
    """What the library holds: the documents' rows and the originals' bytes."""
    with Library.open(home, write=False) as library:
        rows = [(source.name, source.version_id) for source in library.sources()]
    files = [path for path in (home / "files").rglob("*") if path.is_file()]
    return {"rows": repr(rows)} | {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


def post_by_form(page: Page, place: str) -> None:
    page.evaluate(
        """(place) => {
          const form = document.body.appendChild(document.createElement("form"));
          Object.assign(form, {method: "POST", action: place, enctype: "multipart/form-data"});
          form.innerHTML = "<input name=file value=x>";
          form.submit();
        }""",
        place,
    )
    shown(page.get_by_text("This app answers its own pages alone"))


def test_a_page_of_another_origin_and_a_rebound_name_read_and_change_nothing(
    window: BrowserContext, tmp_path: Path
) -> None:
    home, shelf = tmp_path / "home", tmp_path / "libraries.json"
    made(tmp_path, {"kettle.txt": NOTE})
    before = held(home)
    variables = {"LECTERN_DOOR": "key", "LECTERN_SHELF": str(shelf)}
    with serving(home, variables=variables, module=WITHOUT_MODEL) as app, answering(Elsewhere) as port:
        page = window.new_page()
        page.goto(f"{app}/settings?tab=Privacy")
        shown(page.get_by_role("heading", name="Lectern does not know this browser"))
        visit(page, f"{app}/settings?tab=Privacy&key={key_of(shelf)}")
        shown(page.get_by_text("Nothing leaves this machine"))
        assert "key=" not in page.url
        own = page.evaluate(ATTACK, app)  # the app's own page is let do all of it: the attempts are real ones
        assert "<html" in own["GET /"]
        assert (own["socket"], json.loads(own["GET /_stcore/host-config"])["allowedOrigins"]) == ("opened", [])

        app_port = urlsplit(app).port
        for host in ("127.0.0.1", *HOSTILE_NAMES):
            other = f"http://{host}:{port}/?{urlencode({'app': app})}"
            for target in {app, f"http://{host}:{app_port}"}:
                page.goto(other)
                tried = page.evaluate(ATTACK, target)
                assert tried == dict.fromkeys(tried, "kept out"), (host, target)
                post_by_form(page, f"{target}/_stcore/upload_file/session/file")
            if host != "127.0.0.1":
                page.goto(f"http://{host}:{app_port}/")  # the very name of the app's own origin, rebound
                shown(page.get_by_text("This app answers its own pages alone"))
            page.goto(other)
            with window.expect_page() as popup:
                page.evaluate("app => void (window.popup = window.open(app))", app)
            page.wait_for_function("() => window.popup.closed")  # cut off: it can be neither read nor sent messages
            popup.value.close()
            page.get_by_role("link", name="A link").click()  # a link navigates, and nothing else
            shown(page.get_by_role("link", name="Library"))
            settled(page)
    assert held(home) == before


class Provider(Quiet):
    """The least of an OpenID Connect provider: whoever comes is the account that ``who`` names."""

    key = RSAKey.generate_key(2048, {"kid": "one"})
    who = "ada@example.org"

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(place.query).items()}
        if place.path == "/authorize":
            back = urlencode({"code": asked["nonce"], "state": asked["state"]})
            self.say("", status=302, Location=f"{asked['redirect_uri']}?{back}")
        elif place.path == "/keys":
            self.say(json.dumps({"keys": [self.key.as_dict(private=False)]}), "application/json")
        else:
            ends = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token")}
            ends["authorization_endpoint"] = f"{self.issuer}/authorize"
            told = {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **ends}
            self.say(json.dumps(told), "application/json")

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "lectern", "sub": self.who, "email": self.who}
        claims |= {"iat": now, "exp": now + 600, "nonce": sent["code"][0]}
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        self.say(json.dumps({"access_token": "a", "token_type": "Bearer", "id_token": token}), "application/json")


def test_where_a_login_is_set_up_the_pages_ask_for_it(window: BrowserContext, tmp_path: Path) -> None:
    own, secrets = free_port(), tmp_path / "secrets.toml"
    with answering(Provider) as port:
        secrets.write_text(
            f'[auth]\nredirect_uri = "http://127.0.0.1:{own}/oauth2callback"\ncookie_secret = "{"c" * 40}"\n'
            'client_id = "lectern"\nclient_secret = "s"\npeople = ["Ada@example.org"]\n'
            f'server_metadata_url = "http://127.0.0.1:{port}/.well-known/openid-configuration"\n'
        )
        variables = {"LECTERN_DOOR": "", "STREAMLIT_SECRETS_FILES": str(secrets)}
        with serving(tmp_path / "home", variables=variables, port=own, module=WITHOUT_MODEL) as app:
            page = window.new_page()
            for place in ("/ask", "/settings?tab=Privacy", "/"):
                visit(page, f"{app}{place}")
                shown(page.get_by_role("button", name="Log in"))
                assert page.get_by_role("link", name="Settings").count() == 0
                assert page.get_by_text("Nothing leaves this machine").count() == 0
            page.get_by_role("button", name="Log in").click()
            shown(page.get_by_role("link", name="Settings"))
            visit(page, f"{app}/settings?tab=Privacy")
            page.get_by_role("button", name="Log out").click()
            shown(page.get_by_role("button", name="Log in"))
            Provider.who = "eve@example.org"
            page.get_by_role("button", name="Log in").click()
            shown(page.get_by_text("not among the people"))
            expect(page.get_by_role("link", name="Settings")).to_have_count(0)
