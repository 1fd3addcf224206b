"""Originals: content-addressed, durable before they are named, swept when nobody names them."""

from __future__ import annotations

import hashlib
import io
import shutil

import pytest

from core.errors import NotFoundError, StorageError
from core.storage.catalogue.filing.sources import remove_source
from core.storage.connections import CATALOGUE
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import ingest


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
    assert store.files.path(name) == store.home / "files" / "staged" / name  # no committed row names it yet
    store.files.commit(name)
    assert store.files.path(name) == store.home / "files" / name[:2] / name[2:]


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


def test_the_original_goes_with_its_last_source_and_after_the_commit(store) -> None:
    text = "One text under two names."
    first, second = ingest(store, "first", text), ingest(store, "second", text)
    (name,) = store.files.hashes()
    remove_source(store, first)
    assert store.files.path(name).is_file()
    with pytest.raises(ZeroDivisionError), store.transaction():
        remove_source(store, second) or 1 / 0
    assert store.files.path(name).is_file()
    with store.transaction():
        remove_source(store, second)
        assert store.files.path(name).is_file()
    assert not store.files.path(name).is_file()


def test_bytes_staged_again_survive_the_removal_of_their_old_source(store) -> None:
    text = "Bytes that come back."
    source = ingest(store, "old", text)
    name = store.files.stage(text.encode())
    remove_source(store, source)
    assert store.files.read(name) == text.encode()


def test_a_catalogue_that_knows_less_costs_no_original(tmp_path) -> None:
    home = tmp_path / "library"
    with Store.open(home, write=True) as store:
        ingest(store, "first", "A document of the first day.")
    shutil.copy(home / CATALOGUE, home / "older.sqlite")
    with Store.open(home, write=True) as store:
        ingest(store, "second", "A document of the second day.")
        held = {name: store.files.read(name) for name in store.files.hashes()}
    shutil.copy(home / CATALOGUE, tmp_path / "whole.sqlite")
    shutil.copy(home / "older.sqlite", home / CATALOGUE)
    with Store.open(home, write=True) as store:
        kept = {name: store.files.read(name) for name in store.files.hashes()}
        aside = {name: (store.files.set_aside / name).read_bytes() for name in store.files.hashes_set_aside()}
        assert (kept | aside, len(aside)) == (held, 1)
        assert [problem.where for problem in verify(store)] == [str(store.files.set_aside)]
        ingest(store, "third", "Life goes on.")
    with Store.open(home, write=True) as store:
        assert len(store.files.hashes_set_aside()) == len(aside)
    shutil.copy(tmp_path / "whole.sqlite", home / CATALOGUE)
    with Store.open(home, write=True) as store:  # the right catalogue is put back: so are its originals
        assert {name: store.files.read(name) for name in held} == held


def test_a_removal_cut_short_is_finished_or_undone_at_the_next_opening(tmp_path) -> None:
    home = tmp_path / "library"
    with Store.open(home, write=True) as store:
        ingest(store, "kept", "A document that is kept.")
        kept = next(store.files.hashes())
        gone = store.files.stage(b"forgotten by a commit")
        store.files.commit(gone)
        store.files.stage_removal(kept)  # the process dies before the commit of one removal, after that of the other
        store.files.stage_removal(gone)
        assert store.files.read(kept) == b"A document that is kept."
    with Store.open(home, write=True) as store:
        assert list(store.files.hashes()) == [kept]
        assert store.files.hashes_set_aside() == []
        assert verify(store) == []
