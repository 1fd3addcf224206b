"""Cooperative cancellation: long loops call ``check_cancelled``, which raises once the work is cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Item = TypeVar("_Item")
_INTERVAL_SECONDS = 0.1
_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("cancellation_check", default=None)


@contextmanager
def cancellation_check(check: Callable[[], None]) -> Iterator[None]:
    """Within this block and thread, ``check_cancelled`` calls ``check``, at most ten times a second.

    ``check`` raises to stop the work.

    >>> with cancellation_check(lambda: print("checked")):
    ...     check_cancelled()
    checked
    """
    due = 0.0

    def throttled() -> None:
        nonlocal due
        if time.monotonic() >= due:
            check()
            due = time.monotonic() + _INTERVAL_SECONDS

    token = _CHECK.set(throttled)
    try:
        yield
    finally:
        _CHECK.reset(token)


def check_cancelled() -> None:
    """Raise what the surrounding ``cancellation_check`` raises; outside of one, do nothing."""
    if (check := _CHECK.get()) is not None:
        check()


def cancellable(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items, with a ``check_cancelled`` before each."""
    for item in items:
        check_cancelled()
        yield item
