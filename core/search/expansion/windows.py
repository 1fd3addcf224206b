"""Children with the sentences around them, and whole sentences taken from both sides of a span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.search.expansion.growth import Extent, Growth, family, leaves_of
from core.types import Span

# Characters read first for each sentence that is wanted; where they hold fewer, twice as many are read, and so on.
_REACH = 200
_LONGEST = 3200


@dataclass(slots=True)
class Around:
    """``span`` and the sentences ``before`` and ``after`` it, the nearest first, of which it may take what fits.

    ``room``: the characters it may have in all. ``taken_before``, ``taken_after``: sentences it has taken so far.
    """

    span: Span
    room: int
    before: Sequence[Span]
    after: Sequence[Span]
    taken_before: int = 0
    taken_after: int = 0

    def grow(self, backwards: Callable[[Around], bool]) -> None:
        """Take sentences one by one while they fit. ``backwards``: whether the one before comes next if there is one.

        A side whose next sentence does not fit is done, so what is taken stays in one piece.
        """
        before, after = list(self.before), list(self.after)
        while before or after:
            if before and (not after or backwards(self)):
                wider = Span(before.pop(0).start, self.span.end)
                if wider.length > self.room:
                    before.clear()
                    continue
                self.taken_before += 1
            else:
                wider = Span(self.span.start, after.pop(0).end)
                if wider.length > self.room:
                    after.clear()
                    continue
                self.taken_after += 1
            self.span = wider


def nearest(growth: Growth, document: int, span: Span, bounds: Span, count: int) -> tuple[list[Span], list[Span]]:
    """Up to ``count`` whole sentences on each side of a span, the nearest first, within ``bounds``."""
    before: list[Span] = []
    after: list[Span] = []
    reach, furthest = _REACH * count, _LONGEST * count
    while len(before) < count and reach <= furthest:
        before, edge = preceding(growth, document, span.start - reach, span.start, bounds)
        reach = furthest + 1 if edge else reach * 2
    reach = _REACH * count
    while len(after) < count and reach <= furthest:
        after, edge = following(growth, document, span.end, span.end + reach, bounds)
        reach = furthest + 1 if edge else reach * 2
    return before[:count], after[:count]


def preceding(growth: Growth, document: int, start: int, end: int, bounds: Span) -> tuple[list[Span], bool]:
    """Whole sentences of ``[start, end)`` within the bounds, last first; and whether they reach the bounds' edge."""
    edge = start <= bounds.start
    start = max(start, bounds.start)
    found = growth.reads.sentences(document, start, end) if start < end else ()
    return [*reversed(found if edge else found[1:])], edge  # away from an edge the first one is cut off


def following(growth: Growth, document: int, start: int, end: int, bounds: Span) -> tuple[list[Span], bool]:
    """Whole sentences of ``[start, end)`` within the bounds, in order; and whether they reach the bounds' edge."""
    edge = end >= bounds.end
    end = min(end, bounds.end)
    found = growth.reads.sentences(document, start, end) if start < end else ()
    return [*(found if edge else found[:-1])], edge


def window(growth: Growth) -> list[Extent]:
    """Every child with ``window_sentences`` on each side, of its section and within its share.

    The section is the child's parent: a cut by sections parts parents where a heading opens one. A child without a
    parent may reach what stands beside it in its document. Reads the documents' texts alone.
    """
    return [_windowed(growth, place) for place in range(len(growth.children))]


def _windowed(growth: Growth, place: int) -> Extent:
    child, wanted = growth.children[place], growth.settings.window_sentences
    document, span = int(growth.leaves.documents[child]), growth.span(child, child)
    if not wanted:
        return growth.alone(place, "the window is off")
    if growth.room(place) <= span.length:
        return growth.alone(place, "no sentence fits its share of the budget")
    if growth.leaves.parent_rows[child] >= 0:
        section = growth.span(*family(growth.leaves, child))
    else:
        first, end = leaves_of(growth.leaves, document)
        section = growth.span(first, end - 1)
    around = Around(span, growth.room(place), *nearest(growth, document, span, section, wanted))
    around.grow(lambda so_far: so_far.taken_before <= so_far.taken_after)
    before, after = around.taken_before, around.taken_after
    if not before + after:
        return growth.alone(place, "its section has no other sentence that fits its share of the budget")
    ends = "" if before == after == wanted else ": its section or its share of the budget ends there"
    return growth.text(place, around.span, f"{_sentences(before)} before it and {after} after it{ends}")


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"
