"""What a question brought: asked of the library, which remembers it for every window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import streamlit as st

from core.errors import LecternError
from core.library import Library, Scope, SearchResult
from core.search.answer.line import Line
from core.search.answer.support import Support
from core.search.question.analysis import Keys
from core.settings import RerankingSettings, Settings
from core.storage.catalogue.question_log import LoggedQuestion
from pages.ui.ask.dials import sidebar
from pages.ui.shared import services, state, tasks

_RERANKING = "reranking"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question as it is asked.

    ``ignored``: keys of what was understood of it and taken away. ``asking``: another each time it is asked, which
    changes nothing in what is found.
    """

    question: str
    scope: Scope
    ignored: Keys = frozenset()
    asking: str = field(default="", compare=False)


def search(
    library: Library, inquiry: Inquiry, settings: Settings, progress: Callable[[int, int], None] | None = None
) -> SearchResult:
    """What was found, and what the reader gets of it; a dial that is turned searches nothing again."""
    return library.search(
        inquiry.question,
        settings,
        scope=inquiry.scope,
        ignored=inquiry.ignored,
        asking=inquiry.asking,
        progress=progress,
    )


def search_at_once(inquiry: Inquiry, settings: Settings) -> tuple[SearchResult, Settings]:
    """The result, with the settings it was made by: while the best are read again, that of the order before.

    Draws how that goes on, with a way out; the page is drawn anew when it is over.
    """
    library = services.library()
    known = library.searcher.remembered(
        inquiry.question, settings, scope=inquiry.scope, ignored=inquiry.ignored, asking=inquiry.asking
    )
    if settings.reranking.off or known is not None:
        return known or search(library, inquiry, settings), settings
    at_once = replace(settings, reranking=RerankingSettings())
    first = search(library, inquiry, at_once)
    task = tasks.begun(
        _RERANKING,
        (library.revision(), inquiry, settings, inquiry.asking),
        lambda task: search(library, inquiry, settings, task.tell),
    )
    said = "Reading the best chunks again: {done} of {total}. Until then they stand in the order before."
    if not tasks.finished(_RERANKING, task, said, lambda: sidebar.turn({"reranking.model": ""})):
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


def note(inquiry: Inquiry, result: SearchResult, support: Support | None, quoting_ms: float = 0.0) -> None:
    """Put a question into the library's log, once each time it is asked. ``support``: ``None`` of a written answer."""
    log = services.library().log
    if st.session_state.get(state.LOGGED) == inquiry.asking or not log.on:
        return
    st.session_state[state.LOGGED] = inquiry.asking
    nearest = max((hit.scores["dense"] for hit in result.hits if "dense" in hit.scores), default=None)
    spent = sum(result.timings_ms.values()) + quoting_ms
    with suppress(LecternError):  # a full disk costs the note, not the answer
        log.note(
            LoggedQuestion(
                inquiry.question,
                spent,
                support.probability if support else None,
                support.enough if support else None,
                nearest,
                tuple(dict.fromkeys(passage.version_id for passage in result.passages)),
            )
        )
