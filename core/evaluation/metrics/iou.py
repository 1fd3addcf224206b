"""Intersection over union: recall and precision in one figure."""

from __future__ import annotations

from core.evaluation.regions import Region


def iou(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |taken ∪ gold|``, in characters (Jaccard's index).

    >>> from core.evaluation.regions import region
    >>> iou(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.2
    """
    common = taken.common(gold)
    return common / (taken.size + gold.size - common)
