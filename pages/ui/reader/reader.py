"""The reader of the Chunks page: the text with its leaves drawn on it, the tree, the selected chunk and the gaps.

It has two components. The shelf carries a document's text as bytes that stay the same while the document does, so that
Streamlit sends them once. The reader gets the cut to draw on that text. A new cut redraws what is visible without
moving the text. Text is shown with ``textContent`` only, so that nothing in a document can become markup.
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
    """Send a text to the browser. Call it outside the fragment that draws the reader, with the same key each time."""
    _shelve(key=key, data=text.payload)


@dataclass(frozen=True, slots=True)
class Half:
    """How a reader is drawn when two of them show the same text and scroll together.

    ``label``: its name. ``height``: in pixels, without tree and side panel; 0 for a reader that stands alone.
    ``marks``: its boundaries compared with the other's, as (position, "agreed", "added" or "removed").
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
    """Draw the reader; returns the selected chunk and the character clicked last. All positions are code points.

    ``on``: callbacks by the name of a request in ``ASKED``; ``st.session_state[key]`` has the request's values under
    that name. ``page``: a page sheet to draw in place of the text. ``judging``: gold spans and notices, from
    ``judging.for_reader``. ``editing``: from ``reader_messages.editing``; ``None`` allows no edits. The request "edit"
    is read by ``reader_messages.edits_asked(key)``; the reader changes nothing itself, the next cut does.
    ``jump``: ``{"start", "end", "count"}``, a span to scroll to and highlight, once for each ``count``.
    ``card``: details of one chunk, shown while it is selected. "leaf", its index, is required. "features": rows of a
    label and a value, which is text or a list of (text, start, end, version) links; a start of -1 is no link, version
    "" is this document, and a link to another document sends "open" (version, start, end). "near_duplicates": rows of a
    chunk's index and its similarity in words. "notes": sentences.
    ``leads``: the numbers of those links in the text that lead into the library; a click sends "follow" (this version,
    the number).
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
