"""Children with the text around them: a window of sentences, or evenly to both sides until their share is full."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.search.expansion.growth import Extent, Growth, family, leaves_of
from core.types import Span

# Characters read first for each sentence that is wanted; where they hold fewer, twice as many are read, and so on.
_REACH = 200
_LONGEST = 3200
PROCEDURE = "procedure"  # the intent of a question that asks how something is done
_BEYOND = 80  # characters read beyond the share, to tell a sentence that just fits from one that is cut off
_AHEAD = 2  # leaves in which a step must come up for its side to be preferred
# The beginning of a line: a numbered or lettered item, "Step 3", "Example: ...", "For instance", a fence of code.
_STEP = re.compile(
    r"^[ \t]*(?:\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|```|~~~|(?i:(?:step|schritt|paso|étape)\s+\d|e\.g\.|z\. ?b\."
    r"|(?:for example|for instance|examples?|beispiele?|zum beispiel|ejemplos?|exemples?)\b))",
    re.MULTILINE,
)


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


def beside(
    growth: Growth, place: int, span: Span, bounds: Span, back: int, ahead: int
) -> tuple[list[Span], list[Span]]:
    """Whole sentences on each side of a span, the nearest first, within ``bounds`` and so many characters."""
    document = int(growth.leaves.documents[growth.children[place]])
    start, end = max(bounds.start, span.start - back), min(bounds.end, span.end + ahead)
    before = growth.reads.sentences(document, start, span.start) if start < span.start else ()
    after = growth.reads.sentences(document, span.end, end) if span.end < end else ()
    # Away from an edge of the bounds the last one is cut off.
    return [*reversed(before[start > bounds.start :])], [*after[: len(after) - (end < bounds.end)]]


def nearest(growth: Growth, place: int, span: Span, bounds: Span, count: int) -> tuple[list[Span], list[Span]]:
    """Up to ``count`` of them on each side, however long they are."""
    back = ahead = _REACH * count
    before, after = beside(growth, place, span, bounds, back, ahead)
    while True:  # a side that has enough, or is at its edge, is not read again
        back *= 2 if len(before) < count and back < _LONGEST * count and span.start - back > bounds.start else 0
        ahead *= 2 if len(after) < count and ahead < _LONGEST * count and span.end + ahead < bounds.end else 0
        if not back and not ahead:
            return before[:count], after[:count]
        earlier, later = beside(growth, place, span, bounds, back, ahead)
        before, after = earlier if back else before, later if ahead else after


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
    around = Around(span, growth.room(place), *nearest(growth, place, span, section, wanted))
    around.grow(lambda so_far: so_far.taken_before <= so_far.taken_after)
    before, after = around.taken_before, around.taken_after
    if not before + after:
        return growth.alone(place, "its section has no other sentence that fits its share of the budget")
    ends = "" if before == after == wanted else ": its section or its share of the budget ends there"
    return growth.text(place, around.span, f"{_sentences(before)} before it and {after} after it{ends}")


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"


def anchored(growth: Growth) -> list[Extent]:
    """Every child grown evenly to both sides until its share is full: leaf by leaf, in the end sentence by sentence.

    The side that has grown less comes next, the later one where both are even; neither the parent nor a section ends
    the growth, only the document does. A question for a procedure is answered by steps and examples: the side on which
    one comes up within the next two leaves is grown first. Reads the documents' texts alone.
    """
    steps: dict[int, bool] = {}
    return [_anchored(growth, place, steps) for place in range(len(growth.children))]


def _anchored(growth: Growth, place: int, steps: dict[int, bool]) -> Extent:
    child, limit = growth.children[place], growth.limit(place)
    if growth.sizes[child] >= limit:
        return growth.alone(place, "nothing more fits its share of the budget")
    first, end = leaves_of(growth.leaves, int(growth.leaves.documents[child]))
    alone, document = growth.span(child, child), growth.span(first, end - 1)
    low, high = _by_leaves(growth, child, (first, end - 1), limit, steps)
    span = _topped_up(growth, place, growth.span(low, high), limit - growth.size(low, high), document)
    before, after = alone.start - span.start, span.end - alone.end
    if not before + after:
        return growth.alone(place, "nothing more fits its share of the budget")
    return growth.text(place, span, f"grown by {before:,} characters before it and {after:,} after it")


def _by_leaves(
    growth: Growth, child: int, whole: tuple[int, int], limit: int, steps: dict[int, bool]
) -> tuple[int, int]:
    """The run of leaves around the child that fits. ``steps``: which leaves are known to hold steps, added to."""
    leaves, sizes = growth.leaves, growth.sizes
    low = high = child
    used = int(sizes[child])
    while True:
        beside = [index for index in (low - 1, high + 1) if whole[0] <= index <= whole[1]]
        fits = [index for index in beside if used + sizes[index] <= limit]
        if not fits:
            return low, high
        grown_before = int(leaves.starts[child] - leaves.starts[low])
        grown_after = int(leaves.ends[high] - leaves.ends[child])
        backwards = grown_before < grown_after
        if len(fits) == 2 and growth.ranking.understood.intent == PROCEDURE:
            steps_before = any(_has_steps(growth, leaf, steps) for leaf in range(max(whole[0], low - _AHEAD), low))
            steps_after = any(
                _has_steps(growth, leaf, steps) for leaf in range(high + 1, min(whole[1], high + _AHEAD) + 1)
            )
            backwards = steps_before if steps_before != steps_after else backwards
        chosen = fits[0] if len(fits) == 1 or backwards else fits[1]
        low, high = min(low, chosen), max(high, chosen)
        used += int(sizes[chosen])


def _has_steps(growth: Growth, leaf: int, known: dict[int, bool]) -> bool:
    if leaf not in known:
        span, text = growth.span(leaf, leaf), growth.reads.text(int(growth.leaves.documents[leaf]))
        known[leaf] = _STEP.search(text, span.start, span.end) is not None
    return known[leaf]


def _topped_up(growth: Growth, place: int, span: Span, left: int, whole: Span) -> Span:
    """The span with the sentences that still fit what is left of the share."""
    characters = growth.characters(place, left)
    reach = characters + _BEYOND
    around = Around(span, span.length + characters, *beside(growth, place, span, whole, reach, reach))
    around.grow(lambda so_far: span.start - so_far.span.start < so_far.span.end - span.end)
    return around.span
