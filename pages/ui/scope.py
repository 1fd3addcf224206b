"""Where a question looks: collections and tags as chips above it. None chosen is everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.library import Library, Scope
from pages.ui import state
from pages.ui.words import escaped

Choice = tuple[str, int | str]  # ("collection", its id) or ("tag", its name)
MOST_CHIPS = 12  # more are a list to type into


def scope_row(library: Library) -> Scope:
    """Draw the chips where there is something to choose from; returns what the question looks into."""
    held = {collection.id: collection.name for collection in library.labels.collections() if collection.documents}
    choices: list[Choice] = [("collection", number) for number in held]
    choices += [("tag", tag.name) for tag in library.labels.tags() if tag.documents]
    if not choices:
        return Scope()
    kept = [choice for choice in st.session_state.get(state.SCOPE) or () if choice in choices]
    if state.SCOPE in st.session_state:
        st.session_state[state.SCOPE] = kept

    def name(choice: Choice) -> str:
        kind, value = choice
        if kind == "tag":
            return f"# {escaped(str(value))}"
        return f":material/folder: {escaped(held.get(int(value), 'gone'))}"

    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(":small[Search in]", width="content")
    if len(choices) <= MOST_CHIPS:
        row.pills(
            "Search in",
            choices,
            selection_mode="multi",
            format_func=name,
            key=state.SCOPE,
            label_visibility="collapsed",
            persist_state="session",
        )
    else:
        row.multiselect(
            "Search in",
            choices,
            format_func=name,
            key=state.SCOPE,
            label_visibility="collapsed",
            placeholder="Everything",
            persist_state="session",
        )
    chosen: Sequence[Choice] = st.session_state.get(state.SCOPE) or ()
    if not chosen and len(choices) <= MOST_CHIPS:
        row.caption("everything", width="content")
    return Scope(
        collections=tuple(int(value) for kind, value in chosen if kind == "collection"),
        tags=tuple(str(value) for kind, value in chosen if kind == "tag"),
    )
