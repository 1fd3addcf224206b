"""Expansion by surrounding text: a window of sentences, or growth on both sides until the share is full."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.search.expansion.growth import Extent, Growth, family, leaves_of
from core.types import Span

# Characters read at first for each sentence of a window; while they contain fewer sentences, the number is doubled.
_CHARACTERS_PER_SENTENCE = 200
_MOST_CHARACTERS_PER_SENTENCE = 3200
PROCEDURE = "procedure"  # the intent of a question that asks how something is done
_LOOKAHEAD = 80  # characters read beyond the share, to tell a sentence that just fits from one that is cut off
_STEP_LEAVES = 2  # the side with a step within this many leaves is grown first
# A line that begins with a numbered or lettered item, "Step 3", "Example: ...", "For instance" or a fence of code.
_STEP = re.compile(
    r"^[ \t]*(?:\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|```|~~~|(?i:(?:step|schritt|paso|étape)\s+\d|e\.g\.|z\. ?b\."
    r"|(?:for example|for instance|examples?|beispiele?|zum beispiel|ejemplos?|exemples?)\b))",
    re.MULTILINE,
)


@dataclass(slots=True)
class SentenceGrowth:
    """A ``span`` that grows by the sentences ``before`` and ``after`` it, each nearest first.

    ``room``: its longest length in characters. ``taken_before``, ``taken_after``: number of sentences taken so far.
    """

    span: Span
    room: int
    before: Sequence[Span]
    after: Sequence[Span]
    taken_before: int = 0
    taken_after: int = 0

    def grow(self, backwards: Callable[[SentenceGrowth], bool]) -> None:
        """Take sentences one by one while they fit. ``backwards``: whether the next one is taken before the span.

        A side whose next sentence does not fit is finished, so that the span stays contiguous.
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


def sentences_around(
    growth: Growth, position: int, span: Span, bounds: Span, back: int, ahead: int
) -> tuple[list[Span], list[Span]]:
    """Whole sentences before and after a span, each nearest first, within ``bounds``.

    ``back``, ``ahead``: how many characters before and after the span are read.
    """
    document = int(growth.leaves.documents[growth.children[position]])
    start, end = max(bounds.start, span.start - back), min(bounds.end, span.end + ahead)
    before = growth.reads.sentences(document, start, span.start) if start < span.start else ()
    after = growth.reads.sentences(document, span.end, end) if span.end < end else ()
    # Unless the read text ends at the bounds, its outermost sentence is cut off and dropped.
    if before and start > bounds.start:
        before = before[1:]
    if after and end < bounds.end:
        after = after[:-1]
    return [*reversed(before)], [*after]


def nearest(growth: Growth, position: int, span: Span, bounds: Span, count: int) -> tuple[list[Span], list[Span]]:
    """Up to ``count`` sentences before and after a span, each nearest first, within ``bounds``."""
    back = ahead = _CHARACTERS_PER_SENTENCE * count
    before, after = sentences_around(growth, position, span, bounds, back, ahead)
    most = _MOST_CHARACTERS_PER_SENTENCE * count
    while True:  # 0 marks a side that is complete and is not read again
        back *= 2 if len(before) < count and back < most and span.start - back > bounds.start else 0
        ahead *= 2 if len(after) < count and ahead < most and span.end + ahead < bounds.end else 0
        if not back and not ahead:
            return before[:count], after[:count]
        longer_before, longer_after = sentences_around(growth, position, span, bounds, back, ahead)
        before, after = longer_before if back else before, longer_after if ahead else after


def window(growth: Growth) -> list[Extent]:
    """Every child with ``window_sentences`` on each side, within its parent and its share of the budget.

    A child without a parent may grow within its whole document. Reads texts only.
    """
    return [_window(growth, position) for position in range(len(growth.children))]


