"""The metrics, one file each. All are shares in [0, 1] and better when higher.

Four kinds, by what they compare:

- span metrics: what the reader got with the gold, ``metric(taken, gold, budget)``, where ``taken`` is the context cut
  at ``budget`` characters (``core.evaluation.regions.take``) and ``gold`` has at least one character. They compare
  anything with anything;
- rank metrics: a ranking with the relevant ones, ``metric(ranked, relevant, k)``. ``RANK_METRICS`` names them as over
  chunks, where they do not compare chunkers;
- answer metrics: two texts, ``metric(prediction, answer)``, or ``answer_hit(answer, context_text)``;
- those others report by, with arguments of their own: ``context_precision`` and ``context_recall`` (RAGAS),
  ``chroma_scores`` and ``precision_omega`` (Chroma).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence

from core.evaluation.metrics.answer_hit import answer_hit
from core.evaluation.metrics.attained import attained
from core.evaluation.metrics.average_precision import average_precision
from core.evaluation.metrics.chroma import ChromaScores, chroma_scores, precision_omega
from core.evaluation.metrics.context_precision import context_precision
from core.evaluation.metrics.context_recall import context_recall
from core.evaluation.metrics.exact_match import exact_match
from core.evaluation.metrics.full import full
from core.evaluation.metrics.iou import iou
from core.evaluation.metrics.ndcg import ndcg
from core.evaluation.metrics.precision import precision
from core.evaluation.metrics.recall import recall
from core.evaluation.metrics.recall_at_k import recall_at_k
from core.evaluation.metrics.reciprocal_rank import reciprocal_rank
from core.evaluation.metrics.token_f1 import token_f1
from core.evaluation.regions import Region

RankMetric = Callable[[Sequence[Hashable], Collection[Hashable], int], float]

SPAN_METRICS: dict[str, Callable[[Region, Region, int], float]] = {
    "recall": recall,
    "attained": attained,
    "precision": precision,
    "iou": iou,
    "full": full,
}

RANK_METRICS: dict[str, RankMetric] = {
    "chunk_recall": recall_at_k,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "map": average_precision,
}
"""Under the names that their means have: a report says ``mrr@10``."""

ANSWER_METRICS: dict[str, Callable[[str, str], float]] = {
    "answer_hit": answer_hit,
    "exact_match": exact_match,
    "f1": token_f1,
}
"""``exact_match`` and ``f1`` take (prediction, answer); ``answer_hit`` takes (answer, the context's text)."""

__all__ = [
    "ANSWER_METRICS",
    "RANK_METRICS",
    "SPAN_METRICS",
    "ChromaScores",
    "RankMetric",
    "answer_hit",
    "attained",
    "average_precision",
    "chroma_scores",
    "context_precision",
    "context_recall",
    "exact_match",
    "full",
    "iou",
    "ndcg",
    "precision",
    "precision_omega",
    "recall",
    "recall_at_k",
    "reciprocal_rank",
    "token_f1",
]
