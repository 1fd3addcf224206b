"""Chroma follows the catalogue, survives every damage by being made anew, and costs no encoding."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from core.errors import CancelledError, StorageError
from core.storage.catalogue.filing.sources import remove_source
from core.storage.index import projection
from core.storage.index.cache import CatalogueVectors
from core.storage.index.collections import ProjectionDamagedError
from core.storage.index.leaves import load_leaves
from core.storage.index.outbox import apply_outbox, pending, query_projection
from core.storage.index.projection import (
    compare_projection,
    open_projection,
    projection_directory,
    rebuild_projection,
)
from core.storage.index.vectors import _guarded, left_open
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import ingest, nearest, vector

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Every event is validated before it is stored, and the store never forgets one."


def long_text(leaves: int, seed: int = 0) -> str:
    """A text whose leaves of 20 characters all differ."""
    return "".join(f"{seed:6d} piece {place:6d} " for place in range(leaves))


def test_chroma_holds_vectors_and_nothing_of_the_text(store) -> None:
    import chromadb

    ingest(store, "one", TEXT)
    apply_outbox(store)
    store.close_projection()
    directory = projection_directory(store)
    client = chromadb.PersistentClient(str(directory))
    (collection,) = client.list_collections()
    everything = collection.get(include=["documents", "metadatas", "embeddings"])
    assert collection.name == "generation-1"
    assert collection.configuration["hnsw"]["space"] == "cosine"
    assert everything["documents"] == [None] * 4
    assert everything["metadatas"] == [{"document": load_leaves(store).version_ids[0]}] * 4
    assert sorted(map(int, everything["ids"])) == load_leaves(store).rows.tolist()
    client.close()
    assert not any(b"validated" in path.read_bytes() for path in directory.rglob("*") if path.is_file())


def test_a_panic_of_chromas_is_damage() -> None:
    class PanicException(BaseException):  # as Rust calls its own
        pass

    def panic() -> None:
        raise PanicException("called `Result::unwrap()` on an `Err` value")

    with pytest.raises(ProjectionDamagedError, match="unwrap"):
        _guarded(panic)


def test_nothing_pending_needs_no_chroma(store) -> None:
    code = (
        "import sys, pathlib\n"
        "from core.storage.store import Store\n"
        "from core.storage.index.outbox import apply_outbox\n"
        "with Store.open(pathlib.Path(sys.argv[1]), write=True) as store:\n"
        "    apply_outbox(store)\n"
        "    print('chromadb' in sys.modules, (store.home / 'chroma').exists())\n"
    )
    command = [sys.executable, "-c", code, str(store.home.parent / "fresh")]
    assert subprocess.check_output(command, cwd=ROOT, text=True).strip() == "False False"


def test_carrying_twice_changes_nothing(store) -> None:
    first = ingest(store, "one", TEXT)
    with store.reading() as connection:
        sent = connection.execute("SELECT * FROM outbox").fetchall()
    apply_outbox(store)
    for _ in range(2):  # the process died before it acknowledged: after upserts, then after deletes
        with store.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO outbox VALUES (?, ?, ?, ?)", sent)
        apply_outbox(store)
        assert compare_projection(store) == ""
        if first:
            remove_source(store, first)
            first = 0
            with store.reading() as connection:
                sent = connection.execute("SELECT * FROM outbox").fetchall()
            apply_outbox(store)


def test_stopping_on_the_way_loses_nothing(store) -> None:
    def stop(done: int, total: int) -> None:
        raise CancelledError("stop")

    for text in (long_text(30), long_text(30, seed=1)):  # while it is built, and while it is carried
        ingest(store, text[:9], text)
        with pytest.raises(CancelledError):
            apply_outbox(store, stop)
        apply_outbox(store)
        assert compare_projection(store) == ""
        assert len(list((store.home / "chroma").iterdir())) == 1


def test_places_where_it_must_not_be_asked(store) -> None:
    ingest(store, "one", TEXT)
    with store.transaction(), pytest.raises(StorageError, match="cannot be left"):
        apply_outbox(store)
    with Store.open(store.home, write=False) as reader, pytest.raises(StorageError, match="opened for reading"):
        query_projection(reader, vector("anything"), 1, 1)


def test_an_empty_library_answers(store) -> None:
    ingest(store, "empty", "")
    assert nearest(store, vector("anything"), 5)[0].size == 0
    rebuild_projection(store)
    assert nearest(store, vector("anything"), 5)[0].size == 0


def garble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    noise = random.Random(3)
    for place in range(0, len(data), 3):
        data[place] = noise.randrange(256)
    path.write_bytes(bytes(data))


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGES = {
    "catalogue garbled": lambda place: garble(place / "chroma.sqlite3"),
    "catalogue gone": lambda place: (place / "chroma.sqlite3").unlink(),
    "vectors garbled": lambda place: garble(next(place.rglob("data_level0.bin"))),
    "vectors cut": lambda place: cut_in_half(next(place.rglob("data_level0.bin"))),
    "header cut": lambda place: os.truncate(next(place.rglob("header.bin")), 50),  # ends who writes, not who reads
    "names gone": lambda place: next(place.rglob("index_metadata.pickle")).unlink(),
    "all gone": shutil.rmtree,
}


@pytest.fixture(scope="module")
def carried(tmp_path_factory):
    """A library whose Chroma has written all of its files."""
    home = tmp_path_factory.mktemp("carried") / "library"
    with Store.open(home, write=True) as made:
        ingest(made, "one", long_text(1200))
        apply_outbox(made)
    return home


@pytest.mark.usefixtures("examined_apart")
@pytest.mark.parametrize(
    "damage",
    [
        "header cut",
        *(pytest.param(name, marks=pytest.mark.long) for name in DAMAGES if name != "header cut"),
    ],
)
def test_a_damaged_chroma_is_repaired_without_encoding(carried, tmp_path, damage) -> None:
    """Some of these end a process that reads the files without an exception: none may end this one."""
    with Store.open(shutil.copytree(carried, tmp_path / "library"), write=True) as reopened:
        vectors = CatalogueVectors(reopened).count()
        DAMAGES[damage](projection_directory(reopened))
        problems = verify(reopened)
        assert [problem.where for problem in problems] == ["chroma"]
        assert all(problem.repairable for problem in problems)
        assert verify(reopened, repair=True) == []
        table = load_leaves(reopened)
        assert nearest(reopened, table.vectors.of()[700], 1)[0].tolist() == [table.rows[700]]
        assert CatalogueVectors(reopened).count() == vectors


@pytest.mark.usefixtures("examined_apart")
@pytest.mark.parametrize(
    "damage",
    ["header cut", *(pytest.param(name, marks=pytest.mark.long) for name in ("vectors cut", "catalogue garbled"))],
)
def test_a_chroma_whose_process_died_is_examined_before_it_is_used(carried, tmp_path, damage) -> None:
    with Store.open(shutil.copytree(carried, tmp_path / "library"), write=True) as reopened:
        directory = projection_directory(reopened)
        DAMAGES[damage](directory)
        (directory / "open").touch()  # what a killed process leaves
        ingest(reopened, "two", TEXT)
        apply_outbox(reopened)
        assert projection_directory(reopened) != directory
        assert not directory.exists()
        assert compare_projection(reopened) == ""


@pytest.mark.usefixtures("examined_apart")
def test_a_whole_chroma_whose_process_died_is_used_again(store) -> None:
    ingest(store, "one", TEXT)
    apply_outbox(store)
    store.close()
    with Store.open(store.home, write=True) as reopened:
        directory = projection_directory(reopened)
        assert not left_open(directory)
        (directory / "open").touch()
        ingest(reopened, "two", "Another document altogether.")
        apply_outbox(reopened)
        assert projection_directory(reopened) == directory
        assert left_open(directory)
        assert compare_projection(reopened) == ""
        assert not left_open(directory)


def test_a_chroma_of_another_library_is_not_trusted(store, tmp_path) -> None:
    ingest(store, "one", TEXT)
    apply_outbox(store)
    store.close()
    with Store.open(tmp_path / "other", write=True) as other:
        ingest(other, "else", "Another document altogether, four of its leaves: 4444.")
        apply_outbox(other)
        other.close_projection()
        directory = projection_directory(other)
        shutil.rmtree(directory)
        with Store.open(store.home, write=True) as mine:
            shutil.copytree(projection_directory(mine), directory)
        with pytest.raises(ProjectionDamagedError, match="not those that were closed"):
            open_projection(other)
        rows, _ = nearest(other, load_leaves(other).vectors.of()[0], 1)
        assert rows.tolist() == [load_leaves(other).rows[0]]


def test_stale_chroma_is_noticed_at_opening(store) -> None:
    """A backup of the catalogue put back beside a younger Chroma."""
    ingest(store, "one", TEXT)
    apply_outbox(store)
    store.close_projection()
    with store.transaction() as connection:
        ingest(store, "two", "Another document altogether.")
        connection.execute("DELETE FROM outbox")  # as if it had been carried
    rows, _ = nearest(store, vector("anything"), 100)
    assert sorted(rows) == load_leaves(store).rows.tolist()


def test_too_many_tombstones_make_it_anew(store, monkeypatch) -> None:
    monkeypatch.setattr("core.storage.index.outbox._TOMBSTONES", 100)
    ingest(store, "big", long_text(130))
    ingest(store, "small", TEXT)
    apply_outbox(store)
    directory = projection_directory(store)
    ingest(store, "big", long_text(110, seed=1))  # 130 deleted: more than 100, more than 30 % of 244
    apply_outbox(store)
    assert projection_directory(store) != directory
    assert store.meta("projection_deleted") == "0"
    assert compare_projection(store) == ""
    directory = projection_directory(store)
    ingest(store, "small", "Another document altogether.")
    apply_outbox(store)
    assert projection_directory(store) == directory


def test_a_question_in_an_old_snapshot_carries_what_is_new(store) -> None:
    ingest(store, "one", TEXT)
    with store.reading():
        assert len(load_leaves(store)) == 4
        writer = threading.Thread(target=ingest, args=(store, "two", "Another document altogether."))
        writer.start()
        writer.join()
        assert len(load_leaves(store)) == 4  # the snapshot's state
        assert nearest(store, vector("Another document alt"), 1)[1][0] > 0.999
        assert len(load_leaves(store)) == 4
    assert len(load_leaves(store)) == 6
    assert pending(store) == 0


def test_repetitions_that_the_graph_cannot_reach_are_no_damage(store, monkeypatch) -> None:
    """Seen with 1,092 leaves of six vectors: two of them are out of reach in one build of eight."""
    ingest(store, "one", "The same. 0123456789" * 60, size=20)
    ingest(store, "two", TEXT)
    apply_outbox(store)
    table = load_leaves(store)
    vectors = table.vectors.of()
    repeated = {int(row) for row, of in zip(table.rows, vectors, strict=True) if np.allclose(of, vectors[0])}
    assert len(repeated) == 60
    examine = projection.examine

    def out_of_reach(rows: set[int]):
        def examined(directory, generation, sample):
            ids, vectors, _ = examine(directory, generation, sample)
            return ids, vectors, set(vectors) - rows  # what a build really reaches is chance, here too

        return examined

    monkeypatch.setattr(projection, "examine", out_of_reach(repeated))
    assert compare_projection(store) == ""
    monkeypatch.setattr(projection, "examine", out_of_reach(set(table.rows.tolist())))
    assert "does not find 5 of 5 vectors" in compare_projection(store)


def test_texts_that_stand_often_lie_apart_in_chroma_and_are_sound(store) -> None:
    ingest(store, "again", "the very same piece " * 300)
    apply_outbox(store)
    assert compare_projection(store) == ""
    rows, _ = nearest(store, vector("the very same piece"), 50)
    assert len(rows) == 50
    assert verify(store) == []


def test_what_an_interrupted_rebuild_left_is_swept(store) -> None:
    ingest(store, "one", TEXT)
    apply_outbox(store)
    store.close_projection()
    (store.home / "chroma" / "half").mkdir()
    open_projection(store)
    assert list((store.home / "chroma").iterdir()) == [projection_directory(store)]
