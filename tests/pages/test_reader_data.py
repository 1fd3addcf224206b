"""What the reader is given is the document, whole and with its own offsets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit

from core.chunking.auditing import SWITCHED_OFF, UNEXPLAINED, Audit, Gap
from core.inspecting.findings import Unread
from core.library import Incoming, Library
from core.types import BlockKind, ChunkTree, Document, Link, Page, PageBox, Span, WordAudit
from pages.ui.reader import reader_messages as reader_told
from pages.ui.reader.data import ASIDE, LOST, OFF, Reading, read_cut
from pages.ui.reader.reader_messages import Choice, EditRequest, chosen_in
from pages.ui.reader.text import read_text

TEXT = "---\nowner: me\n---\n\n# Rocket 🚀\n\n## Part one\n\nFirst *words* here.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
WIDTHS = {"leaves": 10, "parents": 6, "blocks": 5, "gaps": 5, "links": 3, "tails": 3}


@pytest.fixture
def tree(library: Library, tmp_path: Path) -> ChunkTree:
    (tmp_path / "rocket.md").write_text(TEXT, encoding="utf-8")
    report = library.ingest([Incoming("rocket.md", path=tmp_path / "rocket.md")])
    return library.tree(report.documents[0].version_id)


def text_of(tree: ChunkTree, second: WordAudit | None = None) -> dict[str, Any]:
    """The text's payload as the component reads it: after its key, JSON."""
    read = read_text(replace(tree.document, words=second) if second else tree.document)
    key, _, body = read.payload.partition(b"\n")
    assert key.decode() == read.key
    data: dict[str, Any] = json.loads(body)
    return data


def cut_of(reading: Reading) -> dict[str, Any]:
    """The cut as the component reads it."""
    data: dict[str, Any] = json.loads(reading.cut)
    return data


def rows(data: dict[str, Any], name: str) -> list[list[int]]:
    flat: list[int] = data[name]
    width = WIDTHS[name]
    assert len(flat) % width == 0
    return [flat[at : at + width] for at in range(0, len(flat), width)]


def listed(data: dict[str, Any], index: int) -> tuple[str, ...]:
    return tuple(data["strings"][place] for place in data["lists"][index])


def made(tree: ChunkTree, gaps: Sequence[Gap] = (), tails: Sequence[Unread] = ()) -> Reading:
    return read_cut(read_text(tree.document), tree, Audit(9, 9, tuple(gaps)), 256, tails)


def test_every_leaf_keeps_its_span_and_words(tree: ChunkTree) -> None:
    reading = made(tree)
    data, text = cut_of(reading), text_of(tree)["text"]
    assert text == tree.document.text
    assert "text" not in data  # it is brought once, whatever the cut
    assert reading.leaves == tuple(leaf.chunk_id for leaf in tree.leaves)
    for row, leaf in zip(rows(data, "leaves"), tree.leaves, strict=True):
        assert text[row[0] : row[1]] == leaf.text
        assert row[3:5] == [leaf.tokens, leaf.encoder_tokens]
        assert listed(data, row[5]) == leaf.headings
        assert listed(data, row[6]) == tuple(word for part in leaf.prefix for word in (part.kind, part.text))
        assert listed(data, row[7]) == leaf.reasons


def test_what_is_set_aside_is_told_from_what_is_lost_and_what_is_switched_off(tree: ChunkTree) -> None:
    gaps = [Gap(0, 3, "front matter"), Gap(5, 6, UNEXPLAINED), Gap(7, 9, SWITCHED_OFF)]
    data = cut_of(made(tree, gaps))
    told = [(data["strings"][row[2]], row[3]) for row in rows(data, "gaps")]
    assert told == [("front matter", ASIDE), (UNEXPLAINED, LOST), (SWITCHED_OFF, OFF)]


def test_what_the_encoder_does_not_read_comes_with_its_leaf(tree: ChunkTree) -> None:
    assert rows(cut_of(made(tree, tails=[Unread(1, 40, 44, 2)])), "tails") == [[1, 40, 44]]


def test_parents_are_named_by_position_and_blocks_by_kind(tree: ChunkTree) -> None:
    data, text = cut_of(made(tree)), text_of(tree)
    parents = [chunk for chunk in tree.chunks if chunk.level]
    assert [row[:2] for row in rows(data, "parents")] == [[chunk.start, chunk.end] for chunk in parents]
    for row, leaf in zip(rows(data, "leaves"), tree.leaves, strict=True):
        assert (parents[row[2]].chunk_id if row[2] >= 0 else None) == leaf.parent_id
    assert made(tree).parents == tuple(
        next((parent.span for parent in parents if parent.chunk_id == leaf.parent_id), None) for leaf in tree.leaves
    )
    kinds = [text["strings"][row[2]] for row in rows(text, "blocks")]
    assert kinds == [str(block.kind) for block in tree.document.blocks]
    table = next(row for row, kind in zip(rows(text, "blocks"), kinds, strict=True) if kind == BlockKind.TABLE)
    assert text["text"][table[0] : table[4]].startswith("| a | b |")


