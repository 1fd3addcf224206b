"""Full: whether the reader got the whole gold."""

from __future__ import annotations

from core.evaluation.metrics.recall import recall
from core.evaluation.regions import Region

FULL_RECALL = 0.999
"""The suites' definition: one lost character of a long gold span (a blank at its edge) is forgiven."""


def full(taken: Region, gold: Region, budget: int) -> float:
    """1 where recall is at least 0.999, else 0; its mean is the share of questions wholly served.

    >>> from core.evaluation.regions import region
    >>> full(region([("a", 0, 8)]), region([("a", 6, 8)]), 8), full(region([("a", 0, 8)]), region([("a", 6, 9)]), 8)
    (1.0, 0.0)
    """
    return float(recall(taken, gold, budget) >= FULL_RECALL)
