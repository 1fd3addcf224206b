"""The result types of a search: candidates and trace, hits, passages, context, quotes and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.types import PrefixPart, Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """One leaf in the trace, with its 1-based rank and its score at each stage that ranked it.

    ``row``: its catalogue row. ``start``, ``end``: in the canonical text of ``version_id``. ``fate``: "kept", or a
    sentence on why it was dropped. ``matched``: the name of the alias that is nearer to the question than the leaf's
    text, "" for none.
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
    """A leaf that the ranking kept.

    ``row``: its catalogue row. ``start``, ``end``: in the canonical text of ``version_id``. ``rank``: 1-based.
    ``score``: of the last stage; ``scores``: by stage. ``headings``: the heading path, or the path of keys in data.
    ``document``: its title. ``source``: the name of the file or page. ``page``: where it begins, ``None`` for none.
    """

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
    """The trace of a search. ``stages``: in the order they ran. ``candidates``: in final order.

    ``timings_ms``: milliseconds by stage. ``reads``: number of catalogue reads by stage.
    """

    question: str
    stages: tuple[str, ...]
    candidates: Sequence[Candidate]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    reads: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a document in the context: one or more retrieved children, grown by expansion.

    ``start``, ``end``: in the canonical text of ``version_id``. ``tokens``: its cost in units of the budget; with a
    budget in tokens its header is included. ``chunk_ids``, ``children``: ids and spans of the children in it, best
    first. ``rank``: 1-based, in relevance order. ``score``: the relevance of its best child. ``reason``: why it has
    this extent, as a sentence. ``prefix``: the prefix parts (title, headings, table header) that apply to its start.
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
    """The passages in reading order, and the exact prompt made of them.

    ``order``: their relevance ranks, in reading order. ``tokens``: their cost together, in units of the ``budget``.
    """

    passages: tuple[Passage, ...]
    order: tuple[int, ...]
    tokens: int
    budget: int
    prompt: str


@dataclass(frozen=True, slots=True)
class Citation:
    """The place of a quote: ``[start, end)`` in the canonical text of ``version_id``.

    ``page``: where it begins, ``None`` without pages.
    """

    version_id: str
    document: str
    source: str
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """One verbatim quote with its citation. ``score``: the probability that it answers, in [0, 1].

    ``kind``: "sentence", "item", "row", "cell" or "line" of a listing. ``told``: the label of a quoted cell
    ("Availability › Q3 2026") or a negative heading above the quote, else "". ``short``: the span of the short answer
    in ``text``, ``None`` if none was marked. ``cells``: of a row, the header ("" for none) and the text of each cell;
    a cell that spans several columns comes once.
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
    """The quotes, best first; () if nothing supports an answer."""

    quotes: tuple[Quote, ...]
