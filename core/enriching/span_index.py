"""Values asked for by span."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SpanIndex(Generic[Value]):
    """Values with the spans they were found at, in the order of the text.

    >>> found = SpanIndex([(4, 9, "b"), (0, 3, "a"), (12, 14, "a")])
    >>> found.within(0, 13), found.distinct(0, 14, most=9)
    (['a', 'b'], ('a', 'b'))
    """

    __slots__ = ("_items", "_starts")

    def __init__(self, items: Iterable[tuple[int, int, Value]]) -> None:
        self._items = sorted(items, key=lambda item: item[:2])
        self._starts = [start for start, _, _ in self._items]

    def within(self, start: int, end: int) -> list[Value]:
        """Values whose whole span lies in ``[start, end)``."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [value for _, stop, value in self._items[first:last] if stop <= end]

    def distinct(self, start: int, end: int, most: int) -> tuple[Value, ...]:
        """Those values, each once, at most so many."""
        return tuple(dict.fromkeys(self.within(start, end)))[:most]

    def last_before(self, position: int) -> Value | None:
        """The value that begins last before ``position``; ``None`` when none does."""
        at = bisect_left(self._starts, position) - 1
        return self._items[at][2] if at >= 0 else None
