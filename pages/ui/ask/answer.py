"""The answer line: sentences quoted word for word, or that the library does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.evidence import Answer, Citation, Hit, Passage, Quote
from core.library import SearchResult
from core.search.answer.support import Support
from pages.ui.ask.question import take
from pages.ui.ask.source import open_in_chunks, shared_words, source_of
from pages.ui.shared import assets, background, state

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NOTHING = "The library does not say: "  # what the sentence of weak support begins with; here it is the heading
_quotes = st.components.v2.component(
    "lectern.quotes",
    html='<section class="lectern answer" aria-label="Supporting sentences"></section>',
    css=assets.text(__file__, "palette.css", "inline_markup.css", "quotes.css"),
    js=assets.text(__file__, "offsets.js", "copying.js", "inline_markup.js", "quotes.js"),
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


def show_answer(answer: Answer, support: Support | None, result: SearchResult) -> int:
    """Draw the supporting sentences and cells, each of which leads to its place: one element, as its place may hold no
    more. Returns how many documents that are still being read may say what these do not; 0: they are answer enough.

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
            "asked": asked_cell(quote, result.question),
            "short": [quote.short.start, quote.short.end] if quote.short else None,
            "score": quote.score,
        }
        for quote in answer.quotes
    ]
    weak = support.sentence.removeprefix(NOTHING) if support and not support.enough else ""
    coming = background.pending_documents() if weak or not quotes else 0
    likely = "" if not support else f" · the library is {support.probability:.0%} likely to answer this"
    data = {
        "question": result.question,
        "quotes": quotes,
        "weak": weak,
        "coming": coming,
        "likely": likely,
    }
    open_in_chunks(_quotes(key="ask.quotes", data=data, on_open_change=lambda: None).open, cited=True)
    return coming


def asked_cell(quote: Quote, question: str) -> int:
    """Which cell of a quoted row is asked for, -1 where that is not plain: the one with the short answer, else the one
    whose header alone speaks of the question. What the question says itself, as the row's name, is not asked.

    >>> row = (("SID", "10"), ("Participant", "mb-s10"), ("age (months)", "14.6"), ("group", "12"))
    >>> quote = Quote("10 | mb-s10 | 14.6 | 12", 1.0, Citation("v", "D", "d.xlsx", 0, 23, None), cells=row)
    >>> asked_cell(quote, "How old was participant mb-s10 in months?"), asked_cell(quote, "Who was it?")
    (2, -1)
    """
    short = quote.text[quote.short.start : quote.short.end] if quote.short else ""
    if short:
        return next((at for at, (_, words) in enumerate(quote.cells) if short in words), -1)
    told = [0 if shared_words(words, question) else len(shared_words(head, question)) for head, words in quote.cells]
    most = max(told, default=0)
    return told.index(most) if most and told.count(most) == 1 else -1


def ask_again(question: str) -> None:
    """The button that asks once more of what was read meanwhile."""
    st.button("Ask again", key="ask.again", icon=":material/refresh:", on_click=take, args=[question])


def _headings(citation: Citation, result: SearchResult) -> tuple[str, ...]:
    """The path above a quoted sentence: that of the child it stands in, else of its passage."""
    places: tuple[Hit | Passage, ...] = (*result.hits, *result.passages)
    holders = (
        place.headings
        for place in places
        if place.version_id == citation.version_id and place.start <= citation.start < place.end
    )
    return next(holders, ())
