"""The trash: what was thrown away last with an undo beside it, and all of it below the documents."""

from __future__ import annotations

import streamlit as st

from core.library import KEPT_DAYS
from pages.ui.shared import services, state, words
from pages.ui.shared.tables import select_rows


def show_undo() -> None:
    """A line for what was just put in the trash."""
    last: list[int] = st.session_state.get(state.THROWN, [])
    held = [row for row in services.library().trashed() if row.id in last] if last else []
    if not held:
        return
    said = held[0].title if len(held) == 1 else words.count(len(held), "document")
    line, undo, close = st.columns([8, 1, 1], vertical_alignment="center")
    line.info(f"{words.escaped(said)} went to the trash.", icon=":material/delete:")
    if undo.button("Undo", key="library.undo", icon=":material/undo:", width="stretch"):
        _restore([row.id for row in held])
    if close.button("Fine", key="library.undo.close", width="stretch"):
        st.session_state[state.THROWN] = []
        st.rerun()


def show_trash() -> None:
    """What is in the trash, to bring back or to remove for good."""
    held = services.library().trashed()
    if not held:
        return
    with st.expander(f"Trash: {words.count(len(held), 'document')}", icon=":material/delete:"):
        table: dict[str, list[object]] = {
            "Title": [row.title for row in held],
            "File": [words.place_name(row.name) for row in held],
            "Thrown away": [row.trashed_at for row in held],
            "Size": [words.size(row.size_bytes) for row in held],
        }
        columns = {"Thrown away": st.column_config.DatetimeColumn(format="distance")}
        ids = [row.id for row in held]
        chosen = select_rows(ids, ids, table, "library.trash", "The documents in the trash", columns)
        back, empty, _ = st.columns([2, 2, 4])
        if back.button("Restore", key="library.restore", disabled=not chosen, icon=":material/undo:", width="stretch"):
            _restore(chosen)
        if empty.button("Empty the trash", key="library.empty", icon=":material/delete_forever:", width="stretch"):
            _confirm(len(held))
        st.caption(f"What lies here is in no list and no search. After {KEPT_DAYS:g} days it is removed for good.")


@st.dialog("Remove for good?", icon=":material/delete_forever:")
def _confirm(count: int) -> None:
    st.write(f"{words.count(count, 'document')} and everything made of them will be gone. Your own files stay.")
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
