"""Every kind of damage is found and named, and what can be mended is."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from core.errors import StorageError
from core.storage.catalogue.filing.sources import remove_source
from core.storage.catalogue.texts.documents import put_document
from core.storage.connections import CATALOGUE
from core.storage.index.cache import CatalogueVectors
from core.storage.index.lexical import FtsIndex
from core.storage.index.outbox import apply_outbox
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import document, ingest, put_source, vector

TEXT = "Every event is validated before it is stored, and the store never forgets one."


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        ingest(opened, "one", TEXT)
        ingest(opened, "two", "Another document altogether.")
        yield opened


def run(store, statement: str, *values) -> None:
    with store.transaction() as connection:
        connection.execute(statement, values)


def original(store):
    return store.files.path(document(TEXT).version_id)


def test_a_whole_library_has_no_problem(store) -> None:
    assert verify(store) == []
    apply_outbox(store)
    CatalogueVectors(store).put({"unused": vector("unused")})
    ingest(store, "three", "A third one, still to be carried.")
    assert verify(store) == []
    with Store.open(store.home, write=False) as reader:
        assert verify(reader) == []
        with pytest.raises(StorageError, match="opened for reading"):
            verify(reader, repair=True)


def test_how_far_it_is_is_told(store) -> None:
    told, leaves = [], store.value("SELECT count(*) FROM chunk WHERE level = 0")
    verify(store, progress=lambda *step: told.append(step))
    assert ("catalogue", 0, 0) in told
    assert {("documents", 0, 2), ("rows", 0, 2), ("originals", 0, 2), ("vectors", 0, leaves)} <= {*told}


LOST = {
    "original is missing": ("original file is missing", lambda store: original(store).unlink()),
    "original changed": ("original file has been changed", lambda store: original(store).write_bytes(b"other")),
    "text changed": (
        "text is not the one",
        lambda store: run(store, "UPDATE version SET text = replace(text, 'event', 'evnet')"),
    ),
    "chunk outside the text": (
        "leaves its document's text",
        lambda store: run(store, 'UPDATE chunk SET "end" = 1000 WHERE row = (SELECT max(row) FROM chunk)'),
    ),
    "child outside its parent": (
        "leaves its parent",
        lambda store: run(store, "UPDATE chunk SET start = 3 WHERE level = 1 AND version = 1"),
    ),
    "level skipped": ("leaves its parent", lambda store: run(store, "UPDATE chunk SET level = 5 WHERE level = 1")),
    "vector cut": ("no vector of the right length", lambda store: run(store, "UPDATE vector SET data = x'0000'")),
    "vector scaled": (
        "has length 2",
        lambda store: run(store, "UPDATE vector SET data = ? WHERE number = 2", (2 * vector("x")).tobytes()),
    ),
    "vector not a number": (
        "has length nan",
        lambda store: run(store, "UPDATE vector SET data = ?", np.full(8, np.nan, np.float32).tobytes()),
    ),
    "tokens gone": ("1 leaves have no tokens", lambda store: run(store, "DELETE FROM lexical_1_tokens WHERE row = 3")),
    "box outside the text": (
        "page box leaves",
        lambda store: run(store, "INSERT INTO page_box VALUES (1, 0, 0, 5000, 1, 0, 0, 1, 1)"),
    ),
    "document not cut": ("not cut", lambda store: put_uncut(store)),
}


def test_an_attachment_is_not_left_behind_by_its_mail(store) -> None:
    mail, held = document(TEXT).version_id, document("Another document altogether.").version_id
    put_source(store, name="held.txt", version_id=held, parent=mail)
    run(store, "UPDATE source SET trashed_at = 'now' WHERE name = 'one'")
    left = [problem for problem in verify(store) if "mail of this attachment" in problem.what]
    assert [(problem.where, problem.repairable) for problem in left] == [("held.txt in A title", True)]
    assert verify(store, repair=True) == []


def put_uncut(store) -> None:
    store.files.stage(b"uncut text")
    put_document(store, document("uncut text"), size_bytes=10, parser="p")
    put_source(store, name="uncut", version_id=document("uncut text").version_id)


@pytest.mark.parametrize("damage", LOST)
def test_what_is_lost_is_named(store, damage) -> None:
    sentence, harm = LOST[damage]
    harm(store)
    problems = [problem for problem in verify(store) if sentence in problem.what]
    assert problems
    # What another reading of the original gives back, the library does, which reads it.
    assert all(problem.repairable == ("original" not in damage) for problem in problems)
    assert all(problem.where and problem.version for problem in problems)
    assert [problem for problem in verify(store, repair=True) if sentence in problem.what] == problems


MENDED = {
    "stale word index": (
        "disagrees with its tokens",
        lambda store: run(store, "UPDATE lexical_1_tokens SET text = 'other words' WHERE row = 3"),
    ),
    "stale captions": (
        "disagrees with its tokens",
        lambda store: run(store, "UPDATE lexical_1_tokens SET captions = 'other words' WHERE row = 3"),
    ),
    "word index emptied": ("disagrees", lambda store: run(store, "DELETE FROM lexical_1_data WHERE id > 10")),
    "word index garbled": (
        "disagrees",
        lambda store: run(store, "UPDATE lexical_1_data SET block = x'ffff' WHERE id > 10"),
    ),
    "word index without a head": ("disagrees", lambda store: run(store, "DELETE FROM lexical_1_data")),
    "word index dropped": ("is missing", lambda store: run(store, "DROP TABLE lexical_1")),
    "rows of nobody": (
        "1 rows belong to no leaf",
        lambda store: run(store, "INSERT INTO lexical_1_tokens VALUES (77, 'a', 'b', 'c', 'd')"),
    ),
    "orphan file": (
        "no document names",
        lambda store: (store.files.stage(b"orphan"), store.files.fresh.clear()),
    ),
}


@pytest.mark.parametrize(
    "damages",
    [
        ("stale word index", "rows of nobody", "orphan file"),
        ("stale captions",),
        ("word index garbled",),
        ("word index dropped",),
        pytest.param(("word index emptied",), marks=pytest.mark.long),
        pytest.param(("word index without a head",), marks=pytest.mark.long),
    ],
    ids=", ".join,
)
def test_what_can_be_mended_is(store, damages) -> None:
    """At once what may come at once."""
    for damage in damages:
        MENDED[damage][1](store)
    found = verify(store)
    for damage in damages:
        problems = [problem for problem in found if MENDED[damage][0] in problem.what]
        assert problems, damage
        assert all(problem.repairable for problem in problems)
    assert verify(store, repair=True) == []
    assert FtsIndex(store, 1).search(["another"])[0].tolist() == [7]


def test_a_pointer_to_nothing_is_found(store) -> None:
    store.close()
    raw = sqlite3.connect(store.home / CATALOGUE)
    raw.execute(
        "INSERT INTO source(id, kind, name, version, added_at, changed_at) VALUES (9, 'upload', 'x', 77, '', '')"
    )
    raw.commit()
    raw.close()
    with Store.open(store.home, write=True) as reopened:
        (problem,) = verify(reopened)
        assert "source points to nothing in version" in problem.what
        assert (problem.where, problem.repairable) == ("catalogue", True)


def test_a_damaged_database_is_named(store) -> None:
    for number in range(60):
        ingest(store, f"more {number}", f"Document number {number}. " * 40)
    store.close()
    path = store.home / CATALOGUE
    data = bytearray(path.read_bytes())
    for page in range(len(data) // 8192 // 3, len(data) // 8192):  # the schema in front stays readable
        data[page * 8192 : page * 8192 + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    with Store.open(store.home, write=False) as reader:
        problems = verify(reader)
        assert problems
        assert {problem.where for problem in problems} == {"catalogue"}
        assert all(problem.repairable for problem in problems)


def test_files_on_their_way_are_no_orphans(store) -> None:
    staged = store.files.stage(b"about to be enqueued")
    assert verify(store, repair=True) == []
    assert store.files.path(staged).is_file()
    remove_source(store, 1)
    assert verify(store) == []
