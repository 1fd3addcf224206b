"""The running app as raw requests meet it: no entry without key, by foreign host, origin or frame; nothing asked."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pages.ui.server.access_key import is_own
from tests.pages.browsing import ROOT, serving

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"])]

# Whatever Python opens in the app's process is written down; a connection beyond this machine is refused.
AUDIT = """
import os, sys
def audit(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        place = arguments[1] if event == "socket.connect" else arguments[:1]
        if not str(place).startswith(("('127.0.0.1'", "('localhost'", "('::1'", "(None", "/", "b'")):
            with open(os.environ["ASKED"], "a") as told:
                told.write(f"{event} {place}\\n")
            raise OSError("refused")
sys.addaudithook(audit)
"""
SOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def asked(address: str, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    place = urlsplit(address).netloc
    connection = http.client.HTTPConnection(place, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in {"Host": place, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    status = answer.status
    body = b"" if status == 101 else answer.read()
    connection.close()
    return status, answer.headers, body


def key_of(shelf: Path) -> str:
    """The key of this start, as its owner finds it; nobody else can read the file."""
    page = shelf.with_name("open-lectern.html")
    if os.name != "nt":
        assert page.stat().st_mode & 0o777 == 0o600
    found = re.search(r"/\?key=([\w-]{43})\"", page.read_text("utf-8"))
    assert found
    return found[1]


def test_only_who_has_the_key_and_its_own_pages_come_in(tmp_path: Path) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(AUDIT)
    told, shelf = tmp_path / "asked", tmp_path / "shelf" / "libraries.json"
    variables = {"ASKED": str(told), "PYTHONPATH": f"{tmp_path / 'hook'}{os.pathsep}{ROOT}"}
    variables |= {"LECTERN_DOOR": "key", "LECTERN_SHELF": str(shelf)}
    socket_path = "/_stcore/stream"
    with serving(tmp_path / "library", variables=variables) as address:
        own, other, key = urlsplit(address).netloc, "http://127.0.0.1:9", key_of(shelf)
        for path in ("/", "/ask", "/_stcore/host-config", "/media/x", "/static/x.js", "/?key=", f"/?key={key}x"):
            status, headers, page = asked(address, path)
            assert (status, headers["Set-Cookie"]) == (403, None)
            assert b"open-lectern.html" in page
        assert asked(address, socket_path, Origin=f"http://{own}", **SOCKET)[0] == 403
        status, headers, _ = asked(address, f"//evil.example/..?key={key}&question=a%26b")
        assert (status, headers["Location"]) == (303, "/evil.example/..?question=a%26b")
        assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(headers["Set-Cookie"].split("; "))
        cookie = headers["Set-Cookie"].partition(";")[0]
        assert key not in cookie
        known = {"Cookie": cookie}

        status, headers, page = asked(address, "/", **known)
        assert status == 200
        assert b"<html" in page
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        port = urlsplit(address).port
        status, headers, _ = asked(address, "/ask?question=tea", Host=f"localhost:{port}")
        assert (status, headers["Location"]) == (307, f"{address}/ask?question=tea")
        for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/static/x.js"):
            for foreign in ({"Host": "rebound.example"}, {"Host": f"{own}:1"}, {"Origin": other}, {"Origin": "null"}):
                assert asked(address, path, **known, **foreign)[0] == 403
            assert asked(address, path, **known, **{"Sec-Fetch-Site": "same-site"})[0] == 403
        assert asked(address, "/_stcore/metrics", **known)[0] == 403
        assert asked(address, socket_path, Origin=f"http://{own}", **known, **SOCKET)[0] == 101
        for foreign in ({"Origin": other}, {"Origin": "http://evil.example"}, {"Host": "rebound.example"}):
            assert asked(address, socket_path, **{**known, **SOCKET, **foreign})[0] == 403
    assert not told.exists(), told.read_text()

    with serving(tmp_path / "library", variables=variables) as address:  # a start later, on another port
        assert key_of(shelf) != key
        assert asked(address, f"/?key={key}")[0] == 403
        kept = f"lectern-{urlsplit(address).port}={cookie.partition('=')[2]}"
        assert asked(address, "/", Cookie=kept)[0] == 200
        assert asked(address, f"/ask?key={key}", Cookie=kept)[1]["Location"] == "/ask"


def test_a_program_of_the_same_account_needs_no_key_and_another_accounts_does(tmp_path: Path) -> None:
    if not Path("/proc/net/tcp").exists():
        pytest.skip("This system does not tell whose a connection is.")
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()[:2]):
            accepted, client = server.accept()
            with accepted:
                own = accepted.getsockname()
                assert is_own(client, own)
                assert not is_own(client, ("127.0.0.1", 1))
        assert not is_own(("127.0.0.1", 1), own)
        assert not is_own(None, own)
    with serving(tmp_path / "library", variables={"LECTERN_DOOR": ""}) as address:
        assert asked(address, "/ask")[0] == 200
        assert asked(address, "/ask", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert asked(address, "/ask", **{"X-Forwarded-For": "127.0.0.1"})[0] == 403
        if os.getuid() == 0:
            script = (
                "import http.client, sys; c = http.client.HTTPConnection(sys.argv[1]); c.request('GET', '/ask'); "
                "print(c.getresponse().status)"
            )
            found = subprocess.run(
                ["/usr/bin/env", "python3", "-c", script, urlsplit(address).netloc],
                capture_output=True,
                text=True,
                user=65534,
            )
            assert found.stdout.strip() == "403", found.stderr


def test_a_kept_key_that_others_could_read_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui.server import access_key

    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    file = tmp_path / "browsers.key"

    def kept() -> str:
        keys = access_key.of_this_start()
        assert keys is not None
        return keys.kept

    first = kept()
    assert kept() == first == file.read_text()
    file.chmod(0o640)
    second = kept()
    assert second != first
    assert file.stat().st_mode & 0o777 == 0o600
    for damaged in ("", "short"):
        file.write_text(damaged)
        assert len(kept()) > 40
    file.unlink()
    file.mkdir()  # nothing can be kept there: people still come in by each start's address
    assert len({kept(), kept()}) == 2


def test_beyond_this_machine_it_does_not_start_without_a_login(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0"]  # noqa: S104
    environment = {**os.environ, "LECTERN_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert ended.returncode == 1
    assert "[auth] in .streamlit/secrets.toml" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "home").exists()
