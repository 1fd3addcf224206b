"""Extents to passages within a budget: most relevant first, never the same character twice, never over the room."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.assembly.budget import Budget
from core.assembly.prompt import heading_line
from core.expansion import Extent
from core.retrieval import Ranking
from core.text.sentences import sentence_spans
from core.types import Passage, PrefixPart, Span

# Fewer characters than this are not worth a citation of their own when the budget ends inside a child.
SHORTEST_CUT = 40


@dataclass(frozen=True, slots=True)
class LeafFacts:
    """What a reader is told of a leaf: read from the catalogue for the few leaves that are shown."""

    chunk_id: str
    headings: tuple[str, ...]
    prefix: tuple[PrefixPart, ...]


class Reads(Protocol):
    """The catalogue as assembly needs it. Documents are ordinals of the leaf snapshot."""

    def text(self, document: int) -> str:
        """The document's canonical text."""

    def facts(self, leaves: Sequence[int]) -> Mapping[int, LeafFacts]:
        """Facts by leaf index."""

    def page(self, document: int, offset: int) -> int | None:
        """The page an offset stands on, if the document has pages."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """``passages`` in relevance order; ``used`` of the budget's amount; ``fates`` by leaf index, for every extent."""

    passages: tuple[Passage, ...]
    used: int
    fates: Mapping[int, str]


@dataclass(slots=True)
class _Filling:
    """The growing context: disjoint runs by document, and what they cost."""

    budget: Budget
    reads: Reads
    header: Callable[[int, int], str]
    runs: dict[int, list[Span]] = field(default_factory=dict)
    used: int = 0
    sizes: dict[tuple[int, Span], int] = field(default_factory=dict)

    def covers(self, document: int, span: Span) -> bool:
        return any(run.contains(span) for run in self.runs.get(document, ()))

    def add(self, document: int, span: Span) -> bool:
        """Take the span if the whole still fits."""
        before = self.runs.get(document, [])
        after = join(self.reads.text(document), [*before, span])
        cost = sum(self.size(document, run) for run in after) - sum(self.size(document, run) for run in before)
        if self.used + cost > self.budget.amount:
            return False
        self.runs[document] = after
        self.used += cost
        return True

    def size(self, document: int, run: Span) -> int:
        key = (document, run)
        if key not in self.sizes:
            body = self.reads.text(document)[run.start : run.end]
            head = self.header(document, run.start) + "\n" if self.budget.headed else ""
            self.sizes[key] = self.budget.size(head + body)
        return self.sizes[key]


