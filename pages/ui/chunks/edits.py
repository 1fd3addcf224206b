"""Edits of chunks by hand: requests of the reader carried out and undone, and the list of all edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from core.chunking.edits import edits
from core.chunking.edits.edits import Edit
from core.errors import LecternError
from core.library import SourceRow
from core.types import Document
from pages.ui.ask.judging import Notice
from pages.ui.chunks.cuts import Cut
from pages.ui.chunks.status import start_recut
from pages.ui.reader import reader_messages as reader_told
from pages.ui.reader import readings
from pages.ui.reader.reader_messages import EditRequest
from pages.ui.shared import services, state, words

READ_ONLY = "Editing is off: another program writes this library, this window only reads it."
SHOWN = 40
_SAID = {
    "merge": "merged",
    "split": "split",
    "move": "boundary moved",
    "disable": "switched off",
    "pin": "pinned",
}
_DONE = {
    "merge": "Merged.",
    "split": "Split.",
    "move": "Boundary moved.",
    "disable": "Switched off: it is not searched.",
    "pin": "Pinned: it stays a chunk, whatever the dials.",
}


def editing_of(cut: Cut, known: Sequence[Edit]) -> dict[str, Any]:
    """A document's edits in this cut, as data for the reader."""
    library = services.library()
    version, notice = cut.version, st.session_state.get(state.CHUNKS_NOTICE)
    return reader_told.editing(
        [(edit.kind, *_place(edit), _SAID[edit.kind]) for edit in cut.made.applied],
        [f"{_SAID[conflict.edit.kind].capitalize()}: {conflict.sentence}" for conflict in cut.conflicts],
        asdict(notice[1]) if notice and notice[0] == version else None,
        can_undo=bool(known) or bool(_dropped(version)),
        can_redo=bool(library.cutting.undone(version)),
        off="" if library.writable else READ_ONLY,
    )


def _place(edit: Edit) -> tuple[int, int]:
    """The span that a "disable" or "pin" covers; for other edits their boundary's offset, twice."""
    if edit.kind in ("disable", "pin"):
        return edit.at.start, edit.at.end
    place = (edit.to or edit.at).end
    return place, place


def take(source: SourceRow, cut: Cut, key: str) -> None:
    """Carry out the edits requested in the reader of this key; its callback."""
    for asked in reader_told.edits_asked(key):
        if asked.cut_key == cut.reading.text_key or asked.cut_key.startswith(cut.reading.text_key):
            attempt(source, lambda one=asked: _do(source, cut, one))  # type: ignore[misc] # mypy cannot type it


def attempt(source: SourceRow, action: Callable[[], str]) -> None:
    """Run an action and start the update of the index; an error becomes the reader's notice instead."""
    try:
        say(source, action(), undo=True)
    except LecternError as error:
        say(source, str(error), wrong=True)
        return
    start_recut(source)


def say(source: SourceRow, text: str, *, undo: bool = False, wrong: bool = False) -> None:
    """Set the reader's notice."""
    state.bump(f"{state.CHUNKS_NOTICE}s")
    serial = state.counter(f"{state.CHUNKS_NOTICE}s")
    st.session_state[state.CHUNKS_NOTICE] = (source.version_id, Notice(serial, text, undo=undo, wrong=wrong))


def _do(source: SourceRow, cut: Cut, asked: EditRequest) -> str:
    """Carry out one request. Returns the notice's text. Raises ``LecternError``."""
    library, version = services.library(), source.version_id
    match asked.kind:
        case "undo":
            dropped = _dropped(version)
            if dropped is not None:
                st.session_state[state.CHUNKS_DROPPED] = None
                library.cutting.edit(dropped, cut.tree)
                return f"Again: {_SAID[dropped.kind]}."
            undone = library.cutting.undo(version)
            return f"Taken back: {_SAID[undone.kind]}." if undone else "There is nothing to take back."
        case "redo":
            redone = library.cutting.redo(version)
            return f"Done again: {_SAID[redone.kind]}." if redone else "There is nothing to do again."
    present = _switched(library.cutting.edits(version), asked)
    if present is not None:
        library.cutting.drop(present.id)
        st.session_state[state.CHUNKS_DROPPED] = present
        return "Switched on again." if present.kind == "disable" else "No longer pinned."
    library.cutting.edit(draft(readings.document(version), asked), cut.tree)
    st.session_state[state.CHUNKS_DROPPED] = None
    return _DONE[asked.kind]


