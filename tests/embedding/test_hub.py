"""Models of the hub: refused in a sentence where it is not reached, else fetched with progress, never unasked."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

from core.embedding import hub, load_model
from core.errors import CancelledError, ModelError
from core.search.ranking.rerankers import load_reranker
from core.settings import EmbeddingSettings, RerankingSettings
from tests.conftest import ROOT
from tests.search.small_models import make_cross_encoder

NAME, COMMIT = "someone/small", "a" * 40


class Hub(BaseHTTPRequestHandler):
    """The hub's protocol as far as one model needs it. ``folder``: its files. What is asked is noted by the server."""

    def __init__(self, folder: Path, *rest: object) -> None:
        self.folder = folder
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        asked = self.path.partition("?")[0]
        self.server.asked.append((self.command, asked, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        if asked == f"/api/models/{NAME}":
            siblings = [{"rfilename": path.name, "size": path.stat().st_size} for path in files]
            self._send(json.dumps({"id": NAME, "sha": COMMIT, "siblings": siblings}).encode(), body)
            return
        found = next((path for path in files if asked == f"/{NAME}/resolve/main/{path.name}"), None)
        if found is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send(found.read_bytes(), body)

    def _send(self, data: bytes, body: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str, str | None]]]:
    """A hub on this machine with one model, and an empty place for what is fetched; what it was asked."""
    folder = make_cross_encoder(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"the same once more")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Hub, folder))
    server.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    for name, value in (
        ("ENDPOINT", endpoint),
        ("HUGGINGFACE_CO_URL_TEMPLATE", template),
        ("HF_HUB_CACHE", str(tmp_path / "cache")),
    ):
        monkeypatch.setattr(huggingface_hub.constants, name, value)
    monkeypatch.setattr(hub, "_OFFLINE", False)
    yield server.asked  # type: ignore[attr-defined]
    server.shutdown()


@pytest.mark.enable_socket
def test_a_model_is_offered_with_its_size_fetched_with_progress_and_read_without_the_network(
    served: list[tuple[str, str, str | None]],
) -> None:
    with pytest.raises(ModelError, match="not on this machine"):
        load_reranker(RerankingSettings(model=NAME))
    assert not served  # loading asks nobody
    offer = hub.offered(NAME)
    assert not hub.is_fetched(NAME)
    assert "model.onnx" not in offer.files
    assert list(offer.files)[-1] == "config.json"
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            raise CancelledError("This was stopped.")

    with pytest.raises(CancelledError):
        hub.fetch(offer, stop)
    assert not hub.is_fetched(NAME)  # what is there of it is no model yet
    told.clear()
    hub.fetch(offer, lambda *seen: told.append(seen))
    assert told == sorted(told)
    assert told[-1] == (offer.size_bytes, offer.size_bytes)
    assert hub.is_fetched(NAME)
    assert {key for _, _, key in served} == {None}  # no token of the person's
    before = len(served)
    assert load_reranker(RerankingSettings(model=NAME)).score("a", ["b"]).shape == (1,)
    assert len(served) == before
    with pytest.raises(ModelError, match="no model nobody/nothing that everybody may fetch"):
        hub.offered("nobody/nothing")


@pytest.mark.enable_socket
def test_without_a_network_or_against_the_persons_word_the_refusal_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="says that nothing may be"):
        hub.offered(NAME)
    monkeypatch.setattr(hub, "_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9 could not be reached, .* nothing was fetched"):
        hub.offered(NAME)
    assert huggingface_hub.constants.HF_HUB_OFFLINE
    with pytest.raises(ModelError, match=f"hf download {NAME}"):
        load_model(EmbeddingSettings(model=NAME))


@pytest.mark.enable_socket
def test_the_network_is_open_as_long_as_anybody_fetches_and_shut_after_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "_OFFLINE", False)
    first = hub._online(NAME)
    first.__enter__()
    with hub._online(NAME):
        first.__exit__(None, None, None)
        assert not huggingface_hub.constants.HF_HUB_OFFLINE
    assert huggingface_hub.constants.HF_HUB_OFFLINE


def test_who_looks_for_a_model_first_leaves_the_network_shut() -> None:
    """The client reads the word once, as it is imported: loading would ask it for a list of its own without it."""
    looked = "from core.embedding import hub; hub.is_fetched('a/b')"
    said = f"{looked}; from huggingface_hub import constants as held; "
    said += "print(held.HF_HUB_OFFLINE, held.HF_HUB_DISABLE_TELEMETRY, hub._OFFLINE)"
    told = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
    free = {name: value for name, value in os.environ.items() if name not in told}
    done = subprocess.run([sys.executable, "-c", said], env=free, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]


def test_what_is_no_name_of_the_hub_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_OFFLINE", False)
    for name in ("someone/small--er", "someone/small.git", "ä/ö"):
        assert not hub.is_fetched(name)
        with pytest.raises(ModelError, match="no name of a model there reads so"):
            hub.offered(name)


@pytest.mark.parametrize(
    "error", [RuntimeError("etag is empty"), ImportError("no socksio for this proxy"), OSError(28, "full")]
)
def test_whatever_stops_a_fetch_is_a_sentence(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_OFFLINE", False)
    with pytest.raises(ModelError, match=f"{NAME} was not fetched: .*{str(error)[-6:]}"), hub._online(NAME):
        raise error
    assert huggingface_hub.constants.HF_HUB_OFFLINE
