"""The metrics, one file each. All are shares in [0, 1] and better when higher.

A span metric compares what the reader got with the gold: ``metric(taken, gold, budget)``, where ``taken`` is the
context cut at ``budget`` characters (``core.evaluation.regions.take``) and ``gold`` has at least one character.
"""

from __future__ import annotations

from collections.abc import Callable

from core.evaluation.metrics.attained import attained
from core.evaluation.metrics.full import full
from core.evaluation.metrics.iou import iou
from core.evaluation.metrics.ndcg import ndcg
from core.evaluation.metrics.precision import precision
from core.evaluation.metrics.recall import recall
from core.evaluation.regions import Region

SPAN_METRICS: dict[str, Callable[[Region, Region, int], float]] = {
    "recall": recall,
    "attained": attained,
    "precision": precision,
    "iou": iou,
    "full": full,
}

__all__ = ["SPAN_METRICS", "attained", "full", "iou", "ndcg", "precision", "recall"]
