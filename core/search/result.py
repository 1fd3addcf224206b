"""``SearchResult``: all that a search returns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from core.evidence import Context, Hit, Passage, Trace
from core.search.context.conflicts import ContextConflict
from core.search.context.ending import Ending
from core.search.question.analysis import Understanding
from core.search.ranking.reranking import STOPPED

BY_WORDS_ALONE = "Searched by words alone, for the embedder cannot be asked. "  # the error message follows


def by_words_alone(notes: Iterable[str]) -> bool:
    """Whether one of a result's notes says that the embedder failed, so that only lexical search ran.

    >>> by_words_alone([BY_WORDS_ALONE + "Nothing answers at localhost:8080."]), by_words_alone([])
    (True, False)
    """
    return any(note.startswith(BY_WORDS_ALONE) for note in notes)


def reranking_timed_out(notes: Iterable[str]) -> bool:
    """Whether one of a result's notes says that re-ranking ran into its time limit.

    >>> reranking_timed_out([STOPPED + "2 s: 1 of 3 re-ranked."]), reranking_timed_out([])
    (True, False)
    """
    return any(note.startswith(STOPPED) for note in notes)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of one question.

    ``hits``: retrieved children, best first. ``passages``: those of the context, in reading order. ``understood``: the
    analysed question. ``conflicts``: contradictions between passages. ``notes``: sentences for the user on how the
    search ran. ``reads``: number of catalogue reads by expansion. ``likely``: the highest probability of answering that
    a calibrated re-ranker gave a passage, ``None`` without one. ``ending``: why the context ended early; ``None`` where
    the budget or the last hit ended it. ``key``: the cache key, of the question, its settings and the library's state;
    ``None`` for a result that must not be cached.
    """

    question: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    context: Context
    trace: Trace
    timings_ms: Mapping[str, float]
    understood: Understanding
    conflicts: tuple[ContextConflict, ...] = ()
    notes: tuple[str, ...] = ()
    reads: int = 0
    likely: float | None = None
    ending: Ending | None = None
    key: Hashable = None
