"""A bounded in-memory cache with least-recently-used eviction."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """A thread-safe cache that evicts the least recently used values.

    ``capacity``: the largest total weight of the values; the newest value stays even if it alone weighs more.
    ``weigh``: the weight of one value; ``None``: every value weighs 1.

    >>> cache = LruCache[str](7, len)
    >>> [cache.get_or_create(word, lambda word=word: word.upper()) for word in ("one", "two", "one", "six")]
    ['ONE', 'TWO', 'ONE', 'SIX']
    >>> cache.get("one"), cache.get("two")
    ('ONE', None)
    """

    def __init__(self, capacity: int, weigh: Callable[[Value], int] | None = None) -> None:
        self.capacity = capacity
        self._weigh = weigh or (lambda value: 1)
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._weight = 0
        self._creating: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """The cached value, or ``None``."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> Value:
        """Cache a value and return it."""
        with self._lock:
            if key in self._values:
                self._weight -= self._weigh(self._values.pop(key))
            self._values[key] = value
            self._weight += self._weigh(value)
            while self._weight > self.capacity and len(self._values) > 1:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
        return value

    def get_or_create(self, key: Hashable, create: Callable[[], Value]) -> Value:
        """The cached value, or the result of ``create``; concurrent callers of one key share a single call."""
        value = self.get(key)
        if value is not None:
            return value
        with self._lock:
            creating = self._creating.setdefault(key, Lock())
        try:
            with creating:
                value = self.get(key)
                return self.put(key, create()) if value is None else value
        finally:
            with self._lock:
                self._creating.pop(key, None)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()
            self._weight = 0

    def values(self) -> list[Value]:
        """All cached values, least recently used first."""
        with self._lock:
            return list(self._values.values())
