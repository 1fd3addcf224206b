"""Chroma on a server, really started: told, asked, out of reach, behind TLS and a token, shared by copies."""

from __future__ import annotations

import http.server
import shutil
import ssl
import threading

import httpx
import pytest
import trustme

from core.errors import StorageError
from core.language_model.settings import LanguageSettings, save
from core.storage.archive import archive, unarchive
from core.storage.catalogue.filing.sources import remove_source
from core.storage.index import outbox, projection
from core.storage.index.leaves import load_leaves
from core.storage.index.outbox import apply_if_possible, apply_outbox, pending, query_projection
from core.storage.index.projection import compare_projection, move_projection, open_projection
from core.storage.index.server import Server, ServerProjection, ServerUnreachableError, is_on_server, server_of, tidy
from core.storage.shelf import language_file
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import ingest, nearest, vector
from tests.storage.chroma_process import Chroma

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"])]
TEXT = "Every event is validated before it is stored, and the store never forgets one."
OTHER = "Another document altogether, of more than one leaf."


@pytest.fixture(scope="module")
def chroma(tmp_path_factory):
    server = Chroma(tmp_path_factory.mktemp("chroma"))
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def agreed(monkeypatch, tmp_path, chroma):
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    monkeypatch.setattr(outbox, "_RETRY_SECONDS", 0.0)
    monkeypatch.setattr("core.storage.index.server._WAITS", (0.05,))
    save(language_file(), LanguageSettings(agreed=(chroma.address,)))


@pytest.fixture
def served(store, chroma):
    ingest(store, "one", TEXT)
    move_projection(store, Server(chroma.address))
    return store


def collections(chroma):
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", chroma.port)
    return {collection.name: collection for collection in client.list_collections()}


def own(store):
    """The names of one library's collections on any server."""
    return f"lectern-{(store.meta('library') or '')[:12]}-"


def test_a_library_moves_to_a_server_and_back(store, chroma):
    ingest(store, "one", TEXT)
    apply_outbox(store)
    table = load_leaves(store)
    before = nearest(store, vector("events"), 4)
    assert move_projection(store, Server(chroma.address)) == 4
    assert is_on_server(store)
    assert list((store.home / "chroma").iterdir()) == []
    there = {name: one for name, one in collections(chroma).items() if name.startswith(own(store))}
    held = next(one for name, one in there.items() if "generation" in name).get(include=["documents", "metadatas"])
    assert sorted(map(int, held["ids"])) == table.rows.tolist()
    assert held["documents"] == [None] * 4, "no text goes there"
    assert nearest(store, vector("events"), 4)[0].tolist() == before[0].tolist()
    assert verify(store) == []
    assert move_projection(store, None) == 4
    assert nearest(store, vector("events"), 4)[0].tolist() == before[0].tolist()
    assert not [name for name in collections(chroma) if name.startswith(own(store))]
    assert verify(store) == []


def test_what_changes_is_told_and_the_same_when_opened_again(served, chroma):
    epoch = served.meta("projection")
    source = ingest(served, "two", OTHER)
    apply_outbox(served)
    rows, likeness = nearest(served, vector(OTHER[:20]), 1)
    assert likeness[0] > 0.999
    served.close()
    with Store.open(served.home, write=True) as again:
        assert nearest(again, vector(OTHER[:20]), 1)[0].tolist() == rows.tolist()
        remove_source(again, source)
        apply_outbox(again)
        assert len(nearest(again, vector("anything"), 100)[0]) == 4
        assert again.meta("projection") == epoch, "nothing was made anew"
        assert verify(again) == []


def test_without_the_server_questions_are_compared_and_changes_wait(served, chroma):
    epoch, generation = served.meta("projection"), int(served.meta("serving"))
    chroma.stop()
    try:
        ingest(served, "two", OTHER)
        assert query_projection(served, vector("anything"), 3, generation) is None
        assert f"No Chroma server answers at 127.0.0.1:{chroma.port}." == served.chroma_fault
        apply_if_possible(served)
        assert pending(served) == 3
        with pytest.raises(ServerUnreachableError):
            apply_outbox(served)
        (problem,) = verify(served)
        assert "No Chroma server answers" in problem.what
        assert not problem.repairable
    finally:
        chroma.start()
    apply_if_possible(served)
    assert pending(served) == 0
    assert len(nearest(served, vector("anything"), 100)[0]) == 7
    assert served.chroma_fault == ""
    assert served.meta("projection") == epoch
    assert verify(served) == []


def test_a_server_that_failed_is_left_alone_for_a_while(served, chroma, monkeypatch):
    monkeypatch.setattr(outbox, "_RETRY_SECONDS", 60.0)
    generation = int(served.meta("serving"))
    chroma.stop()
    try:
        assert query_projection(served, vector("anything"), 3, generation) is None
    finally:
        chroma.start()
    assert query_projection(served, vector("anything"), 3, generation) is None
    served.chroma_retry_at = 0.0
    assert query_projection(served, vector("anything"), 3, generation) is not None


def test_readers_ask_the_server_too_and_not_about_another_state(served, chroma, tmp_path):
    with Store.open(served.home, write=False) as reader:
        assert nearest(reader, vector("anything"), 9)[0].size == 4
        stale = shutil.copytree(served.home, tmp_path / "stale")
        ingest(served, "two", OTHER)
        assert nearest(reader, vector("anything"), 9)[0].size == 4  # and what the outbox names joins it
        apply_outbox(served)
        assert nearest(reader, vector("anything"), 9)[0].size == 7
        projection.rebuild_projection(served)
        assert nearest(reader, vector("anything"), 9)[0].size == 7
    with Store.open(stale, write=False) as old:
        for _ in range(2):
            assert query_projection(old, vector("anything"), 9, int(old.meta("serving"))) is None
            old.chroma_thread.join()


