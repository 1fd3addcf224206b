"""The icicle of a cut: the document at the left, its parents, its chunks, each as tall as its text is long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.types import Chunk
from pages.ui.chunks.state import PanelState
from pages.ui.shared import words
from pages.ui.shared.plots import draw_beside_text, palette, softened

if TYPE_CHECKING:
    import plotly.graph_objects

MOST = 800  # pieces of a cut; of more, the lowest are left out
LABEL = 60  # characters
_ALT = "Parents and chunks, as tall as their text is long, bluer the larger among their like"


def show_tree(panel: PanelState) -> None:
    """The icicle; the reader's own tree stands below it."""
    chunks = panel.cut.tree.chunks
    if not chunks:
        st.caption("There is no chunk.")
        return
    shown = drawn(chunks)
    draw_beside_text(figure(shown, panel), [panel.cut.version], "tree", _ALT)
    if len(shown) < len(chunks):
        st.caption(f"{words.count(len(chunks), 'piece')}: too many to draw, so their parents stand for the chunks.")


def drawn(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks down to a level at which they are few enough to be drawn; all of them where no level is."""
    top = max(chunk.level for chunk in chunks)
    for lowest in range(top + 1):
        found = [chunk for chunk in chunks if chunk.level >= lowest]
        if len(found) <= MOST:
            return found
    return [chunk for chunk in chunks if chunk.level == top]


def figure(chunks: Sequence[Chunk], panel: PanelState) -> plotly.graph_objects.Figure:
    """A bar a chunk below the document's; a click on one leads to its text."""
    import plotly.graph_objects as go

    document, chosen = panel.cut.tree.document, panel.leaf
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    above = {chunk.parent_id for chunk in chunks}
    largest: dict[int, int] = {}
    for chunk in chunks:
        largest[chunk.level] = max(largest.get(chunk.level, 1), chunk.tokens)
    colours = palette()
    plot = go.Figure(
        go.Icicle(
            ids=[document.version_id, *by_id],
            parents=["", *(chunk.parent_id or document.version_id for chunk in chunks)],
            labels=[document.title, *(label(chunk, by_id) for chunk in chunks)],
            values=[0, *(0 if chunk.chunk_id in above else chunk.end - chunk.start for chunk in chunks)],
            customdata=[(0, 1), *((chunk.start, chunk.end) for chunk in chunks)],
            text=["", *(words.count(chunk.tokens, "token") for chunk in chunks)],
            textinfo="label",
            textfont={"color": colours.ink},
            hovertemplate="%{label}<br>%{text}<extra></extra>",
            tiling={"orientation": "h"},
            pathbar={"visible": False},
            sort=False,
            marker={
                "colors": [0, *(chunk.tokens / largest[chunk.level] for chunk in chunks)],
                "colorscale": [[0, colours.grid], [1, softened(colours.colours[0])]],
                "line": {
                    "width": [0, *(3 if chunk is chosen else 1 for chunk in chunks)],
                    "color": [colours.grid, *(colours.ink if chunk is chosen else colours.grid for chunk in chunks)],
                },
            },
        )
    )
    plot.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    return plot


def label(chunk: Chunk, by_id: Mapping[str, Chunk]) -> str:
    """The heading a chunk stands under, where its parent has another, else its first words.

    >>> label(Chunk("c", 0, None, 0, 9, "- The end", 2), {})
    'The end'
    """
    parent = by_id.get(chunk.parent_id or "")
    if chunk.headings and (parent is None or chunk.headings != parent.headings):
        return words.shortened(chunk.headings[-1], LABEL)
    return words.shortened(chunk.text[: 4 * LABEL].strip().lstrip("#>*-|• \t") or chunk.text, LABEL)
