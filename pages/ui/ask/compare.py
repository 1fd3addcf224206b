"""The tab "A/B": the contexts of two settings for the same question side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from core.evidence import Passage
from core.library import SearchResult
from core.search.question.query import Query
from core.settings import Settings
from core.types import Span
from pages.ui.ask.dials import sidebar
from pages.ui.ask.dials.sidebar import in_words
from pages.ui.ask.source import open_in_chunks, source_of
from pages.ui.shared import assets, services, state, words


def pieces(passage: Passage, others: Iterable[Passage]) -> list[tuple[str, bool]]:
    """A passage's text in order, as pieces (text, only here): ``True`` if the other context lacks the piece.

    A piece of blanks alone is joined to the one before it.
    """
    shared = sorted(
        (max(other.start, passage.start) - passage.start, min(other.end, passage.end) - passage.start)
        for other in others
        if other.version_id == passage.version_id and other.start < passage.end and passage.start < other.end
    )
    found: list[tuple[str, bool]] = []
    done = 0
    for start, end in [*shared, (len(passage.text), len(passage.text))]:
        for first, last, only in ((done, start, True), (max(done, start), end, False)):
            text = passage.text[first:last]
            if not text:
                continue
            if found and (found[-1][1] == only or text.isspace()):
                found[-1] = (found[-1][0] + text, found[-1][1])
            else:
                found.append((text, only and not text.isspace()))
        done = max(done, end)
    return found


def partner(passage: Passage, others: Iterable[Passage]) -> Passage | None:
    """The passage of the other context that overlaps most with this one; ``None`` if none overlaps.

    >>> partner(Passage("v", "d", "s", 0, 4, "text", 1, (), (), 1, 0.0, ""), []) is None
    True
    """
    span = Span(passage.start, passage.end)
    shared = [
        (span.overlap(Span(other.start, other.end)), -other.rank, other)
        for other in others
        if other.version_id == passage.version_id
    ]
    most = max(shared, key=lambda item: item[:2], default=None)
    return most[2] if most is not None and most[0] else None


_sides = st.components.v2.component(
    "lectern.sides",
    html='<div class="lectern sides"></div>',
    css=assets.text(__file__, "palette.css", "ask_sides.css"),
    js=assets.text(__file__, "offsets.js", "copying.js", "ask_sides.js"),
)


def kept() -> Settings | None:
    """The settings kept as A; ``None`` if none are kept."""
    return st.session_state.get(state.KEPT_AS_A)


def keep(settings: Settings | None) -> None:
    """Keep settings as A; ``None`` drops A. A callback."""
    st.session_state[state.KEPT_AS_A] = settings


def keep_row(settings: Settings, base: Settings) -> None:
    """Draw what A is, and the buttons that keep it, apply it to the dials, and drop it."""
    a = kept()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if a is None:
            st.caption("Keep the dials as A, turn some, and see both contexts of this question side by side.")
            st.button("Keep as A", key="ask.keep", icon=":material/compare:", on_click=keep, args=[settings])
            return
        st.caption(words.escaped(f"A: {_changes(a, base)}"))
        differs = a != settings
        st.button("Keep the dials as A", key="ask.keep", on_click=keep, args=[settings], disabled=not differs)
        st.button("Turn the dials to A", key="ask.take", on_click=sidebar.turn_to, args=[a], disabled=not differs)
        st.button("Drop A", key="ask.drop", type="tertiary", on_click=keep, args=[None])


def show_compared(query: Query, result: SearchResult, settings: Settings, base: Settings) -> None:
    """Draw the contexts of A and of the dials (B) side by side."""
    keep_row(settings, base)
    a = kept()
    if a is None:
        return
    if a == settings:
        st.info("The dials stand as A. Turn one at the left, and B is what they bring.", icon=":material/compare:")
        return
    with st.spinner("Asking with A …"):
        result_a = services.library().searcher.search(query, a)
    sides = [_side("A", result_a, result, _changes(a, base)), _side("B", result, result_a, _changes(settings, base))]
    open_in_chunks(_sides(key="ask.sides", data={"sides": sides}, on_open_change=lambda: None).open)


def _changes(settings: Settings, base: Settings) -> str:
    return in_words(settings, base) or "no dial turned"


def _side(name: str, this: SearchResult, other: SearchResult, changes: str) -> dict[str, Any]:
    return {
        "name": name,
        "said": changes,
        "tokens": this.context.tokens,
        "budget": this.context.budget,
        "kept": len(this.hits),
        "time": words.duration(sum(this.timings_ms.values())),
        "passages": [{**source_of(passage), **_passage(passage, other.passages)} for passage in this.passages],
    }


def _passage(passage: Passage, others: Sequence[Passage]) -> dict[str, Any]:
    like = partner(passage, others)
    return {
        "rank": passage.rank,
        "other": like.rank if like else 0,
        "tokens": passage.tokens,
        "headings": list(passage.headings),
        "pieces": [list(piece) for piece in pieces(passage, others)],
    }
