"""Originals: content-addressed, durable before they are named, swept when nobody names them."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from core.errors import NotFoundError, StorageError
from core.storage.sources import remove_source
from core.storage.store import Store
from tests.storage.builders import ingest


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        yield opened


def test_both_ways_in_keep_the_same_bytes(store, tmp_path) -> None:
    data = bytes(range(256)) * 9000  # more than two pieces
    source = tmp_path / "source.bin"
    source.write_bytes(data)
    names = {store.files.stage(data), store.files.stage_stream(io.BytesIO(data)), store.files.hash_of(source)}
    (name,) = names
    assert name == hashlib.sha256(data).hexdigest()
    assert store.files.read(name) == data
    assert store.files.size(name) == len(data)
    assert list(store.files.hashes()) == [name]
    assert store.files.path(name) == store.home / "files" / name[:2] / name[2:]


def test_empty_bytes_are_bytes(store) -> None:
    assert store.files.read(store.files.stage(b"")) == b""


def test_what_cannot_be_read_gets_a_sentence(store, tmp_path) -> None:
    with pytest.raises(StorageError, match=r"missing\.txt does not exist"):
        store.files.hash_of(tmp_path / "missing.txt")
    with pytest.raises(StorageError, match="is a folder"):
        store.files.hash_of(tmp_path)
    with pytest.raises(NotFoundError):
        store.files.read("0" * 64)
    for hostile in ("../../etc/passwd", "", "AB" * 32, "0" * 63):
        with pytest.raises(StorageError, match="not the SHA-256"):
            store.files.path(hostile)


def test_a_stream_that_breaks_leaves_nothing(store) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(StorageError):
        store.files.stage_stream(Broken())
    assert [path for path in store.files.root.rglob("*") if path.is_file()] == []


def test_staging_again_heals_a_damaged_original(store) -> None:
    name = store.files.stage(b"good bytes")
    store.files.path(name).write_bytes(b"bad")
    store.files.stage(b"good bytes")
    assert store.files.read(name) == b"good bytes"


def test_opening_sweeps_what_nobody_names(tmp_path) -> None:
    home = tmp_path / "library"
    with Store.open(home, write=True) as store:
        ingest(store, "kept", "A document that is kept.")
        kept = next(store.files.hashes())
        orphan = store.files.stage(b"staged, then the process died")
        (store.files.root / "incoming-half").write_bytes(b"half")
    with Store.open(home, write=False) as reader:
        assert reader.files.has(orphan)
    with Store.open(home, write=True) as store:
        assert list(store.files.hashes()) == [kept]
        assert not (store.files.root / "incoming-half").exists()


def test_the_original_goes_with_its_last_source_and_after_the_commit(store) -> None:
    text = "One text under two names."
    first, second = ingest(store, "first", text), ingest(store, "second", text)
    (name,) = store.files.hashes()
    remove_source(store, first)
    assert store.files.has(name)
    with pytest.raises(ZeroDivisionError), store.transaction():
        remove_source(store, second) or 1 / 0
    assert store.files.has(name)
    with store.transaction():
        remove_source(store, second)
        assert store.files.has(name)
    assert not store.files.has(name)


def test_bytes_staged_again_survive_the_removal_of_their_old_source(store) -> None:
    text = "Bytes that come back."
    source = ingest(store, "old", text)
    name = store.files.stage(text.encode())
    remove_source(store, source)
    assert store.files.read(name) == text.encode()


def test_no_temporary_file_is_left(store) -> None:
    ingest(store, "one", "A document.")
    assert [path.name for path in Path(store.files.root).iterdir() if path.name.startswith("incoming")] == []
