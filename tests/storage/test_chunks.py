"""Sources, recipes and chunk trees: a document is swapped whole, rows are never used twice."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from core.chunking.auditing import Audit, Gap
from core.errors import NotFoundError, StorageError
from core.storage.catalogue.filing.sources import find_source, remove_source, sources
from core.storage.catalogue.statistics import stats
from core.storage.catalogue.texts.chunks import NewLeaf, Recipe, audit, chunk_rows, recipe, swap_chunks, tree
from core.storage.catalogue.texts.documents import put_document, version
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from tests.storage.builders import DIMENSION, EMBEDDER, cut, document, ingest, key, swap, vector

TEXT = "Every event is validated before it is stored, and the store never forgets one."


def test_the_audit_comes_back(store) -> None:
    ingest(store, "one", TEXT)
    whole = document(TEXT)
    kept = Audit(70, 60, (Gap(3, 13, "front matter"),))
    cuts = cut(whole, 20)
    leaves = [NewLeaf(leaf.chunk_id, key(leaf.text), [], [], []) for leaf in cuts.leaves]
    swap_chunks(store, cuts, recipe=Recipe("f", "l", {}), audit=kept, leaves=leaves, truncated=2)
    assert audit(store, whole.version_id) == kept
    (row,) = sources(store)
    assert (row.covered, row.truncated, row.chunks, row.parents) == (60 / 70, 2, 4, 1)
    assert stats(store).coverage == 60 / 70


def test_a_swap_that_fails_changes_nothing(store) -> None:
    ingest(store, "one", TEXT, size=20)
    revision, kept = store.revision(), tree(store, document(TEXT).version_id)
    with pytest.raises(StorageError, match="is not in the cache"):
        swap(store, cut(document(TEXT), 7))
    other = replace(cut(document(TEXT), 20), document=replace(document(TEXT), text=TEXT + "!"))
    with pytest.raises(StorageError, match="another text"):
        swap(store, other)
    with pytest.raises(StorageError, match="not the leaves"):
        swap_chunks(store, kept, recipe=Recipe("f", "l", {}), audit=Audit(1, 1), leaves=[])
    assert store.revision() == revision
    assert tree(store, document(TEXT).version_id) == kept


def test_what_is_not_there(store) -> None:
    with pytest.raises(NotFoundError, match="no index"):
        tree(store, "nothing")
    begin_generation(store, EMBEDDER, DIMENSION)
    with pytest.raises(NotFoundError, match="No document"):
        tree(store, "nothing")
    assert recipe(store, "nothing") is None
    put_document(store, document(TEXT), size_bytes=3, parser="p")
    with pytest.raises(NotFoundError, match="not been cut"):
        tree(store, document(TEXT).version_id)
    with pytest.raises(NotFoundError):
        remove_source(store, 99)
    assert chunk_rows(store, [7]) == {}


def test_chunks_by_row_and_by_id(store) -> None:
    ingest(store, "one", TEXT, size=20)
    whole = cut(document(TEXT), 20)
    found = chunk_rows(store, list(range(1, len(whole.chunks) + 1)))
    rows = {stored.chunk_id: row for row, stored in found.items()}
    for chunk in whole.chunks:
        stored = found[rows[chunk.chunk_id]]
        assert (stored.chunk_id, stored.level, stored.start, stored.end) == (
            chunk.chunk_id,
            chunk.level,
            chunk.start,
            chunk.end,
        )
        assert (stored.headings, stored.prefix, stored.reasons) == (chunk.headings, chunk.prefix, chunk.reasons)
        assert stored.version_id == whole.document.version_id
        assert (stored.parent_row is None) == (chunk.parent_id is None)
    parent = rows[whole.chunks[0].chunk_id]
    assert all(found[rows[leaf.chunk_id]].parent_row == parent for leaf in whole.leaves)


def test_a_path_is_one_source_however_it_is_spelt(store, tmp_path) -> None:
    place = tmp_path / "a.txt"
    first = ingest(store, "a.txt", TEXT, path=place)
    (before,) = sources(store)
    assert ingest(store, "b/../a.txt", TEXT + " More.", path=tmp_path / "b" / ".." / "a.txt") == first
    (row,) = sources(store)
    assert (row.name, row.path) == ("b/../a.txt", place)
    assert row.version_id == document(TEXT + " More.").version_id
    assert row.changed_at >= before.changed_at
    assert version(store, document(TEXT).version_id) is None
    assert find_source(store, name="anything", path=place) == first
    assert find_source(store, name="a.txt") is None


def test_a_name_the_file_system_has_and_unicode_has_not(store, tmp_path) -> None:
    place = tmp_path / os.fsdecode(b"odd-\xff-name.txt")
    ingest(store, place.name, TEXT, path=place)
    (row,) = sources(store)
    assert row.path == place
    assert row.name == "odd-?-name.txt"


def test_vectors_are_kept_bit_for_bit(store) -> None:
    cache = CatalogueVectors(store)
    source = ingest(store, "one", TEXT, size=20)
    cache.put({"other": vector("other")})
    cache.put({"other": vector("changed")})  # what is known stays
    known = cache.get(["other", key(TEXT[:20]), "unknown"])
    assert set(known) == {"other", key(TEXT[:20])}
    assert (known["other"] == vector("other")).all()
    assert known["other"].dtype == "float32"
    remove_source(store, source)
    assert cache.count() == 5
    assert len(cache.get([key(str(number)) for number in range(25_000)])) == 0
