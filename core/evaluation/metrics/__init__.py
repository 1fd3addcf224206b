"""The metrics: shares in [0, 1], better when higher but for ``LOWER_IS_BETTER``.

spans.py     what was read with the gold; compares anything with anything
ranking.py   a ranking with what is relevant
answers.py   two texts
claims.py    an answer's claims with what supports them
chroma.py    what Chroma's report has

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
"""Over ranked chunks; a report says ``mrr@10``, and ``chunk_ndcg@10``, since ``ndcg`` is over documents there."""

LOWER_IS_BETTER = frozenset({"hallucination_rate"})
