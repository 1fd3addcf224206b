"""The reader of the bench, or two of them, one above the other; on paper one page with the boxes of either."""

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

HALF = 260  # pixels of each of two readers at least; the style sheet makes them fit the window


@dataclass(frozen=True, slots=True)
class ReaderView:
    """What the page asks of the readers, fixed while the fragment runs again. ``paged``: page pictures, not text."""

    source: SourceRow
    paged: bool
    arrival: Arrival


def show_readers(view: ReaderView, a: Shown, pair: CutPair | None, known: Sequence[Edit]) -> Choice:
    """The reader, or A above B; on paper one page with the boxes of either."""
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
    """Ask, and run the page again with what was typed; after a wrong password that means to ask again."""
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
    # What was clicked just now is known before the reader is drawn: its card must not wait for the next turn.
    clicked = getattr(st.session_state.get(state.READER), "selected", None)
    chosen = chosen_in(cut.reading, clicked, st.session_state.get(state.CHUNKS_CHOSEN), view.arrival.count)
    told = card(cut, chosen.leaf)
    choice = show_reader(
        cut.reading,
        view.arrival,
        state.READER,
        page,
        judging=gold,
        editing=chunks_edits.editing_of(cut, known) if editing else None,
        jump=chunks_state.jump(version),
        card=told,
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
    if any(row.version_id == version for row in services.sources()):
        chunks_state.open_place(version, start, end)


def _judge(key: str) -> None:
    """A passage was judged in the reader of this key, or a judgment removed."""
    judging.take(st.session_state[key].judging, judging.CHUNKS)
