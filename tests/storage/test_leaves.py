"""The leaves as arrays: in order, exact, fast, and cheap to bring up to date."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StorageError
from core.storage.cache import CatalogueVectors
from core.storage.chunks import NewLeaf, Recipe, swap_chunks, tree
from core.storage.documents import put_document
from core.storage.generations import begin_generation
from core.storage.leaves import LeafTable, load_leaves
from core.storage.sources import put_source, remove_source
from core.storage.store import Store
from core.types import Audit, Chunk, ChunkTree
from tests.storage.builders import DIMENSION, document, ingest, vector


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "library", write=True) as opened:
        yield opened


def same(left: LeafTable, right: LeafTable) -> bool:
    arrays = ("rows", "documents", "starts", "ends", "tokens", "parent_rows", "vectors")
    others = ("revision", "generation", "dimension", "version_ids", "titles", "names")
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in arrays) and all(
        getattr(left, name) == getattr(right, name) for name in others
    )


def check(store, table: LeafTable) -> None:
    """Every array against the trees themselves."""
    expected = [
        (place, leaf.start, leaf.end, leaf.tokens, leaf.text)
        for place, version_id in enumerate(table.version_ids)
        for leaf in sorted(tree(store, version_id).leaves, key=lambda leaf: leaf.start)
    ]
    assert len(table) == len(expected)
    for at, (place, start, end, tokens, text) in enumerate(expected):
        assert (table.documents[at], table.starts[at], table.ends[at], table.tokens[at]) == (place, start, end, tokens)
        assert (table.vectors[at] == vector(text)).all()
    types = [table.rows.dtype, table.documents.dtype, table.starts.dtype, table.parent_rows.dtype, table.vectors.dtype]
    assert [str(kind) for kind in types] == ["int64", "int32", "int64", "int64", "float32"]
    assert table.vectors.flags.c_contiguous
    assert table.vectors.shape == (len(expected), table.dimension)


def test_an_empty_library_has_an_empty_table(store) -> None:
    table = load_leaves(store)
    assert (len(table), table.generation, table.vectors.shape) == (0, 0, (0, 0))
    begin_generation(store, "any", 12)
    table = load_leaves(store, table)
    assert (len(table), table.generation, table.vectors.shape) == (0, 1, (0, 12))
    ingested = ingest(store, "one", "The first document.")
    assert ingested


TEXTS = st.lists(
    st.tuples(st.integers(0, 4), st.text("abc .", min_size=0, max_size=80), st.integers(7, 30)), max_size=8
)


@given(TEXTS)
def test_bringing_up_to_date_is_loading_anew(tmp_path_factory, steps) -> None:
    with Store.open(tmp_path_factory.mktemp("library"), write=True) as store:
        begin_generation(store, "seeded-8", DIMENSION)
        table = load_leaves(store)
        known: dict[str, int] = {}
        for name, text, size in steps:
            if str(name) in known and len(text) % 3 == 0:
                remove_source(store, known.pop(str(name)))
            else:
                known[str(name)] = ingest(store, str(name), text, size)
            table = load_leaves(store, table)
            assert same(table, load_leaves(store))
            assert load_leaves(store, table) is table
        check(store, table)


def test_a_vector_of_the_wrong_length_is_not_passed_on(store) -> None:
    ingest(store, "one", "The first document.")
    with store.transaction() as connection:
        connection.execute("UPDATE vector SET data = zeroblob(3)")
    with pytest.raises(StorageError, match="wrong length"):
        load_leaves(store)


def test_fifty_thousand_leaves_load_whole_and_again_without_one_document(store) -> None:
    count, dimension, documents = 50_000, 384, 10
    begin_generation(store, "wide", dimension)
    drawn = np.random.default_rng(1).standard_normal((count, dimension)).astype(np.float32)
    each = count // documents
    for place in range(documents):
        text = f"{place:04d}" + "word " * each
        whole = document(text)
        leaves = tuple(
            Chunk(f"{place}-{at}", 0, None, at * 5, at * 5 + 5, text[at * 5 : at * 5 + 5], 1) for at in range(each)
        )
        CatalogueVectors(store).put({leaf.chunk_id: drawn[place * each + at] for at, leaf in enumerate(leaves)})
        with store.transaction():
            put_document(store, whole, size_bytes=1, parser="p")
            swap_chunks(
                store,
                ChunkTree(whole, leaves),
                recipe=Recipe("f", "l", {}),
                audit=Audit(1, 1),
                leaves=[NewLeaf(leaf.chunk_id, leaf.chunk_id, [], [], ["word"]) for leaf in leaves],
            )
            put_source(store, name=str(place), version_id=whole.version_id)
    table = load_leaves(store)
    assert np.array_equal(table.vectors, drawn)
    remove_source(store, 1)
    fewer = load_leaves(store, table)
    assert np.array_equal(fewer.vectors, drawn[each:])
