"""The trash: out of everything at once, nothing lost, and emptied of what is old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.errors import NotFoundError, StorageError
from core.library import KEPT_DAYS, Library
from core.storage.chunks import recipe
from core.storage.generations import unfinished_versions
from core.storage.leaves import load_leaves
from core.storage.lexical import FtsIndex
from core.storage.outbox import apply_outbox
from core.storage.sources import put_source, remove_source, sources, trashed
from core.storage.statistics import stats
from core.storage.store import Store
from core.storage.trash import in_trash, revive_source, trash_sources
from core.storage.verify import verify
from tests.fast_encoder import FastEncoder
from tests.storage.builders import cut, document, ingest, swap

TEXT = "Every event is validated before it is stored."
OTHER = "Another document altogether."


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        ingest(opened, "one", TEXT)
        ingest(opened, "two", OTHER)
        yield opened


def test_out_of_every_list_and_index(store) -> None:
    before = stats(store)
    assert trash_sources(store, [1, 1]) == 1
    assert trash_sources(store, [1]) == 0
    assert [row.name for row in sources(store)] == ["two"]
    (row,) = trashed(store)
    assert (row.name, row.title, row.chunks, row.recipe) == ("one", "A title", 0, "")
    assert row.trashed_at
    after = stats(store)
    assert (after.sources, after.documents, after.trash, after.trash_bytes) == (1, 1, 1, len(TEXT))
    assert after.chunks < before.chunks
    assert (after.characters, after.vectors) == (len(OTHER.replace(" ", "")), before.vectors)
    assert load_leaves(store).version_ids == (document(OTHER).version_id,)
    assert FtsIndex(store, 1).search(["event"], {})[0].size == 0
    assert unfinished_versions(store, 1) == []
    apply_outbox(store)
    assert verify(store) == []


def test_another_live_source_keeps_the_document(store) -> None:
    twin = put_source(store, name="twin", version_id=document(TEXT).version_id)
    leaves = load_leaves(store)
    trash_sources(store, [1])
    assert {row.name for row in sources(store)} == {"two", "twin"}
    assert load_leaves(store).names == ("twin", "two")
    assert load_leaves(store).rows.tolist() == leaves.rows.tolist()
    assert stats(store).trash_bytes == 0, "the original is needed all the same"
    trash_sources(store, [twin])
    assert recipe(store, document(TEXT).version_id) is None
    remove_source(store, 1)
    assert store.files.has(document(TEXT).version_id)
    remove_source(store, twin)
    assert not store.files.has(document(TEXT).version_id)
    assert verify(store) == []


def test_naming_it_again_makes_it_live(store) -> None:
    trash_sources(store, [1])
    assert ingest(store, "one", TEXT) == 1
    assert trashed(store) == []
    trash_sources(store, [1])
    assert ingest(store, "one", "Other bytes under the name.") == 1
    assert stats(store).documents == 2, "what lay in the trash under the name is gone"
    assert verify(store) == []


def test_revived_with_new_rows(store) -> None:
    rows = set(load_leaves(store).rows.tolist())
    trash_sources(store, [1])
    with store.transaction():
        swap(store, cut(document(TEXT), 20))
        revive_source(store, 1)
    table = load_leaves(store)
    assert table.version_ids == (document(TEXT).version_id, document(OTHER).version_id)
    assert set(table.rows.tolist()) - rows, "a row that was gone never comes back"
    assert verify(store) == []
    for act in (lambda: revive_source(store, 9), lambda: trash_sources(store, [9]), lambda: in_trash(store, [9])):
        with pytest.raises(NotFoundError, match="no source 9"):
            act()


def test_emptied_of_what_is_older(store) -> None:
    trash_sources(store, [1, 2])
    old = (datetime.now(UTC) - timedelta(days=KEPT_DAYS, minutes=1)).isoformat("T", "seconds")
    with store.transaction() as connection:
        connection.execute("UPDATE source SET trashed_at = ? WHERE id = 2", (old,))
    home = store.home
    store.close()
    with Library.open(home, write=False, encoder=FastEncoder()) as reader:
        assert len(reader.trashed()) == 2, "who only reads removes nothing"
    with Library.open(home, encoder=FastEncoder()) as library:
        assert [row.name for row in library.trashed()] == ["one"]
        assert library.empty_trash() == 1
        assert library.empty_trash() == 0
        assert (library.stats().files_bytes, library.verify()) == (0, [])


def test_what_is_half_in_the_trash_is_mended(store) -> None:
    with store.transaction() as connection:
        connection.execute("UPDATE source SET trashed_at = '2026-01-01T00:00:00+00:00' WHERE id = 1")
    (problem,) = verify(store)
    assert ("still indexed" in problem.what, problem.repairable) == (True, True)
    assert verify(store, repair=True) == []
    assert load_leaves(store).version_ids == (document(OTHER).version_id,)
    with Store.open(store.home, write=False) as reader, pytest.raises(StorageError, match="opened for reading"):
        trash_sources(reader, [2])
