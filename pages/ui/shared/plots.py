"""Plotly figures on the pages: the theme's colours, and clicks on points that lead to a place in a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.evaluation.reporting.charts import DARK, LIGHT, Palette
from pages.ui.shared import assets

if TYPE_CHECKING:
    import plotly.graph_objects

CONFIG = {"displaylogo": False, "displayModeBar": False}
ZOOMED = {**CONFIG, "scrollZoom": True, "responsive": True}

_clicks = st.components.v2.component("lectern.plots", js=assets.text(__file__, "mounting.js", "plots.js"))


def palette() -> Palette:
    """The colours of a figure on the theme that is shown."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def link_points(figure: plotly.graph_objects.Figure, versions: Sequence[str]) -> None:
    """Let clicks on a figure's points lead somewhere.

    ``versions``: of the documents. A point's ``customdata`` begins with the start and the end of its span and the place
    of its document among ``versions``, which may be missing where there is one; more may follow.
    """
    figure.update_layout(meta={"versions": list(versions)}, hovermode="closest", clickmode="event")


def on_point_click(key: str, within: str, go: Callable[[str, int, int], None]) -> None:
    """Call ``go(version, start, end)`` for clicks on linked points inside of what the selector ``within`` finds.

    Call it before the plots, in each run that shows some. A click counts also while a plot is drawn anew: Streamlit's
    own selections are of one figure, and what is clicked in the one before it is lost.
    """

    def clicked() -> None:
        version, start, end = st.session_state[key].go
        go(str(version), int(start), int(end))

    _clicks(key=key, data={"within": within}, on_go_change=clicked)


def draw_beside_text(
    figure: plotly.graph_objects.Figure,
    version: str,
    key: str,
    alt: str,
    height: int | str = "stretch",
    linked: bool = True,
) -> None:
    """Draw a plot of a document in the theme's colours. ``linked``: its points carry spans, as ``link_points`` says."""
    figure.update_layout(
        margin={"l": 0, "r": 0, "t": 4, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": palette().ink, "size": 11},
        showlegend=False,
        uirevision=version,  # a zoom stays while the cut changes under it
        hoverlabel={"align": "left"},
        dragmode="pan",
    )
    if linked:
        link_points(figure, [version])
    st.plotly_chart(
        figure,
        key=f"chunks.plot.{key}",
        height=height,  # type: ignore[arg-type] # a number of pixels or the word
        config=ZOOMED,
        alt=alt,
    )
