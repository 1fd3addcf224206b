"""The result and the answer of a question. The library caches both for all windows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from core.errors import LecternError
from core.library import SearchResult
from core.search.answer.line import Line
from core.search.answer.support import Support
from core.search.question.query import Query
from core.settings import RerankingSettings, Settings
from core.storage.catalogue.question_log import LoggedQuestion
from pages.ui.ask.dials import sidebar
from pages.ui.shared import services, state, tasks

RERANKING = "reranking"  # the purpose of the task


def search_at_once(query: Query, settings: Settings) -> tuple[SearchResult, Settings]:
    """The result of a query, and the settings it was made with.

    While the re-ranker runs, that is the result without it; the progress is drawn with a button that switches the
    re-ranker off, and the page runs again when it is done.
    """
    library = services.library()
    searcher = library.searcher
    known = searcher.remembered(query, settings)
    if settings.reranking.off or known is not None:
        return known or searcher.search(query, settings), settings
    at_once = replace(settings, reranking=RerankingSettings())
    first = searcher.search(query, at_once)
    task = tasks.get_or_start(
        RERANKING,
        (library.revision(), query, settings, query.asking),
        lambda task: searcher.search(query, settings, task.tell),
    )
    text = "Reading the best chunks again: {done} of {total}. Until then they stand in the order before."
    if not tasks.finished_or_progress(RERANKING, task, text, lambda: sidebar.turn({"reranking.model": ""})):
        return first, at_once
    try:
        return task.result(), settings
    except LecternError as error:
        st.warning(sidebar.as_labelled(f"The best chunks were not read again. {error}"), icon=":material/warning:")
        return first, at_once


def answer(result: SearchResult, settings: Settings) -> Line:
    """The answer of a result; if the library does not say, with the nearest sentences. Encodes new sentences."""
    searcher = services.library().searcher
    line = searcher.answer(result, settings.answering)
    if line.support.enough:
        return line
    nearest = searcher.answer(result, replace(settings.answering, least_support=0.0))  # the sentences are cached
    return replace(line, answer=nearest.answer)


def note(query: Query, result: SearchResult, support: Support | None, quoting_ms: float = 0.0) -> None:
    """Log a question, once each time it is asked. ``support``: ``None`` for an answer written by a language model."""
    log = services.library().log
    if st.session_state.get(state.LOGGED) == query.asking or not log.on:
        return
    st.session_state[state.LOGGED] = query.asking
    nearest = max((hit.scores["dense"] for hit in result.hits if "dense" in hit.scores), default=None)
    milliseconds = sum(result.timings_ms.values()) + quoting_ms
    with suppress(LecternError):  # a failed write, as on a full disk, must not lose the answer
        log.note(
            LoggedQuestion(
                query.question,
                milliseconds,
                support.probability if support else None,
                support.enough if support else None,
                nearest,
                tuple(dict.fromkeys(passage.version_id for passage in result.passages)),
            )
        )
