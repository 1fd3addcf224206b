"""One queue before the language model: a question goes before the cutting of documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition, Event

from core.errors import CancelledError

_LOOK = 0.2  # seconds between looks at whether one who waits was stopped


class Turns:
    """One at a time; of those who wait, the urgent first, then who came first.

    >>> turns = Turns()
    >>> with turns.turn():
    ...     turns.waiting
    0
    """

    def __init__(self) -> None:
        self._free = Condition()
        self._held = False
        self._places: list[tuple[bool, int]] = []
        self._numbers = count()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._places)

    @contextmanager
    def turn(self, *, urgent: bool = True, stop: Event | None = None) -> Iterator[None]:
        """Wait for a turn and hold it. Raises ``CancelledError`` once ``stop`` is set."""
        with self._free:
            place = (not urgent, next(self._numbers))
            self._places.append(place)
            try:
                while self._held or min(self._places) != place:
                    if stop is not None and stop.is_set():
                        raise CancelledError("This was stopped.")
                    self._free.wait(_LOOK)
                self._held = True
            finally:
                self._places.remove(place)
                self._free.notify_all()
        try:
            yield
        finally:
            with self._free:
                self._held = False
                self._free.notify_all()