def test_the_same_document_and_cut_give_the_same_bytes_and_keys(tree: ChunkTree) -> None:
    assert read_text(tree.document) == read_text(tree.document)  # so Streamlit sends them once
    assert made(tree) == made(tree)


def test_another_cut_has_another_key_on_the_same_text(tree: ChunkTree) -> None:
    fewer = ChunkTree(tree.document, tree.chunks[:-1])
    one, other = made(tree), made(fewer)
    assert one.text_key == other.text_key == read_text(tree.document).key
    assert one.cut_key != other.cut_key
    assert made(tree, [Gap(0, 3, "front matter")]).cut_key != one.cut_key


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
    data = text_of(paged("pdf"))
    assert [(row[0], row[1], data["strings"][row[2]]) for row in rows(data, "links")] == [(4, 7, "https://a.example")]
    assert data["notes"] == ["A picture was left out."]
    assert data["metadata"] == [["author", "Ada"]]


def test_slides_are_not_called_pages() -> None:
    assert text_of(paged("pptx"))["pageWord"] == "slide"
    assert text_of(paged("pdf"))["pageWord"] == "page"


def test_the_second_reading_is_the_given_one_or_else_the_documents() -> None:
    assert text_of(paged("pdf"))["words"] == {
        "reader": "a plain reading",
        "words": 4,
        "inText": 3,
        "inMetadata": 0,
        "dropped": [["hidden text", 1]],
        "missing": 0,
        "examples": [],
    }
    other = WordAudit("another", 1, 0, missing=1, examples=("lost",))
    assert text_of(paged("pdf"), other)["words"]["examples"] == ["lost"]
    without = paged("pdf")
    bare = ChunkTree(replace(without.document, words=None), ())
    assert text_of(bare)["words"] is None


def test_pages_of_leaves_are_first_and_last(tree: ChunkTree) -> None:
    leaf = tree.leaves[0]
    boxes = (PageBox(leaf.start, leaf.start + 1, 3, 0, 0, 9, 9), PageBox(leaf.end - 1, leaf.end, 4, 0, 0, 9, 9))
    document = replace(tree.document, boxes=boxes)
    reading = made(ChunkTree(document, tree.chunks), [Gap(leaf.start, leaf.start + 1, "why")])
    assert reading.pages[0] == (3, 4)
    assert reading.page_of(leaf.chunk_id) == 3
    assert reading.page_of(None) == 0
    data = cut_of(reading)
    assert rows(data, "leaves")[0][8:] == [3, 4]
    assert rows(data, "gaps")[0][4] == 3


def test_a_choice_is_the_chunk_that_holds_its_place_in_the_cut_that_is_drawn(tree: ChunkTree) -> None:
    reading = made(tree)
    last = tree.leaves[-1]
    told = {"text": reading.text_key, "cut": reading.cut_key, "leaf": 0, "at": 0, "caret": 44}
    assert chosen_in(reading, told, None) == Choice(reading.leaves[0], 44)
    before = {**told, "cut": "another", "leaf": 7, "at": last.start, "caret": None}
    assert chosen_in(reading, before, None) == Choice(last.chunk_id)
    assert chosen_in(reading, {**told, "text": "another"}, last.chunk_id) == Choice(last.chunk_id)
    assert chosen_in(reading, {**told, "leaf": -1}, None) == Choice(None, 44)  # clicked where no chunk is
    assert chosen_in(reading, None, None) == Choice()


def test_an_edit_is_heard_once_however_often_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told:
        edit: Sequence[Mapping[str, Any]] = ()

    held: dict[str, Any] = {"reader": Told()}
    monkeypatch.setattr(streamlit, "session_state", held)
    merge = {"shelf": "cut", "kind": "merge", "at": 9, "start": 3, "end": 20, "count": "1.0"}
    undo = {"shelf": "cut", "kind": "undo", "count": "2.1"}
    assert reader_told.edits_asked("reader") == []
    held["reader"].edit = [merge]
    assert reader_told.edits_asked("reader") == [EditRequest("cut", "merge", at=9, start=3, end=20)]
    held["reader"].edit = [merge, undo]
    assert reader_told.edits_asked("reader") == [EditRequest("cut", "undo")]
    assert reader_told.edits_asked("reader") == []
