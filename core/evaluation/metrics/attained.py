"""Attained recall: recall against what the budget has room for."""

from __future__ import annotations

from core.evaluation.regions import Region


def attained(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / min(budget, |gold|)``: recall that a perfect context brings to 1 even where gold is longer.

    >>> from core.evaluation.regions import region
    >>> attained(region([("a", 0, 5)]), region([("a", 0, 1000)]), 10)
    0.5
    """
    return taken.common(gold) / min(budget, gold.size)
