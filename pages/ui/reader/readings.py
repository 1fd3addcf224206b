"""What the Chunks page asks of core, cached: documents as the reader draws them, and pictures of their pages."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import streamlit as st

from core.parsing.sandbox.syntax import read_syntax
from core.syntax import Unit
from core.text.places import boxes_of
from core.types import Document, Span
from pages.ui.reader.data import Reading
from pages.ui.reader.text import TextReading, read_text
from pages.ui.shared import services, words

DRAWN = ("pdf", "image")  # kinds of documents whose pages can be drawn
PAGE_SCALE = 1.8  # pixels a point: sharp in the reader's column, a few hundred kilobytes


def document(version: str) -> Document:
    """A document with its structure. It stays until the same file is read in another way, whatever else changes."""
    return _document(str(services.home()), version, services.library().parse_fingerprint(version))


@st.cache_resource(max_entries=16, show_spinner=False)
def _document(place: str, version: str, read: str) -> Document:
    return services.library().document(version)


def units(version: str) -> tuple[Unit, ...]:
    """The definitions of a program, () of any other document and where no grammar reads it."""
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
    """A document's text as the reader's shelf takes it."""
    return _text(str(services.home()), version, services.library().parse_fingerprint(version))


@st.cache_resource(max_entries=6, show_spinner=False)
def _text(place: str, version: str, read: str) -> TextReading:
    return read_text(document(version))


def drawn_sheet(version: str, number: int, drawn: Reading, lit: Span | None = None) -> dict[str, Any]:
    """A page's picture, and the boxes of a cut's chunks and of their parents on it, in percent of the page.

    ``boxes``: a leaf's place, left, top, right, bottom. ``parents``: the first leaf of a parent, likewise: one box
    around all that a parent has on the page. ``lit``: of the cited words, line by line; ``cited``: one around those of
    a column. Raises ``PasswordNeededError``.
    """
    paper = document(version).pages
    page = paper[max(1, min(number, len(paper))) - 1]
    here = [at for at, (first, last) in enumerate(drawn.pages) if first <= page.number <= last]
    families = {drawn.parents[at]: drawn.parents.index(drawn.parents[at]) for at in here if drawn.parents[at]}
    around = boxes_on(version, page.number, [span for span in families if span])
    cited = boxes_on(version, page.number, [lit] if lit else [])
    return {
        **_picture(str(services.home()), version, services.library().parse_fingerprint(version), page.number),
        "boxes": [
            [here[int(at)], *box] for at, *box in boxes_on(version, page.number, [drawn.spans[at] for at in here])
        ],
        "lit": [box for _, *box in cited],
        "cited": [box for _, *box in _united(cited)],
        "parents": [[list(families.values())[int(at)], *box] for at, *box in _united(around)],
    }


def _united(boxes: Iterable[list[float]]) -> list[list[float]]:
    """One box around those of the same place that follow each other down the page; a column begins another.

    >>> _united([[0, 5, 5, 9, 9], [0, 1, 8, 4, 12], [0, 20, 2, 24, 4], [1, 0, 0, 1, 1]])
    [[0, 1, 5, 9, 12], [0, 20, 2, 24, 4], [1, 0, 0, 1, 1]]
    """
    whole: list[list[float]] = []
    top = 0.0  # of the box before
    for place, x0, y0, x1, y1 in boxes:
        if whole and whole[-1][0] == place and y1 > top:
            held = whole[-1]
            held[1:] = [min(held[1], x0), min(held[2], y0), max(held[3], x1), max(held[4], y1)]
        else:
            whole.append([place, x0, y0, x1, y1])
        top = y0
    return whole


@st.cache_resource(max_entries=12, show_spinner=False)
def _picture(place: str, version: str, read: str, number: int) -> dict[str, Any]:
    from core.parsing.pictures.drawing import render_page

    held = services.library()
    paper = document(version).pages
    page = next(page for page in paper if page.number == number)
    original, settings = held.original(version), held.settings.parsing
    picture = held.passwords.open(version, lambda word: render_page(original, page.number, PAGE_SCALE, settings, word))
    return {
        "number": page.number,
        "count": len(paper),
        "width": page.width,
        "height": page.height,
        "read": words.page_read(page),
        "image": f"data:image/png;base64,{base64.b64encode(picture).decode()}",
    }


def boxes_on(version: str, number: int, spans: Iterable[Span]) -> list[list[float]]:
    """Where spans stand on a page: each span's place among them, then left, top, right and bottom in percent of it."""
    paper = document(version).pages
    page = paper[max(1, min(number, len(paper))) - 1]
    across, down = 100 / page.width, 100 / page.height
    return [
        [place, box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down]
        for place, span in enumerate(spans)
        for box in boxes_of(document(version), span)
        if box.page == page.number
    ]


def within(version: str, span: Span) -> bool:
    """Whether a span lies in a document's text."""
    return span.end <= len(document(version).text)
