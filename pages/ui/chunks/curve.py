"""The plot of the similarity of neighbouring sentences down the text, with the threshold and the cuts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.inspecting.curves import Curve, curve
from core.types import Vectors
from pages.ui.chunks.cuts import cutter_of
from pages.ui.chunks.state import PanelState
from pages.ui.shared import tasks, words
from pages.ui.shared.plots import draw_beside_text, palette

if TYPE_CHECKING:
    import plotly.graph_objects

MARKS = 240  # marks drawn at a time; every point can be hovered and clicked
_STOPPED = "chunks.curve_stopped"


def show_curve(panel: PanelState) -> None:
    """Draw the curve, or the progress of encoding the sentences."""
    vectors = _vectors(panel)
    if vectors is None:
        return
    line = curve(cutter_of(panel.cut.version).work.series.spans, vectors, panel.cut.settings, panel.cut.tree)
    if not len(line.positions):
        st.caption("One sentence has no neighbour to compare with.")
        return
    alt = "Similarity of neighbouring sentences down the text, cuts marked"
    draw_beside_text(figure(line, panel), [panel.cut.version], "curve", alt)
    below = f" · dashed: cuts below {line.threshold:.2f}" if line.threshold is not None else ""
    st.caption(words.escaped(f"◆ {words.count(len(line.cuts), 'cut')} between sentences{below} · click to go there"))


def _vectors(panel: PanelState) -> Vectors | None:
    """The vectors of the document's sentences; ``None`` while they are made, or if that was stopped."""
    version, cutter = panel.cut.version, cutter_of(panel.cut.version)
    if st.session_state.get(_STOPPED) == version:
        if not st.button("Encode the sentences", key="chunks.curve_encode", icon=":material/play_arrow:"):
            st.caption("The curve compares neighbouring sentences, and needs a vector of each.")
            return None
        st.session_state[_STOPPED] = None
    task = tasks.get_or_start("curve", version, cutter.vectors)
    text, on_stop = "Encoding sentences: {done} of {total}", partial(st.session_state.__setitem__, _STOPPED, version)
    over = tasks.finished_or_progress("curve", task, text, on_stop, "Loading the encoder …", stacked=True)
    return task.result() if over else None


def figure(line: Curve, panel: PanelState) -> plotly.graph_objects.Figure:
    """The plot: similarity (x) by offset in the text (y, downwards), with lines at the caret and the chunk's ends."""
    import plotly.graph_objects as go

    colours = palette()
    plot = go.Figure()
    for gaps, colour, symbol, said in (
        (np.arange(len(line.positions)), colours.colours[0], "circle", ""),
        (line.cuts, colours.colours[1], "diamond", "cut, "),
    ):
        places = line.positions[gaps].astype(np.int32)
        marker: dict[str, Any] = {"size": 5 if not said else 9 if len(gaps) <= MARKS else 6, "maxdisplayed": MARKS}
        plot.add_scatter(
            x=line.values[gaps].astype(np.float32),
            y=places,
            customdata=np.stack([places, places + 1], axis=1),
            mode="markers" if said else "lines+markers",  # a line without markers gets no clicks
            line={"width": 1.2},
            marker={**marker, "symbol": symbol, "color": colour},
            hovertemplate=f"{said}similarity %{{x:.2f}}<extra></extra>",
        )
    if line.threshold is not None:
        plot.add_vline(x=line.threshold, line={"dash": "dash", "width": 1.5, "color": colours.ink})
    ends = [panel.leaf.start, panel.leaf.end] if panel.leaf else []
    for place in [panel.caret, *ends]:
        if place is not None:
            dash = "solid" if place == panel.caret else "dot"
            plot.add_hline(y=place, line={"dash": dash, "width": 1.5, "color": colours.ink})
    reach = [min(0.0, float(line.values.min())) - 0.03, max(1.0, float(line.values.max())) + 0.03]
    plot.update_xaxes(range=reach, side="top", gridcolor=colours.grid, fixedrange=True)
    length = len(panel.cut.tree.document.text)
    plot.update_yaxes(range=[length, 0], gridcolor=colours.grid, showticklabels=False, zeroline=False)
    return plot
