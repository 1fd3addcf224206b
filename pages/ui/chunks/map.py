"""The map of a cut: its chunks as points in two dimensions, similar ones near each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.inspecting.curves import project
from core.types import Vectors
from pages.ui.chunks.state import PanelState
from pages.ui.shared import services, words
from pages.ui.shared.plots import draw_beside_text, palette

if TYPE_CHECKING:
    import plotly.graph_objects

COLOURS = 10  # groups with a colour of their own
OTHERS = "others"
NAMED = 20  # characters of a group's name in the legend
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "triangle-down", "star", "hexagon", "pentagon")


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Chunks on a map. ``places``: coordinates, shape (n, 2). ``texts``: first words. ``groups``: what to colour by.

    ``left_out``: the number of chunks without a vector.
    """

    places: Vectors
    texts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    groups: tuple[str, ...]
    left_out: int


def show_map(panel: PanelState) -> None:
    """Draw the map of the present cut, coloured by heading."""
    points = of_cut(panel)
    if len(points.spans) < 2:
        few = len(panel.cut.tree.leaves) < 2
        st.caption(
            "A map takes two chunks." if few else "Fewer than two chunks have vectors; apply the cut to encode them."
        )
        return
    draw_beside_text(figure(points, panel), [panel.cut.version], "map", "Chunks as points, like ones near each other")
    if points.left_out:
        count = words.count(points.left_out, "chunk")
        st.caption(f"{count} left out: they have no vector before the cut is applied.")


def of_cut(panel: PanelState) -> Points:
    """The points of a cut, for those chunks whose vectors the library has."""
    cut = panel.cut
    found = services.library().vectors.get(list(dict.fromkeys(cut.keys)))
    kept = [(leaf, found[key]) for leaf, key in zip(cut.tree.leaves, cut.keys, strict=True) if key in found]
    return Points(
        project(np.stack([vector for _, vector in kept])) if kept else np.zeros((0, 2), dtype=np.float32),
        tuple(_first_words(leaf.text) for leaf, _ in kept),
        tuple((leaf.start, leaf.end) for leaf, _ in kept),
        tuple(leaf.headings[-1] if leaf.headings else "no heading" for leaf, _ in kept),
        len(cut.keys) - len(kept),
    )


def _first_words(text: str) -> str:
    return words.shortened(text[:200], 60)


def figure(points: Points, panel: PanelState) -> plotly.graph_objects.Figure:
    """The plot. Groups differ by colour and symbol, the largest first; the selected chunk has a ring."""
    import plotly.express as px

    colours = palette()
    common = [name for name, _ in Counter(points.groups).most_common()]
    if len(common) > COLOURS:
        common = [*common[: COLOURS - 1], OTHERS]
    table = {
        "x": points.places[:, 0],
        "y": points.places[:, 1],
        "group": [words.shortened(name if name in common else OTHERS, NAMED) for name in points.groups],
        "text": points.texts,
        "start": [start for start, _ in points.spans],
        "end": [end for _, end in points.spans],
    }
    plot = px.scatter(
        table,
        x="x",
        y="y",
        color="group",
        symbol="group",
        hover_name="text",
        custom_data=["start", "end"],
        category_orders={"group": [words.shortened(one, NAMED) for one in common]},
        color_discrete_sequence=colours.colours,
        color_discrete_map={OTHERS: "#8a8f97"},  # a quiet one: they are most, and no group
        symbol_sequence=SYMBOLS,
    )
    plot.update_traces(
        marker={"size": 7 if len(points.spans) < 800 else 4, "opacity": 0.8},
        hovertemplate="%{hovertext}<extra>%{fullData.name}</extra>",
    )
    chosen = (panel.leaf.start, panel.leaf.end) if panel.leaf else None
    if chosen in points.spans:
        at = points.spans.index(chosen)
        ring = {"size": 15, "symbol": "circle-open", "color": colours.ink, "line": {"width": 2.5}}
        plot.add_scatter(
            x=[points.places[at, 0]],
            y=[points.places[at, 1]],
            mode="markers",
            hoverinfo="skip",
            marker=ring,
            name="chosen",
        )
    plot.update_layout(
        # In two columns: one alone would take the room of the points.
        legend={
            "orientation": "h",
            "entrywidth": 0.47,
            "entrywidthmode": "fraction",
            "y": -0.02,
            "title": None,
            "font": {"size": 10},
        }
    )
    plot.update_xaxes(visible=False)
    plot.update_yaxes(visible=False)
    return plot