def test_two_copies_of_a_library_part_ways(served, chroma, tmp_path):
    served.close_projection()
    place = shutil.copytree(served.home, tmp_path / "copy")
    ingest(served, "two", OTHER)
    apply_outbox(served)
    with Store.open(place, write=True) as copy:
        ingest(copy, "three", "Something that the first one never read, and will not.")
        apply_outbox(copy)
        assert copy.meta("projection") != served.meta("projection")
        assert verify(copy) == []
        assert verify(served) == []
        assert len(nearest(served, vector("anything"), 100)[0]) == 7


@pytest.mark.parametrize("at", [1, 2], ids=["before it tells", "after it committed"])
def test_a_process_that_dies_while_it_tells_costs_no_rebuilding(served, monkeypatch, at):
    class Killed(BaseException):
        pass

    epoch, marked, mark = served.meta("projection"), [], ServerProjection.mark

    def dying(self, *states):
        marked.append(states)
        if len(marked) == at:
            raise Killed
        mark(self, *states)

    ingest(served, "two", OTHER)
    with monkeypatch.context() as patch:
        patch.setattr(ServerProjection, "mark", dying)
        with pytest.raises(Killed):
            apply_outbox(served)
    served.projection = None
    assert pending(served) == (3 if at == 1 else 0)
    apply_outbox(served)
    assert open_projection(served).name == epoch
    assert compare_projection(served) == ""
    assert len(nearest(served, vector("anything"), 100)[0]) == 7


def test_what_the_server_lost_grows_anew_beside_the_questions(served, chroma):
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", chroma.port)
    for name in collections(chroma):
        if name.startswith(own(served)):
            client.delete_collection(name)
    rows, _ = nearest(served, vector("anything"), 100)
    assert sorted(rows.tolist()) == sorted(load_leaves(served).rows.tolist())
    assert verify(served) == []


def test_an_interrupted_making_leaves_what_was_and_is_swept(served, chroma):
    epoch = served.meta("projection")

    def stop(done, total):
        raise StorageError("stop")

    with pytest.raises(StorageError, match="stop"):
        projection.rebuild_projection(served, stop)
    assert served.meta("projection") == epoch
    assert len(nearest(served, vector("anything"), 100)[0]) == 4
    projection.rebuild_projection(served)
    epochs = {name.split("-")[2] for name in collections(chroma) if name.startswith(own(served))}
    assert epochs == {served.meta("projection")}


def test_nothing_is_sent_before_it_was_agreed_to(served, chroma):
    served.close_projection()
    save(language_file(), LanguageSettings())
    with pytest.raises(ServerUnreachableError, match="Nobody agreed on this machine"):
        open_projection(served)
    assert not server_of(served).agreed


def test_an_archive_names_no_server(served, tmp_path):
    archive(served.home, tmp_path / "packed.zip")
    unarchive(tmp_path / "packed.zip", tmp_path / "taken")
    with Store.open(tmp_path / "taken", write=True) as taken:
        assert not is_on_server(taken)
        apply_outbox(taken)
        assert verify(taken) == []


@pytest.fixture
def guarded(chroma, tmp_path, monkeypatch):
    """A proxy before the server, by TLS, that lets nobody in without a token."""

    class Proxy(http.server.BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else None
            if self.headers.get("Authorization") != "Bearer open sesame":
                self.reply(401, b"no")
                return
            json = {"Content-Type": "application/json"}
            found = httpx.request(self.command, chroma.address + self.path, content=body, headers=json)
            self.reply(found.status_code, found.content)

        def reply(self, status, body):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - as http.server calls them

        def log_message(self, *_):
            pass

    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    proxy.socket = context.wrap_socket(proxy.socket, server_side=True)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{proxy.server_port}", tmp_path / "authority.pem"
    proxy.shutdown()
    proxy.server_close()


def test_behind_tls_and_a_token(store, guarded, monkeypatch):
    address, authority = guarded
    ingest(store, "one", TEXT)
    with pytest.raises(ServerUnreachableError, match="its certificate is not accepted"):
        move_projection(store, Server(address, "open sesame"))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with pytest.raises(ServerUnreachableError, match="wants another token"):
        move_projection(store, Server(address, "guessed"))
    assert not is_on_server(store)
    save(language_file(), LanguageSettings(agreed=(address,)))
    monkeypatch.setenv("LECTERN_CHROMA_TOKEN", "open sesame")
    assert move_projection(store, Server(address, "open sesame")) == 4
    assert "sesame" not in repr(server_of(store))
    store.close()
    assert not any(b"sesame" in path.read_bytes() for path in store.home.rglob("*") if path.is_file())
    with Store.open(store.home, write=True) as again:
        assert nearest(again, vector("anything"), 9)[0].size == 4


@pytest.mark.parametrize("text", ["", "ftp://a", "http://a/only-a-tenant", "http://me:secret@a", "a b", "http://a:x"])
def test_what_is_no_address(text):
    with pytest.raises(StorageError, match="no address of a Chroma server"):
        tidy(text)
