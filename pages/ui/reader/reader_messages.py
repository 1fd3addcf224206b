"""What the reader tells Python, and what it is told of edits: plain values for the page, each request heard once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.types import Span
from pages.ui.reader.data import Reading
from pages.ui.shared import state


@dataclass(frozen=True, slots=True)
class Arrival:
    """What the reader shows first: a chunk, and a cited span if a link led here. ``count`` tells arrivals apart."""

    selected: str | None = None
    focus: Span | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """``leaf``: the id of the chosen chunk, in the cut that is drawn. ``caret``: the character clicked last.

    Both ``None`` before anything was chosen.
    """

    leaf: str | None = None
    caret: int | None = None


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One edit a person asked for, in code points of the text; what does not belong to its kind is ``None``.

    ``kind``: "merge" and "move" name the boundary ``at`` (where its second chunk's own text begins) and the two chunks'
    span; "move" where ``to``; "split" the new boundary ``at`` and the chunk's span; "disable" and "pin" a chunk's span,
    or that of one switched off or pinned before: they switch. "undo" and "redo" name nothing. ``cut_key``: the cut it
    was asked in.
    """

    cut_key: str
    kind: str
    at: int | None = None
    to: int | None = None
    start: int | None = None
    end: int | None = None


def chosen_in(reading: Reading, told: Mapping[str, Any] | None, otherwise: str | None, arrival: int = 0) -> Choice:
    """The choice in the cut that is drawn, from what the reader reported last.

    A chunk chosen in another cut of the same text is the one that now holds its place; what was chosen in another text
    says nothing, and ``otherwise`` stands; so it does where what was chosen was so before the latest ``arrival``.
    """
    if not told or told["text"] != reading.text_key or told.get("arrival", arrival) != arrival:
        return Choice(otherwise)
    caret = None if told["caret"] is None else int(told["caret"])
    if told["cut"] == reading.cut_key:
        leaf = int(told["leaf"])
        return Choice(reading.leaves[leaf] if 0 <= leaf < len(reading.leaves) else otherwise, caret)
    return Choice(reading.leaf_at(Span(int(told["at"]), int(told["at"]) + 1)) or otherwise, caret)


def editing(
    edits: Sequence[tuple[str, int, int, str]] = (),
    conflicts: Sequence[str] = (),
    notice: Mapping[str, Any] | None = None,
    *,
    can_undo: bool = False,
    can_redo: bool = False,
    off: str = "",
) -> dict[str, Any]:
    """What the reader is told of edits.

    ``edits``: kind, span in the text now, and words ("merged", "boundary moved"). ``conflicts``: a sentence on each
    edit that no longer fits. ``notice``: a line that says what was done or why it was not, as
    ``{"serial", "text", "undo", "wrong"}``. ``off``: why nothing can be edited, "" when it can.
    """
    return {
        "edits": [list(edit) for edit in edits],
        "conflicts": list(conflicts),
        "notice": dict(notice) if notice else None,
        "can_undo": can_undo,
        "can_redo": can_redo,
        "off": off,
    }


def edits_asked(key: str) -> list[EditRequest]:
    """The edits asked for in the reader of this key since this was called last, each once; for its ``on_edit``."""
    asked = []
    for request in state.unheard(f"{key}.heard", st.session_state[key].edit or (), "count"):
        named = {name: request.get(name) for name in ("at", "to", "start", "end")}
        places = {name: int(place) for name, place in named.items() if place is not None}
        asked.append(EditRequest(str(request["shelf"]), str(request["kind"]), **places))
    return asked
