"""Beside the text: its tree, its curve, its map, its sizes. Each is made only while it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.library import SourceRow
from pages.ui import chunks_state, state
from pages.ui.bench_views import palette
from pages.ui.chunks_cut import Cut
from pages.ui.plots import hear, leading

if TYPE_CHECKING:
    import plotly.graph_objects

BODY = "chunks_panel_body"
PANELS = {"tree": "Tree", "curve": "Curve", "map": "Map", "sizes": "Sizes"}
CONFIG = {"displaylogo": False, "displayModeBar": False, "scrollZoom": True, "responsive": True}


@dataclass(frozen=True, slots=True)
class Look:
    """What the panels show: a document in a cut, the chosen chunk (an index, -1 for none) and the caret."""

    source: SourceRow
    cut: Cut
    chosen: int
    caret: int | None


def show_panel(look: Look) -> None:
    """The chosen panel; choosing it again folds it away."""
    from pages.ui import chunks_curve, chunks_map, chunks_sizes, chunks_tree

    st.segmented_control(
        "Beside the text",
        list(PANELS),
        format_func=PANELS.__getitem__,
        key=state.CHUNKS_PANEL,
        label_visibility="collapsed",
        width="stretch",
        persist_state="session",
    )
    hear("chunks.plots", f".st-key-{BODY}", chunks_state.open_place)
    with st.container(key=BODY, gap="xsmall"):
        match st.session_state.get(state.CHUNKS_PANEL):
            case "tree":
                chunks_tree.show_tree(look)
            case "curve":
                chunks_curve.show_curve(look)
            case "map":
                chunks_map.show_map(look)
            case "sizes":
                chunks_sizes.show_sizes(look)


def panel_open() -> str:
    """Which panel is shown, "" for none; the tree at first."""
    if state.CHUNKS_PANEL not in st.session_state:
        st.session_state[state.CHUNKS_PANEL] = "tree"
    return st.session_state[state.CHUNKS_PANEL] or ""


def draw(
    figure: plotly.graph_objects.Figure,
    look: Look,
    key: str,
    alt: str,
    height: int | str = "stretch",
    leads: bool = True,
) -> None:
    """A plot in the theme's colours. ``leads``: its points carry spans, and a click takes the reader there."""
    colours = palette()
    figure.update_layout(
        margin={"l": 0, "r": 0, "t": 4, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.ink, "size": 11},
        showlegend=False,
        uirevision=look.cut.version,  # a zoom stays while the cut changes under it
        hoverlabel={"align": "left"},
        dragmode="pan",
    )
    if leads:
        leading(figure, [look.cut.version])
    st.plotly_chart(
        figure,
        key=f"chunks.plot.{key}",
        height=height,  # type: ignore[arg-type] # a number of pixels or the word
        config=CONFIG,
        alt=alt,
    )
