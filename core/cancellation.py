"""Long steps look up now and then, so that whoever runs them can have them stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Item = TypeVar("_Item")
_EVERY_SECONDS = 0.1
_ASKED: ContextVar[Callable[[], None] | None] = ContextVar("asked", default=None)


@contextmanager
def watched(ask: Callable[[], None]) -> Iterator[None]:
    """Inside, in this thread, ``breathe`` calls ``ask`` some times a second; it raises to end what runs.

    >>> with watched(lambda: print("asked")):
    ...     breathe()
    asked
    """
    due = 0.0

    def in_turn() -> None:
        nonlocal due
        if time.monotonic() >= due:
            ask()
            due = time.monotonic() + _EVERY_SECONDS

    token = _ASKED.set(in_turn)
    try:
        yield
    finally:
        _ASKED.reset(token)


def breathe() -> None:
    """Called from loops over a whole text: raises what ``ask`` of the surrounding ``watched`` raises, else nothing."""
    if (ask := _ASKED.get()) is not None:
        ask()


def breathing(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items, a breath before each."""
    for item in items:
        breathe()
        yield item
