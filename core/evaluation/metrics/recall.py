"""Recall: how much of the gold the reader got."""

from __future__ import annotations

from core.evaluation.regions import Region


def recall(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |gold|``, in characters; ``budget`` plays no part beyond having cut ``taken``.

    >>> from core.evaluation.regions import region
    >>> recall(region([("a", 0, 5)]), region([("a", 0, 10)]), 100)
    0.5
    """
    return taken.common(gold) / gold.size
