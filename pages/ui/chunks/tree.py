"""The icicle of a cut: the document at the left, its parents, its chunks, each as tall as its text is long.

A component of our own in place of a Plotly figure: a new cut is drawn in the plot that is there, in milliseconds, and a
click counts while that happens. Labels are placed with ``textContent`` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.inspecting.hierarchy import Bar, TreeRow, bars, icicle
from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.state import PanelState
from pages.ui.shared import assets, words

MOST = 300  # pieces up to which each has a bar of its own
THINNEST = 240  # of more, none is thinner than this part of the text: about a pixel and a half
_KEY = "chunks.icicle"
_ALT = "Parents and chunks, as tall as their text is long, darker with more tokens"

_icicle = st.components.v2.component(
    "lectern.icicle",
    html=assets.text(__file__, "icicle.html"),
    css=assets.text(__file__, "palette.css", "icicle.css"),
    js=assets.text(__file__, "offsets.js", "mounting.js", "icicle.js"),
)


def show_tree(panel: PanelState) -> None:
    """The icicle; the reader's own tree stands below it."""
    if not panel.cut.tree.chunks:
        st.caption("There is no chunk.")
        return
    rows = without_document(icicle(panel.cut.tree))
    span = max(row.end for row in rows) - min(row.start for row in rows)
    drawn = bars(rows, span // THINNEST if len(rows) > MOST else 0, panel.leaf.chunk_id if panel.leaf else "")
    _icicle(key=_KEY, data=picture(drawn, panel), on_go_change=_go)
    if len(drawn) < len(rows):
        st.caption(f"Of {words.count(len(rows), 'piece')}, neighbours too thin to tell apart share a bar.")


def _go() -> None:
    version, start, end = st.session_state[_KEY].go
    chunks_state.jump_to(version, start, end)


def without_document(rows: tuple[TreeRow, ...]) -> list[TreeRow]:
    """The rows, that of the document left out where one chunk holds all of it anyway, which then takes its name."""
    tops = [row for row in rows[1:] if row.parent_id == rows[0].chunk_id]
    if len(tops) != 1 or tops[0].leaf >= 0:
        return list(rows)
    return [replace(row, parent_id="", label=rows[0].label) if row is tops[0] else row for row in rows[1:]]


def picture(drawn: Sequence[Bar], panel: PanelState) -> dict[str, Any]:
    """What the browser draws: a bar a chunk, as far right as it is deep, coloured by tokens.

    "start", "end": the text they stand on. "columns": how deep they go. "most": tokens of the darkest. "chosen": a
    leaf, -1 for none. Of each bar "start" and "end" are where it is drawn, "from" is where the text begins that a click
    leads to, and "tokens" are those of one of its "count" chunks. "cut" names the cut, so that each is drawn.
    """
    first = min(bar.row.depth for bar in drawn)
    return {
        "version": panel.cut.version,
        "cut": panel.cut.reading.cut_key,
        "alt": _ALT,
        "start": min(bar.row.start for bar in drawn),
        "end": max(bar.end for bar in drawn),
        "columns": max(bar.row.depth for bar in drawn) - first + 1,
        "most": max([1, *(round(bar.mean) for bar in drawn if bar.row.level <= 1)]),  # above, all is the darkest
        "chosen": panel.chosen,
        "bars": [
            {
                "column": bar.row.depth - first,
                "from": bar.row.start,
                "start": bar.start,
                "end": max(bar.end, bar.start + 1),
                "tokens": round(bar.mean, 1),
                "count": bar.count,
                "leaf": bar.row.leaf,
                "label": bar.row.label,
            }
            for bar in drawn
        ],
    }
