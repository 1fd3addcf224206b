"""The layout of the Chunks page: dials at the left, one or two readers in the middle, plots or comparison beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.chunking.edits.edits import Edit
from core.library import SourceRow
from pages.ui.chunks import arrivals
from pages.ui.chunks import compare as chunks_compare
from pages.ui.chunks import edits as chunks_edits
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.compare import CutPair
from pages.ui.chunks.curve import show_curve
from pages.ui.chunks.health import show_health
from pages.ui.chunks.map import show_map
from pages.ui.chunks.readers import ReaderView, show_readers
from pages.ui.chunks.state import PanelState, Shown
from pages.ui.chunks.status import show_status
from pages.ui.chunks.tree import show_tree
from pages.ui.reader.reader_messages import Choice
from pages.ui.settings.recipe_dials import show_dials
from pages.ui.settings.recipe_values import sliders
from pages.ui.shared import assets, services, state, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.plots import on_point_click

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

BODY = "chunks_panel_body"
PANELS = {
    "tree": ("Tree", show_tree),
    "curve": ("Curve", show_curve),
    "map": ("Map", show_map),
}


def show_panel(panel: PanelState) -> None:
    """Draw the choice of a panel and the chosen panel; choosing it again hides it."""
    st.segmented_control(
        "Beside the text",
        list(PANELS),
        format_func=lambda name: PANELS[name][0],
        key=state.CHUNKS_PANEL,
        label_visibility="collapsed",
        width="stretch",
        persist_state="session",
    )
    on_point_click("chunks.plots", f".st-key-{BODY}", chunks_state.open_place)
    chosen = st.session_state.get(state.CHUNKS_PANEL)
    with st.container(key=BODY, gap="xsmall"):
        if chosen in PANELS:
            PANELS[chosen][1](panel)


def panel_open() -> str:
    """The name of the panel shown, "" for none; the tree at first."""
    return st.session_state.setdefault(state.CHUNKS_PANEL, "tree") or ""


# The reader's CSS grid by panel: it leaves an area free, over which the panel is laid.
GRIDS = {
    "": '"middle details" minmax(0, 1fr) / minmax(0, 1fr) var(--side)',
    "tree": '"middle panel" minmax(0, 6fr) "middle tree" minmax(0, 4fr) "middle details" minmax(0, 6fr) '
    "/ minmax(0, 1fr) var(--side)",
    "else": '"middle panel" minmax(0, 11fr) "middle details" minmax(0, 9fr) / minmax(0, 1fr) var(--side)',
}
PANEL_SHARE = {"tree": "37.5%", "else": "55%"}


@st.fragment
def bench(view: ReaderView) -> None:
    """Draw everything below the heading. A fragment: changing a dial, selecting a chunk and editing run this alone."""
    live = {row.version_id for row in services.sources()}
    if st.session_state.pop(state.CHUNKS_WANTED, False) or view.source.version_id not in live:  # read again, or removed
        st.rerun()
    if st.session_state.pop(state.ASK_WANTED, False):
        st.switch_page("pages/ask.py")
    with guarded():
        st.html(assets.path(__file__, "chunks.css"))
        source, other = view.source, chunks_compare.chosen_other()
        known = services.library().cutting.edits(source.version_id)
        with st.container(horizontal=True, wrap=False, gap="small", key="chunks_row"):
            folded = bool(st.session_state.get(state.CHUNKS_FOLDED))
            rail = st.container(key="chunks_rail", width=44 if folded else 268)
            stage = st.container(key="chunks_stage", width="stretch", gap=None)  # the panel below has no height
        with stage:
            waiting = st.empty()
            readers = st.container(key="chunks_readers", gap="xsmall")
            panel = st.container(key="chunks_panel", gap="xsmall")
        with _spinner_if_new(waiting, view):
            a = chunks_state.shown("a", source, known)
            pair = chunks_compare.compared(source, a, other, known) if other else None
            with readers:
                choice = show_readers(view, a, pair, known)
        arrivals.say(source.version_id, a.cut.reading, choice.leaf, paged=view.paged)
        with rail:
            body = st.container(key="chunks_rail_body", gap="xsmall")
        with body:
            drawn = _rail(source, a, pair, folded, known)
        with panel:
            _panel(source, a, pair, choice)
        st.html(f"<style>{_layout(bool(pair), folded)}</style>")
        if not folded:
            with body:
                show_health(drawn.cut)  # last, as it takes the longest


@contextmanager
def _spinner_if_new(place: DeltaGenerator, view: ReaderView) -> Iterator[None]:
    """Show a spinner while a document or page is drawn for the first time; updates of a drawn one show none."""
    page = st.session_state.get(state.CHUNKS_PAGE) if view.paged else None
    shown = (view.source.version_id, view.paged, page, view.arrival.count)
    if st.session_state.get(state.CHUNKS_DRAWN) == shown:
        yield
        return
    what = "the page and its chunks" if view.paged else "the text and its chunks"
    with place, st.spinner(f"Drawing {what} of {words.escaped(view.source.title)} …"):
        yield
    st.session_state[state.CHUNKS_DRAWN] = shown


def _layout(paired: bool, folded: bool) -> str:
    """CSS for the panel's place over the stage, and for the area that the reader leaves free."""
    clip = ".st-key-chunks-fold [data-testid=stMarkdownContainer] { position: absolute; clip-path: inset(50%); }"
    fold = clip if folded else ""
    if paired:
        alone = "--reader-grid: 'middle' minmax(0, 1fr) / minmax(0, 1fr); --reader-tree: none; --reader-details: none;"
        return f".st-key-chunks_readers {{ width: calc(100% - var(--side) - 12px); {alone} }} {fold}"
    chosen = panel_open()
    grid = GRIDS.get(chosen, GRIDS["else"])
    share = PANEL_SHARE.get(chosen, PANEL_SHARE["else"]) if chosen else "auto"
    rows = f"--reader-grid: {grid}; --reader-tree: {'flex' if chosen == 'tree' else 'none'};"
    room = "" if chosen else "--details-top: 52px;"
    return f".st-key-chunks_stage {{ {rows} {room} }} .st-key-chunks_panel {{ height: {share}; }} {fold}"


