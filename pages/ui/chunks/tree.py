"""The icicle plot of a cut: document, parents and chunks from left to right, with heights by length of text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.types import Chunk
from pages.ui.chunks.state import PanelState
from pages.ui.shared import words
from pages.ui.shared.plots import draw_beside_text, palette, softened

if TYPE_CHECKING:
    import plotly.graph_objects

MOST = 800  # chunks drawn; for more, the lowest levels are left out
LABEL = 60  # characters
_TAG = re.compile(r"<[^<>]*(?:>|$)")
_ALT = "Parents and chunks, as tall as their text is long, bluer the larger among their like"


def show_tree(panel: PanelState) -> None:
    """Draw the icicle plot. The reader draws its own tree below it."""
    chunks = panel.cut.tree.chunks
    if not chunks:
        st.caption("There is no chunk.")
        return
    shown = drawn(chunks)
    draw_beside_text(figure(shown, panel), [panel.cut.version], "tree", _ALT)
    if len(shown) < len(chunks):
        st.caption(f"{words.count(len(chunks), 'piece')}: too many to draw, so their parents stand for the chunks.")


def drawn(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks from the lowest level up at which they are at most ``MOST``; if none is, those of the top level."""
    top = max(chunk.level for chunk in chunks)
    for lowest in range(top + 1):
        kept = [chunk for chunk in chunks if chunk.level >= lowest]
        if len(kept) <= MOST:
            return kept
    return [chunk for chunk in chunks if chunk.level == top]


def figure(chunks: Sequence[Chunk], panel: PanelState) -> plotly.graph_objects.Figure:
    """The plot, with a bar for each chunk that links to its text."""
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
    """A chunk's label: its heading if its parent has another one, else its first words.

    >>> label(Chunk("c", 0, None, 0, 9, "- The end", 2), {})
    'The end'
    >>> label(Chunk("c", 0, None, 0, 20, "<div><b>Mill</b> etc", 5), {})
    'Mill etc'
    """
    parent = by_id.get(chunk.parent_id or "")
    if chunk.headings and (parent is None or chunk.headings != parent.headings):
        return words.shortened(chunk.headings[-1], LABEL)
    begins = chunk.text[: 4 * LABEL].strip()
    bare = _TAG.sub(" ", begins) if begins.startswith("<") else begins
    return words.shortened(bare.strip().lstrip("#>*-|• \t") or chunk.text, LABEL)
