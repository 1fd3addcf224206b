"""Questions go before what can wait."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class RightOfWay:
    """Who may not be kept waiting, and who lets them pass. Every method may be called from any thread.

    For calls during which no other thread of the process runs, as Chroma's writing is: a question gives the interpreter
    up at each of its hundreds of reads, and would wait through such a call every time.
    """

    def __init__(self) -> None:
        self._passing = Counter[int]()  # by thread, how deep it is in ``first``
        self._changed = threading.Condition()

    @contextmanager
    def first(self) -> Iterator[None]:
        """What runs inside is let pass."""
        mine = threading.get_ident()
        with self._changed:
            self._passing[mine] += 1
        try:
            yield
        finally:
            with self._changed:
                self._passing[mine] -= 1
                self._passing = +self._passing  # without those that passed
                self._changed.notify_all()

    def give_way(self, seconds: float) -> bool:
        """Wait until no other thread is inside ``first``, so many seconds at most; whether none is.

        >>> way = RightOfWay()
        >>> with way.first():
        ...     way.give_way(0.0)  # nobody waits for oneself
        True
        """
        mine = threading.get_ident()
        with self._changed:
            return self._changed.wait_for(lambda: not any(one != mine for one in self._passing), seconds)
