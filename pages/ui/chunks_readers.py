"""The reader of the bench, or two of them, one above the other; on paper one page with the boxes of either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.chunking import Edit
from core.errors import PasswordNeededError
from core.library import SourceRow
from pages.ui import chunks_edits, chunks_state, judging, readings, services, state
from pages.ui.chunks_card import card, complete
from pages.ui.chunks_compare import Compared
from pages.ui.chunks_cut import Cut
from pages.ui.chunks_state import Shown
from pages.ui.guard import guarded
from pages.ui.passwords import ask_password
from pages.ui.reader import Arrival, Choice, show_reader
from pages.ui.reader_told import chosen_in
from pages.ui.recipe_words import in_short

HALF = 360  # pixels of each of two readers; the style sheet makes them fit the window


@dataclass(frozen=True, slots=True)
class Sight:
    """What the fragment is told, the same while it runs again. ``paged``: pages are shown in place of the text."""

    source: SourceRow
    paged: bool
    arrival: Arrival


def show_readers(sight: Sight, a: Shown, pair: Compared | None, known: Sequence[Edit]) -> Choice:
    """The reader, or A above B; on paper one page with the boxes of either."""
    version = sight.source.version_id
    if pair is None or sight.paged:
        drawn = a
        if pair:
            drawn = pair.b if _boxes_of() == "b" else a
        try:
            page = readings.drawn_sheet(version, page_to_show(drawn.cut), drawn.cut.reading) if sight.paged else None
        except PasswordNeededError as error:
            ask_password(version, error)
            return Choice()
        return _one(sight, drawn, page, known, editing=drawn is a and pair is None)
    said = f"B · {in_short(pair.b.settings)}"
    first = show_reader(
        a.cut.reading, sight.arrival, state.READER, judging=judging.for_reader(version), on_judging=_judge,
        jump=chunks_state.jump(version), marks=pair.marks, height=HALF, synchronised=True, label=f"A · {a.label}",
    )  # fmt: skip
    show_reader(
        pair.b.cut.reading, Arrival(), state.SECOND, judging=judging.for_reader(version), on_judging=_judge_second,
        jump=chunks_state.jump(version), marks=pair.marks, height=HALF, synchronised=True, label=said,
    )  # fmt: skip
    return _keep(first)


def _one(sight: Sight, drawn: Shown, page: Mapping[str, Any] | None, known: Sequence[Edit], *, editing: bool) -> Choice:
    source, version, cut = sight.source, sight.source.version_id, drawn.cut
    gold = judging.for_reader(version, page_to_show(cut) if page else 0)
    # What was clicked just now is known before the reader is drawn: its card must not wait for the next turn.
    clicked = getattr(st.session_state.get(state.READER), "selected", None)
    chosen = chosen_in(cut.reading, clicked, st.session_state.get(state.CHUNKS_CHOSEN))
    told = card(cut, chosen.leaf, indexed=drawn.indexed)
    choice = show_reader(
        cut.reading,
        sight.arrival,
        state.READER,
        page,
        on_turn=_turn,
        judging=gold,
        on_judging=_judge,
        editing=chunks_edits.told(cut, known) if editing else None,
        on_edit=lambda: chunks_edits.take(source, cut, state.READER),
        jump=chunks_state.jump(version),
        card=told,
        on_open=_open,
        label=drawn.label,
    )
    if told and told["waiting"]:
        st.fragment(_completing, run_every=0.5)(cut)
    return _keep(choice)


def _completing(cut: Cut) -> None:
    """A card that lacks what takes long is drawn again when that is there."""
    with guarded():
        if complete(cut):
            st.rerun()


def _keep(choice: Choice) -> Choice:
    if choice.leaf:
        st.session_state[state.CHUNKS_CHOSEN] = choice.leaf
    st.session_state[state.CHUNKS_CARET] = choice.caret
    return choice


def _boxes_of() -> str:
    side: str = st.segmented_control(
        "Boxes of", ["a", "b"], format_func=str.upper, key=state.CHUNKS_BOXES, default="a", required=True
    )
    return side


def page_to_show(cut: Cut) -> int:
    """The page turned to, else the chosen chunk's, else the first that holds a chunk."""
    turned = st.session_state.get(state.CHUNKS_PAGE)
    home = cut.reading.page_of(st.session_state.get(state.CHUNKS_CHOSEN))
    return int(turned or home or (cut.reading.pages[0][0] if cut.reading.pages else 1))


def _turn() -> None:
    """A page was turned, or the chosen chunk stands on another."""
    version, page, _ = st.session_state[state.READER].turn
    if version == st.session_state.get(state.CHUNKS_VERSION):
        st.session_state[state.CHUNKS_PAGE] = page


def _open() -> None:
    """A passage of another document was asked for."""
    version, start, end, _ = st.session_state[state.READER].open
    if any(row.version_id == version for row in services.library().sources()):
        chunks_state.open_place(version, start, end)


def _judge() -> None:
    """A passage was judged, or a judgment removed."""
    judging.take(st.session_state[state.READER].judging, judging.CHUNKS)


def _judge_second() -> None:
    judging.take(st.session_state[state.SECOND].judging, judging.CHUNKS)
