"""Precision: how much of what the reader got is gold."""

from __future__ import annotations

from core.evaluation.regions import Region


def precision(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |taken|``, in characters; 0 for an empty context.

    >>> from core.evaluation.regions import region
    >>> precision(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.25
    """
    return taken.common(gold) / taken.size if taken.size else 0.0
