"""The Chunks page: a document's text with its chunks drawn on it, the dials of the recipe, and plots of the cut."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.library import SourceRow
from pages.ui.chunks import arrivals
from pages.ui.chunks import compare as chunks_compare
from pages.ui.chunks.arrivals import arrive
from pages.ui.chunks.bench import bench
from pages.ui.chunks.readers import ReaderView
from pages.ui.library import judging_list
from pages.ui.reader import readings
from pages.ui.reader.reader import shelve
from pages.ui.shared import keys, services, state, words
from pages.ui.shared.empty_states import show_nothing
from pages.ui.shared.entry import enter


def main() -> None:
    """Draw the row with the picker, and below it the workbench with reader and dials."""
    sources = {source.version_id: source for source in services.sources() if source.version_id}
    if not sources:
        nothing_yet()
        return
    with st.container(gap="small"):  # also when empty, so that messages in it do not remount what is below
        with st.spinner("Opening the document …"):
            wrong = arrive(sources)
        if wrong:
            st.warning(wrong, icon=":material/link_off:")
    follow_change(sources)
    state.choose(state.CHUNKS_VERSION, sources, next(iter(sources)))
    version, paged = heading_row(sources)
    st.session_state[state.CHUNKS_SOURCE] = sources[version].id
    with st.container(gap=None):
        with st.spinner("Reading …"):
            shelve(readings.text(version), key=state.SHELF)
        chosen = st.session_state.get(state.CHUNKS_CHOSEN)
        # A return to this page selects the chunk that was selected before. The value is fixed here, outside the
        # fragment, so that the fragment's arguments do not change when another chunk is selected.
        bench(ReaderView(sources[version], paged, replace(arrivals.arrival(), selected=chosen)))
        keys.show_keys(keys.CHUNKS, button=False)  # the reader has one


def follow_change(sources: dict[str, SourceRow]) -> None:
    """Show the new text of the document that was shown, if its file was read again meanwhile; say if it is gone."""
    shown, source = st.session_state.get(state.CHUNKS_VERSION), st.session_state.get(state.CHUNKS_SOURCE)
    if source is None or not shown or shown in sources:
        return
    now = next((version for version, row in sources.items() if row.id == source), None)
    if now is None:
        st.info("The document that was shown here is not in the library any more.", icon=":material/delete:")
        return
    arrivals.show(now)
    arrivals.forget_arrival()
    st.info("The document has changed meanwhile: this is its text now.", icon=":material/update:")


def nothing_yet() -> None:
    """Draw the page of an empty library."""
    show_nothing(
        "Chunks",
        "Nothing to look at yet. Put a document in the library, and see here how it was cut.",
        (
            ("data_array", "Every cut", "Each chunk drawn on the text, and why it ends where it does."),
            ("account_tree", "Every parent", "The tree above the chunks: what a chunk found by a question grows to."),
            ("rule", "Every loss", "What is in no chunk and why, and what a second reading of the file found."),
        ),
    )


def heading_row(sources: dict[str, SourceRow]) -> tuple[str, bool]:
    """Draw the document picker, the comparison and the view; returns the version, and whether its pages are shown."""
    picker, other, switch, judged = st.columns([4.6, 3.0, 2.1, 2.6], vertical_alignment="center", gap="small")
    version = picker.selectbox(
        "Document",
        list(sources),
        index=list(sources).index(st.session_state[state.CHUNKS_VERSION]),
        key=arrivals.picker_key(),
        format_func=lambda key: label(sources[key]),
        label_visibility="collapsed",
        on_change=arrivals.pick,
    )
    source = sources[version]
    with other:
        chunks_compare.show_choice()
    if judged.button("Judgments", icon=":material/verified:", width="stretch"):
        judging_list.show_list()
    if source.document_kind not in readings.DRAWN or not source.pages:  # pages of slides are not drawn
        return version, False
    st.session_state.setdefault(state.CHUNKS_VIEW, arrivals.TEXT)
    view = switch.segmented_control(
        "View",
        [arrivals.TEXT, arrivals.PAGE],
        key=state.CHUNKS_VIEW,
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    return version, view == arrivals.PAGE


def label(source: SourceRow) -> str:
    """A document's label in the picker: its title, and its file unless that is the title."""
    name = words.place_name(source.name)
    return name if source.title in (name, source.name) else f"{source.title}  ·  {name}"


enter("chunks")
main()
