"""What a question brought: asked of the library, which remembers it for every window."""

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

_RERANKING = "reranking"


def search_at_once(query: Query, settings: Settings) -> tuple[SearchResult, Settings]:
    """The result, with the settings it was made by: while the best are read again, that of the order before.

    Draws how that goes on, with a way out; the page is drawn anew when it is over.
    """
    library = services.library()
    searcher = library.searcher
    known = searcher.remembered(query, settings)
    if settings.reranking.off or known is not None:
        return known or searcher.search(query, settings), settings
    at_once = replace(settings, reranking=RerankingSettings())
    first = searcher.search(query, at_once)
    task = tasks.get_or_start(
        _RERANKING,
        (library.revision(), query, settings, query.asking),
        lambda task: searcher.search(query, settings, task.tell),
    )
    said = "Reading the best chunks again: {done} of {total}. Until then they stand in the order before."
    if not tasks.finished_or_progress(_RERANKING, task, said, lambda: sidebar.turn({"reranking.model": ""})):
        return first, at_once
    try:
        return task.result(), settings
    except LecternError as error:
        st.warning(sidebar.as_labelled(f"The best chunks were not read again. {error}"), icon=":material/warning:")
        return first, at_once


def answer(result: SearchResult, settings: Settings) -> Line:
    """The answer line of a result, with what came nearest where the library does not say.

    Sentences not met before are encoded.
    """
    searcher = services.library().searcher
    line = searcher.answer(result, settings.answering)
    if line.support.enough:
        return line
    nearest = searcher.answer(result, replace(settings.answering, least_support=0.0))  # what was encoded is in memory
    return replace(line, answer=nearest.answer)


def note(query: Query, result: SearchResult, support: Support | None, quoting_ms: float = 0.0) -> None:
    """Put a question into the library's log, once each time it is asked. ``support``: ``None`` of a written answer."""
    log = services.library().log
    if st.session_state.get(state.LOGGED) == query.asking or not log.on:
        return
    st.session_state[state.LOGGED] = query.asking
    nearest = max((hit.scores["dense"] for hit in result.hits if "dense" in hit.scores), default=None)
    spent = sum(result.timings_ms.values()) + quoting_ms
    with suppress(LecternError):  # a full disk costs the note, not the answer
        log.note(
            LoggedQuestion(
                query.question,
                spent,
                support.probability if support else None,
                support.enough if support else None,
                nearest,
                tuple(dict.fromkeys(passage.version_id for passage in result.passages)),
            )
        )
