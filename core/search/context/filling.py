"""A budget, and what is taken of it so far: disjoint runs of documents, and what each costs."""

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
    """``amount`` in ``unit`` ("tokens" or "characters"). ``size(text)`` counts; ``headed``: heading lines count too."""

    amount: int
    unit: str
    size: Callable[[str], int]
    headed: bool


def characters(amount: int) -> Budget:
    """Room in characters of document text alone, as evaluation suites count it.

    >>> characters(1000).size("four")
    4
    """
    return Budget(amount, "characters", len, headed=False)


def tokens(amount: int, counter: TokenCounter) -> Budget:
    """Room in tokens, the passages' heading lines included."""
    return Budget(amount, "tokens", lambda text: counter.count([text])[0], headed=True)


@dataclass(frozen=True, slots=True)
class ContextCandidate:
    """``wanted`` for the leaf ``child``; if it does not fit, ``core`` alone.

    ``single``: a sentence by itself, passed over where it does not fit; any other candidate is cut there.
    """

    child: int
    document: int
    core: Span
    wanted: Span
    relevance: float
    reason: str
    single: bool = False


def whole_candidates(leaves: LeafTable, extents: Sequence[Extent]) -> list[ContextCandidate]:
    """Each extent as it is, its child the core; of an extent that does not hold all of its child, the extent."""
    children = [extent.child for extent in extents]
    made: list[ContextCandidate] = []
    for extent, *own in zip(extents, leaves.starts[children].tolist(), leaves.ends[children].tolist(), strict=True):
        wanted = core = Span(extent.start, extent.end)
        if extent.start <= own[0] and own[1] <= extent.end and own != [extent.start, extent.end]:
            core = Span(*own)
        made.append(ContextCandidate(extent.child, extent.document, core, wanted, extent.relevance, extent.reason))
    return made


_VISIBLE = re.compile(r"\S")
_START, _END = attrgetter("start"), attrgetter("end")


@dataclass(slots=True)
class Filling:
    """What is taken so far, as ``runs`` by document: sorted, more than blanks between two of them, at most ``most``.

    ``text(document)``: its canonical text. ``above(document, start)``: what the prompt has above a run from there on.
    """

    budget: Budget
    text: Callable[[int], str]
    above: Callable[[int, int], str]
    most: int
    runs: dict[int, list[Span]] = field(default_factory=dict)
    used: int = 0
    _count: int = 0
    _sizes: dict[tuple[int, Span], int] = field(default_factory=dict)

    def run_of(self, document: int, place: int) -> Span | None:
        """The run that holds the character at ``place``."""
        runs = self.runs.get(document, [])
        at = bisect.bisect_right(runs, place, key=_START) - 1
        return runs[at] if at >= 0 and place < runs[at].end else None

    def covers(self, *places: tuple[int, Span]) -> list[bool]:
        """Whether all of the span of each document is read already."""
        runs = ((span, self.run_of(document, span.start)) for document, span in places)
        return [run is not None and span.end <= run.end for span, run in runs]

    def fits(self, document: int, span: Span) -> bool:
        """Whether the whole with this span would keep the budget."""
        return self._grown(document, span) is not None

    def take(self, document: int, span: Span) -> bool:
        """Take the span if the whole still fits."""
        grown = self._grown(document, span)
        if grown is not None:
            self.runs[document], self._count, self.used = grown
        return grown is not None

    def size(self, document: int, run: Span) -> int:
        """What a run costs of the budget."""
        key = (document, run)
        if key not in self._sizes:
            body = self.text(document)[run.start : run.end]
            if self.budget.headed:
                body = f"{self.above(document, run.start)}\n{body}"
            self._sizes[key] = self.budget.size(body)
        return self._sizes[key]

    def _grown(self, document: int, span: Span) -> tuple[list[Span], int, int] | None:
        """The document's runs with the span among them, the number of all runs and what they cost then; ``None``
        where that is too much.
        """
        runs = list(self.runs.get(document, ()))
        low, high, joined = place(self.text(document), runs, span)
        used = self.used + self.size(document, joined) - sum(self.size(document, run) for run in runs[low:high])
        count = self._count + 1 - (high - low)
        runs[low:high] = [joined]
        return (runs, count, used) if used <= self.budget.amount and count <= self.most else None


def place(text: str, runs: Sequence[Span], span: Span) -> tuple[int, int, Span]:
    """``(low, high, joined)``: the span joins ``runs[low:high]``, which it meets or is parted from by blanks alone.

    ``runs``: sorted, with more than blanks between two of them; so it stays with ``joined`` in the place of those.

    >>> place("ab  cd ef", [Span(0, 2), Span(7, 9)], Span(4, 6))
    (0, 2, Span(start=0, end=9))
    """
    low = bisect.bisect_left(runs, span.start, key=_END)
    if low and not _VISIBLE.search(text, runs[low - 1].end, span.start):
        low -= 1
    high = bisect.bisect_right(runs, span.end, key=_START)
    if high < len(runs) and not _VISIBLE.search(text, span.end, runs[high].start):
        high += 1
    met = [span, *runs[low:high]]
    return low, high, Span(min(run.start for run in met), max(run.end for run in met))
