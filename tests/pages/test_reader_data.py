"""What the reader is given is the document, whole and with its own offsets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.chunking.auditing import UNEXPLAINED
from core.library import Incoming, Library
from core.types import Audit, BlockKind, ChunkTree, Document, Gap, Link, Page, PageBox, Span, WordAudit
from pages.ui.reader_data import Reading, read

TEXT = "---\nowner: me\n---\n\n# Rocket 🚀\n\n## Part one\n\nFirst *words* here.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
WIDTHS = {"leaves": 10, "parents": 6, "blocks": 5, "gaps": 5, "links": 3}


@pytest.fixture
def tree(library: Library, tmp_path: Path) -> ChunkTree:
    (tmp_path / "rocket.md").write_text(TEXT, encoding="utf-8")
    report = library.ingest([Incoming("rocket.md", path=tmp_path / "rocket.md")])
    return library.tree(report.documents[0].version_id)


def unpacked(reading: Reading) -> dict[str, Any]:
    """The payload as the component reads it: after its key, JSON."""
    key, _, body = reading.payload.partition(b"\n")
    assert key.decode() == reading.key
    data: dict[str, Any] = json.loads(body)
    assert data["key"] == reading.key
    return data


def rows(data: dict[str, Any], name: str) -> list[list[int]]:
    flat: list[int] = data[name]
    width = WIDTHS[name]
    assert len(flat) % width == 0
    return [flat[at : at + width] for at in range(0, len(flat), width)]


def listed(data: dict[str, Any], index: int) -> tuple[str, ...]:
    return tuple(data["strings"][place] for place in data["lists"][index])


def made(tree: ChunkTree, gaps: Sequence[Gap] = (), second: WordAudit | None = None) -> Reading:
    return read(tree, Audit(9, 9, tuple(gaps)), 256, "recipe", second)


def test_every_leaf_keeps_its_span_and_words(tree: ChunkTree) -> None:
    reading = made(tree)
    data = unpacked(reading)
    assert data["text"] == tree.document.text
    assert reading.leaves == tuple(leaf.chunk_id for leaf in tree.leaves)
    for row, leaf in zip(rows(data, "leaves"), tree.leaves, strict=True):
        assert data["text"][row[0] : row[1]] == leaf.text
        assert row[3:5] == [leaf.tokens, leaf.encoder_tokens]
        assert listed(data, row[5]) == leaf.headings
        assert listed(data, row[6]) == tuple(word for part in leaf.prefix for word in (part.kind, part.text))
        assert listed(data, row[7]) == leaf.reasons


def test_what_is_set_aside_by_rule_is_told_from_what_is_lost(tree: ChunkTree) -> None:
    data = unpacked(made(tree, [Gap(0, 3, "front matter"), Gap(5, 6, UNEXPLAINED)]))
    assert [(data["strings"][row[2]], row[3]) for row in rows(data, "gaps")] == [("front matter", 0), (UNEXPLAINED, 1)]


def test_parents_are_named_by_position_and_blocks_by_kind(tree: ChunkTree) -> None:
    data = unpacked(made(tree))
    parents = [chunk for chunk in tree.chunks if chunk.level]
    assert [row[:2] for row in rows(data, "parents")] == [[chunk.start, chunk.end] for chunk in parents]
    for row, leaf in zip(rows(data, "leaves"), tree.leaves, strict=True):
        assert (parents[row[2]].chunk_id if row[2] >= 0 else None) == leaf.parent_id
    kinds = [data["strings"][row[2]] for row in rows(data, "blocks")]
    assert kinds == [str(block.kind) for block in tree.document.blocks]
    table = next(row for row, kind in zip(rows(data, "blocks"), kinds, strict=True) if kind == BlockKind.TABLE)
    assert data["text"][table[0] : table[4]].startswith("| a | b |")


def test_the_same_document_and_cut_give_the_same_bytes(tree: ChunkTree) -> None:
    assert made(tree).payload == made(tree).payload  # so Streamlit sends them once
    assert read(tree, Audit(9, 9), 256, "another").key != made(tree).key


def test_a_leaf_is_found_by_a_span_it_shares_most_with(tree: ChunkTree) -> None:
    reading = made(tree)
    leaf = tree.leaves[-1]
    assert reading.leaf_at(Span(leaf.start, leaf.end)) == leaf.chunk_id
    assert reading.leaf_at(Span(0, 3)) is None  # the front matter is in none


def paged(kind: str) -> ChunkTree:
    """Three words on two pages, with links that overlap and a link on nothing."""
    links = (Link(4, 7, "https://a.example"), Link(5, 9, "javascript:no"), Link(2, 2, "#nothing"))
    boxes = (PageBox(0, 3, 1, 0, 0, 9, 9), PageBox(4, 7, 2, 0, 0, 9, 9), PageBox(8, 13, 2, 0, 10, 9, 19))
    document = Document(
        "v",
        kind,
        "t",
        "one two three",
        links=links,
        pages=(Page(1, 9, 9), Page(2, 9, 9)),
        boxes=boxes,
        notes=("A picture was left out.",),
        metadata={"author": "Ada"},
        words=WordAudit("a plain reading", 4, 3, dropped=(("hidden text", 1),)),
    )
    return ChunkTree(document, ())


def test_links_that_overlap_are_taken_apart_and_notes_and_metadata_come_along() -> None:
    data = unpacked(made(paged("pdf")))
    assert [(row[0], row[1], data["strings"][row[2]]) for row in rows(data, "links")] == [(4, 7, "https://a.example")]
    assert data["notes"] == ["A picture was left out."]
    assert data["metadata"] == [["author", "Ada"]]


def test_slides_are_not_called_pages() -> None:
    assert unpacked(made(paged("pptx")))["pageWord"] == "slide"
    assert unpacked(made(paged("pdf")))["pageWord"] == "page"


def test_the_second_reading_is_the_given_one_or_else_the_documents() -> None:
    assert unpacked(made(paged("pdf")))["words"] == {
        "reader": "a plain reading",
        "words": 4,
        "inText": 3,
        "inMetadata": 0,
        "dropped": [["hidden text", 1]],
        "missing": 0,
        "examples": [],
    }
    other = WordAudit("another", 1, 0, missing=1, examples=("lost",))
    assert unpacked(made(paged("pdf"), second=other))["words"]["examples"] == ["lost"]
    without = paged("pdf")
    bare = ChunkTree(replace(without.document, words=None), ())
    assert unpacked(made(bare))["words"] is None


def test_pages_of_leaves_are_first_and_last(tree: ChunkTree) -> None:
    leaf = tree.leaves[0]
    boxes = (PageBox(leaf.start, leaf.start + 1, 3, 0, 0, 9, 9), PageBox(leaf.end - 1, leaf.end, 4, 0, 0, 9, 9))
    document = replace(tree.document, boxes=boxes)
    reading = made(ChunkTree(document, tree.chunks), [Gap(leaf.start, leaf.start + 1, "why")])
    assert reading.pages[0] == (3, 4)
    assert reading.page_of(leaf.chunk_id) == 3
    assert reading.page_of(None) == 0
    data = unpacked(reading)
    assert rows(data, "leaves")[0][8:] == [3, 4]
    assert rows(data, "gaps")[0][4] == 3
