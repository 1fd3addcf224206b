"""A budget, and what is taken of it so far: disjoint runs of documents and what each costs."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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


_VISIBLE = re.compile(r"\S")


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
        at = bisect.bisect_right(runs, place, key=_start) - 1
        return runs[at] if at >= 0 and place < runs[at].end else None

    def covers(self, document: int, span: Span) -> bool:
        """Whether all of the span is read already."""
        run = self.run_of(document, span.start)
        return run is not None and span.end <= run.end

    def fits(self, document: int, spans: Sequence[Span]) -> bool:
        """Whether the whole with these spans would keep the budget."""
        runs, cost = self._grown(document, spans)
        return self._keeps(document, runs, cost)

    def take(self, document: int, spans: Sequence[Span]) -> bool:
        """Take all of the spans if the whole still fits, else none."""
        runs, cost = self._grown(document, spans)
        if not self._keeps(document, runs, cost):
            return False
        self._count += len(runs) - len(self.runs.get(document, ()))
        self.runs[document] = runs
        self.used += cost
        return True

    def _keeps(self, document: int, runs: Sequence[Span], cost: int) -> bool:
        count = self._count + len(runs) - len(self.runs.get(document, ()))
        return self.used + cost <= self.budget.amount and count <= self.most

    def size(self, document: int, run: Span) -> int:
        """What a run costs of the budget."""
        key = (document, run)
        if key not in self._sizes:
            body = self.text(document)[run.start : run.end]
            if self.budget.headed:
                body = f"{self.above(document, run.start)}\n{body}"
            self._sizes[key] = self.budget.size(body)
        return self._sizes[key]

    def _grown(self, document: int, spans: Sequence[Span]) -> tuple[list[Span], int]:
        """The document's runs with the spans among them, and how much more that costs."""
        text = self.text(document)
        runs = list(self.runs.get(document, ()))
        added, replaced = set[Span](), list[Span]()
        for span in spans:
            low, high, joined = place(text, runs, span)
            for run in runs[low:high]:
                if run in added:
                    added.remove(run)
                else:
                    replaced.append(run)
            added.add(joined)
            runs[low:high] = [joined]
        cost = sum(self.size(document, run) for run in added) - sum(self.size(document, run) for run in replaced)
        return runs, cost


def place(text: str, runs: Sequence[Span], span: Span) -> tuple[int, int, Span]:
    """``(low, high, joined)``: the span joins ``runs[low:high]``, which it meets or is parted from by blanks alone.

    ``runs``: sorted, with more than blanks between two of them; so it stays with ``joined`` in the place of those.

    >>> place("ab  cd ef", [Span(0, 2), Span(7, 9)], Span(4, 6))
    (0, 2, Span(start=0, end=9))
    """
    low = bisect.bisect_left(runs, span.start, key=_end)
    if low and _blank(text, runs[low - 1].end, span.start):
        low -= 1
    high = bisect.bisect_right(runs, span.end, key=_start)
    if high < len(runs) and _blank(text, span.end, runs[high].start):
        high += 1
    met = [span, *runs[low:high]]
    return low, high, Span(min(run.start for run in met), max(run.end for run in met))


def _blank(text: str, start: int, end: int) -> bool:
    return _VISIBLE.search(text, start, end) is None


def _start(span: Span) -> int:
    return span.start


def _end(span: Span) -> int:
    return span.end
