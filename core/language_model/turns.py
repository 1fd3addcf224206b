"""The queue of requests to the language model, in which questions precede the preparation of documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition, Event

from core.errors import CancelledError

_POLL_SECONDS = 0.2  # between checks whether a waiting request was cancelled


class Turns:
    """A lock with priorities: urgent requests first, then in the order of arrival.

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
        """The number of waiting requests."""
        return len(self._places)

    @contextmanager
    def turn(self, *, urgent: bool = True, stop: Event | None = None) -> Iterator[None]:
        """Wait for the lock and hold it. Raises ``CancelledError`` once ``stop`` is set."""
        with self._free:
            place = (not urgent, next(self._numbers))
            self._places.append(place)
            try:
                while self._held or min(self._places) != place:
                    if stop is not None and stop.is_set():
                        raise CancelledError("This was stopped.")
                    self._free.wait(_POLL_SECONDS)
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
