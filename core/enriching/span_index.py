"""An index of values by the span of text they were found at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SpanIndex(Generic[Value]):
    """Values with their spans, for look-up by span. ``items``: (start, end, value).

    >>> index = SpanIndex([(4, 9, "b"), (0, 3, "a"), (12, 14, "a")])
    >>> index.within(0, 13), index.distinct(0, 14, most=9)
    (['a', 'b'], ('a', 'b'))
    """

    __slots__ = ("_items", "_starts")

    def __init__(self, items: Iterable[tuple[int, int, Value]]) -> None:
        self._items = sorted(items, key=lambda item: item[:2])
        self._starts = [start for start, _, _ in self._items]

    def within(self, start: int, end: int) -> list[Value]:
        """The values whose whole span is inside ``[start, end)``, in text order."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [value for _, stop, value in self._items[first:last] if stop <= end]

    def distinct(self, start: int, end: int, most: int) -> tuple[Value, ...]:
        """The first ``most`` distinct values of ``within``."""
        return tuple(dict.fromkeys(self.within(start, end)))[:most]

    def last_before(self, position: int) -> Value | None:
        """The last value that begins before ``position``; ``None`` without one."""
        at = bisect_left(self._starts, position) - 1
        return self._items[at][2] if at >= 0 else None
