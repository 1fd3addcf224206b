"""The Chunks reader: the text with its leaves drawn on it, its tree, the chosen chunk and what became of the text.

Two components. The shelf brings a document's text, as bytes that stay the same while the document does, so that
Streamlit sends them once; the reader is told which cut to draw on it, and where. A new cut redraws what is in view and
leaves the text under the eye where it is. Text is shown with ``textContent`` only: nothing a document contains can
become markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.types import Span
from pages.ui.reader.data import Reading
from pages.ui.reader.reader_messages import Arrival, Choice, chosen_in
from pages.ui.reader.text import TextReading
from pages.ui.shared import assets

_shelve = st.components.v2.component("lectern.shelf", js=assets.text(__file__, "shelf.js", "shelf_store.js"))
_mount = st.components.v2.component(
    "lectern.reader",
    html=assets.text(__file__, "reader.html"),
    css=assets.text(
        __file__, "palette.css", "reader.css", "reader_text.css", "reader_side.css", "reader_edit.css", "judge.css"
    ),
    js=assets.text(
        __file__,
        "offsets.js",
        "mounting.js",
        "shelf.js",
        "copying.js",
        "judge_select.js",
        "judge_bar.js",
        "judge_panel.js",
        "reader_model.js",
        "reader_slabs.js",
        "table_layout.js",
        "reader_table.js",
        "reader_marks.js",
        "reader_text.js",
        "reader_place.js",
        "reader_scroll.js",
        "reader_view.js",
        "reader_find.js",
        "reader_tree.js",
        "reader_ruler.js",
        "reader_side.js",
        "reader_document.js",
        "reader_sheet.js",
        "reader_hands.js",
        "reader_why.js",
        "reader_move.js",
        "reader_menu.js",
        "reader_edit.js",
        "judge_reader.js",
        "reader.js",
    ),
)
EMPTY_CARD: Mapping[str, Any] = {"features": [], "notes": [], "near_duplicates": []}
ASKED = ("turn", "judging", "edit", "open", "follow")
NOTHING_JUDGED: Mapping[str, Any] = {
    "off": "Nothing can be judged here.",
    "asked": "",
    "question": "",
    "gold": [],
    "lost": [],
    "boxes": [],
    "notice": None,
}


def shelve(text: TextReading, key: str) -> None:
    """Bring the text to the window. Call it outside the fragment that draws the reader, with the same key each time."""
    _shelve(key=key, data=text.payload)


@dataclass(frozen=True, slots=True)
class Half:
    """One of two readers of the same text, which scroll together: ``height`` in pixels, text alone; 0: the whole one.

    ``label``: names it where there are two. ``marks``: cuts compared with the other's: place and "agreed", "added" or
    "removed".
    """

    label: str = ""
    height: int = 0
    marks: Sequence[tuple[int, str]] = ()


def show_reader(
    reading: Reading,
    arrival: Arrival,
    key: str,
    page: Mapping[str, Any] | None = None,
    *,
    judging: Mapping[str, Any] = NOTHING_JUDGED,
    editing: Mapping[str, Any] | None = None,
    leads: Sequence[int] = (),
    jump: Mapping[str, int] | None = None,
    card: Mapping[str, Any] | None = None,
    half: Half = Half(),
    on: Mapping[str, Callable[[], None]] = MappingProxyType({}),
) -> Choice:
    """Draw the reader; returns the chosen chunk and where a person clicked last. All places are code points.

    ``on``: what is called by what a person asks for, any of ``ASKED``; ``st.session_state[key]`` has more under that
    name. ``page``: a page sheet in place of the text. ``judging``: gold and what was done, as ``judging.for_reader``
    has it. ``editing``: as ``reader_told.editing`` makes it; ``None``: the cut is only shown. What a person asks for is
    "edit", where ``reader_told.edits_asked(key)`` has it; the reader changes nothing by itself, the next cut does.
    ``jump``: ``{"start", "end", "count"}``, a span to scroll to and light up; done once for each ``count``.
    ``card``: about one chunk, shown while it is the chosen one; all but its place, "leaf", may be missing. "features":
    rows of label and value, words or a list of (words, start, end, version), which lead to that
    span, from -1 nowhere; version "" is this document, another is asked for by "open", which begins with version,
    start and end. "near_duplicates": rows of a chunk's place and how alike it is in words. "notes": sentences.
    ``leads``: which of the text's links lead to a place of the library, by their number; a click on one is "follow",
    which begins with this version and the number.
    """
    data = {
        "shelf": reading.text_key,
        "key": reading.cut_key,
        "cut": reading.cut,
        "selected": reading.leaves.index(arrival.selected) if arrival.selected in reading.leaves else -1,
        "focus": _ends(arrival.focus),
        "arrival": arrival.count,
        "page": page,
        "judging": judging,
        "editing": editing,
        "jump": jump,
        "card": {**EMPTY_CARD, **card} if card else None,
        "leads": list(leads),
        "marks": [list(mark) for mark in half.marks],
        "height": half.height,
        "synchronised": half.height > 0,
        "label": half.label,
    }
    called: dict[str, Any] = {f"on_{name}_change": on.get(name, lambda: None) for name in ("selected", *ASKED)}
    result = _mount(key=key, data=data, **called)
    return chosen_in(reading, result.selected, arrival.selected, arrival.count)


def _ends(span: Span | None) -> list[int] | None:
    return [span.start, span.end] if span else None