def draft(document: Document, asked: EditRequest) -> Edit:
    """The requested edit. Raises ``LecternError`` if it cannot be made."""
    at, to, start, end = asked.at or 0, asked.to or 0, asked.start or 0, asked.end or 0
    makers: dict[str, Callable[[], Edit]] = {
        "merge": lambda: edits.merge(document, at),
        "split": lambda: edits.split(document, at),
        "move": lambda: edits.move(document, at, to),
        "disable": lambda: edits.disable(document, start, end),
        "pin": lambda: edits.pin(document, start, end),
    }
    if asked.kind not in makers:
        raise LecternError(f"There is no edit {asked.kind!r}.")
    return makers[asked.kind]()


def _switched(known: Sequence[Edit], asked: EditRequest) -> Edit | None:
    """The present "disable" or "pin" that overlaps a requested one of its kind: the request removes it."""
    if asked.kind not in ("disable", "pin") or asked.start is None or asked.end is None:
        return None
    same_kind = (edit for edit in known if edit.kind == asked.kind)
    return next((edit for edit in same_kind if edit.at.start < asked.end and asked.start < edit.at.end), None)


def _dropped(version: str) -> Edit | None:
    """The edit of a document that was removed last and can be restored by undo; ``None`` without one."""
    dropped: Edit | None = st.session_state.get(state.CHUNKS_DROPPED)
    return dropped if dropped and dropped.version_id == version else None


def show_edits(source: SourceRow, cut: Cut, known: Sequence[Edit]) -> None:
    """Draw the button that opens the list of all edits, if there are any."""
    if not known:
        return
    conflicts = {conflict.edit.id: conflict.sentence for conflict in cut.conflicts}
    unfit = f" · {words.count(len(conflicts), 'conflict')}" if conflicts else ""
    with st.popover(f"{words.count(len(known), 'edit')}{unfit}", icon=":material/edit:", width="stretch"):
        text = cut.tree.document.text
        for edit in list(reversed(known))[:SHOWN]:
            _row(source, edit, text, conflicts.get(edit.id, ""))
        if len(known) > SHOWN:
            st.caption(f"and {len(known) - SHOWN:,} earlier ones")


def _row(source: SourceRow, edit: Edit, text: str, conflict: str) -> None:
    """Draw one edit with the text at its place. ``conflict``: why this cut cannot carry it out; "" if it can."""
    start, end = _place(edit)
    quoted = " ".join(text[start : max(end, start + 60)].split())[:60]
    words_, button = st.columns([4, 1], vertical_alignment="center")
    sign = ":orange[:material/warning:]" if conflict else ":violet[:material/edit:]"
    words_.markdown(f"{sign} **{_SAID[edit.kind].capitalize()}** {words.escaped(f'“{quoted}”')}")
    if conflict:
        words_.caption(words.escaped(conflict))
    button.button(
        "Remove",
        key=f"chunks.edit.{edit.id}",
        icon=":material/close:",
        help="The text is then cut as if this edit had not been made.",
        width="stretch",
        on_click=attempt,
        args=(source, lambda: _remove(edit)),
    )


def _remove(edit: Edit) -> str:
    services.library().cutting.drop(edit.id)
    st.session_state[state.CHUNKS_DROPPED] = edit
    return f"Removed: {_SAID[edit.kind]}."
