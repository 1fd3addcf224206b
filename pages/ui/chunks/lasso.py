"""What the lasso holds on the map: its chunks are listed until the next one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.chunks import state as chunks_state
from pages.ui.chunks.points import Points
from pages.ui.shared import state, words

LIBRARY = ""  # names the map of the whole library, where others are named by a document's version
_LISTED = 30


@dataclass(frozen=True, slots=True)
class Place:
    """A chunk as the list names it and leads to it; ``version``, ``start`` and ``end`` as in ``Points.spans``."""

    version: str
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class Lasso:
    """What the last lasso held, and ``of`` which map: the plot forgets it as soon as it is drawn anew."""

    of: str
    places: tuple[Place, ...]


def select(event: Mapping[str, Any], points: Points, of: str) -> None:
    """Hear what was selected on a map: one chunk is gone to, several are listed, none changes nothing."""
    chosen = [place_in(points, at) for at in lassoed(event, len(points.spans))]
    if len(chosen) == 1:
        chunks_state.open_place(chosen[0].version, chosen[0].start, chosen[0].end)
    elif chosen:
        st.session_state[state.CHUNKS_LASSO] = Lasso(of, tuple(chosen))


def lassoed(event: Mapping[str, Any], count: int) -> list[int]:
    """The chunks, of ``count``, that lie in the lasso, each once: the last of what a point carries.

    >>> lassoed({"selection": {"points": [{"customdata": [0, 9, 0, 3]}, {"customdata": {"0": 1}}, {}]}}, 5)
    [3, 1]
    """
    found = []
    for point in event.get("selection", {}).get("points", []):
        carried = point.get("customdata")
        if isinstance(carried, Mapping):
            carried = list(carried.values())
        if carried:
            found.append(int(carried[-1]))
    return [at for at in dict.fromkeys(found) if at < count]


def place_in(points: Points, at: int) -> Place:
    """A chunk of a map as the list names it."""
    return Place(*points.spans[at], f"{points.documents[at]}: {short(points.texts[at])}")


def short(text: str) -> str:
    """The first words of a chunk on one line."""
    return words.shortened(text[:200], 60)


def kept(of: str) -> tuple[Place, ...]:
    """What the last lasso on this map held: that of another document is forgotten."""
    held: Lasso | None = st.session_state.get(state.CHUNKS_LASSO)
    return held.places if held and held.of == of else ()


def show_list(places: Sequence[Place]) -> None:
    """Each chunk of the lasso, leading there."""
    if not places:
        st.caption("Click a point to go there; draw around points to list their chunks.")
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.markdown(f"**{words.count(len(places), 'chunk')}**")
        st.button("Close the list", key="chunks.map_close", type="tertiary", icon=":material/close:", on_click=_close)
    for place in places[:_LISTED]:
        st.button(
            words.escaped(place.words),
            key=f"chunks.map.{place.version[:12]}.{place.start}.{place.end}",
            type="tertiary",
            on_click=chunks_state.open_place,
            args=(place.version, place.start, place.end),
        )
    if len(places) > _LISTED:
        st.caption(f"and {len(places) - _LISTED:,} more")


def _close() -> None:
    st.session_state[state.CHUNKS_LASSO] = None
