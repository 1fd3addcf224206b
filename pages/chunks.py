"""Chunks: a document's text with its leaves drawn on it, its tree, and what no chunk holds."""

from __future__ import annotations

import streamlit as st

from core.ingest import describe
from core.library import Library, SourceRow
from pages.ui import background, dials, services, state, words
from pages.ui.arrivals import arrive
from pages.ui.entry import enter
from pages.ui.guard import guarded
from pages.ui.queue import show_recut
from pages.ui.reader import show_reader


def main() -> None:
    """Picker above, reader below."""
    library = services.library()
    sources = {source.version_id: source for source in library.sources() if source.version_id}
    if not sources:
        st.title("Chunks")
        st.info(
            "Nothing to look at yet. Put a document in the library, and see here how it was cut.",
            icon=":material/upload:",
        )
        st.page_link("pages/library.py", label="Go to the library", icon=":material/library_books:")
        return
    unknown = arrive(sources)
    if unknown:
        st.warning("The link names a document that is not in this library (any more).", icon=":material/link_off:")
    state.keep_known(state.CHUNKS_VERSION, sources)
    show_recut()
    version, paged = heading_row(library, sources)
    with st.spinner("Drawing …"):
        data = services.reader_payload(version, library.revision())
    page = sheet(version, data["leafPages"]) if paged else None
    chosen = show_reader(data, state.arrival(), key=state.READER, page=page, on_turn=turn)
    if chosen:
        st.session_state[state.CHUNKS_CHOSEN] = chosen


def heading_row(library: Library, sources: dict[str, SourceRow]) -> tuple[str, bool]:
    """The picker, the recipe in words, the dials and, for PDF, the switch; returns the version, and whether paged."""
    picker, facts, switch, recipe = st.columns([5, 5, 2, 1.6], vertical_alignment="center", gap="small")
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
    if not source.pages:
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


def sheet(version: str, leaf_pages: list[int]) -> dict[str, object]:
    """The page to show: the one turned to, else the chosen chunk's."""
    number = st.session_state.get(state.CHUNKS_PAGE)
    if number is None:
        number = services.page_of_chunk(version, st.session_state.get(state.CHUNKS_CHOSEN)) or leaf_pages[0]
    return services.page_sheet(version, int(number), services.library().revision())


def turn() -> None:
    """A page was turned, or the chosen chunk stands on another."""
    version, page, _ = st.session_state[state.READER].turn
    if version == st.session_state.get(state.CHUNKS_VERSION):
        st.session_state[state.CHUNKS_PAGE] = page


enter()
main()
