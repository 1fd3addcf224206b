"""Precedence of searches over background work."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class RightOfWay:
    """Threads inside ``first`` have precedence; others call ``give_way`` to wait for them. Thread-safe.

    For calls that hold the interpreter lock, such as writes to Chroma: a search releases that lock at each of its
    hundreds of reads, and without precedence would each time wait for such a call to end.
    """

    def __init__(self) -> None:
        self._depths = Counter[int]()  # how deep each thread is nested in ``first``
        self._changed = threading.Condition()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Give this block precedence."""
        thread = threading.get_ident()
        with self._changed:
            self._depths[thread] += 1
        try:
            yield
        finally:
            with self._changed:
                self._depths[thread] -= 1
                self._depths = +self._depths  # drop zeros
                self._changed.notify_all()

    def give_way(self, seconds: float) -> bool:
        """Wait at most ``seconds`` until no other thread is inside ``first``. Returns whether that is so.

        >>> way = RightOfWay()
        >>> with way.first():
        ...     way.give_way(0.0)  # a thread does not wait for itself
        True
        """
        this_thread = threading.get_ident()
        with self._changed:
            return self._changed.wait_for(lambda: all(thread == this_thread for thread in self._depths), seconds)
