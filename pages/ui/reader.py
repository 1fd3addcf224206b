"""The Chunks reader: the text with its leaves drawn on it, its tree, the chosen chunk and what became of the text.

Two components. The shelf brings a document's text, as bytes that stay the same while the document does, so that
Streamlit sends them once; the reader is told which one to draw and where to open it. Text is shown with
``textContent`` only: nothing a document contains can become markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.types import Span
from pages.ui.assets import joined
from pages.ui.reader_data import Reading

_shelve = st.components.v2.component("lectern.shelf", js=joined("shelf.js", "shelf_store.js"))
_mount = st.components.v2.component(
    "lectern.reader",
    html=joined("reader.html"),
    css=joined("palette.css", "reader.css", "reader_text.css", "reader_side.css", "judge.css"),
    js=joined(
        "offsets.js",
        "shelf.js",
        "copying.js",
        "judge_select.js",
        "judge_bar.js",
        "judge_panel.js",
        "reader_model.js",
        "reader_slabs.js",
        "reader_table.js",
        "reader_text.js",
        "reader_scroll.js",
        "reader_find.js",
        "reader_tree.js",
        "reader_ruler.js",
        "reader_side.js",
        "reader_document.js",
        "reader_sheet.js",
        "reader_hands.js",
        "judge_reader.js",
        "reader.js",
    ),
)
NOTHING_JUDGED: Mapping[str, Any] = {
    "off": "Nothing can be judged here.",
    "question": "",
    "gold": [],
    "lost": [],
    "boxes": [],
    "notice": None,
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the reader shows first: a chunk, and a cited span if a link led here. ``count`` tells arrivals apart."""

    selected: str | None = None
    focus: Span | None = None
    count: int = 0


def show_reader(
    reading: Reading,
    arrival: Arrival,
    key: str,
    page: Mapping[str, Any] | None = None,
    on_turn: Callable[[], None] | None = None,
    judging: Mapping[str, Any] = NOTHING_JUDGED,
    on_judging: Callable[[], None] | None = None,
) -> str | None:
    """Draw the reader; returns the chosen chunk's id. ``page``: a page sheet in place of the text.

    ``judging``: gold and what was done, as ``judging.for_reader`` tells it; it may change without the text.
    """
    data = {
        "shelf": reading.key,
        "selected": reading.leaves.index(arrival.selected) if arrival.selected in reading.leaves else -1,
        "focus": [arrival.focus.start, arrival.focus.end] if arrival.focus else None,
        "arrival": arrival.count,
        "page": page,
        "judging": judging,
    }
    result = _mount(
        key=key,
        data=data,
        on_selected_change=lambda: None,
        on_turn_change=on_turn or (lambda: None),
        on_judging_change=on_judging or (lambda: None),
    )
    chosen: dict[str, Any] | None = result.selected
    # What was chosen in the document, or the cut, before this one says nothing here.
    if chosen and chosen["shelf"] == reading.key and 0 <= chosen["leaf"] < len(reading.leaves):
        return reading.leaves[int(chosen["leaf"])]
    return arrival.selected


def shelve(reading: Reading, key: str) -> None:
    """Bring the text to the window. Call it outside the fragment that draws the reader, with the same key each time."""
    _shelve(key=key, data=reading.payload)
