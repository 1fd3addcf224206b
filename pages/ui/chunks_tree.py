"""The icicle of a cut: the document at the left, its parents, its chunks, each as tall as its text is long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.inspecting.hierarchy import Bar, TreeRow, bars, icicle
from pages.ui import words
from pages.ui.bench_views import palette
from pages.ui.chunks_panel import Look, draw

if TYPE_CHECKING:
    import plotly.graph_objects

_LABEL = 13  # characters
MOST = 300  # pieces up to which each has a bar of its own
THINNEST = 240  # of more, none is thinner than this part of the text: about a pixel and a half
_WRITTEN = 100  # of more, what is thinner than this part of the text has no room for its number
LIGHT, DARK = ("#e6eff4", "#1f5470"), ("#1c2932", "#64bad8")


def show_tree(look: Look) -> None:
    """The icicle; the reader's own tree stands below it."""
    if not look.cut.tree.chunks:
        st.caption("There is no chunk.")
        return
    rows = without_document(icicle(look.cut.tree))
    span = max(row.end for row in rows) - min(row.start for row in rows)
    drawn = bars(rows, span // THINNEST if len(rows) > MOST else 0, _chosen(look))
    draw(
        figure(drawn, look), look, "tree", "Parents and chunks, as tall as their text is long, darker with more tokens"
    )
    if len(drawn) < len(rows):
        st.caption(f"Of {words.count(len(rows), 'piece')}, neighbours too thin to tell apart share a bar.")


def _chosen(look: Look) -> str:
    """The chosen chunk's id, "" for none."""
    leaves = look.cut.tree.leaves
    return leaves[look.chosen].chunk_id if 0 <= look.chosen < len(leaves) else ""


def without_document(rows: tuple[TreeRow, ...]) -> list[TreeRow]:
    """The rows, that of the document left out where one chunk holds all of it anyway, which then takes its name."""
    tops = [row for row in rows[1:] if row.parent_id == rows[0].chunk_id]
    if len(tops) != 1 or tops[0].leaf >= 0:
        return list(rows)
    return [replace(row, parent_id="", label=rows[0].label) if row is tops[0] else row for row in rows[1:]]


def figure(drawn: Sequence[Bar], look: Look) -> plotly.graph_objects.Figure:
    """A bar a chunk, as far right as it is deep, coloured by tokens with the scale beside it.

    Bars in place of Plotly's own icicle: they stand on the text's own axis, whatever overlaps or is left out, and a
    click on one leads there and does not dive into it.
    """
    import plotly.graph_objects as go

    low, high = DARK if st.context.theme.type == "dark" else LIGHT
    colours, chosen = palette(), _chosen(look)
    top, bottom = min(bar.row.start for bar in drawn), max(bar.end for bar in drawn)
    least = (bottom - top) / _WRITTEN if len(drawn) > MOST else 0
    first = min(bar.row.depth for bar in drawn)
    marked = [bar.row.chunk_id == chosen for bar in drawn]
    return go.Figure(
        {
            "type": "bar",
            "x": [bar.row.depth - first for bar in drawn],
            "y": [max(1, bar.end - bar.start) for bar in drawn],
            "base": [bar.start for bar in drawn],
            "width": 0.97,
            "text": [_written(bar) if bar.end - bar.start >= least else "" for bar in drawn],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "constraintext": "inside",
            "customdata": [(min(bar.start, bar.row.start), bar.end, *said(bar)) for bar in drawn],
            "hovertemplate": "%{customdata[2]}<br>%{customdata[3]}<extra></extra>",
            "selected": {"marker": {"opacity": 1}},
            "unselected": {"marker": {"opacity": 1}},
            "marker": {
                "color": [bar.mean for bar in drawn],
                "colorscale": [[0, low], [1, high]],
                "cmin": 0,
                "cmax": max([bar.mean for bar in drawn if bar.row.level <= 1] or [1]),  # above, all is the darkest
                "showscale": True,
                "colorbar": {"title": {"text": "tokens", "side": "top"}, "thickness": 9, "xpad": 4, "nticks": 5},
                "line": {
                    "width": [3 if here else 0.5 for here in marked],
                    "color": [colours.ink if here else colours.grid for here in marked],
                },
            },
        },
        {
            "xaxis": {"visible": False, "fixedrange": True},
            "yaxis": {"visible": False, "range": [bottom, top]},
            "uniformtext": {"minsize": 9, "mode": "hide"},
            "barmode": "overlay",
        },
    )


def said(bar: Bar) -> tuple[str, str]:
    """What a bar stands for, and how large that is.

    >>> row = TreeRow("c", "p", "Limits", 90, 400, 0, 2, 0, 400, 3)
    >>> said(Bar(row, 1, 0, 400, 90)), said(Bar(row, 3, 0, 900, 200))
    (('Limits', '90 tokens'), ('3 chunks from here: Limits', '67 tokens on average'))
    """
    if bar.count == 1:
        return bar.row.label, words.count(bar.tokens, "token")
    return f"{bar.count:,} chunks from here: {bar.row.label}", f"{bar.mean:,.0f} tokens on average"


def _written(bar: Bar) -> str:
    """What stands in a bar: a chunk's number, a parent's heading; nothing where it is several."""
    if bar.count > 1:
        return ""
    return str(bar.row.leaf + 1) if bar.row.leaf >= 0 else _short(bar.row.label)


def _short(label: str) -> str:
    """As much of a heading as a bar has room for.

    >>> _short("Rules and alerts of gateways"), _short("Limits")
    ('Rules and…', 'Limits')
    """
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 2].rsplit(' ', 1)[0]}…"
