"""The trash: a line that undoes the last removal, and the list of all documents in the trash."""

from __future__ import annotations

import streamlit as st

from core.library import KEPT_DAYS
from pages.ui.shared import services, state, words
from pages.ui.shared.tables import select_rows


def show_undo() -> None:
    """Draw a line with an undo button for the documents put in the trash last."""
    last: list[int] = st.session_state.get(state.THROWN, [])
    trashed = [row for row in services.library().trashed() if row.id in last] if last else []
    if not trashed:
        return
    title = trashed[0].title if len(trashed) == 1 else words.count(len(trashed), "document")
    line, undo, close = st.columns([8, 1, 1], vertical_alignment="center")
    line.info(f"{words.escaped(title)} went to the trash.", icon=":material/delete:")
    if undo.button("Undo", key="library.undo", icon=":material/undo:", width="stretch"):
        _restore([row.id for row in trashed])
    if close.button("Dismiss", key="library.undo.close", width="stretch"):
        st.session_state[state.THROWN] = []
        st.rerun()


def show_trash() -> None:
    """Draw the documents in the trash, to restore them or to remove them for good."""
    trashed = services.library().trashed()
    if not trashed:
        return
    with st.expander(f"Trash: {words.count(len(trashed), 'document')}", icon=":material/delete:"):
        table: dict[str, list[object]] = {
            "Title": [row.title for row in trashed],
            "File": [words.place_name(row.name) for row in trashed],
            "Thrown away": [row.trashed_at for row in trashed],
            "Size": [words.size(row.size_bytes) for row in trashed],
        }
        columns = {"Thrown away": st.column_config.DatetimeColumn(format="distance")}
        ids = [row.id for row in trashed]
        chosen = select_rows(ids, ids, table, "library.trash", "The documents in the trash", columns)
        back, empty, _ = st.columns([2, 2, 4])
        if back.button("Restore", key="library.restore", disabled=not chosen, icon=":material/undo:", width="stretch"):
            _restore(chosen)
        if empty.button("Empty the trash", key="library.empty", icon=":material/delete_forever:", width="stretch"):
            _confirm(len(trashed))
        st.caption(f"What lies here is in no list and no search. After {KEPT_DAYS:g} days it is removed for good.")


@st.dialog("Remove for good?", icon=":material/delete_forever:")
def _confirm(count: int) -> None:
    made = "it" if count == 1 else "them"
    st.write(f"{words.count(count, 'document')} and everything made of {made} will be gone. Your own files stay.")
    if st.button("Remove for good", type="primary", icon=":material/delete_forever:"):
        with st.spinner("Removing …"):
            services.library().empty_trash()
        st.rerun()


def _restore(sources: list[int]) -> None:
    with st.spinner("Bringing back …"):
        report = services.library().restore(sources)
    for failure in report.failures:
        st.toast(words.escaped(failure.reason))
    st.session_state[state.THROWN] = []
    st.rerun()
