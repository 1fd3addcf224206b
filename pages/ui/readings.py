"""What the Chunks page asks of core, cached: documents as the reader draws them, and pictures of their pages."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import streamlit as st

from core.text.places import boxes_of
from core.types import Document, Span
from pages.ui import services
from pages.ui.reader_data import Reading, read

PAGE_SCALE = 1.8  # pixels a point: sharp in the reader's column, a few hundred kilobytes


def document(version: str) -> Document:
    """A document with its structure. A version's parse may change with its parser only, hence no revision."""
    return _document(str(services.home()), version)


@st.cache_resource(max_entries=16, show_spinner=False)
def _document(place: str, version: str) -> Document:
    return services.library().document(version)


def reading(version: str) -> Reading:
    """A document as the reader draws it, in the cut the library holds now."""
    library = services.library()
    recipe = next((row.recipe_fingerprint for row in library.sources() if row.version_id == version), "")
    return _reading(str(services.home()), version, recipe)


@st.cache_resource(max_entries=6, show_spinner=False)
def _reading(place: str, version: str, recipe: str) -> Reading:
    library = services.library()
    return read(library.tree(version), library.audit(version), library.model.encoder.max_tokens, recipe)


def page_sheet(version: str, number: int) -> dict[str, Any]:
    """A page's picture and every chunk's boxes on it, in percent of the page. Raises ``PasswordNeededError``."""
    return _page_sheet(version, number, reading(version))


@st.cache_resource(max_entries=12, show_spinner="Drawing the page …", hash_funcs={Reading: lambda reading: reading.key})
def _page_sheet(version: str, number: int, drawn: Reading) -> dict[str, Any]:
    from core.parsing.pdf_images import render_page

    held = services.library()
    paper = document(version).pages
    page = paper[max(1, min(number, len(paper))) - 1]
    original, settings = held.original(version), held.settings.parsing
    picture = held.passwords.open(version, lambda word: render_page(original, page.number, PAGE_SCALE, settings, word))
    across, down = 100 / page.width, 100 / page.height
    boxes = [
        [index, box.x0 * across, box.y0 * down, box.x1 * across, box.y1 * down]
        for index, (span, (first, last)) in enumerate(zip(drawn.spans, drawn.pages, strict=True))
        if first <= page.number <= last
        for box in boxes_of(document(version), span)
        if box.page == page.number
    ]
    return {
        "number": page.number,
        "count": len(paper),
        "width": page.width,
        "height": page.height,
        "image": f"data:image/png;base64,{base64.b64encode(picture).decode()}",
        "boxes": boxes,
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
