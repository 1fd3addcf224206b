"""What was removed is in no file of the library; and a library goes out in one file and comes in as it was."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import StorageError
from core.library import Incoming, Library
from core.storage import connections
from core.storage.archive import archive, unarchive
from core.storage.catalogue.filing.folders import FolderFile, add_folder, folder_files, put_folder_files
from core.storage.catalogue.filing.sources import FileStamp
from core.storage.catalogue.job_rows import NewItem
from tests.fast_encoder import FastEncoder

SENTENCE = "The vault is opened by zanzibarquince."
TEXTS = {
    "a.md": "# Bridges\n\nThe long bridge opened in 1932.\n",
    "b.md": f"# Vaults\n\n{SENTENCE} Nobody else knows.\n",
}


def made(home: Path) -> Path:
    with Library.open(home, encoder=FastEncoder()) as library:
        for name, text in TEXTS.items():
            library.ingest([Incoming(name, content_hash=library.stage(text.encode()))])
        for row in library.sources():
            library.judge("What is said?", row.version_id, 12, 40)
        library.queue.enqueue("ingest", {}, [NewItem("c.bin", content_hash=library.stage(SENTENCE.encode()))])
        library.queue.run_next({"ingest": fail})
    return home


def fail(*_: object) -> None:
    raise StorageError("It cannot be read.")


# Behind its vectors Chroma's graph file is filled up with what the memory of the process happened to hold: here all
# that the test has read. ``erase`` says so.
PADDED = "data_level0.bin"


def files_with(home: Path, *words: bytes) -> list[Path]:
    there = [path for path in home.rglob("*") if path.is_file() and path.name != PADDED]
    return [path for path in there if any(word in path.read_bytes() for word in words)]


def state(home: Path) -> object:
    with Library.open(home, encoder=FastEncoder()) as library:
        assert library.verify() == []
        texts = {row.name: library.document(row.version_id).text for row in library.sources()}
        hits = [hit.chunk_id for hit in library.search("When did the bridge open?").hits]
        return texts, [row.judgment.quote for row in library.judgments()], library.settings, hits


@pytest.mark.parametrize("copies", [False, True])
def test_a_deleted_sentence_is_in_no_file(tmp_path, copies) -> None:
    home = made(tmp_path / "library")
    marks = (SENTENCE.encode(), b"zanzibarquinc")  # as it was written, and its stem in the index of words
    with Library.open(home, encoder=FastEncoder()) as library:
        library.back_up()
        (gone,) = [row for row in library.sources() if row.name == "b.md"]
        library.trash([gone.id])
        library.erase(copies=True)
        assert files_with(home, *marks)  # what lies in the trash stays
        library.back_up(if_due=False)
        library.empty_trash()
        library.erase(copies=copies)
        found = files_with(home, *marks)
        assert {path.parent.name for path in found} == (set() if copies else {"backups"})
        assert library.verify() == []
        assert library.search("When did the bridge open?").hits
    assert {path.parent.name for path in files_with(home, *marks)} == (set() if copies else {"backups"})


def test_traces_beside_documents_go_and_what_is_taken_out_stays_out(tmp_path) -> None:
    home, gone, there = tmp_path / "library", tmp_path / "zanzibarquince.md", tmp_path / "there.md"
    there.write_text("A person took this out of the library.")
    with Library.open(home, encoder=FastEncoder()) as library:
        store = library._store
        with store.transaction() as connection:
            connection.execute("INSERT INTO written VALUES ('k', 'gone', ?, 1, 1.0)", (SENTENCE,))
            connection.execute("INSERT INTO tag(name, folded) VALUES ('Zanzibarquince', 'zanzibarquince')")
        folder = add_folder(store, tmp_path)
        left, failed = FolderFile(FileStamp(1, 1), "left"), FolderFile(FileStamp(1, 1), "failed")
        put_folder_files(
            store, folder, {os.fsencode(gone): left, os.fsencode(there): left, os.fsencode(gone) + b"x": failed}
        )
        assert files_with(home, b"anzibarquince")
        library.erase()
        assert files_with(home, b"anzibarquince") == []
        assert folder_files(store, folder) == {os.fsencode(there): left}


def test_nothing_is_erased_while_it_is_read_or_needed(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(connections, "_BUSY_SECONDS", 0.1)
    home = made(tmp_path / "library")
    with Library.open(home, encoder=FastEncoder()) as library:
        library.queue.enqueue("ingest", {}, [])
        library.queue.run_next({"ingest": lambda *_: library.erase()})
        assert "being read" in library.queue.jobs(limit=1)[0].reason
        for row in library.sources():
            library.remove(row.id)
        with closing(connections.open_reader(home / connections.CATALOGUE)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM meta").fetchone()
            with pytest.raises(StorageError, match="another program"):
                library.erase()
        library.erase()
        assert files_with(home, SENTENCE.encode()) == []
        (home / "damaged" / "20260101T000000").mkdir(parents=True)
        with pytest.raises(StorageError, match="set aside"):
            library.erase(copies=True)


@pytest.mark.parametrize("vectors", [True, False])
def test_an_archive_comes_in_as_it_went_out(tmp_path, monkeypatch, vectors) -> None:
    home, packed, other = made(tmp_path / "library"), tmp_path / "new" / "all.zip", tmp_path / "other"
    before = state(home)
    mine = tmp_path / "other.part" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("a person's own")
    with Library.open(home, encoder=FastEncoder()), monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))  # the system's may have no room
        assert archive(home, packed, vectors=vectors) == 2  # while it is in use; what failed does not travel
    assert list(packed.parent.iterdir()) == [packed]
    with pytest.raises(StorageError, match="already"):
        archive(home, packed)
    assert unarchive(packed, other) == 2
    assert mine.read_text() == "a person's own"
    if not vectors:
        with Library.open(other, encoder=FastEncoder()) as library:
            assert library.rebuild().encoded
    assert state(other) == before
    with pytest.raises(StorageError, match="not empty"):
        unarchive(packed, other)


def newer(parts: dict[str, bytes]) -> None:
    told = json.loads(parts["manifest.json"])
    parts["manifest.json"] = json.dumps({**told, "schema": [*told["schema"], "of tomorrow"]}).encode()


def astray(parts: dict[str, bytes]) -> None:
    told = json.loads(parts["manifest.json"])
    told["files"]["../outside"] = [1, "00"]
    parts.update({"manifest.json": json.dumps(told).encode(), "../outside": b"x"})


def boundless(parts: dict[str, bytes]) -> None:
    told = json.loads(parts["manifest.json"])
    told["files"]["catalogue.sqlite"][0] = 1
    parts["manifest.json"] = json.dumps(told).encode()


HARMS = {
    "flipped": lambda parts: parts.update({"catalogue.sqlite": parts["catalogue.sqlite"][:-1] + b"\x01"}),
    "lacking": lambda parts: parts.pop("catalogue.sqlite"),
    "more": lambda parts: parts.update({"files/ab/more": b"x"}),
    "no list": lambda parts: parts.update({"manifest.json": b"[]"}),
    "newer": newer,
    "astray": astray,
    "another size": boundless,
}


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_no_archive_writes_nothing(tmp_path, harm) -> None:
    packed, home = tmp_path / "all.zip", tmp_path / "new" / "library"
    archive(made(tmp_path / "library"), packed)
    with zipfile.ZipFile(packed) as there:
        parts = {name: there.read(name) for name in there.namelist()}
    HARMS[harm](parts)
    with zipfile.ZipFile(packed, "w") as changed:
        for name, data in parts.items():
            changed.writestr(name, data)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StorageError):
        unarchive(packed, home)
    packed.write_bytes(packed.read_bytes()[:900])
    with pytest.raises(StorageError):
        unarchive(packed, home)
    assert sorted(tmp_path.rglob("*")) == before
