"""The similarity curve beside the text, reading downwards as the text does: falls, the threshold, the cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import CancelledError
from core.inspecting.curves import Curve, curve, thinned
from core.types import Vectors
from pages.ui import chunks_state, state, words
from pages.ui.bench_views import palette
from pages.ui.chunks_cuts import piece
from pages.ui.chunks_panel import Look, draw
from pages.ui.chunks_tasks import Task
from pages.ui.guard import guarded

if TYPE_CHECKING:
    import plotly.graph_objects

_STOPPED = "chunks.curve_stopped"


def show_curve(look: Look) -> None:
    """The curve, or how far the encoder is with the sentences it needs."""
    vectors = _vectors(look)
    if vectors is None:
        return
    on_bench = piece(look.cut.version)
    line = curve(on_bench.work.series.spans, vectors, look.cut.settings, look.cut.tree)
    if not len(line.positions):
        st.caption("One sentence has no neighbour to compare with.")
        return
    draw(figure(line, look), look, "curve", "Similarity of neighbouring sentences down the text, cuts marked")
    st.caption(said(line))


def _vectors(look: Look) -> Vectors | None:
    """Of the sentences; ``None`` while they are made."""
    version, on_bench = look.cut.version, piece(look.cut.version)
    if st.session_state.get(_STOPPED) == version:
        if not st.button("Encode the sentences", key="chunks.curve_encode", icon=":material/play_arrow:"):
            st.caption("The curve compares neighbouring sentences, and needs a vector of each.")
            return None
        st.session_state[_STOPPED] = None
    task: Task[Vectors] = chunks_state.asked("curve", version, lambda: Task(version, on_bench.vectors))
    if not task.wait(chunks_state.PATIENCE):
        st.fragment(_waiting, run_every=0.5)(task, version)
        return None
    try:
        return task.result()
    except CancelledError:
        st.session_state.get(state.CHUNKS_TASKS, {}).pop("curve", None)
        st.session_state[_STOPPED] = version
        st.rerun()


def _waiting(task: Task[Vectors], version: str) -> None:
    with guarded():
        if task.over:
            st.rerun()
        done, total = task.told
        said = f"Encoding sentences: {done:,} of {total:,}" if total else "Loading the encoder …"
        st.progress(done / total if total else 0.0, text=said)
        if st.button("Cancel", key="chunks.curve_cancel"):
            task.cancel()


def said(line: Curve) -> str:
    """What the marks are, in words."""
    cuts = f"◆ {words.count(len(line.cuts), 'cut')} between sentences"
    below = f" · dashed: cuts below {line.threshold:.2f}" if line.threshold is not None else ""
    return words.escaped(f"{cuts}{below} · click to go there")


def figure(line: Curve, look: Look) -> plotly.graph_objects.Figure:
    """Similarity to the right, the text downwards in code points."""
    import plotly.graph_objects as go

    colours = palette()
    drawn = thinned(line.values)
    places, values = line.positions[drawn], line.values[drawn]
    starts = [(int(place), int(place) + 1) for place in places]
    hover = "similarity %{x:.2f}<extra></extra>"
    plot = go.Figure(
        go.Scatter(
            x=values,
            y=places,
            mode="lines+markers" if len(drawn) <= 400 else "lines",
            line={"color": colours.colours[0], "width": 1.2},
            marker={"size": 5, "color": colours.colours[0]},
            customdata=starts,
            hovertemplate=hover,
        )
    )
    cut = line.cuts
    plot.add_scatter(
        x=line.values[cut],
        y=line.positions[cut],
        mode="markers",
        marker={"symbol": "diamond", "size": 9 if len(cut) < 200 else 5, "color": colours.colours[1]},
        customdata=[(int(place), int(place) + 1) for place in line.positions[cut]],
        hovertemplate=f"cut, {hover}",
    )
    plot.update_traces(selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 1}})
    if line.threshold is not None:
        plot.add_vline(x=line.threshold, line={"dash": "dash", "width": 1.5, "color": colours.ink})
    for place, dash in _places(look):
        plot.add_hline(y=place, line={"width": 1.5, "color": colours.ink, "dash": dash})
    low, high = min(0.0, float(line.values.min())), max(1.0, float(line.values.max()))
    plot.update_xaxes(range=[low - 0.03, high + 0.03], side="top", gridcolor=colours.grid, fixedrange=True)
    end = len(look.cut.tree.document.text)
    plot.update_yaxes(range=[end, 0], gridcolor=colours.grid, showticklabels=False, zeroline=False)
    return plot


def _places(look: Look) -> list[tuple[int, str]]:
    """Where the caret is, and where the chosen chunk begins and ends."""
    leaves = look.cut.tree.leaves
    found = [(look.caret, "solid")] if look.caret is not None else []
    if 0 <= look.chosen < len(leaves):
        found += [(leaves[look.chosen].start, "dot"), (leaves[look.chosen].end, "dot")]
    return found
