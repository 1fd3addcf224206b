"""Messages between the reader component and Python: where it opens, what is selected, which edits are requested."""

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
    """What the reader shows at first.

    ``selected``: the id of a chunk. ``focus``: the cited span, if a link led here. ``count``: the arrival's number,
    which tells two arrivals at one place apart.
    """

    selected: str | None = None
    focus: Span | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection in the reader; both ``None`` before anything was selected.

    ``leaf``: the id of the selected chunk in the present cut. ``caret``: the offset of the character clicked last.
    """

    leaf: str | None = None
    caret: int | None = None


@dataclass(frozen=True, slots=True)
class EditRequest:
    """An edit requested in the reader. Offsets are code points; fields that its kind does not use are ``None``.

    ``cut_key``: the cut it was requested in. ``kind`` is one of:

    - "merge": joins the two chunks of the span ``start``..``end`` at the boundary ``at``, the start of the second
      chunk's own text;
    - "move": moves that boundary to ``to``;
    - "split": splits the chunk ``start``..``end`` at ``at``;
    - "disable", "pin": switches this on or off for the chunk ``start``..``end``;
    - "undo", "redo": have no fields.
    """

    cut_key: str
    kind: str
    at: int | None = None
    to: int | None = None
    start: int | None = None
    end: int | None = None


def chosen_in(reading: Reading, message: Mapping[str, Any] | None, default: str | None, arrival: int = 0) -> Choice:
    """The selection in the present cut, from the reader's last message.

    A chunk selected in another cut of the same text becomes the chunk at its position now. ``default`` is selected
    without a message, or if the message is about another text or from before the latest ``arrival``.
    """
    if not message or message["text"] != reading.text_key or message.get("arrival", arrival) != arrival:
        return Choice(default)
    caret = None if message["caret"] is None else int(message["caret"])
    if message["cut"] == reading.cut_key:
        leaf = int(message["leaf"])
        return Choice(reading.leaves[leaf] if 0 <= leaf < len(reading.leaves) else default, caret)
    return Choice(reading.leaf_at(Span(int(message["at"]), int(message["at"]) + 1)) or default, caret)


def editing(
    edits: Sequence[tuple[str, int, int, str]] = (),
    conflicts: Sequence[str] = (),
    notice: Mapping[str, Any] | None = None,
    *,
    can_undo: bool = False,
    can_redo: bool = False,
    off: str = "",
) -> dict[str, Any]:
    """The edits as data for the reader.

    ``edits``: (kind, start, end, words such as "boundary moved") of each edit, in the present text. ``conflicts``: a
    sentence for each edit that no longer fits. ``notice``: the result of the last edit as ``{"serial", "text", "undo",
    "wrong"}``. ``off``: why nothing can be edited, "" if it can.
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
    """The edits requested in the reader of this key since the last call; for its "edit" callback."""
    edits = []
    for request in state.new_requests(f"{key}.heard", st.session_state[key].edit or (), "count"):
        values = {name: request.get(name) for name in ("at", "to", "start", "end")}
        offsets = {name: int(value) for name, value in values.items() if value is not None}
        edits.append(EditRequest(str(request["shelf"]), str(request["kind"]), **offsets))
    return edits
