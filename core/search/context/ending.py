"""Where a context ends: the probability, at each candidate, that gold is still ahead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from core.search.expansion.relevance import USUAL
from core.search.ranking.stage_scores import Ranking

Values = NDArray[np.float64]

_LEAD_RANK = 10  # the best score is compared with the score at this rank
_LEAST_PROBABILITY = 1e-6  # probabilities are clipped to this distance from 0 and 1, which bounds their log-odds


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a context ends before its budget is used, or where it would under the default setting.

    ``rank``: that of the first hit left out, 0 for one that was not ranked. ``probability``: that gold was still ahead
    there. ``sentence``: the reason, for the user.
    """

    rank: int
    probability: float
    sentence: str


@dataclass(frozen=True, slots=True)
class EndingFeatures:
    """The features that predict whether gold is still ahead when a child is next; or their weights, in log-odds.

    ``rank``: ln of the child's rank. ``gap``: how far its score is below the best child's. ``best``: how far the best
    score is above the expected best of as many unrelated leaves (``core.search.expansion.relevance.confidences``). Both
    in standard deviations. ``lead``: the best cosine minus the tenth. ``word_lead``: the same for BM25, as a share of
    the best. ``words``: the coverage of the child. ``most_words``: the highest coverage of any child. ``beside``: 1 if
    the child is in the first child's document. ``reread``: 1 if a calibrated re-ranker ran; then ``likely``: the
    log-odds of the likeliest passage from here on, minus those of ``USUAL``.
    """

    rank: float = 0.0
    gap: float = 0.0
    best: float = 0.0
    lead: float = 0.0
    word_lead: float = 0.0
    words: float = 0.0
    most_words: float = 0.0
    beside: float = 0.0
    reread: float = 0.0
    likely: float = 0.0


# Logistic regression by ``benchmarks/ending_weights.py``; ``reread`` and ``likely`` are from an earlier run. For the
# measured effect see docs/retrieval.md.
WEIGHTS = EndingFeatures(
    rank=-0.39,
    gap=-0.32,
    best=0.10,
    lead=0.97,
    word_lead=-0.48,
    words=0.58,
    most_words=0.46,
    beside=0.21,
    reread=0.05,
    likely=0.53,
)
BIAS = -1.18

# If the probability at the first child is lower, the library probably has no answer: then only children are read,
# without expansion, up to the small budget.
LEAST_ANSWERABLE = 0.38
UNSURE_BUDGET = {"tokens": 300, "characters": 1200}
# With fewer searched leaves, as under a narrow condition, scores do not predict anything.
FEWEST_LEAVES = 50


def ending_features(ranking: Ranking, children: Sequence[int]) -> Values:
    """``(children, features)``: a row of ``EndingFeatures`` for each child.

    ``children``: indices of leaves in reading order; repeated ones share a rank. A score that a child lacks counts as
    the lowest of its column.
    """
    if not len(children):
        return np.zeros((0, len(astuple(WEIGHTS))))
    rank_of: dict[int, int] = {}
    ranks = [rank_of.setdefault(child, len(rank_of) + 1) for child in children]

    def stage_scores(stage: str, missing: float) -> Values:
        column = ranking.scores.get(stage)
        values = np.full(len(children), np.nan) if column is None else ranking.values(column, children)
        return np.where(np.isnan(values), missing, values)

    distribution = ranking.distribution
    deviation = max(distribution.deviation, 1e-12) if distribution.count else 1.0
    scores = stage_scores("neighbours", distribution.least)
    best = float(scores.max())
    if len(ranking.kept) and distribution.count:
        best = float(np.nanmax(ranking.pool_scores[ranking.kept]))
    coverage = stage_scores("coverage", 0.0)
    documents = ranking.leaves.documents[np.asarray(children)]
    log_odds = _reranker_log_odds(ranking, children)
    count = len(children)
    return np.stack(
        [
            np.log(ranks),
            (best - scores) / deviation,
            np.full(
                count, (best - distribution.mean) / deviation - math.sqrt(2 * math.log(max(distribution.count, 1)))
            ),
            np.full(count, _lead(ranking.scores.get("dense"))[0]),
            np.full(count, _lead(ranking.scores.get("lexical"))[1]),
            coverage,
            np.full(count, coverage.max()),
            documents == documents[0],
            np.full(count, float(log_odds is not None)),
            np.zeros(count) if log_odds is None else log_odds,
        ],
        axis=1,
    ).astype(np.float64)


def _lead(column: Values | None) -> tuple[float, float]:
    """The best score minus the tenth: absolute, and as a share of the best."""
    scores = column[~np.isnan(column)] if column is not None else np.zeros(0)
    if not len(scores):
        return 0.0, 0.0
    if len(scores) > _LEAD_RANK:
        scores = np.partition(scores, -_LEAD_RANK)[-_LEAD_RANK:]
    best = float(scores.max())
    lead = float(scores.max() - scores.min())
    return lead, lead / best if best > 0 else 0.0


def _reranker_log_odds(ranking: Ranking, children: Sequence[int]) -> Values | None:
    """For each child the log-odds of the likeliest child from it on, minus those of ``USUAL``; ``None`` without
    probabilities.
    """
    if ranking.probabilities is None:
        return None
    probabilities = np.nan_to_num(ranking.values(ranking.probabilities, children), nan=_LEAST_PROBABILITY)
    probabilities = np.clip(probabilities, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    best = np.maximum.accumulate(probabilities[::-1])[::-1]
    return np.asarray(np.log(best / (1 - best)) - math.log(USUAL / (1 - USUAL)))


def gold_ahead(ranking: Ranking, children: Sequence[int]) -> list[float]:
    """The probability at each child, in reading order, that gold is still ahead, the child itself included.

    All 1 without dense scores or with fewer than ``FEWEST_LEAVES`` leaves in the pool.
    """
    dense = ranking.scores.get("dense")
    if len(ranking.pool) < FEWEST_LEAVES or dense is None or np.isnan(dense).all():
        return [1.0] * len(children)
    return [float(probability) for probability in predict_gold_ahead(ending_features(ranking, children))]


def predict_gold_ahead(features: Values) -> Values:
    """The probability that gold is still ahead, for each row of ``ending_features``.

    >>> predict_gold_ahead(np.zeros((1, 10))).shape
    (1,)
    """
    log_odds = np.clip(features @ np.array(astuple(WEIGHTS)) + BIAS, -50, 50)  # so that exp does not overflow
    return np.asarray(1 / (1 + np.exp(-log_odds)))