def join(text: str, spans: Sequence[Span]) -> list[Span]:
    """The union of spans, sorted; spans with only blanks between them become one.

    >>> join("ab  cd ef", [Span(4, 6), Span(0, 2), Span(8, 9)])
    [Span(start=0, end=6), Span(start=8, end=9)]
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and (span.start <= joined[-1].end or not text[joined[-1].end : span.start].strip()):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def assemble(ranking: Ranking, extents: Sequence[Extent], budget: Budget, reads: Reads) -> Assembled:
    """Fill the budget in relevance order.

    An extent that does not fit is tried as its child alone; the child that does not fit either is cut at a sentence
    (failing that, a word), and the context ends there.
    """
    leaves = ranking.leaves
    facts = reads.facts(sorted({index for extent in extents for index in (extent.child, extent.first)}))
    by_start = {(int(leaves.documents[index]), int(leaves.starts[index])): index for index in facts}
    number = _widest_number(len(extents), budget)

    def header(document: int, start: int) -> str:
        index = by_start.get((document, start))
        headings = facts[index].headings if index is not None else ()
        return heading_line(number, leaves.titles[document], headings, reads.page(document, start))

    filling = _Filling(budget, reads, header)
    taken: list[tuple[Extent, str]] = []
    fates: dict[int, str] = {}
    full = False
    for extent in extents:
        document = int(leaves.documents[extent.child])
        child = Span(int(leaves.starts[extent.child]), int(leaves.ends[extent.child]))
        wanted = Span(int(leaves.starts[extent.first]), int(leaves.ends[extent.last]))
        if filling.covers(document, child):
            taken.append((extent, "its text came in with a better child's passage"))
        elif full:
            fates[extent.child] = f"the budget of {budget.amount:,} {budget.unit} ended before it"
            continue
        elif filling.add(document, wanted):
            taken.append((extent, extent.reason))
        elif wanted != child and filling.add(document, child):
            taken.append((extent, "the child alone: the rest of its parent did not fit the budget"))
        else:
            full = True
            if not _add_cut(filling, document, child):
                fates[extent.child] = f"the budget of {budget.amount:,} {budget.unit} ended before it"
                continue
            taken.append((extent, "cut where the budget ends"))
        fates[extent.child] = "kept"
    return Assembled(_passages(ranking, filling, taken, facts, by_start, reads), filling.used, fates)


def _widest_number(count: int, budget: Budget) -> int:
    """A passage's number that costs as much as any up to ``count``: its own is known only when the context is done.

    Of numbers with one or two digits none costs more than another; of longer ones ("343", "1000") some do.
    """
    if not budget.headed or count < 100:
        return count
    return max(range(100, count + 1), key=lambda number: budget.size(f"[{number}]"))


def _add_cut(filling: _Filling, document: int, child: Span) -> bool:
    """Take the longest beginning of the child that fits, ending at a sentence or, failing that, at a word."""
    text = filling.reads.text(document)
    for sentence in reversed(sentence_spans(text, child.start, child.end)[:-1]):
        if sentence.end - child.start >= SHORTEST_CUT and filling.add(document, Span(child.start, sentence.end)):
            return True
    ends = [
        place
        for place in range(child.start + SHORTEST_CUT, child.end)
        if text[place].isspace() and not text[place - 1].isspace()
    ]
    # Sizes grow with the end, so the longest that fits is found by bisection.
    fitting = bisect.bisect_left(ends, True, key=lambda end: not _would_fit(filling, document, Span(child.start, end)))
    return fitting > 0 and filling.add(document, Span(child.start, ends[fitting - 1]))


def _would_fit(filling: _Filling, document: int, span: Span) -> bool:
    trial = _Filling(filling.budget, filling.reads, filling.header, dict(filling.runs), filling.used)
    return trial.add(document, span)


def _passages(
    ranking: Ranking,
    filling: _Filling,
    taken: Sequence[tuple[Extent, str]],
    facts: Mapping[int, LeafFacts],
    by_start: Mapping[tuple[int, int], int],
    reads: Reads,
) -> tuple[Passage, ...]:
    """One passage for each run, ranked by its best child."""
    leaves = ranking.leaves
    members: dict[tuple[int, Span], list[tuple[Extent, str]]] = {}
    for extent, reason in taken:  # in relevance order, so the first member of a run is its best
        document = int(leaves.documents[extent.child])
        start = int(leaves.starts[extent.child])
        run = next(run for run in filling.runs[document] if run.start <= start < run.end)
        members.setdefault((document, run), []).append((extent, reason))
    scores = dict(zip(ranking.pool[ranking.kept].tolist(), ranking.final[ranking.kept].tolist(), strict=True))
    passages: list[Passage] = []
    for rank, ((document, run), group) in enumerate(members.items(), start=1):
        body = reads.text(document)[run.start : run.end]
        first = by_start.get((document, run.start), group[0][0].child)
        children = [
            Span(int(leaves.starts[extent.child]), min(int(leaves.ends[extent.child]), run.end)) for extent, _ in group
        ]
        passages.append(
            Passage(
                version_id=leaves.version_ids[document],
                document=leaves.titles[document],
                source=leaves.names[document],
                start=run.start,
                end=run.end,
                text=body,
                tokens=filling.size(document, run),
                chunk_ids=tuple(facts[extent.child].chunk_id for extent, _ in group),
                children=tuple(children),
                rank=rank,
                score=scores[group[0][0].child],
                reason=group[0][1],
                headings=facts[first].headings,
                page=reads.page(document, run.start),
                prefix=facts[first].prefix,
            )
        )
    return tuple(passages)