def _rail(source: SourceRow, a: Shown, pair: CutPair | None, folded: bool, known: Sequence[Edit]) -> Shown:
    """Draw status, edits and dials, or one button if they are folded; returns the side whose dials are shown."""
    st.button(
        "Show the dials" if folded else "Fold the dials away",
        key="chunks.fold",
        icon=":material/left_panel_open:" if folded else ":material/left_panel_close:",
        type="tertiary",
        on_click=_fold,
    )
    if folded:
        return a
    with st.container(key="chunks_status", gap="xsmall"):
        show_status(source, a)
        chunks_edits.show_edits(source, a.cut, known)
    with st.container(key="chunks_dials", gap="xsmall"):
        side = "a"
        if pair:
            st.session_state.setdefault(state.CHUNKS_SIDE, "a")
            side = st.segmented_control(  # type: ignore[assignment] # one is always chosen
                "Dials of", ["a", "b"], format_func=str.upper, key=state.CHUNKS_SIDE, required=True
            )
        model = services.library().model
        dials = sliders(model.encoder.max_tokens, model.counter.specials)
        drawn = pair.b if pair and side == "b" else a
        anew = chunks_state.set_anew(side)
        turned = partial(chunks_state.turn_some, side, drawn=drawn.values, anew=anew)
        show_dials(side, drawn.values, turned, chunks_state.turn, dials, anew)
    return drawn


def _fold() -> None:
    st.session_state[state.CHUNKS_FOLDED] = not st.session_state.get(state.CHUNKS_FOLDED)


def _panel(source: SourceRow, a: Shown, pair: CutPair | None, choice: Choice) -> None:
    panel_open()
    if pair:
        with st.container(key="chunks_comparison", gap="xsmall"):
            chunks_compare.show_comparison(pair)
        return
    leaves = a.cut.reading.leaves
    chosen = leaves.index(choice.leaf) if choice.leaf in leaves else -1
    show_panel(PanelState(a.cut, chosen, choice.caret))
