"""The trash: out of everything at once, nothing lost, and emptied of what is old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.errors import StorageError
from core.library import KEPT_DAYS, Library
from core.storage.catalogue.filing.trash import trash_sources
from core.storage.index.leaves import load_leaves
from core.storage.store import Store
from core.storage.verify import verify
from tests.fast_encoder import FastEncoder
from tests.storage.builders import document, ingest

TEXT = "Every event is validated before it is stored."
OTHER = "Another document altogether."


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        ingest(opened, "one", TEXT)
        ingest(opened, "two", OTHER)
        yield opened


def test_emptied_of_what_is_older(store) -> None:
    trash_sources(store, [1, 2])
    old = (datetime.now(UTC) - timedelta(days=KEPT_DAYS + 3)).isoformat("T", "seconds")
    with store.transaction() as connection:
        connection.execute("UPDATE source SET trashed_at = ? WHERE id = 2", (old,))
    home = store.home
    store.close()
    with Library.open(home, write=False, encoder=FastEncoder()) as reader:
        assert len(reader.trashed()) == 2, "who only reads removes nothing"
    for left in (2, 2, 1):  # an opening a day later agrees that it is old: a clock that ran ahead removes nothing
        if left == 1:
            with Store.open(home, write=True) as opened:
                opened.set_meta("trashed_until", (datetime.fromisoformat(old) + timedelta(days=1)).isoformat())
        with Library.open(home, encoder=FastEncoder()) as library:
            assert len(library.trashed()) == left
    with Store.open(home, write=True) as opened, opened.transaction() as connection:
        ahead = (datetime.now(UTC) + timedelta(days=900)).isoformat("T", "seconds")
        connection.execute("UPDATE source SET trashed_at = ? WHERE id = 1", (ahead,))
    with Library.open(home, encoder=FastEncoder()) as library:
        assert [row.name for row in library.trashed()] == ["one"]
        assert library.empty_trash() == 1, "though it was put there by a clock that ran ahead"
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
