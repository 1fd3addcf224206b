"""The similarity curve beside the text, reading downwards as the text does: falls, the threshold, the cuts."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.inspecting.curves import Curve, curve, thinned
from core.types import Vectors
from pages.ui.chunks.cuts import cutter_of
from pages.ui.chunks.state import PanelState
from pages.ui.shared import tasks, words
from pages.ui.shared.plots import draw_beside_text, palette

if TYPE_CHECKING:
    import plotly.graph_objects

DOTS = 400  # points up to which each is a dot on its line
MARKS = 240  # cuts that are marked at a time: more could not be told apart
_HOVER = "similarity %{x:.2f}<extra></extra>"
_STOPPED = "chunks.curve_stopped"


def show_curve(panel: PanelState) -> None:
    """The curve, or how far the encoder is with the sentences it needs."""
    vectors = _vectors(panel)
    if vectors is None:
        return
    cutter = cutter_of(panel.cut.version)
    line = curve(cutter.work.series.spans, vectors, panel.cut.settings, panel.cut.tree)
    if not len(line.positions):
        st.caption("One sentence has no neighbour to compare with.")
        return
    alt = "Similarity of neighbouring sentences down the text, cuts marked"
    draw_beside_text(figure(line, panel), panel.cut.version, "curve", alt)
    st.caption(said(line))


def _vectors(panel: PanelState) -> Vectors | None:
    """Of the sentences; ``None`` while they are made."""
    version, cutter = panel.cut.version, cutter_of(panel.cut.version)
    if st.session_state.get(_STOPPED) == version:
        if not st.button("Encode the sentences", key="chunks.curve_encode", icon=":material/play_arrow:"):
            st.caption("The curve compares neighbouring sentences, and needs a vector of each.")
            return None
        st.session_state[_STOPPED] = None
    task = tasks.begun("curve", version, cutter.vectors)
    if task.wait(tasks.PATIENCE):
        return task.result()
    said, stopped = "Encoding sentences: {done} of {total}", partial(st.session_state.__setitem__, _STOPPED, version)
    tasks.show_progress("curve", task, said, stopped, "Loading the encoder …", stacked=True)
    return None


def said(line: Curve) -> str:
    """What the marks are, in words."""
    count = len(line.cuts)
    every = ceil(count / MARKS)
    cuts = f"◆ {words.count(count, 'cut')} between sentences"
    thinned_out = f" · one in {every} is marked, more as you scroll closer" if every > 1 else ""
    below = f" · dashed: cuts below {line.threshold:.2f}" if line.threshold is not None else ""
    return words.escaped(f"{cuts}{thinned_out}{below} · click to go there")


def figure(line: Curve, panel: PanelState) -> plotly.graph_objects.Figure:
    """Similarity to the right, the text downwards in code points.

    Every point is there for the mouse; of the marks Plotly draws no more than ``MARKS`` of those in sight, so that a
    long text is drawn as quickly as a short one.
    """
    import plotly.graph_objects as go

    colours = palette()
    drawn, cut = thinned(line.values), line.cuts
    dots = len(drawn) <= DOTS
    return go.Figure(
        [
            {
                **_points(line, drawn),
                "mode": "lines+markers",  # a line alone hears no click
                "line": {"color": colours.colours[0], "width": 1.2},
                "marker": {
                    "size": 5,
                    "color": colours.colours[0],
                    "opacity": int(dots),
                    "maxdisplayed": DOTS if dots else 1,
                },
                "hovertemplate": _HOVER,
            },
            {
                **_points(line, cut),
                "mode": "markers",
                "marker": {
                    "symbol": "diamond",
                    "size": 9 if len(cut) <= MARKS else 6,
                    "color": colours.colours[1],
                    "maxdisplayed": MARKS,
                },
                "hovertemplate": f"cut, {_HOVER}",
            },
        ],
        {
            "shapes": _lines(line, panel, colours.ink),
            "xaxis": {"range": _reach(line), "side": "top", "gridcolor": colours.grid, "fixedrange": True},
            "yaxis": {
                "range": [len(panel.cut.tree.document.text), 0],
                "gridcolor": colours.grid,
                "showticklabels": False,
                "zeroline": False,
            },
        },
    )


def _points(line: Curve, gaps: NDArray[np.int64]) -> dict[str, Any]:
    """Some gaps of the curve as points that carry their span; arrays, which travel as they are."""
    places = line.positions[gaps].astype(np.int32)
    return {
        "type": "scatter",
        "x": line.values[gaps].astype(np.float32),
        "y": places,
        "customdata": np.stack([places, places + 1], axis=1),
    }


def _lines(line: Curve, panel: PanelState, ink: str) -> list[dict[str, Any]]:
    """The threshold down the plot; across it where the caret is, and where the chosen chunk begins and ends."""
    found: list[dict[str, Any]] = []
    if line.threshold is not None:
        found.append({"x0": line.threshold, "x1": line.threshold, "y0": 0, "y1": 1, "yref": "paper", "dash": "dash"})
    for place, dash in _places(panel):
        found.append({"x0": 0, "x1": 1, "xref": "paper", "y0": place, "y1": place, "dash": dash})
    return [
        {"type": "line", "line": {"width": 1.5, "color": ink, "dash": shape.pop("dash")}, **shape} for shape in found
    ]


def _reach(line: Curve) -> list[float]:
    """From where to where the similarities are drawn."""
    return [min(0.0, float(line.values.min())) - 0.03, max(1.0, float(line.values.max())) + 0.03]


def _places(panel: PanelState) -> list[tuple[int, str]]:
    """Where the caret is, and where the chosen chunk begins and ends."""
    found = [(panel.caret, "solid")] if panel.caret is not None else []
    return found + ([(panel.leaf.start, "dot"), (panel.leaf.end, "dot")] if panel.leaf else [])
