"""The map: chunks as points, like ones near each other; of this cut, or of everything that is indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.inspecting.clustering import Groups, clusters, grouped
from core.inspecting.projecting import METHODS, project
from core.types import Vectors
from pages.ui.chunks.lasso import LIBRARY, Place, kept, select, short, show_list
from pages.ui.chunks.points import MOST, Points, of_cut, of_library
from pages.ui.chunks.state import PanelState
from pages.ui.shared import state, tasks, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.plots import ZOOMED, link_points, palette
from pages.ui.shared.tasks import Task

if TYPE_CHECKING:
    import plotly.graph_objects

SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "triangle-down", "star", "hexagon", "pentagon")
NAMED = 20  # characters of a group's name in the legend
_METHODS = {"pca": "PCA", "tsne": "t-SNE"}
_BY = {"document": "Document", "heading": "Heading", "cluster": "Subject"}
_PLOT = "chunks.plot.map"


def show_map(panel: PanelState) -> None:
    """The dials of the map, the map, and what the lasso holds."""
    with st.container(horizontal=True, wrap=False, gap="xsmall", key="chunks_map_dials"):
        of = _select("Of", ["document", "library"], state.CHUNKS_MAP_OF, {"document": "Cut", "library": "Library"})
        method = _select("Placed by", list(METHODS), state.CHUNKS_MAP, _METHODS)
        kinds = ["document", "cluster"] if of == "library" else ["heading", "cluster"]
        by = _select("Coloured by", kinds, state.CHUNKS_MAP_BY, _BY)
    points = of_library() if of == "library" else of_cut(panel)
    if len(points.spans) < 2:
        st.caption("Fewer than two chunks have vectors; apply the cut to encode them.")
        return
    name = f"{points.name} {method} {by}"
    task = tasks.begun("map", name, lambda _: place(points, method, by))
    if not task.wait(tasks.PATIENCE):
        st.fragment(_waiting, run_every=0.5)(task, method)
        return
    places, groups = task.result()
    drawn = LIBRARY if of == "library" else panel.cut.version
    listed = kept(drawn)
    st.plotly_chart(
        figure(points, places, groups, panel, listed),
        key=_PLOT,
        height=300,
        config=ZOOMED,
        on_select=partial(_heard, points, drawn),
        selection_mode="lasso",
        alt="Chunks as points, like ones near each other",
    )
    if points.left_out:
        why = f"the first {MOST:,} are shown" if of == "library" else "they have no vector before the cut is applied"
        st.caption(f"{words.count(points.left_out, 'chunk')} left out: {why}.")
    show_list(listed)


def place(points: Points, method: str, by: str) -> tuple[Vectors, Groups]:
    """Where each chunk is, and its group."""
    places = project(points.vectors, method)
    if by == "cluster":
        return places, clusters(points.vectors, points.texts)
    return places, grouped(points.documents if by == "document" else points.headings)


def figure(
    points: Points, places: Vectors, groups: Groups, panel: PanelState, listed: Sequence[Place] = ()
) -> plotly.graph_objects.Figure:
    """A trace for every group: colour, symbol and name together tell them apart. ``listed``: all others fade."""
    import plotly.graph_objects as go

    colours = palette()
    plot = go.Figure()
    versions = {version: at for at, version in enumerate(dict.fromkeys(version for version, _, _ in points.spans))}
    link_points(plot, list(versions))
    lit = {(place.version, place.start, place.end) for place in listed}.intersection(points.spans)
    for number, name in enumerate(groups.names):
        held = np.flatnonzero(groups.of == number)
        plot.add_scatter(
            x=places[held, 0],
            y=places[held, 1],
            mode="markers",
            name=words.shortened(name, NAMED),
            marker={
                "size": 7 if len(places) < 800 else 4,
                "color": colours.colours[number % len(colours.colours)],
                "symbol": SYMBOLS[number % len(SYMBOLS)],
                "opacity": 0.8,
            },
            customdata=[
                (start, end, versions[version], int(at)) for at in held for version, start, end in [points.spans[at]]
            ],
            text=[f"{points.documents[at]}<br>{short(points.texts[at])}" for at in held],
            hovertemplate="%{text}<extra></extra>",
            selectedpoints=[at for at, point in enumerate(held) if points.spans[point] in lit] if lit else None,
        )
    chosen = _chosen(points, panel)
    if chosen >= 0:
        plot.add_scatter(
            x=[places[chosen, 0]], y=[places[chosen, 1]], mode="markers", name="chosen", hoverinfo="skip",
            marker={"size": 15, "symbol": "circle-open", "color": colours.ink, "line": {"width": 2.5}},
        )  # fmt: skip
    plot.update_layout(
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.ink, "size": 10.5},
        legend={
            "orientation": "h",  # in two columns: one alone would take the room of the points
            "entrywidth": 0.47,
            "entrywidthmode": "fraction",
            "y": -0.02,
            "x": 0,
            "itemsizing": "constant",
            "font": {"size": 10},
        },
        dragmode="lasso",
        uirevision=points.name,
    )
    for axis in (plot.update_xaxes, plot.update_yaxes):
        axis(visible=False)
    return plot


def _chosen(points: Points, panel: PanelState) -> int:
    chosen = (panel.cut.version, panel.leaf.start, panel.leaf.end) if panel.leaf else None
    return points.spans.index(chosen) if chosen in points.spans else -1


def _heard(points: Points, of: str) -> None:
    select(st.session_state[_PLOT], points, of)


def _select(label: str, options: list[str], key: str, said: Mapping[str, str]) -> str:
    state.choose(key, options, options[0])
    chosen: str = st.selectbox(label, options, format_func=said.__getitem__, key=key, label_visibility="collapsed")
    return chosen


def _waiting(task: Task[tuple[Vectors, Groups]], method: str) -> None:
    with guarded():
        if task.over:
            st.rerun()
        st.markdown(f":material/hourglass: Placing the chunks by {_METHODS[method]} …")
        if st.button("Cancel", key="chunks.map_cancel", on_click=_at_once):
            st.rerun()


def _at_once() -> None:
    st.session_state[state.CHUNKS_MAP] = "pca"
