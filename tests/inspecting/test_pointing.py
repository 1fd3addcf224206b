"""A link names a heading, a note or a page, however it is written."""

from __future__ import annotations

from core.inspecting.link_places import anchors, inner_links
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Block, BlockKind, Document, Link, Page, PageBox


def test_links_within_a_document_lead_to_its_headings() -> None:
    text = "# Plan\n\n[New](#21-whats-new), [again](#2.1%20What's_new), [[#2.1 What's new]], [no](#none).\n\n"
    document = parse(f"{text}## 2.1 What's new\n\nNothing.\n".encode(), "plan.md", ParsingSettings())
    places = inner_links(document)
    assert {document.text[place.start : place.start + 13] for place in places.values()} == {"## 2.1 What's"}
    assert set(places) == {link.target for link in document.links} - {"#none"}
    assert anchors(document)["plan"].start == 0


def test_a_page_is_where_its_first_words_stand() -> None:
    text = "See page 2.\n\nHere."
    blocks = (Block(BlockKind.PARAGRAPH, 0, 11), Block(BlockKind.PARAGRAPH, 13, 18))
    boxes = (PageBox(0, 11, 1, 0, 0, 9, 9), PageBox(13, 17, 2, 0, 0, 9, 9), PageBox(17, 18, 2, 9, 0, 12, 9))
    pages = (Page(1, 9, 9), Page(2, 9, 9))
    links = (Link(4, 10, "#page=2"),)
    document = Document("v", "pdf", "t", text, blocks=blocks, boxes=boxes, pages=pages, links=links)
    assert inner_links(document)["#page=2"].start == 13
