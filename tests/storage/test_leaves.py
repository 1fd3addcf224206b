"""The leaves as arrays: in order, exact, fast, and cheap to bring up to date."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StorageError
from core.storage.catalogue.filing.sources import remove_source
from core.storage.catalogue.texts.chunks import tree
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index import leaf_vectors
from core.storage.index.leaf_vectors import read_vectors
from core.storage.index.leaves import LeafTable, load_leaves
from core.storage.store import Store
from tests.storage.builders import DIMENSION, ingest, vector


def same(left: LeafTable, right: LeafTable) -> bool:
    arrays = ("rows", "documents", "starts", "ends", "tokens", "parent_rows")
    others = ("revision", "generation", "dimension", "version_ids", "titles", "names")
    return (
        all(np.array_equal(getattr(left, name), getattr(right, name)) for name in arrays)
        and all(getattr(left, name) == getattr(right, name) for name in others)
        and np.array_equal(left.vectors.of(), right.vectors.of())
    )


def check(store, table: LeafTable) -> None:
    """Every array against the trees themselves."""
    vectors = table.vectors.of()
    expected = [
        (place, leaf.start, leaf.end, leaf.tokens, leaf.text)
        for place, version_id in enumerate(table.version_ids)
        for leaf in sorted(tree(store, version_id).leaves, key=lambda leaf: leaf.start)
    ]
    assert len(table) == len(expected)
    for at, (place, start, end, tokens, text) in enumerate(expected):
        assert (table.documents[at], table.starts[at], table.ends[at], table.tokens[at]) == (place, start, end, tokens)
        assert (vectors[at] == vector(text)).all()
    types = [table.rows.dtype, table.documents.dtype, table.starts.dtype, table.parent_rows.dtype, vectors.dtype]
    assert [str(kind) for kind in types] == ["int64", "int32", "int64", "int64", "float32"]
    assert vectors.flags.c_contiguous
    assert vectors.shape == (len(expected), table.dimension)


def test_an_empty_library_has_an_empty_table(store) -> None:
    table = load_leaves(store)
    assert (len(table), table.generation, table.vectors.of().shape) == (0, 0, (0, 0))
    begin_generation(store, "any", 12)
    table = load_leaves(store, table)
    assert (len(table), table.generation, table.vectors.of().shape) == (0, 1, (0, 12))
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
            table.vectors.load()
            assert same(table, load_leaves(store)), "what is kept is what is stored"
            assert load_leaves(store, table) is table
        check(store, table)


def test_a_change_reads_and_copies_what_came_in_alone(store, monkeypatch) -> None:
    for name in "abcd":
        ingest(store, name, f"Document {name}. " * 40, 30)
    before = load_leaves(store)
    before.vectors.load()
    query = vector("a question")
    likeness = dict(zip(before.rows.tolist(), before.vectors.cosines(query).tolist(), strict=True))
    remove_source(store, 2)
    ingest(store, "e", "Another document.")
    read = []
    monkeypatch.setattr(leaf_vectors, "read_vectors", lambda *given: read.append(given[1]) or read_vectors(*given))
    after = load_leaves(store, before)
    after.vectors.load()
    new = ~np.isin(after.rows, before.rows)
    assert 0 < new.sum() < len(after) < len(before)
    assert [rows.tolist() for rows in read] == [after.rows[new].tolist()]
    assert after.vectors._blocks is before.vectors._blocks, "nothing is copied"
    kept = dict(zip(after.rows.tolist(), after.vectors.cosines(query).tolist(), strict=True))
    assert {row: kept[row] for row in kept if row in likeness} == {
        row: likeness[row] for row in kept if row in likeness
    }
    some = np.arange(0, len(after), 3)
    assert after.vectors.cosines(query, some).tolist() == after.vectors.cosines(query)[some].tolist()
    part = after.vectors.subset(after.documents == 0)
    assert part.cosines(query).tolist() == after.vectors.cosines(query)[after.documents == 0].tolist()


@pytest.mark.parametrize("room", [True, False])
def test_vectors_compared_again_are_mapped_where_there_is_room(store, monkeypatch, room) -> None:
    monkeypatch.setattr(leaf_vectors, "_BLOCK", 4)
    ingest(store, "a", "A document of many parts. " * 60, 30)
    table, loaded = load_leaves(store), load_leaves(store)
    loaded.vectors.load()
    if not room:
        monkeypatch.setattr(leaf_vectors.tempfile, "TemporaryFile", partial(Path("/dev/full").open, "w+b", 0))
    for question in ("one", "another", "a third"):
        expected = loaded.vectors.cosines(vector(question)).tolist()
        assert table.vectors.cosines(vector(question)).tolist() == expected
        assert table.vectors.in_memory is (room and question != "one")
    ingest(store, "b", "Another document.")
    after = load_leaves(store, table)
    assert after.vectors.cosines(vector("one"))[: len(table)].tolist() == table.vectors.cosines(vector("one")).tolist()
    assert after.vectors._blocks is table.vectors._blocks or not room, "what is mapped is kept"


def test_what_has_left_is_let_go_in_time(store, monkeypatch) -> None:
    monkeypatch.setattr(leaf_vectors, "_BLOCK", 4)
    table = load_leaves(store)
    for turn in range(12):
        ingest(store, "one", f"What it says the time number {turn}. " * 6, 20)
        table = load_leaves(store, table)
        table.vectors.load()
        assert table.vectors._blocks.count <= 1.25 * len(table) + 4 + len(table)
        check(store, table)


def test_a_vector_of_the_wrong_length_is_not_passed_on(store) -> None:
    ingest(store, "one", "The first document.")
    with store.transaction() as connection:
        connection.execute("UPDATE vector SET data = zeroblob(3)")
    with pytest.raises(StorageError, match="wrong length"):
        load_leaves(store).vectors.of()


def test_a_vector_that_is_missing_is_no_change_of_the_library(store) -> None:
    ingest(store, "one", "The first document, long enough for two.")
    with store._connections.alone() as writer:
        writer.execute("PRAGMA foreign_keys = OFF")
        writer.execute("DELETE FROM vector WHERE number = (SELECT max(vector) FROM chunk)")
    with pytest.raises(StorageError, match="missing or have the wrong length"):
        load_leaves(store).vectors.of()
