"""Rows of the icicle: every chunk once, under its parent, with widths that add up."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.inspecting.hierarchy import bars, icicle
from core.settings import ChunkingSettings
from core.types import ChunkTree, Document
from tests.chunking import generated
from tests.inspecting.planting import WordCounter, document_of, tree_of


@given(generated.documents(), generated.settings())
def test_rows_nest_and_widths_add_up(document, dials):
    tree = chunk(document, dials, generated.ThirdsCounter())
    rows = icicle(tree)
    by_id = {row.chunk_id: row for row in rows}
    assert [row.chunk_id for row in rows[1:]] == [one.chunk_id for one in tree.chunks]
    assert [row for row in rows if row.parent_id == ""] == [rows[0]]
    children: dict[str, int] = {}
    for row, one in zip(rows[1:], tree.chunks, strict=True):
        above = by_id[row.parent_id]
        assert (row.tokens, row.start, row.end, row.level) == (one.tokens, one.start, one.end, one.level)
        assert above.start <= row.start <= row.end <= above.end
        assert (above.depth, above.level) == (row.depth - 1, row.level + 1)
        assert row.label
        assert len(row.label) <= 61
        children[row.parent_id] = children.get(row.parent_id, 0) + row.extent
    for name, total in children.items():
        assert by_id[name].extent == total
    leaves = [row for row in rows if row.leaf >= 0]
    assert [tree.leaves[row.leaf].chunk_id for row in leaves] == [row.chunk_id for row in leaves]
    covered = {at for leaf in tree.leaves for at in range(leaf.start, leaf.end)}
    assert rows[0].extent == len(covered)


def test_a_label_is_the_heading_where_it_changes_and_else_the_first_words():
    document = document_of("# Pumps\n\nThe pump starts.\n\nIt stops.\n\n## Valves\n\nOpen them.")
    spans = [(0, 25), (27, 36), (38, len(document.text))]
    tree = tree_of(document, spans, headings=[("Pumps",), (), ("Pumps", "Valves")])
    assert [row.label for row in icicle(tree)][2:] == ["Pumps", "It stops.", "Valves"]


def test_a_document_without_chunks_is_one_row():
    [row] = icicle(ChunkTree(Document("v", "text", "Empty", ""), ()))
    assert (row.label, row.tokens, row.extent) == ("Empty", 0, 0)
    assert chunk(Document("v", "text", "Empty", ""), ChunkingSettings(), WordCounter()).chunks == ()


@given(generated.documents(), generated.settings(), st.integers(0, 400), st.integers(0, 5))
def test_bars_hold_every_row_once_and_two_thin_neighbours_never_stand_apart(document, dials, thinnest, chosen):
    tree = chunk(document, dials, generated.ThirdsCounter())
    rows = icicle(tree)
    whole = tree.leaves[chosen].chunk_id if chosen < len(tree.leaves) else ""
    drawn = bars(rows, thinnest, whole)
    assert sum(bar.count for bar in drawn) == len(rows)
    assert sum(bar.tokens for bar in drawn) == sum(row.tokens for row in rows)
    assert [bar.count for bar in drawn if bar.row.chunk_id == whole] == [1] * bool(whole)
    for depth in {row.depth for row in rows}:
        level = [bar for bar in drawn if bar.row.depth == depth]
        held = [row for row in rows if row.depth == depth]
        for bar in level:
            here, held = held[: bar.count], held[bar.count :]
            assert bar.row == here[0]
            assert (bar.end, bar.tokens) == (here[-1].end, sum(row.tokens for row in here))
            assert bar.count == 1 or all(row.chunk_id != whole for row in here)
        for one, other in pairwise(level):
            apart = other.start - one.end >= thinnest or (one.row.leaf >= 0) != (other.row.leaf >= 0)
            thick = max(one.end - one.start, other.end - other.start) >= thinnest
            assert thick or apart or whole in (one.row.chunk_id, other.row.chunk_id)


def test_without_a_least_thickness_every_row_is_a_bar():
    document = document_of("One. Two. Three.")
    rows = icicle(tree_of(document, [(0, 4), (5, 9), (10, 16)]))
    assert [bar.row for bar in bars(rows)] == list(rows)
    assert [(bar.count, bar.mean) for bar in bars(rows, 100)][-1][0] == 3
