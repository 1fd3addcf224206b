"""Sets of characters across documents, as merged spans: what every span metric counts in.

Also runs: what the reader got, for anyone to score.
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
"""``(document name, start, end)``."""


@dataclass(frozen=True, slots=True)
class Region:
    """A set of characters: for each document its spans, sorted, never touching, never empty."""

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
        """The characters in both, as places."""
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
    """The characters that at least one of ``items`` holds.

    >>> region([("a", 5, 9), ("a", 0, 5), ("a", 2, 3), ("b", 4, 4)]).spans
    {'a': (Span(start=0, end=9),)}
    """
    by_name: dict[str, list[Span]] = {}
    for name, start, end in items:
        if start < end:
            by_name.setdefault(name, []).append(Span(start, end))
    return Region({name: tuple(merge_spans(spans)) for name, spans in by_name.items()})


def take(context: Sequence[Placed], budget: int) -> Region:
    """What a reader with room for ``budget`` characters gets of ``context``, most relevant first.

    Walks the spans in order and counts each new character once until ``budget`` are taken; the last span is cut
    there. A span's characters come from left to right.

    >>> take([("a", 0, 4), ("a", 2, 8), ("b", 0, 9)], 7).spans
    {'a': (Span(start=0, end=7),)}
    """
    taken: dict[str, list[Span]] = {}
    room = budget
    for name, start, end in context:
        if not room:
            break
        held = taken.get(name, [])
        new = []
        for piece in subtract_spans([Span(start, end)], held):
            new.append(Span(piece.start, min(piece.end, piece.start + room)))
            room -= new[-1].length
        taken[name] = merge_spans([*held, *new])
    return Region({name: tuple(spans) for name, spans in taken.items()})


def taken(passages: Iterable[Passage], budget: int) -> Region:
    """``take`` of a context's passages, whatever order the reader has them in; their documents are versions."""
    ranked = sorted(passages, key=lambda passage: passage.rank)
    return take([(passage.version_id, passage.start, passage.end) for passage in ranked], budget)


@dataclass(frozen=True, slots=True)
class Run:
    """One preset, question and budget. ``context``: spans, most relevant first; ``documents``: ranked, best first."""

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
"""Receives the runs of a preset, question by question, once all of its questions are asked."""


class Names:
    """From document versions to the names a suite's questions use.

    Documents with the same bytes are one version with several names. A question sees the name its own judgments use;
    where they use several, or none, the first in name order (a span of such a version takes the name whose gold it
    overlaps most). So scoring the printed names is scoring the versions, but where one question has gold in two
    documents of the same bytes: only one of the two places can be read.
    """

    def __init__(self, suite: Suite) -> None:
        self._names: dict[str, list[str]] = {}
        for document in suite.documents:
            self._names.setdefault(document.version_id, []).append(document.name)

    def place(self, version_id: str, start: int, end: int, question: Question) -> Placed:
        """The span under the name ``question`` uses for its document."""
        names = self._names[version_id]
        if len(names) == 1:
            return names[0], start, end
        gold = [(span.document, min(end, span.end) - max(start, span.start)) for span in question.gold]
        judged = {name for name, _ in gold}
        overlaps = {name: sum(max(0, size) for other, size in gold if other == name) for name in names}
        # max keeps the first of equals, and names stand in order.
        return max(names, key=lambda name: (overlaps[name], name in judged)), start, end

    def ranked(self, version_ids: tuple[str, ...], question: Question) -> tuple[str, ...]:
        """The documents' names, best first; of equal documents those judged relevant, else the first."""
        judged = set(question.relevant_documents or ()) or {span.document for span in question.gold}
        ranked: list[str] = []
        for version_id in version_ids:
            names = self._names[version_id]
            ranked.extend([name for name in names if name in judged] or names[:1])
        return tuple(ranked)
