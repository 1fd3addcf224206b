"""Evaluation metrics in [0, 1]. Higher is better, except for ``LOWER_IS_BETTER``.

spans.py     characters of the context against gold spans; comparable across chunkers
ranking.py   a ranking against relevant items
answers.py   an answer against a reference answer
claims.py    an answer's claims against their evidence
chroma.py    the metrics of Chroma's chunking report

``context_precision`` and ``context_recall`` are RAGAS's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence

from core.evaluation.metrics.ranking import average_precision, ndcg, recall_at_k, reciprocal_rank
from core.evaluation.metrics.spans import attained, full, iou, precision, recall
from core.evaluation.regions import Region

SPAN_METRICS: dict[str, Callable[[Region, Region, int], float]] = {
    "recall": recall,
    "attained": attained,
    "precision": precision,
    "iou": iou,
    "full": full,
}

RANK_METRICS: dict[str, Callable[[Sequence[Hashable], Collection[Hashable], int], float]] = {
    "chunk_recall": recall_at_k,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "map": average_precision,
}
"""Metrics over ranked chunks. In reports ``ndcg`` of chunks is called ``chunk_ndcg``: ``ndcg`` is over documents."""

LOWER_IS_BETTER = frozenset({"hallucination_rate"})
