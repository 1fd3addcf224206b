"""A reader's room: an amount and the unit it is counted in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.types import TokenCounter


@dataclass(frozen=True, slots=True)
class Budget:
    """``amount`` in ``unit`` ("tokens" or "characters"). ``size(text)`` counts; ``headed``: heading lines count too."""

    amount: int
    unit: str
    size: Callable[[str], int]
    headed: bool


def characters(amount: int) -> Budget:
    """Room in characters of document text alone, as evaluation suites count it.

    >>> characters(1000).size("four")
    4
    """
    return Budget(amount, "characters", len, headed=False)


def tokens(amount: int, counter: TokenCounter) -> Budget:
    """Room in tokens, the passages' heading lines included."""
    return Budget(amount, "tokens", lambda text: counter.count([text])[0], headed=True)
