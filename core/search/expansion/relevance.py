"""Relevance and confidence of the kept children, and relevance of the passages they grow to.

Final scores have no common unit: in different rankings they are z-scores, reciprocal ranks or a re-ranker's logits.
So nothing here changes its meaning when all scores of a ranking are shifted or scaled by a positive factor.

**Relevance of a merged passage** (``merged_relevance``): that of its best child, raised toward the best score of the
ranking by half of its support, the share of its text that was retrieved. So it is never below its best child's, grows
with every retrieved child, and never exceeds the best score: several mediocre hits side by side are better evidence
than one of them, but not better than the best hit.

**Relevance of a linked passage** (``linked_relevance``): halfway between that of the child that refers to it and that
of the last kept child. So it comes after that child and before the tail of the ranking. A kept child that is referred
to keeps its own relevance if that is higher.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.stage_scores import Ranking

Values = NDArray[np.float64]

_SUPPORT_SHARE = 0.5  # a fully retrieved parent rises this share of the way to the best score
_LINK_SHARE = 0.5  # a linked passage keeps this share of its source's lead over the last kept child
# The base rate of gold among the candidates that a re-ranker reads: the mean over the tuning suites (3.0, 12.3, 10.0,
# 4.5 %), among the best 30 candidates of 120 questions each.
USUAL = 0.075


def relevances(ranking: Ranking) -> Values:
    """The final scores of the kept children, best first; one without a score gets the lowest of the others."""
    return _fill_with_lowest(ranking.final[ranking.kept])


def _fill_with_lowest(scores: Values) -> Values:
    known = scores[~np.isnan(scores)]
    return np.where(np.isnan(scores), known.min() if len(known) else 0.0, scores)


def relative_scores(ranking: Ranking) -> Values:
    """``(kept,)`` in [0, 1]: each child's ``pool_scores`` scaled so that the average leaf has 0 and the best child 1.

    All 1 when no child is better than the average leaf.
    """
    scores = _fill_with_lowest(ranking.pool_scores[ranking.kept])
    if not len(scores):
        return scores
    average = ranking.distribution.mean
    span = float(scores.max()) - average
    return np.clip((scores - average) / span, 0.0, 1.0) if span > 1e-12 else np.ones(len(scores))


def confidences(ranking: Ranking) -> Values:
    """``(kept,)`` in [0, 1]: how far each child stands out from chance, times its ``relative_scores``.

    The first factor is the logistic function of ``z - sqrt(2 ln n)``. ``z`` is the child's z-score among all ``n``
    searched leaves. The root is approximately the highest z-score of ``n`` unrelated leaves with normally distributed
    scores (the leading term of the expected maximum; Cramér, Mathematical Methods of Statistics, 28.6). So the best
    child of a question that the library cannot answer has about 0.5, whatever the size of the library; and a child half
    as far above the average as a clear best one has 0.5 as well. A confidence is not a probability. A calibrated
    re-ranker's probability changes it by ``update_by_reranker``.
    """
    distribution, scores = ranking.distribution, _fill_with_lowest(ranking.pool_scores[ranking.kept])
    z = np.zeros(len(scores))
    if distribution.deviation > 1e-12:
        z = (scores - distribution.mean) / distribution.deviation
    expected_maximum = math.sqrt(2 * math.log(max(distribution.count, 1)))
    prior = np.asarray(relative_scores(ranking) / (1 + np.exp(expected_maximum - z)))
    if ranking.probabilities is None:
        return prior
    probabilities = ranking.probabilities[ranking.kept]
    return np.where(np.isnan(probabilities), prior, update_by_reranker(prior, probabilities))


def update_by_reranker(prior: Values, probabilities: Values) -> Values:
    """Confidences updated by a calibrated re-ranker's probabilities: Bayes' rule in its odds form.

    ``prior``: confidences in [0, 1]. ``probabilities``: that each passage answers; ``nan`` gives ``nan``. The log-odds
    of ``prior`` change by the log-odds of the probability minus those of ``USUAL``, so a probability of ``USUAL``
    changes nothing. A confidence of 0 or 1 stays.

    >>> update_by_reranker(np.array([0.5, 0.5, 0.2]), np.array([USUAL, 0.38, 0.38])).round(2).tolist()
    [0.5, 0.88, 0.65]
    """
    positive = prior * probabilities * (1 - USUAL)
    negative = (1 - prior) * (1 - probabilities) * USUAL
    total = positive + negative
    return np.asarray(np.divide(positive, total, out=prior.copy(), where=total != 0))


def merged_relevance(best: float, support: float, top: float) -> float:
    """The relevance of a merged passage.

    ``best``: that of its best child. ``support``: in [0, 1]. ``top``: the best score of the ranking.

    >>> merged_relevance(2.0, 0.5, 6.0), merged_relevance(6.0, 1.0, 6.0)
    (3.0, 6.0)
    """
    return best + (top - best) * support * _SUPPORT_SHARE


def linked_relevance(relevance: float, least: float) -> float:
    """The relevance of a passage that a child refers to. ``relevance``: the child's. ``least``: the last kept child's.

    >>> linked_relevance(6.0, 2.0)
    4.0
    """
    return least + (relevance - least) * _LINK_SHARE
