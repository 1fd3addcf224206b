"""Sets of characters across documents, as merged spans: the unit of every span metric.

Also runs: the retrieved spans of a preset, question and budget, which other tools can score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise

from core.evaluation.suites import Question, Suite
from core.evidence import Passage
from core.text.spans import intersect_spans, merge_spans, subtract_spans
from core.types import Span

Placed = tuple[str, int, int]
"""A span of a document's text: ``(document name, start, end)``."""


@dataclass(frozen=True, slots=True)
class Region:
    """A set of characters: for each document its spans, sorted, not adjacent, not empty."""

    spans: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for spans in self.spans.values():
            if not all(span.length for span in spans) or not all(a.end < b.start for a, b in pairwise(spans)):
                raise ValueError(f"Spans of a region are sorted, apart and not empty, got {spans}.")

    @property
    def size(self) -> int:
        """Number of characters."""
        return sum(span.length for spans in self.spans.values() for span in spans)

    def shared(self, other: Region) -> list[Placed]:
        """The spans of the characters in both."""
        return [
            (name, span.start, span.end)
            for name in sorted(self.spans.keys() & other.spans.keys())
            for span in intersect_spans(self.spans[name], other.spans[name])
        ]

    def common(self, other: Region) -> int:
        """Number of characters in both.

        >>> region([("a", 0, 10), ("b", 0, 3)]).common(region([("a", 8, 12), ("b", 1, 2)]))
        3
        """
        return sum(end - start for _, start, end in self.shared(other))


def region(items: Iterable[Placed]) -> Region:
    """The union of ``items``.

    >>> region([("a", 5, 9), ("a", 0, 5), ("a", 2, 3), ("b", 4, 4)]).spans
    {'a': (Span(start=0, end=9),)}
    """
    by_name: dict[str, list[Span]] = {}
    for name, start, end in items:
        if start < end:
            by_name.setdefault(name, []).append(Span(start, end))
    return Region({name: tuple(merge_spans(spans)) for name, spans in by_name.items()})


def cut_to_budget(context: Sequence[Placed], budget: int) -> Region:
    """The first ``budget`` distinct characters of ``context``, whose spans come most relevant first.

    A character that an earlier span already holds is not counted again. The last span is truncated on its right.

    >>> cut_to_budget([("a", 0, 4), ("a", 2, 8), ("b", 0, 9)], 7).spans
    {'a': (Span(start=0, end=7),)}
    """
    selected: dict[str, list[Span]] = {}
    remaining = budget
    for name, start, end in context:
        if not remaining:
            break
        earlier = selected.get(name, [])
        new = []
        for piece in subtract_spans([Span(start, end)], earlier):
            new.append(Span(piece.start, min(piece.end, piece.start + remaining)))
            remaining -= new[-1].length
        selected[name] = merge_spans([*earlier, *new])
    return Region({name: tuple(spans) for name, spans in selected.items()})


def passages_region(passages: Iterable[Passage], budget: int) -> Region:
    """``cut_to_budget`` of a context's passages, sorted by rank. Version ids stand for document names."""
    ranked = sorted(passages, key=lambda passage: passage.rank)
    return cut_to_budget([(passage.version_id, passage.start, passage.end) for passage in ranked], budget)


@dataclass(frozen=True, slots=True)
class Run:
    """What one preset retrieved for one question (``id``) at one budget in characters.

    ``context``: spans, most relevant first. ``documents``: the document ranking, best first.
    """

    preset: str
    id: str
    budget: int
    context: tuple[Placed, ...]
    documents: tuple[str, ...]

    def to_json(self) -> str:
        """One line of a runs file, without its newline.

        >>> Run("default", "q1", 1000, (("a.md", 0, 9),), ("a.md",)).to_json()
        '{"preset": "default", "id": "q1", "budget": 1000, "context": [["a.md", 0, 9]], "documents": ["a.md"]}'
        """
        return json.dumps(asdict(self))


Runs = Callable[[Run], None]
"""Receives every run of a preset, one call a run, once all of its questions are asked."""


class DocumentNames:
    """Maps document versions to the names that a suite's questions use.

    Documents with the same bytes are one version with several names. For each question a version gets the name that
    its gold uses. Where the gold uses several names, a span gets the one whose gold it overlaps most; else the first in
    name order. Scores by name therefore equal scores by version, except for a question with gold in two documents of
    the same bytes: a span can match only one of them.
    """

    def __init__(self, suite: Suite) -> None:
        self._names: dict[str, list[str]] = {}
        for document in suite.documents:
            self._names.setdefault(document.version_id, []).append(document.name)

    def place(self, version_id: str, start: int, end: int, question: Question) -> Placed:
        """The span under the name that ``question`` uses for its document."""
        names = self._names[version_id]
        if len(names) == 1:
            return names[0], start, end
        gold = [(span.document, min(end, span.end) - max(start, span.start)) for span in question.gold]
        judged = {name for name, _ in gold}
        overlaps = {name: sum(max(0, size) for other, size in gold if other == name) for name in names}
        # max returns the first of equals, and names are in order.
        return max(names, key=lambda name: (overlaps[name], name in judged)), start, end

    def ranked(self, version_ids: tuple[str, ...], question: Question) -> tuple[str, ...]:
        """The documents' names, best first: of identical documents the relevant ones, else the first."""
        judged = set(question.relevant_documents or ()) or {span.document for span in question.gold}
        ranked: list[str] = []
        for version_id in version_ids:
            names = self._names[version_id]
            ranked.extend([name for name in names if name in judged] or names[:1])
        return tuple(ranked)
