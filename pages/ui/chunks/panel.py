"""Beside the text: its tree, its curve, its map, its sizes. Each is made only while it is shown."""

from __future__ import annotations

import streamlit as st

from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.curve import show_curve
from pages.ui.chunks.map import show_map
from pages.ui.chunks.sizes import show_sizes
from pages.ui.chunks.state import PanelState
from pages.ui.chunks.tree import show_tree
from pages.ui.shared import state
from pages.ui.shared.plots import on_point_click

BODY = "chunks_panel_body"
PANELS = {
    "tree": ("Tree", show_tree),
    "curve": ("Curve", show_curve),
    "map": ("Map", show_map),
    "sizes": ("Sizes", show_sizes),
}


def show_panel(panel: PanelState) -> None:
    """The chosen panel; choosing it again folds it away."""
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
    """Which panel is shown, "" for none; the tree at first."""
    return st.session_state.setdefault(state.CHUNKS_PANEL, "tree") or ""
