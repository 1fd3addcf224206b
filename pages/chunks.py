"""Chunks: a document's text with its leaves drawn on it, its tree, and what no chunk holds."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import PasswordNeededError
from core.library import Library, SourceRow
from core.preparing import describe
from pages.ui import background, dials, judging, judging_list, keys, readings, services, state, words
from pages.ui.arrivals import arrive
from pages.ui.entry import enter
from pages.ui.guard import guarded
from pages.ui.nothing import show_nothing
from pages.ui.passwords import ask_password
from pages.ui.queue import show_recut
from pages.ui.reader import Arrival, shelve, show_reader
from pages.ui.tour import show_tour


def main() -> None:
    """Picker above, reader below."""
    library = services.library()
    sources = {source.version_id: source for source in library.sources() if source.version_id}
    if not sources:
        nothing_yet()
        return
    show_tour("chunks")
    wrong = arrive(sources)
    if wrong:
        st.warning(wrong, icon=":material/link_off:")
    state.keep_known(state.CHUNKS_VERSION, sources)
    show_recut()
    version, paged = heading_row(library, sources)
    with st.container(gap=None):
        with st.spinner("Reading …"):
            shelve(readings.reading(version), key=state.SHELF)
        chosen = st.session_state.get(state.CHUNKS_CHOSEN)
        # A return to this page opens where it was left. Fixed for the fragment: what it is told stays the same.
        reader(version, paged, replace(state.arrival(), selected=chosen))
        keys.show_keys(keys.CHUNKS, button=False)  # the reader has one


def nothing_yet() -> None:
    """What this page is for, before there is anything to show."""
    show_nothing(
        "Chunks",
        "Nothing to look at yet. Put a document in the library, and see here how it was cut.",
        (
            ("data_array", "Every cut", "Each chunk drawn on the text, and why it ends where it does."),
            ("account_tree", "Every parent", "The tree above the chunks: what a chunk found by a question grows to."),
            ("rule", "Every loss", "What is in no chunk and why, and what a second reading of the file found."),
        ),
    )


def heading_row(library: Library, sources: dict[str, SourceRow]) -> tuple[str, bool]:
    """The picker, the recipe in words, the dials and, for PDF, the switch; returns the version, and whether paged."""
    picker, facts, switch, judged, recipe = st.columns(
        [4.8, 3.9, 1.9, 2.1, 1.5], vertical_alignment="center", gap="small"
    )
    version = picker.selectbox(
        "Document",
        list(sources),
        key=state.CHUNKS_VERSION,
        format_func=lambda key: label(sources[key]),
        label_visibility="collapsed",
        persist_state="session",
        on_change=state.forget_arrival,
    )
    source = sources[version]
    # The document's own recipe: while the library is cut anew, or when that was cancelled, not yet the settings'.
    facts.caption(words.escaped(f"{words.count(source.chunks, 'chunk')} · {source.recipe} tokens"))
    with recipe.popover("Dials", icon=":material/tune:", width="stretch"):
        recipe_panel()
    if judged.button("Judgments", icon=":material/verified:", width="stretch"):
        judging_list.show_list()
    if source.document_kind != "pdf" or not source.pages:  # slides have pages too, but nothing to draw them with
        return version, False
    view = switch.segmented_control(
        "View", ["Text", "Page"], key=state.CHUNKS_VIEW, default="Text", required=True, label_visibility="collapsed"
    )
    return version, view == "Page"


@st.fragment
def recipe_panel() -> None:
    """The recipe's dials; turning one redraws them alone."""
    with guarded():
        library = services.library()
        if not library.writable:
            st.caption("This window only reads the library.")
            return
        recipes = {source.recipe for source in library.sources()}
        finished = recipes <= {describe(library.settings.chunking)} or bool(background.active_jobs("apply"))
        turned = dials.recipe_dials(library.settings, finished)
        if turned:
            background.start_apply(turned)
            st.rerun()


def label(source: SourceRow) -> str:
    """A document as the picker names it: its title, and its file where that says more."""
    name = words.file_name(source.name)
    return name if source.title in (name, source.name) else f"{source.title}  ·  {name}"


@st.fragment
def reader(version: str, paged: bool, arrival: Arrival) -> None:
    """The reader, or the question for the password of its pages; choosing a chunk runs this alone."""
    with guarded():
        reading = readings.reading(version)
        try:
            page = readings.page_sheet(version, page_to_show(version)) if paged else None
        except PasswordNeededError as error:
            ask_password(version, error)
            return
        gold = judging.for_reader(version, page_to_show(version) if page else 0)
        chosen = show_reader(reading, arrival, state.READER, page, on_turn=turn, judging=gold, on_judging=judge)
        if chosen:
            st.session_state[state.CHUNKS_CHOSEN] = chosen


def page_to_show(version: str) -> int:
    """The page turned to, else the chosen chunk's, else the first that holds a chunk."""
    reading = readings.reading(version)
    turned = st.session_state.get(state.CHUNKS_PAGE)
    home = reading.page_of(st.session_state.get(state.CHUNKS_CHOSEN))
    return int(turned or home or (reading.pages[0][0] if reading.pages else 1))


def turn() -> None:
    """A page was turned, or the chosen chunk stands on another."""
    version, page, _ = st.session_state[state.READER].turn
    if version == st.session_state.get(state.CHUNKS_VERSION):
        st.session_state[state.CHUNKS_PAGE] = page


def judge() -> None:
    """A passage was judged, or a judgment removed."""
    judging.take(st.session_state[state.READER].judging, judging.CHUNKS)


enter()
main()
