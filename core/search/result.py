"""What a search gives, and when two of them must be the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from core.evidence import Context, Hit, Passage, Trace
from core.search.context.candidate_outcomes import Clustered
from core.search.context.conflicts import ContextConflict
from core.search.context.ending import Ending
from core.search.question.analysis import Understanding
from core.search.ranking.reranking import STOPPED

BY_WORDS_ALONE = "Searched by words alone, for the embedder cannot be asked. "  # before why, and what to do


def by_words_alone(notes: Iterable[str]) -> bool:
    """Whether one of a result's notes says that its embedder could not be asked: the next time it may be.

    >>> by_words_alone([BY_WORDS_ALONE + "Nothing answers at localhost:8080."]), by_words_alone([])
    (True, False)
    """
    return any(note.startswith(BY_WORDS_ALONE) for note in notes)


def unfinished(notes: Iterable[str]) -> bool:
    """Whether one of a result's notes says that a re-ranker had too little time: asked once more it may come out
    otherwise.

    >>> unfinished([STOPPED + "2 s: 1 of 3 re-ranked."]), unfinished([])
    (True, False)
    """
    return any(note.startswith(STOPPED) for note in notes)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``hits``: retrieved children, best first. ``passages``: what the reader gets, in the reader's order.

    ``key``: equal for results of one question, its settings and the state of the library; ``None`` where it must not
    be remembered. ``understood``: what was read out of the question. ``conflicts``: what the passages disagree on.
    ``notes``: what a person should know of how it was answered, as sentences. ``reads``: how often expansion asked the
    catalogue. ``likely``: the probability that the likeliest passage a re-ranker read answers; ``None`` where none did
    whose scores are calibrated. ``ending``: ``None`` where the budget or the last hit ends the context.
    """

    question: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    context: Context
    trace: Trace
    timings_ms: Mapping[str, float]
    understood: Understanding
    conflicts: tuple[ContextConflict, ...] = ()
    clustered: Clustered | None = None
    notes: tuple[str, ...] = ()
    reads: int = 0
    likely: float | None = None
    ending: Ending | None = None
    key: Hashable = None
