"""How large the chunks are: figures, two histograms, and how the text is shared out among its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.inspecting.sizes import Sizes, sections, sizes
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.state import PanelState
from pages.ui.shared import words
from pages.ui.shared.plots import draw_beside_text, palette

if TYPE_CHECKING:
    import plotly.graph_objects

_SECTIONS = 8


def show_sizes(panel: PanelState) -> None:
    """Of the cut that is drawn."""
    tree = panel.cut.tree
    found = sizes(tree)
    if not found.leaves:
        st.caption("There is no chunk.")
        return
    st.markdown(line(found))
    drawn = [("leaves", "chunks"), ("parents", "parents")][: 2 if found.parents else 1]
    for level, (name, things) in enumerate(drawn):
        tokens = [chunk.tokens for chunk in tree.chunks if chunk.level == level]
        bars, alt = figure(tokens, things, level), f"{things.capitalize()} by their tokens"
        draw_beside_text(bars, (), f"sizes.{name}", alt, 130)
    st.caption("**Share of the text by section**")
    longest = sorted(sections(tree), key=lambda section: -section.share)[:_SECTIONS]
    begins = {leaf.headings: leaf.start for leaf in reversed(tree.leaves)}
    for place, section in enumerate(longest):
        name = " › ".join(section.path[-2:]) or "before any heading"
        st.button(
            f"{words.share(section.share)} · {words.count(section.leaves, 'chunk')} · {words.escaped(name)}",
            key=f"chunks.section_{place}",
            type="tertiary",
            on_click=chunks_state.jump_to,
            args=(panel.cut.version, begins[section.path], begins[section.path] + 1),
        )


def line(found: Sizes) -> str:
    """The figures in one line.

    >>> line(Sizes(3, 10, 12.0, 14.0, 16.0, 18, 1))
    '3 chunks of **10** to **18** tokens, half between 12 and 16, median **14**'
    """
    return (
        f"{words.count(found.leaves, 'chunk')} of **{found.smallest:,}** to **{found.largest:,}** tokens, "
        f"half between {found.lower:,.0f} and {found.upper:,.0f}, median **{found.median:,.0f}**"
    )


def figure(tokens: list[int], things: str, colour: int) -> plotly.graph_objects.Figure:
    """A bar for every range of sizes."""
    import plotly.express as px

    colours = palette()
    plot = px.histogram(x=tokens, nbins=30, color_discrete_sequence=[colours.colours[colour]])
    plot.update_traces(hovertemplate=f"%{{y:,}} {things} of %{{x}} tokens<extra></extra>")
    plot.update_layout(bargap=0.08)
    plot.update_xaxes(title={"text": f"tokens of {things}", "standoff": 8}, rangemode="tozero", fixedrange=True)
    plot.update_yaxes(title=None, gridcolor=colours.grid, fixedrange=True, nticks=4)
    return plot
