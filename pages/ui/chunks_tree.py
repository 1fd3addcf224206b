"""The icicle of a cut: the document at the left, its parents, its chunks, each as tall as its text is long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.inspecting.hierarchy import TreeRow, icicle
from pages.ui import words
from pages.ui.bench_views import palette
from pages.ui.chunks_panel import Look, draw

if TYPE_CHECKING:
    import plotly.graph_objects

_LABEL = 13  # characters
MOST = 1200  # pieces one can still tell apart and a browser draws at once
LIGHT, DARK = ("#e6eff4", "#1f5470"), ("#1c2932", "#64bad8")


def show_tree(look: Look) -> None:
    """The icicle; the reader's own tree stands below it."""
    rows = without_document(icicle(look.cut.tree))
    kept = [row for row in rows if row.leaf < 0] if len(rows) > MOST else rows
    kept = kept[:MOST]
    if not look.cut.tree.chunks:
        st.caption("There is no chunk.")
        return
    draw(figure(kept, look), look, "tree", "Parents and chunks, as tall as their text is long, darker with more tokens")
    if len(kept) < len(rows):
        st.caption(f"Parents alone: {words.count(len(rows), 'piece')} are too many to tell apart.")


def without_document(rows: tuple[TreeRow, ...]) -> list[TreeRow]:
    """The rows, that of the document left out where one chunk holds all of it anyway."""
    tops = [row for row in rows[1:] if row.parent_id == rows[0].chunk_id]
    if len(tops) != 1 or tops[0].leaf >= 0:
        return list(rows)
    return [replace(row, parent_id="") if row is tops[0] else row for row in rows[1:]]


def figure(rows: list[TreeRow], look: Look) -> plotly.graph_objects.Figure:
    """A bar a chunk, as far right as it is deep, coloured by tokens with the scale beside it.

    Bars in place of Plotly's own icicle: they stand on the text's own axis, whatever overlaps or is left out, and a
    click on one leads there and does not dive into it.
    """
    import plotly.graph_objects as go

    low, high = DARK if st.context.theme.type == "dark" else LIGHT
    colours = palette()
    chosen = look.cut.tree.leaves[look.chosen].chunk_id if 0 <= look.chosen < len(look.cut.tree.leaves) else ""
    bases = [row.end - row.extent if row.leaf >= 0 else row.start for row in rows]
    first = min(row.depth for row in rows)
    plot = go.Figure(
        go.Bar(
            x=[row.depth - first for row in rows],
            y=[max(1, row.end - base) for row, base in zip(rows, bases, strict=True)],
            base=bases,
            width=0.97,
            text=[str(row.leaf + 1) if row.leaf >= 0 else _short(row.label) for row in rows],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="inside",
            customdata=[(row.start, row.end, row.tokens, row.label) for row in rows],
            hovertemplate="%{customdata[3]}<br>%{customdata[2]:,} tokens<extra></extra>",
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            marker={
                "color": [row.tokens for row in rows],
                "colorscale": [[0, low], [1, high]],
                "cmin": 0,
                "cmax": max([row.tokens for row in rows if row.level <= 1] or [1]),  # above, all is the darkest
                "showscale": True,
                "colorbar": {"title": {"text": "tokens", "side": "top"}, "thickness": 9, "xpad": 4, "nticks": 5},
                "line": {
                    "width": [3 if row.chunk_id == chosen else 0.5 for row in rows],
                    "color": [colours.ink if row.chunk_id == chosen else colours.grid for row in rows],
                },
            },
        )
    )
    plot.update_xaxes(visible=False, fixedrange=True)
    plot.update_yaxes(visible=False, range=[max(row.end for row in rows), min(row.start for row in rows)])
    plot.update_layout(uniformtext={"minsize": 9, "mode": "hide"}, barmode="overlay")
    return plot


def _short(label: str) -> str:
    """As much of a heading as a bar has room for.

    >>> _short("Rules and alerts of gateways"), _short("Limits")
    ('Rules and…', 'Limits')
    """
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 2].rsplit(' ', 1)[0]}…"
