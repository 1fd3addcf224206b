"""Plotly figures on the pages: the theme's colours, and clicks on points that lead to a place in a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.evaluation.reporting.charts import DARK, LIGHT, Palette
from pages.ui.shared import assets

if TYPE_CHECKING:
    import plotly.graph_objects

CONFIG = {"displaylogo": False, "displayModeBar": False}

_clicks = st.components.v2.component("lectern.plots", js=assets.text(__file__, "mounting.js", "plots.js"))


def palette() -> Palette:
    """The colours for figures in the present theme."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def softened(colour: str) -> str:
    """A ``#rrggbb`` colour at half opacity, so that labels over it stay readable in both themes.

    >>> softened("#0072b2")
    'rgba(0, 114, 178, 0.5)'
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.5)"


def lay_out(figure: plotly.graph_objects.Figure, **layout: Any) -> plotly.graph_objects.Figure:
    """Give a figure a transparent background, the theme's text colour, no side margins, and ``layout``; returns it."""
    return figure.update_layout(
        margin={"l": 0, "r": 0, "t": 8, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_color=palette().ink,
        **layout,
    )


def on_point_click(key: str, within: str, go: Callable[[str, int, int], None]) -> None:
    """Call ``go(version, start, end)`` for clicks on linked points. ``within``: CSS selector of what holds the plots.

    Call this before the plots, in each run that draws some. Unlike Streamlit's own selections, which belong to one
    figure, it also catches a click on a plot that is being drawn anew.
    """

    def clicked() -> None:
        version, start, end = st.session_state[key].go
        go(str(version), int(start), int(end))

    _clicks(key=key, data={"within": within}, on_go_change=clicked)


def draw_beside_text(figure: plotly.graph_objects.Figure, versions: Sequence[str], key: str, alt: str) -> None:
    """Draw a plot in the theme's colours whose points link to spans of documents.

    ``versions``: the documents' version ids, () for points without links. A point's ``customdata`` begins with the
    start and end of its span and the index of its document in ``versions``, which may be left out for one document.
    """
    lay_out(
        figure,
        template=None,
        font_size=11,
        showlegend=len(figure.data) > 2,
        uirevision=" ".join(versions),  # the zoom stays when only the cut changes
        hoverlabel={"align": "left"},
        hovermode="closest",
        clickmode="event",
        dragmode="pan",
        meta={"versions": list(versions)},
    )
    st.plotly_chart(
        figure,
        key=f"chunks.plot.{key}",
        height="stretch",
        config={**CONFIG, "scrollZoom": True, "responsive": True},
        alt=alt,
    )
