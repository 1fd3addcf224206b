"""The running app as raw requests meet it: no foreign host, origin or frame, and nothing asked of another machine."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import pytest

from tests.pages.browsing import serving

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

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


def test_only_its_own_pages_come_in(tmp_path) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(AUDIT)
    told = tmp_path / "asked"
    variables = {"ASKED": str(told), "PYTHONPATH": str(tmp_path / "hook")}
    with serving(tmp_path / "library", variables=variables) as address:
        own, other = urlsplit(address).netloc, "http://127.0.0.1:9"
        socket_path = "/_stcore/stream"
        status, headers, page = asked(address, "/")
        assert status == 200
        assert b"<html" in page
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/static/x.js"):
            assert asked(address, path, Host="rebound.example")[0] == 403
            assert asked(address, path, Origin=other)[0] == 403
            assert asked(address, path, Origin="null")[0] == 403
        assert asked(address, "/_stcore/metrics")[0] == 403
        assert asked(address, socket_path, Origin=f"http://{own}", **SOCKET)[0] == 101
        for foreign in ({"Origin": other}, {"Origin": "http://evil.example"}, {"Host": "rebound.example"}):
            assert asked(address, socket_path, **{**SOCKET, **foreign})[0] == 403
    assert not told.exists(), told.read_text()
