"""The answer line: sentences quoted word for word, or that the library does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.library import SearchResult
from core.search.answer.support import Support
from core.types import Answer, Citation, Hit, Passage
from pages.ui.ask.source import open_in_chunks, source_of
from pages.ui.shared import assets, state

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NOTHING = "The library does not say: "  # what the sentence of weak support begins with; here it is the heading
_quotes = st.components.v2.component(
    "lectern.quotes",
    html='<section class="lectern answer" aria-label="Supporting sentences"></section>',
    css=assets.text(__file__, "palette.css", "quotes.css"),
    js=assets.text(__file__, "offsets.js", "copying.js", "quotes.js"),
)


def turn_of(question: str) -> int:
    """How often another question was asked before this one; the same while its dials are turned."""
    asked, turn = st.session_state.get(state.TURN, (question, 0))
    st.session_state[state.TURN] = (question, turn + (question != asked))
    return int(turn + (question != asked))


def answer_place(turn: int) -> DeltaGenerator:
    """A part of the answer's place: what stands there gives way at once to another question, and stays while a dial
    is turned, until what takes its place is known.

    Two places by turns: Streamlit sends a container that follows an emptying of the same place alone where the two come
    quickly, and then the window keeps what stood in it.
    """
    places = [st.container() if place == turn % 2 else st.empty() for place in range(2)]
    return places[turn % 2]


def show_answer(answer: Answer, support: Support | None, result: SearchResult) -> None:
    """Draw the supporting sentences and cells, each of which leads to its place.

    ``support``: how likely the library answers at all; where that is not enough, ``answer`` is what came nearest.
    """
    quotes = [
        {
            **source_of(quote.citation),
            "headings": list(_headings(quote.citation, result)),
            "text": quote.text,
            "told": quote.told,
            "kind": quote.kind,
            "cells": [list(cell) for cell in quote.cells],
            "short": [quote.short.start, quote.short.end] if quote.short else None,
            "score": quote.score,
        }
        for quote in answer.quotes
    ]
    likely = "" if not support else f" · the library is {support.probability:.0%} likely to answer this"
    data = {
        "question": result.question,
        "quotes": quotes,
        "weak": support.sentence.removeprefix(NOTHING) if support and not support.enough else "",
        "likely": likely,
    }
    open_in_chunks(_quotes(key="ask.quotes", data=data, on_open_change=lambda: None).open, cited=True)


def _headings(citation: Citation, result: SearchResult) -> tuple[str, ...]:
    """The path above a quoted sentence: that of the child it stands in, else of its passage."""
    places: tuple[Hit | Passage, ...] = (*result.hits, *result.passages)
    holders = (
        place.headings
        for place in places
        if place.version_id == citation.version_id and place.start <= citation.start < place.end
    )
    return next(holders, ())
