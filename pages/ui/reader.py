"""The Chunks reader: the whole text with its leaves drawn on it, its tree, the chosen chunk and the loss audit.

One component, so that stepping from chunk to chunk needs no round trip. Text travels as ``data`` and is shown with
``textContent`` only: nothing a document contains can become markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.chunking.auditing import UNEXPLAINED
from core.text.places import boxes_of
from core.types import Audit, Chunk, ChunkTree, Document, Span
from pages.ui.assets import joined

_mount = st.components.v2.component(
    "lectern.reader",
    html=joined("reader.html"),
    css=joined("palette.css", "reader.css"),
    js=joined("offsets.js", "reader_text.js", "reader_side.js", "reader_ruler.js", "reader_sheet.js", "reader.js"),
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the reader shows first: a chunk, and a cited span if a link led here. ``count`` tells arrivals apart."""

    selected: str | None = None
    focus: Span | None = None
    count: int = 0


class _Strings:
    """Each distinct text once; titles and headings repeat in every chunk."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.index.setdefault(text, len(self.index))


def reader_data(tree: ChunkTree, audit: Audit, encoder_limit: int, recipe: str) -> dict[str, Any]:
    """A document as the component reads it: plain lists, offsets in code points.

    ``encoder_limit``: tokens the encoder reads, its special ones included. ``recipe``: told apart from another cut.
    """
    document, strings = tree.document, _Strings()
    parents = [chunk for chunk in tree.chunks if chunk.level > 0]
    place = {chunk.chunk_id: index for index, chunk in enumerate(parents)}
    leaf_pages = [pages_of(tree, leaf) for leaf in tree.leaves]

    def leaf_row(leaf: Chunk, pages: tuple[int, ...]) -> list[Any]:
        prefix = [[part.kind, strings.of(part.text)] for part in leaf.prefix]
        return [
            leaf.start,
            leaf.end,
            place.get(leaf.parent_id or "", -1),
            leaf.tokens,
            leaf.encoder_tokens,
            leaf.chunk_id,
            [strings.of(heading) for heading in leaf.headings],
            prefix,
            [strings.of(reason) for reason in leaf.reasons],
            _pages_in_words(pages),
        ]

    return {
        "version": document.version_id,
        "recipe": recipe,
        "text": document.text,
        "leaves": [leaf_row(leaf, pages) for leaf, pages in zip(tree.leaves, leaf_pages, strict=True)],
        "parents": [
            [
                chunk.start,
                chunk.end,
                place.get(chunk.parent_id or "", -1),
                chunk.level,
                chunk.tokens,
                [strings.of(heading) for heading in chunk.headings],
            ]
            for chunk in parents
        ],
        "blocks": [[block.start, block.end, str(block.kind), block.level] for block in document.blocks],
        "gaps": [
            [
                gap.start,
                gap.end,
                strings.of(gap.reason),
                gap.reason == UNEXPLAINED,
                _page_at(document, Span(gap.start, gap.end)),
            ]
            for gap in audit.gaps
        ],
        "covered": audit.covered,
        "characters": audit.characters,
        "limit": encoder_limit,
        "leafPages": [pages[0] if pages else 0 for pages in leaf_pages],
        "strings": list(strings.index),
    }


def pages_of(tree: ChunkTree, chunk: Chunk) -> tuple[int, ...]:
    """The 1-based pages a chunk stands on, in order; () for formats without pages."""
    return tuple(sorted({box.page for box in boxes_of(tree.document, chunk.span)}))


def _page_at(document: Document, span: Span) -> int:
    boxes = boxes_of(document, span)
    return boxes[0].page if boxes else 0


def _pages_in_words(pages: tuple[int, ...]) -> str:
    if not pages:
        return ""
    return str(pages[0]) if len(pages) == 1 else f"{pages[0]} – {pages[-1]}"


def show_reader(
    data: Mapping[str, Any],
    arrival: Arrival,
    key: str,
    page: Mapping[str, Any] | None = None,
    on_turn: Callable[[], None] | None = None,
) -> str | None:
    """Draw the reader; returns the chosen chunk's id. ``page``: a page sheet in place of the text."""
    identifiers = [row[5] for row in data["leaves"]]
    selected = identifiers.index(arrival.selected) if arrival.selected in identifiers else -1
    result = _mount(
        key=key,
        data={
            **data,
            "selected": selected,
            "focus": [arrival.focus.start, arrival.focus.end] if arrival.focus else None,
            "arrival": arrival.count,
            "page": page,
        },
        on_selected_change=lambda: None,
        on_turn_change=on_turn or (lambda: None),
    )
    chosen = result.selected
    return chosen if chosen in identifiers else arrival.selected
