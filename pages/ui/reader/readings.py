"""Documents for the reader, cached: their structure, their text, and their pages as pictures with boxes."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import streamlit as st

from core.parsing.sandbox.syntax import read_syntax
from core.syntax import Unit
from core.text.places import boxes_of
from core.types import Document, Page, Span
from pages.ui.reader.data import Reading
from pages.ui.reader.text import TextReading, read_text
from pages.ui.shared import services, words

DRAWN = ("pdf", "image")  # kinds of documents whose pages can be shown as pictures
PAGE_SCALE = 1.8  # pixels per point: sharp in the reader's column, a few hundred kilobytes a page


def document(version: str) -> Document:
    """A document with its structure, cached until its file is parsed in another way."""
    return _document(str(services.home()), version, services.library().parse_fingerprint(version))


@st.cache_resource(max_entries=16, show_spinner=False)
def _document(place: str, version: str, read: str) -> Document:
    return services.library().document(version)


def units(version: str) -> tuple[Unit, ...]:
    """The definitions in a source file; () for other documents, and for languages without a grammar."""
    language = document(version).metadata.get("language", "") if document(version).kind == "code" else ""
    return (
        _units(str(services.home()), version, services.library().parse_fingerprint(version), language)
        if language
        else ()
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def _units(place: str, version: str, read: str, language: str) -> tuple[Unit, ...]:
    syntax = read_syntax(document(version).text, language, services.library().settings.parsing)
    return syntax.units if syntax else ()


def text(version: str) -> TextReading:
    """A document's text as data for the reader."""
    return _text(str(services.home()), version, services.library().parse_fingerprint(version))


@st.cache_resource(max_entries=6, show_spinner=False)
def _text(place: str, version: str, read: str) -> TextReading:
    return read_text(document(version))


def drawn_sheet(version: str, number: int, drawn: Reading, lit: Span | None = None) -> dict[str, Any]:
    """A page sheet: the page's picture, and boxes on it as left, top, right, bottom in percent of the page.

    ``number``: the page, 1-based. ``drawn``: the cut. ``lit``: the cited span. Of the result, "boxes" are those of the
    leaves, each after the leaf's index; "parents" one box for each parent and column, after the index of the parent's
    first leaf; "lit" the lines of the cited span; "cited" one box around them for each column.
    Raises ``PasswordNeededError``.
    """
    page = _page(version, number)
    leaves = [at for at, (first, last) in enumerate(drawn.pages) if first <= page.number <= last]
    first_leaf = {parent: drawn.parents.index(parent) for parent in (drawn.parents[at] for at in leaves) if parent}
    leaf_boxes = boxes_on(version, page.number, [drawn.spans[at] for at in leaves])
    parent_boxes = boxes_on(version, page.number, list(first_leaf))
    cited_boxes = boxes_on(version, page.number, [lit] if lit else [])
    return {
        **_picture(str(services.home()), version, services.library().parse_fingerprint(version), page.number),
        "boxes": [[leaves[int(index)], *box] for index, *box in leaf_boxes],
        "lit": [box for _, *box in cited_boxes],
        "cited": [box for _, *box in _united(cited_boxes)],
        "parents": [[list(first_leaf.values())[int(index)], *box] for index, *box in _united(parent_boxes)],
    }


def _page(version: str, number: int) -> Page:
    """The page of this 1-based number; the first or last page for a number out of range."""
    pages = document(version).pages
    return pages[max(1, min(number, len(pages))) - 1]


def _united(boxes: Iterable[list[float]]) -> list[list[float]]:
    """Merges consecutive boxes of the same index while they go down the page; a new column begins a new box.

    >>> _united([[0, 5, 5, 9, 9], [0, 1, 8, 4, 12], [0, 20, 2, 24, 4], [1, 0, 0, 1, 1]])
    [[0, 1, 5, 9, 12], [0, 20, 2, 24, 4], [1, 0, 0, 1, 1]]
    """
    merged: list[list[float]] = []
    previous_top = 0.0
    for index, x0, y0, x1, y1 in boxes:
        if merged and merged[-1][0] == index and y1 > previous_top:
            last = merged[-1]
            last[1:] = [min(last[1], x0), min(last[2], y0), max(last[3], x1), max(last[4], y1)]
        else:
            merged.append([index, x0, y0, x1, y1])
        previous_top = y0
    return merged


@st.cache_resource(max_entries=12, show_spinner=False)
def _picture(place: str, version: str, read: str, number: int) -> dict[str, Any]:
    """A page's picture as a data URL, with its size in points, its number, and how its text was read."""
    from core.parsing.pictures.drawing import render_page

    library = services.library()
    pages = document(version).pages
    page = next(page for page in pages if page.number == number)
    original, settings = library.original(version), library.settings.parsing

    def render(password: str | None) -> bytes:
        return render_page(original, page.number, PAGE_SCALE, settings, password)

    picture = library.passwords.open(version, render)
    return {
        "number": page.number,
        "count": len(pages),
        "width": page.width,
        "height": page.height,
        "read": words.page_read(page),
        "image": f"data:image/png;base64,{base64.b64encode(picture).decode()}",
    }


def boxes_on(version: str, number: int, spans: Iterable[Span]) -> list[list[float]]:
    """The boxes of spans on a page: rows of the span's index, then left, top, right, bottom in percent of the page."""
    page = _page(version, number)
    across, down = 100 / page.width, 100 / page.height
    return [
        [index, box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down]
        for index, span in enumerate(spans)
        for box in boxes_of(document(version), span)
        if box.page == page.number
    ]


def within(version: str, span: Span) -> bool:
    """Whether a span lies in a document's text."""
    return span.end <= len(document(version).text)
