"""What a question brings to light: candidates, hits, passages, the context made of them, and the answer they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.types import PrefixPart, Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """One leaf's way through the stages: 1-based rank and score at each stage that ranked it, and its fate.

    ``fate``: "kept", or the sentence that says why it left. ``matched``: what of it is nearest, "" for its text.
    """

    row: int
    chunk_id: str
    version_id: str
    start: int
    end: int
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    fate: str
    matched: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved child that survived ranking, with what a reader needs to recognise it."""

    row: int
    chunk_id: str
    version_id: str
    start: int
    end: int
    text: str
    rank: int
    score: float
    scores: Mapping[str, float]
    headings: tuple[str, ...]
    document: str
    source: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What every stage did: ``stages`` as they ran, ``candidates`` in final order, catalogue ``reads`` by stage."""

    question: str
    stages: tuple[str, ...]
    candidates: Sequence[Candidate]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    reads: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """A span handed to the reader: one or more children grown by expansion.

    ``rank``: 1-based relevance, that of its best child. ``children``: the hits' spans lit inside it, best first.
    ``tokens``: of the rendered passage, prefix line included. ``reason``: why it has this extent, as a sentence.
    """

    version_id: str
    document: str
    source: str
    start: int
    end: int
    text: str
    tokens: int
    chunk_ids: tuple[str, ...]
    children: tuple[Span, ...]
    rank: int
    score: float
    reason: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    prefix: tuple[PrefixPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """The passages in the order the reader gets them, and the exact prompt made of them.

    ``tokens``: of the passages, as counted against ``budget``; ``order`` lists their relevance ranks in reading order.
    """

    passages: tuple[Passage, ...]
    order: tuple[int, ...]
    tokens: int
    budget: int
    prompt: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Evidence for a quoted sentence: ``[start, end)`` of a version, and the page it begins on, if it has pages."""

    version_id: str
    document: str
    source: str
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """One supporting sentence, list, cell or line, verbatim, with its score in [0, 1] and its citation.

    ``told``: what a quoted cell is of ("Availability › Q3 2026"), "" for anything else. ``kind``: "sentence", "item",
    "row", "cell" or "line" of a listing. ``short``: the short answer inside ``text``, ``None`` where none was marked.
    ``cells``: of a row, each cell's header ("" for none) and words, those spread over several columns once.
    """

    text: str
    score: float
    citation: Citation
    told: str = ""
    kind: str = "sentence"
    short: Span | None = None
    cells: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Quoted sentences, best first. Empty when nothing supports an answer."""

    quotes: tuple[Quote, ...]
