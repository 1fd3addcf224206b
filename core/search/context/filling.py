"""``Budget``, and ``Filling``: the spans taken into a context so far, merged into disjoint runs, and their cost."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from core.search.expansion.growth import Extent
from core.storage.index.leaves import LeafTable
from core.types import Span, TokenCounter


@dataclass(frozen=True, slots=True)
class Budget:
    """The size limit of a context: ``amount`` in ``unit``, "tokens" or "characters".

    ``size(text)``: the number of units of a text. ``counts_headers``: whether the headers of passages count too.
    """

    amount: int
    unit: str
    size: Callable[[str], int]
    counts_headers: bool


def character_budget(amount: int) -> Budget:
    """A budget in characters of document text, without headers, as evaluation suites count.

    >>> character_budget(1000).size("four")
    4
    """
    return Budget(amount, "characters", len, counts_headers=False)


def token_budget(amount: int, counter: TokenCounter) -> Budget:
    """A budget in tokens of passages with their headers."""
    return Budget(amount, "tokens", lambda text: counter.count([text])[0], counts_headers=True)


@dataclass(frozen=True, slots=True)
class ContextCandidate:
    """A span to take into the context.

    ``extent``: the span, for the leaf ``child``. ``core``: the part to take if the extent does not fit.
    ``is_sentence``: a single sentence, which is skipped if it does not fit; any other candidate is then cut.
    """

    child: int
    document: int
    core: Span
    extent: Span
    relevance: float
    reason: str
    is_sentence: bool = False


def extent_candidates(leaves: LeafTable, extents: Sequence[Extent]) -> list[ContextCandidate]:
    """A candidate for each whole extent. Its core is the child, or the extent if that does not contain the child."""
    children = [extent.child for extent in extents]
    starts, ends = leaves.starts[children].tolist(), leaves.ends[children].tolist()
    candidates: list[ContextCandidate] = []
    for extent, start, end in zip(extents, starts, ends, strict=True):
        span = core = Span(extent.start, extent.end)
        if span.start <= start and end <= span.end:
            core = Span(start, end)
        candidates.append(ContextCandidate(extent.child, extent.document, core, span, extent.relevance, extent.reason))
    return candidates


_VISIBLE = re.compile(r"\S")
_START, _END = attrgetter("start"), attrgetter("end")


@dataclass(slots=True)
class Filling:
    """The spans taken so far.

    ``runs``: by document, sorted; spans with only white space between them are one run. ``most_runs``: limit of their
    number. ``used``: their cost, in units of the budget. ``text(document)``: the canonical text. ``header(document,
    start)``: the header of a passage that starts there.
    """

    budget: Budget
    text: Callable[[int], str]
    header: Callable[[int, int], str]
    most_runs: int
    runs: dict[int, list[Span]] = field(default_factory=dict)
    used: int = 0
    _count: int = 0
    _sizes: dict[tuple[int, Span], int] = field(default_factory=dict)

    def run_of(self, document: int, offset: int) -> Span | None:
        """The run that contains the offset, ``None`` for none."""
        runs = self.runs.get(document, [])
        index = bisect.bisect_right(runs, offset, key=_START) - 1
        return runs[index] if index >= 0 and offset < runs[index].end else None

    def covers(self, document: int, span: Span) -> bool:
        """Whether the span is already taken."""
        run = self.run_of(document, span.start)
        return run is not None and span.end <= run.end

    def fits(self, document: int, span: Span) -> bool:
        """Whether the budget allows taking the span."""
        return self._with_span(document, span) is not None

    def take(self, document: int, span: Span) -> bool:
        """Take the span if it fits, and return whether it did."""
        state = self._with_span(document, span)
        if state is not None:
            self.runs[document], self._count, self.used = state
        return state is not None

    def size(self, document: int, run: Span) -> int:
        """The cost of a run, in units of the budget."""
        key = (document, run)
        if key not in self._sizes:
            body = self.text(document)[run.start : run.end]
            if self.budget.counts_headers:
                body = f"{self.header(document, run.start)}\n{body}"
            self._sizes[key] = self.budget.size(body)
        return self._sizes[key]

    def _with_span(self, document: int, span: Span) -> tuple[list[Span], int, int] | None:
        """The state after taking the span: the document's runs, the number of all runs and their cost; ``None`` if the
        span does not fit.
        """
        runs = list(self.runs.get(document, ()))
        low, high, merged = merge_span(self.text(document), runs, span)
        used = self.used + self.size(document, merged) - sum(self.size(document, run) for run in runs[low:high])
        count = self._count + 1 - (high - low)
        runs[low:high] = [merged]
        return (runs, count, used) if used <= self.budget.amount and count <= self.most_runs else None


def merge_span(text: str, runs: Sequence[Span], span: Span) -> tuple[int, int, Span]:
    """``(low, high, merged)``: the span merges with ``runs[low:high]``, the runs that it overlaps, touches, or is
    separated from by white space only.

    ``runs``: sorted, with more than white space between two of them; true again once ``merged`` replaces that slice.

    >>> merge_span("ab  cd ef", [Span(0, 2), Span(7, 9)], Span(4, 6))
    (0, 2, Span(start=0, end=9))
    """
    low = bisect.bisect_left(runs, span.start, key=_END)
    if low and not _VISIBLE.search(text, runs[low - 1].end, span.start):
        low -= 1
    high = bisect.bisect_right(runs, span.end, key=_START)
    if high < len(runs) and not _VISIBLE.search(text, span.end, runs[high].start):
        high += 1
    parts = [span, *runs[low:high]]
    return low, high, Span(min(part.start for part in parts), max(part.end for part in parts))
