"""Arithmetic on half-open spans: union, difference, intersection, trimming, lines, and the non-blank length.

A character is blank if ``str.isspace`` is true for it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from core.types import Span


class Placed(Protocol):
    """Anything at ``[start, end)`` of a text: a span, a block, a clause, a box."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


def touching(placed: Sequence[Placed], start: int, end: int) -> slice:
    """The slice of ``placed`` (sorted, not overlapping) whose members share a character with ``[start, end)``.

    >>> touching([Span(0, 4), Span(5, 9), Span(12, 20)], 3, 12)
    slice(0, 2, None)
    """
    first = bisect_right(placed, start, key=lambda one: one.end)
    return slice(first, bisect_left(placed, end, first, key=lambda one: one.start))


def line_bounds(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The start and end of each line in ``[start, end)``, blank lines included, without the line feed.

    >>> list(line_bounds("ab\\n\\nc", 1, 5))
    [(1, 2), (3, 3), (4, 5)]
    """
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        yield at, stop
        at = stop + 1


def lines_around(text: str, begin: int, end: int, within: tuple[int, int]) -> Span:
    """``[begin, end)`` widened to whole lines, but not beyond ``within``.

    >>> lines_around("ab\\ncd\\nef", 4, 4, (0, 8)), lines_around("ab\\ncd\\nef", 1, 4, (1, 8))
    (Span(start=3, end=5), Span(start=1, end=5))
    """
    low, high = within
    start = max(low, text.rfind("\n", low, max(low, begin)) + 1)
    stop = text.find("\n", end, high)
    return Span(start, high if stop < 0 else stop)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The union as sorted spans that neither overlap nor touch; empty spans vanish.

    >>> merge_spans([Span(4, 6), Span(0, 2), Span(2, 3), Span(5, 9), Span(7, 7)])
    [Span(start=0, end=3), Span(start=4, end=9)]
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if not span.length:
            continue
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def subtract_spans(spans: Iterable[Span], removed: Iterable[Span]) -> list[Span]:
    """The parts of ``spans`` outside ``removed``, as sorted disjoint spans.

    >>> subtract_spans([Span(0, 10)], [Span(2, 3), Span(8, 12)])
    [Span(start=0, end=2), Span(start=3, end=8)]
    """
    holes = merge_spans(removed)
    remaining: list[Span] = []
    first = 0
    for span in merge_spans(spans):
        while first < len(holes) and holes[first].end <= span.start:
            first += 1
        position, index = span.start, first
        while index < len(holes) and holes[index].start < span.end:
            if position < holes[index].start:
                remaining.append(Span(position, holes[index].start))
            position = max(position, holes[index].end)
            index += 1
        if position < span.end:
            remaining.append(Span(position, span.end))
    return remaining


def intersect_spans(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    """The parts that both sides cover, as sorted disjoint spans.

    >>> intersect_spans([Span(0, 5), Span(7, 9)], [Span(3, 8)])
    [Span(start=3, end=5), Span(start=7, end=8)]
    """
    one, other = merge_spans(left), merge_spans(right)
    shared: list[Span] = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i].start, other[j].start), min(one[i].end, other[j].end)
        if start < end:
            shared.append(Span(start, end))
        if one[i].end <= other[j].end:
            i += 1
        else:
            j += 1
    return shared


def non_blank_length(text: str, spans: Sequence[Span] | None = None) -> int:
    """The number of non-blank characters of the text, or of the union of ``spans``.

    >>> non_blank_length(" a\\u2028b \\n"), non_blank_length("ab cd", [Span(1, 4), Span(3, 4)])
    (2, 2)
    """
    if spans is None:
        return sum(map(len, text.split()))
    return sum(sum(map(len, text[span.start : span.end].split())) for span in merge_spans(spans))


def trim(text: str, start: int, end: int) -> Span | None:
    """``[start, end)`` without the blanks at its ends; ``None`` if there is nothing else.

    >>> trim("  ab \\n", 0, 6), trim("  ab", 0, 2)
    (Span(start=2, end=4), None)
    """
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    if len(stripped) < len(piece):
        start += len(piece) - len(piece.lstrip())
    return Span(start, start + len(stripped))


def trimmed_pieces(text: str, start: int, ends: Sequence[int]) -> list[Span]:
    """The text from ``start`` on, cut at each of ``ends`` (ascending); pieces are trimmed, blank ones left out.

    >>> trimmed_pieces("One. Two.  ", 0, [4, 9, 11])
    [Span(start=0, end=4), Span(start=5, end=9)]
    """
    pieces = (trim(text, begin, end) for begin, end in zip([start, *ends], ends, strict=False))
    return [piece for piece in pieces if piece is not None]


def line_starts(text: str) -> list[int]:
    """The offset of each line's first character; the last entry is the length of the text.

    >>> line_starts("ab\\nc")
    [0, 3, 4]
    """
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    if starts[-1] != len(text) or len(starts) == 1:
        starts.append(len(text))
    return starts


def line_spans(text: str, start: int, end: int) -> tuple[Span, ...]:
    """The non-blank lines of ``[start, end)``, without blanks at their ends, with indentation.

    >>> line_spans("a\\n\\n  b \\n", 0, 8)
    (Span(start=0, end=1), Span(start=3, end=6))
    """
    lines = ((at, text[at:stop].rstrip()) for at, stop in line_bounds(text, start, end))
    return tuple(Span(at, at + len(line)) for at, line in lines if line)
