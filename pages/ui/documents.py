"""The Library page's table of documents: filter, open, delete."""

from __future__ import annotations

import streamlit as st

from core.library import SourceRow
from pages.ui import background, services, state, words

COLUMNS = {
    # What tells documents apart comes first and is seen at 1024 pixels; the recipe, mostly the same, may be cut off.
    "Title": st.column_config.TextColumn(width=205),
    "File": st.column_config.TextColumn(width=145),
    "Kind": st.column_config.TextColumn(width=76),
    "Pages": st.column_config.NumberColumn(width=58, format="localized"),
    "Chunks": st.column_config.NumberColumn(width=62, format="localized"),
    "In chunks": st.column_config.TextColumn(
        width=178,
        help="Share of the non-blank characters in some chunk. Front matter and running page headers are set aside.",
    ),
    "Changed": st.column_config.DatetimeColumn(format="distance", width=112),
    "Size": st.column_config.TextColumn(width=64),
    "Recipe": st.column_config.TextColumn(width=210),
}


def show_documents(sources: list[SourceRow]) -> None:
    """The table, its filter, and what can be done with its rows."""
    # Nothing at the right end: there the table lays its own tools over what stands above it.
    find, open_place, delete_place, _ = st.columns([4, 1.7, 1.2, 3], vertical_alignment="bottom")
    sought = find.text_input(
        "Filter",
        key=state.FILTER,
        placeholder="Filter by title, file or kind",
        label_visibility="collapsed",
        type="search",
        live=True,
        persist_state="session",
    )
    shown = [source for source in sources if matches(source, sought or "")]
    event = st.dataframe(
        table(shown),
        key=f"{state.TABLE}.{services.library().revision()}.{sought}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        column_config=COLUMNS,
        placeholder="",
        height="auto" if len(shown) < 14 else 520,
    )
    chosen = [shown[row] for row in event.selection.rows if row < len(shown)]
    if not shown:
        st.caption("No document matches the filter.")
    elif not chosen:
        st.caption("Tick a row to open it in Chunks or to delete it.")
    if open_place.button(
        "Open in Chunks", key="library.open", disabled=len(chosen) != 1, icon=":material/data_array:", width="stretch"
    ):
        st.switch_page("pages/chunks.py", query_params={"document": chosen[0].version_id})
    writable = services.library().writable
    if delete_place.button(
        "Delete", disabled=not chosen or not writable, key="library.delete", icon=":material/delete:", width="stretch"
    ):
        confirm(chosen)


def matches(source: SourceRow, sought: str) -> bool:
    """Whether every word sought stands in the title, the name or the kind."""
    held = f"{source.title} {source.name} {words.KIND_WORDS.get(source.document_kind, source.document_kind)}".casefold()
    return all(word in held for word in sought.casefold().split())


def table(sources: list[SourceRow]) -> dict[str, list[object]]:
    """The documents by column."""
    return {
        "Title": [source.title for source in sources],
        "File": [words.file_name(source.name) for source in sources],
        "Kind": [words.KIND_WORDS.get(source.document_kind, source.document_kind) for source in sources],
        "Pages": [source.pages or None for source in sources],
        "Chunks": [source.chunks for source in sources],
        "In chunks": [words.covered(source.covered, services.gap_reasons(source)) for source in sources],
        "Changed": [source.changed_at for source in sources],
        "Size": [words.size(source.size_bytes) for source in sources],
        "Recipe": [source.recipe for source in sources],
    }


@st.dialog("Delete for good?", icon=":material/delete:")
def confirm(chosen: list[SourceRow]) -> None:
    """Ask before anything is deleted."""
    them = "it" if len(chosen) == 1 else "them"
    st.write(f"{words.count(len(chosen), 'document')} and everything made of {them} will leave the library:")
    for source in chosen[:8]:
        st.markdown(f"- {words.escaped(source.title)} ({words.escaped(source.name)})")
    if len(chosen) > 8:
        st.caption(f"and {len(chosen) - 8} more")
    st.caption("Your own files stay where they are.")
    if st.button("Delete", type="primary", icon=":material/delete:"):
        with st.spinner("Deleting …"):
            background.remove([source.id for source in chosen])
        st.rerun()
