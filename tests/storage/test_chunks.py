"""Sources, recipes and chunk trees: a document is swapped whole, rows are never used twice."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import NotFoundError, StorageError
from core.storage.cache import CatalogueVectors
from core.storage.chunks import NewLeaf, Recipe, audit, chunk_rows, recipe, rows_of, swap_chunks, tree
from core.storage.documents import put_document, version
from core.storage.generations import begin_generation
from core.storage.leaves import children, load_leaves, parent_spans
from core.storage.lexical import FtsIndex
from core.storage.sources import find_source, put_source, remove_source, sources
from core.storage.statistics import stats
from core.storage.store import Store
from core.types import Audit, Gap
from tests.storage.builders import DIMENSION, EMBEDDER, cut, document, ingest, keep_vectors, key, swap, vector, words

TEXT = "Every event is validated before it is stored, and the store never forgets one."


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        yield opened


def all_rows(store):
    with store.reading() as connection:
        return {row for (row,) in connection.execute("SELECT row FROM chunk")}


def test_a_tree_comes_back_as_it_was_cut(store) -> None:
    ingest(store, "one", TEXT, size=20)
    whole = document(TEXT)
    assert tree(store, whole.version_id) == cut(whole, 20)
    kept = recipe(store, whole.version_id)
    assert kept is not None
    assert (kept.label, dict(kept.values)) == ("4 pieces", {"pieces": 4})


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


def test_a_swap_replaces_one_document_and_leaves_the_others(store) -> None:
    ingest(store, "one", TEXT, size=20)
    ingest(store, "two", "Another document altogether.", size=20)
    before = load_leaves(store)
    finer = cut(document(TEXT), 10)
    keep_vectors(store, finer)
    swap(store, finer)
    after = load_leaves(store)
    assert tree(store, document(TEXT).version_id) == finer
    other = [row for row, place in zip(before.rows, before.documents, strict=True) if before.names[place] == "two"]
    assert set(other) < set(after.rows)
    rows, _ = FtsIndex(store, 1).search(["validated"], {})
    assert set(rows) <= set(after.rows)
    assert after.revision > before.revision


def test_rows_are_never_used_twice(store) -> None:
    seen: set[int] = set()
    for turn in range(4):
        source = ingest(store, "one", TEXT, size=20)  # the same document each time, the last one at the end
        rows = all_rows(store)
        assert not rows & seen
        assert turn == 0 or min(rows) > max(seen)
        seen |= rows
        remove_source(store, source)
    assert all_rows(store) == set()
    store.close()
    with Store.open(store.home, write=True) as reopened:
        ingest(reopened, "one", TEXT, size=20)
        assert min(all_rows(reopened)) > max(seen)


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
    assert rows_of(store, ["7"]) == {}


def test_chunks_by_row_and_by_id(store) -> None:
    ingest(store, "one", TEXT, size=20)
    whole = cut(document(TEXT), 20)
    rows = rows_of(store, [chunk.chunk_id for chunk in whole.chunks])
    found = chunk_rows(store, list(rows.values()))
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
    assert parent_spans(store, [parent]) == {parent: (0, len(TEXT))}
    assert children(store, parent) == [(rows[leaf.chunk_id], leaf.start, leaf.end) for leaf in whole.leaves]


def test_the_same_bytes_under_two_names_are_one_version(store, tmp_path) -> None:
    first = ingest(store, "upload.txt", TEXT)
    second = ingest(store, "notes/upload.txt", TEXT, path=tmp_path / "upload.txt")
    assert first != second
    assert stats(store).documents == 1
    assert load_leaves(store).names == ("upload.txt",)
    assert [row.kind for row in sources(store)] == ["upload", "path"]
    remove_source(store, first)
    assert load_leaves(store).names == ("notes/upload.txt",)
    remove_source(store, second)
    assert stats(store).documents == 0
    assert len(load_leaves(store)) == 0


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


def test_an_upload_of_the_same_name_replaces_its_content(store) -> None:
    first = ingest(store, "a.txt", TEXT)
    assert ingest(store, "a.txt", TEXT + " More.") == first
    assert stats(store).documents == 1
    assert set(store.files.hashes()) == {document(TEXT + " More.").version_id}


def test_vectors_are_kept_bit_for_bit_and_pruned_on_demand_alone(store) -> None:
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
    ingest(store, "one", TEXT, size=20)
    assert cache.prune() == 1
    assert cache.count() == 4
    assert len(cache.get([key(str(number)) for number in range(25_000)])) == 0


def test_sources_show_everything_the_page_needs(store) -> None:
    begin_generation(store, EMBEDDER, DIMENSION)
    put_document(store, document(TEXT), size_bytes=78, parser="p")
    put_source(store, name="uncut", version_id=document(TEXT).version_id)
    (row,) = sources(store)
    assert (row.recipe, row.chunks, row.covered, row.characters) == ("", 0, 0.0, len(TEXT))
    assert (row.document_kind, row.title, row.pages, row.size_bytes, row.path) == ("text", "A title", 0, 78, None)
    assert Path(store.home).is_absolute()


def test_an_empty_document_has_a_recipe_and_no_chunks(store) -> None:
    ingest(store, "empty", "")
    assert tree(store, document("").version_id).chunks == ()
    (row,) = sources(store)
    assert (row.chunks, row.covered) == (0, 1.0)
    assert words("") == []
