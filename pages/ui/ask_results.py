"""What a question brought, held for every window: a dial that is turned orders and fills again what was found once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from threading import Lock
from time import perf_counter
from typing import TypeVar

import streamlit as st

from core.answering import Compared
from core.answering.support import Support
from core.errors import LecternError
from core.library import Library, Scope, SearchResult
from core.retrieval import Found
from core.retrieval.analysis import Keys
from core.retrieval.reranking import unfinished
from core.searching import found_key
from core.settings import RerankingSettings, Settings
from core.types import Answer
from pages.ui import ask_change_words, ask_tasks, dials, services

RESULTS, FOUND = 64, 8  # the latest turns of the dials, and the latest searches: these have a number for every chunk
_RERANKING = "reranking"
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, where it looks, the keys of what was understood of it and is not to be heeded, and of what is to
    filter. ``asking``: which time it is asked; the same question asked again finds the same.
    """

    question: str
    scope: Scope
    ignored: Keys = frozenset()
    stated: Keys = frozenset()
    asking: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """``nearest``: the best sentences, whether or not they support an answer, which ``support`` tells.

    ``compared``: what tables answer of a comparison in the question, ``None`` where none do.
    """

    nearest: Answer
    support: Support
    milliseconds: float
    compared: Compared | None = None


class Held:
    """The latest values of one revision of a library, by key. Any thread may ask."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._revision = -1
        self._values: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, revision: int, key: Hashable) -> object | None:
        """The value, ``None`` where it is not held."""
        with self._lock:
            if revision != self._revision or key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, revision: int, key: Hashable, value: object) -> None:
        """Hold a value. The one that was asked for longest ago goes, and all of another revision go."""
        with self._lock:
            if revision != self._revision:
                self._values.clear()
            self._revision = revision
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Shelf:
    found: Held
    results: Held
    answers: Held


@st.cache_resource(show_spinner=False)
def _shelf(place: str) -> _Shelf:
    return _Shelf(Held(FOUND), Held(RESULTS), Held(RESULTS))


def _held() -> _Shelf:
    return _shelf(str(services.home()))


def _made(held: Held, revision: int, key: Hashable, make: Callable[[], Value]) -> Value:
    known = held.get(revision, key)
    if known is None:
        known = make()
        held.put(revision, key, known)
    return known  # type: ignore[return-value] # a key names values of one type


def _key(inquiry: Inquiry, settings: Settings) -> Hashable:
    """What a result is held by. What is understood and decides nothing is shown all the same, as chips."""
    return inquiry, found_key(settings), settings.fingerprint()


def _key_of(result: SearchResult, inquiry: Inquiry, settings: Settings) -> Hashable:
    """As ``_key``; where a re-ranker ran out of time, for this asking alone: who asks again has the best read again."""
    key = _key(inquiry, settings)
    return (key, inquiry.asking) if unfinished(result.notes) else key


def _known(held: _Shelf, revision: int, inquiry: Inquiry, settings: Settings) -> SearchResult | None:
    key = _key(inquiry, settings)
    for place in (key, (key, inquiry.asking)):
        result = held.results.get(revision, place)
        if isinstance(result, SearchResult):
            return result
    return None


def search(inquiry: Inquiry, settings: Settings) -> SearchResult:
    """What was found, and what the reader gets of it."""
    return _search(services.library(), _held(), inquiry, settings)


def _search(
    library: Library,
    held: _Shelf,
    inquiry: Inquiry,
    settings: Settings,
    progress: Callable[[int, int], None] | None = None,
) -> SearchResult:
    searcher, revision = library.searcher, library.revision()

    def find() -> Found:
        started = perf_counter()
        found = searcher.find(inquiry.question, settings, inquiry.scope, inquiry.ignored, inquiry.stated)
        library.note_query(inquiry.question, settings, (perf_counter() - started) * 1000)
        return found

    result = _known(held, revision, inquiry, settings)
    if result is None:
        found = _made(held.found, revision, (inquiry, found_key(settings)), find)
        result = searcher.result(found, settings, None, progress)
        held.results.put(revision, _key_of(result, inquiry, settings), result)
    return result


def search_at_once(inquiry: Inquiry, settings: Settings) -> tuple[SearchResult, Settings]:
    """The result, with the settings it was made by: while the best are read again, that of the order before.

    Draws how that goes on, with a way out; the page is drawn anew when it is over.
    """
    library, held = services.library(), _held()
    revision = library.revision()
    if settings.reranking.off or _known(held, revision, inquiry, settings) is not None:
        return search(inquiry, settings), settings
    at_once = replace(settings, reranking=RerankingSettings())
    first = search(inquiry, at_once)
    task = ask_tasks.begun(
        _RERANKING,
        (revision, _key(inquiry, settings), inquiry.asking),
        lambda task: _search(library, held, inquiry, settings, task.tell),
    )
    said = "Reading the best chunks again: {done} of {total}. Until then they stand in the order before."
    if not ask_tasks.finished(_RERANKING, task, said, lambda: dials.turn({"reranking.model": ""})):
        return first, at_once
    try:
        return task.result(), settings
    except LecternError as error:
        st.warning(ask_change_words.said(f"The best chunks were not read again. {error}"), icon=":material/warning:")
        return first, at_once


def answer(inquiry: Inquiry, result: SearchResult, settings: Settings) -> Answered:
    """The answer line of a result. Sentences not met before are encoded."""
    library = services.library()

    def make() -> Answered:
        started = perf_counter()
        line = library.searcher.answer(result, settings.answering)
        nearest = line.answer
        if not line.support.enough:  # what was encoded for it is in memory
            nearest = library.searcher.answer(result, replace(settings.answering, least_support=0.0)).answer
        return Answered(nearest, line.support, (perf_counter() - started) * 1000, line.compared)

    return _made(_held().answers, library.revision(), _key_of(result, inquiry, settings), make)
