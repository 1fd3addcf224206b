"""The quoted answer: sentences and table cells from the documents, or a note that the library does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.evidence import Answer, Citation, Hit, Passage, Quote
from core.library import SearchResult
from core.search.answer.support import SILENT, Support
from pages.ui.ask.question import take
from pages.ui.ask.source import open_in_chunks, shared_words, source_of
from pages.ui.shared import assets, background, state

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_quotes = st.components.v2.component(
    "lectern.quotes",
    html='<section class="lectern answer" aria-label="Supporting sentences"></section>',
    css=assets.text(__file__, "palette.css", "inline_markup.css", "quotes.css"),
    js=assets.text(__file__, "offsets.js", "copying.js", "inline_markup.js", "quotes.js"),
)


def turn_of(question: str) -> int:
    """A counter that grows with every new question, and stays while dials are changed for the same question."""
    asked, turn = st.session_state.get(state.TURN, (question, 0))
    st.session_state[state.TURN] = (question, turn + (question != asked))
    return int(turn + (question != asked))


def answer_place(turn: int) -> DeltaGenerator:
    """A container for a part of the answer, one of two that alternate with ``turn``.

    A new question empties the other one at once; a changed dial keeps the old answer visible until the new one is
    known. Two containers are needed, because Streamlit merges an emptying and a refilling of one container if they
    follow each other quickly, and the browser then keeps the old content.
    """
    places = [st.container() if place == turn % 2 else st.empty() for place in range(2)]
    return places[turn % 2]


def show_answer(answer: Answer, support: Support | None, result: SearchResult) -> int:
    """Draw the quotes as one element, each with a link to its place.

    Returns the number of documents still to be read, which may hold a better answer; 0 if the quotes are sufficient.
    ``support``: how likely the library answers the question. If it is too low, ``answer`` has the nearest sentences.
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
    verdict, _, weak = support.sentence.partition(": ") if support and not support.enough else ("", "", "")
    coming = background.pending_documents() if weak or not quotes else 0
    likely = "" if not support else f" · the library is {support.probability:.0%} likely to answer this"
    data = {
        "question": result.question,
        "quotes": quotes,
        "weak": weak,
        "verdict": verdict or SILENT,
        "unsure": bool(support and support.unsure),
        "coming": coming,
        "likely": likely,
    }
    open_in_chunks(_quotes(key="ask.quotes", data=data, on_open_change=lambda: None).open, cited=True)
    return coming


def asked_cell(quote: Quote, question: str) -> int:
    """The index of the cell in a quoted row that the question asks for; -1 if that is not clear.

    It is the cell with the short answer; without one, the cell whose header shares most words with the question. Cells
    whose own text is in the question, such as the row's name, do not count.

    >>> row = (("SID", "10"), ("Participant", "mb-s10"), ("age (months)", "14.6"), ("group", "12"))
    >>> quote = Quote("10 | mb-s10 | 14.6 | 12", 1.0, Citation("v", "D", "d.xlsx", 0, 23, None), cells=row)
    >>> asked_cell(quote, "How old was participant mb-s10 in months?"), asked_cell(quote, "Who was it?")
    (2, -1)
    """
    short = quote.text[quote.short.start : quote.short.end] if quote.short else ""
    if short:
        return next((at for at, (_, words) in enumerate(quote.cells) if short in words), -1)
    shared = [0 if shared_words(words, question) else len(shared_words(head, question)) for head, words in quote.cells]
    most = max(shared, default=0)
    return shared.index(most) if most and shared.count(most) == 1 else -1


def ask_again(question: str) -> None:
    """A button that asks the question again, with the documents read meanwhile."""
    st.button("Ask again", key="ask.again", icon=":material/refresh:", on_click=take, args=[question])


def _headings(citation: Citation, result: SearchResult) -> tuple[str, ...]:
    """The heading path of a quoted sentence: of the chunk that contains it, else of its passage."""
    places: tuple[Hit | Passage, ...] = (*result.hits, *result.passages)
    holders = (
        place.headings
        for place in places
        if place.version_id == citation.version_id and place.start <= citation.start < place.end
    )
    return next(holders, ())
