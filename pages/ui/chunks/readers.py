"""The reader of the Chunks page, or two of them for two cuts; as page pictures, one page with the boxes of either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from core.chunking.edits.edits import Edit
from core.errors import PasswordNeededError
from core.library import SourceRow
from pages.ui.ask import judging
from pages.ui.chunks import edits as chunks_edits
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.card import card, complete
from pages.ui.chunks.compare import CutPair
from pages.ui.chunks.cuts import Cut
from pages.ui.chunks.links import follow, leading
from pages.ui.chunks.state import Shown
from pages.ui.reader import readings
from pages.ui.reader.reader import Half, show_reader
from pages.ui.reader.reader_messages import Arrival, Choice, chosen_in
from pages.ui.settings.recipe_words import in_short
from pages.ui.shared import services, state, words
from pages.ui.shared.guard import guarded

HALF = 260  # least height in pixels of each of two readers; the style sheet fits them to the window


@dataclass(frozen=True, slots=True)
class ReaderView:
    """What the page passes to the readers, constant while only the fragment runs. ``paged``: draw pages, not text."""

    source: SourceRow
    paged: bool
    arrival: Arrival


def show_readers(view: ReaderView, a: Shown, pair: CutPair | None, known: Sequence[Edit]) -> Choice:
    """Draw the reader, A above B for a comparison, or a page with the boxes of either; returns A's selection."""
    version = view.source.version_id
    if pair is None or view.paged:
        drawn = a
        if pair:
            drawn = pair.b if _boxes_of() == "b" else a
        try:
            page = _sheet(view, drawn) if view.paged else None
        except PasswordNeededError as error:
            _ask_password(version, error)
            return Choice()
        return _one(view, drawn, page, known, editing=drawn is a and pair is None)

    def half(side: Shown, key: str, arrival: Arrival, label: str) -> Choice:
        return show_reader(
            side.cut.reading,
            arrival,
            key,
            judging=judging.for_reader(version),
            jump=chunks_state.jump(version),
            leads=leading(version),
            half=Half(label, HALF, pair.marks),
            on={"judging": partial(_judge, key), "follow": partial(follow, key)},
        )

    first = half(a, state.READER, view.arrival, f"A · {a.label}")
    half(pair.b, state.SECOND, Arrival(), f"B · {in_short(pair.b.settings)}")
    return _keep(first)


def _sheet(view: ReaderView, drawn: Shown) -> dict[str, Any]:
    return readings.drawn_sheet(view.source.version_id, page_to_show(drawn.cut), drawn.cut.reading, view.arrival.focus)


def _ask_password(version: str, error: PasswordNeededError) -> None:
    """Draw the form for a file's password. The page runs again with it, and asks again if it was wrong."""
    with st.form("chunks.password", border=True, width=520):
        st.markdown(":material/lock: **The pages of this file are locked.**")
        st.caption(words.escaped(str(error)))
        password = st.text_input("Password of the file", type="password", autocomplete="off")
        st.caption("It is used to draw the pages, kept in memory until Lectern ends, and never written down.")
        if st.form_submit_button("Unlock", type="primary") and password:
            services.library().passwords.remember(version, password)
            st.rerun()


def _one(
    view: ReaderView, drawn: Shown, page: Mapping[str, Any] | None, known: Sequence[Edit], *, editing: bool
) -> Choice:
    source, version, cut = view.source, view.source.version_id, drawn.cut
    gold = judging.for_reader(version, page_to_show(cut) if page else 0)
    # The click that caused this run is read before the reader is drawn, so that its card is in the same run.
    clicked = getattr(st.session_state.get(state.READER), "selected", None)
    chosen = chosen_in(cut.reading, clicked, st.session_state.get(state.CHUNKS_CHOSEN), view.arrival.count)
    details = card(cut, chosen.leaf)
    choice = show_reader(
        cut.reading,
        view.arrival,
        state.READER,
        page,
        judging=gold,
        editing=chunks_edits.editing_of(cut, known) if editing else None,
        jump=chunks_state.jump(version),
        card=details,
        leads=leading(version),
        half=Half(drawn.label),
        on={
            "turn": _turn,
            "judging": partial(_judge, state.READER),
            "edit": lambda: chunks_edits.take(source, cut, state.READER),
            "open": _open,
            "follow": partial(follow, state.READER),
        },
    )
    if details and details["waiting"]:
        st.fragment(_completing, run_every=0.5)(cut)
    return _keep(choice)


def _completing(cut: Cut) -> None:
    """Run again when the features are made, so that the card is completed."""
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
    """The 1-based page turned to, else the selected chunk's, else the first one with a chunk."""
    turned = st.session_state.get(state.CHUNKS_PAGE)
    home = cut.reading.page_of(st.session_state.get(state.CHUNKS_CHOSEN))
    return int(turned or home or (cut.reading.pages[0][0] if cut.reading.pages else 1))


def _turn() -> None:
    """On "turn": another page was chosen, or the selected chunk is on another page."""
    version, page, _ = st.session_state[state.READER].turn
    if version == st.session_state.get(state.CHUNKS_VERSION):
        st.session_state[state.CHUNKS_PAGE] = page


def _open() -> None:
    """On "open": show a span of another document."""
    version, start, end, _ = st.session_state[state.READER].open
    if any(row.version_id == version for row in services.sources()):
        chunks_state.open_place(version, start, end)


def _judge(key: str) -> None:
    """On "judging": carry out what was requested in the reader of this key."""
    judging.take(st.session_state[key].judging, judging.CHUNKS)
