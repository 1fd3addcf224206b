"""A bounded cache in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """Values by key, bounded; what was asked for longest ago goes first. Any thread may ask.

    ``most``: what the values may weigh together; the newest stays however much it weighs. ``weigh``: of one value;
    ``None`` counts values.

    >>> cache = LruCache[str](7, len)
    >>> [cache.made(word, lambda word=word: word.upper()) for word in ("one", "two", "one", "six")]
    ['ONE', 'TWO', 'ONE', 'SIX']
    >>> cache.get("one"), cache.get("two")
    ('ONE', None)
    """

    def __init__(self, most: int, weigh: Callable[[Value], int] | None = None) -> None:
        self.most = most
        self._weigh = weigh or (lambda value: 1)
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._weight = 0
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """The value, ``None`` where it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value, and give it back."""
        with self._lock:
            if key in self._values:
                self._weight -= self._weigh(self._values.pop(key))
            self._values[key] = value
            self._weight += self._weigh(value)
            while self._weight > self.most and len(self._values) > 1:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
        return value

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value, made where it is not kept: once, though several threads ask for it."""
        value = self.get(key)
        if value is not None:
            return value
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                value = self.get(key)
                return self.put(key, make()) if value is None else value
        finally:
            with self._lock:
                self._making.pop(key, None)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._values.clear()
            self._weight = 0

    def values(self) -> list[Value]:
        """All that is kept, what was asked for longest ago first."""
        with self._lock:
            return list(self._values.values())