def _window(growth: Growth, position: int) -> Extent:
    child, count = growth.children[position], growth.settings.window_sentences
    document, span = int(growth.leaves.documents[child]), growth.span(child, child)
    if not count:
        return growth.alone(position, "the window is off")
    if growth.room(position) <= span.length:
        return growth.alone(position, "no sentence fits its share of the budget")
    if growth.leaves.parent_rows[child] >= 0:
        section = growth.span(*family(growth.leaves, child))
    else:
        first, end = leaves_of(growth.leaves, document)
        section = growth.span(first, end - 1)
    grown = SentenceGrowth(span, growth.room(position), *nearest(growth, position, span, section, count))
    grown.grow(lambda growing: growing.taken_before <= growing.taken_after)
    before, after = grown.taken_before, grown.taken_after
    if not before + after:
        return growth.alone(position, "its section has no other sentence that fits its share of the budget")
    ends = "" if before == after == count else ": its section or its share of the budget ends there"
    return growth.text(position, grown.span, f"{_sentences(before)} before it and {after} after it{ends}")


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"


def anchored(growth: Growth) -> list[Extent]:
    """Every child grown on both sides until its share of the budget is full: by leaves, at the end by sentences.

    The side that has grown less is next, on a tie the later one. Growth ends only at the bounds of the document. If the
    question asks for a procedure, a side with a step or an example within the next two leaves comes first, since such
    questions are answered by steps and examples. Reads texts only.
    """
    steps: dict[int, bool] = {}
    return [_anchored(growth, position, steps) for position in range(len(growth.children))]


def _anchored(growth: Growth, position: int, steps: dict[int, bool]) -> Extent:
    child, limit = growth.children[position], growth.limit(position)
    if growth.sizes[child] >= limit:
        return growth.alone(position, "nothing more fits its share of the budget")
    first, end = leaves_of(growth.leaves, int(growth.leaves.documents[child]))
    alone, document = growth.span(child, child), growth.span(first, end - 1)
    low, high = _grow_by_leaves(growth, child, (first, end - 1), limit, steps)
    span = _grow_by_sentences(growth, position, growth.span(low, high), limit - growth.size(low, high), document)
    before, after = alone.start - span.start, span.end - alone.end
    if not before + after:
        return growth.alone(position, "nothing more fits its share of the budget")
    return growth.text(position, span, f"grown by {before:,} characters before it and {after:,} after it")


def _grow_by_leaves(
    growth: Growth, child: int, whole: tuple[int, int], limit: int, steps: dict[int, bool]
) -> tuple[int, int]:
    """The first and last leaf of the run around the child that fits ``limit``, within the leaves ``whole``.

    ``steps``: cache of which leaves contain steps.
    """
    leaves, sizes = growth.leaves, growth.sizes
    low = high = child
    used = int(sizes[child])
    while True:
        adjacent = [index for index in (low - 1, high + 1) if whole[0] <= index <= whole[1]]
        fits = [index for index in adjacent if used + sizes[index] <= limit]
        if not fits:
            return low, high
        grown_before = int(leaves.starts[child] - leaves.starts[low])
        grown_after = int(leaves.ends[high] - leaves.ends[child])
        backwards = grown_before < grown_after
        if len(fits) == 2 and growth.ranking.understood.intent == PROCEDURE:
            steps_before = any(
                _has_steps(growth, leaf, steps) for leaf in range(max(whole[0], low - _STEP_LEAVES), low)
            )
            steps_after = any(
                _has_steps(growth, leaf, steps) for leaf in range(high + 1, min(whole[1], high + _STEP_LEAVES) + 1)
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


def _grow_by_sentences(growth: Growth, position: int, span: Span, left: int, whole: Span) -> Span:
    """The span extended by the sentences that fit what is ``left`` of the share."""
    characters = growth.characters(position, left)
    reach = characters + _LOOKAHEAD
    grown = SentenceGrowth(
        span, span.length + characters, *sentences_around(growth, position, span, whole, reach, reach)
    )
    grown.grow(lambda growing: span.start - growing.span.start < growing.span.end - span.end)
    return grown.span
