"""Rows of the icicle: every chunk once, under its parent, with widths that add up."""

from __future__ import annotations

from hypothesis import given

from core.chunking import chunk
from core.inspecting.hierarchy import icicle
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
