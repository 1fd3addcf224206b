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
    """The colours of a figure on the theme that is shown."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def softened(colour: str) -> str:
    """Half of a ``#rrggbb`` over what lies under it: labels in it stay readable on either theme.

    >>> softened("#0072b2")
    'rgba(0, 114, 178, 0.5)'
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.5)"


def lay_out(figure: plotly.graph_objects.Figure, **layout: Any) -> plotly.graph_objects.Figure:
    """The figure on the page's own ground, in the theme's ink, without a margin; and ``layout``."""
    return figure.update_layout(
        margin={"l": 0, "r": 0, "t": 8, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_color=palette().ink,
        **layout,
    )


def on_point_click(key: str, within: str, go: Callable[[str, int, int], None]) -> None:
    """Call ``go(version, start, end)`` for clicks on linked points inside of what the selector ``within`` finds.

    Call it before the plots, in each run that shows some. A click counts also while a plot is drawn anew: Streamlit's
    own selections are of one figure, and what is clicked in the one before it is lost.
    """

    def clicked() -> None:
        version, start, end = st.session_state[key].go
        go(str(version), int(start), int(end))

    _clicks(key=key, data={"within": within}, on_go_change=clicked)


def draw_beside_text(figure: plotly.graph_objects.Figure, versions: Sequence[str], key: str, alt: str) -> None:
    """Draw a plot of documents in the theme's colours, whose points lead to their places.

    ``versions``: of the documents, () where points lead nowhere. A point's ``customdata`` begins with the start and the
    end of its span and the place of its document among ``versions``, which may be missing where there is one.
    """
    lay_out(
        figure,
        template=None,
        font_size=11,
        showlegend=len(figure.data) > 2,
        uirevision=" ".join(versions),  # a zoom stays while the cut changes under it
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
