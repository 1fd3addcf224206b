"""Plots whose points lead to a place: what is clicked is told by a component that outlives the plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.assets import joined

if TYPE_CHECKING:
    import plotly.graph_objects

_ear = st.components.v2.component("lectern.plots", js=joined("plots.js"))


def leading(figure: plotly.graph_objects.Figure, versions: Sequence[str]) -> None:
    """Let clicks on a figure's points lead somewhere.

    ``versions``: of the documents. A point's ``customdata`` begins with the start and the end of its span and the place
    of its document among ``versions``, which may be missing where there is one; more may follow.
    """
    figure.update_layout(meta={"versions": list(versions)}, hovermode="closest", clickmode="event")


def hear(key: str, within: str, go: Callable[[str, int, int], None]) -> None:
    """Listen for clicks on the leading plots inside of what the selector ``within`` finds: ``go(version, start, end)``.

    Call it before the plots, in each run that shows some. A click counts also while a plot is drawn anew: Streamlit's
    own selections are of one figure, and what is clicked in the one before it is lost.
    """

    def heard() -> None:
        version, start, end = st.session_state[key].go
        go(str(version), int(start), int(end))

    _ear(key=key, data={"within": within}, on_go_change=heard)
