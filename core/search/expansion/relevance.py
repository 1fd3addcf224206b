"""How relevant each kept child is, how far it is trusted by itself, and how relevant the passages it grows to are.

Final scores have no unit of their own: standard scores, reciprocal ranks and a re-ranker's logits all come last in some
ranking. Every value here stays the same when all scores of a ranking are shifted, or scaled by a positive factor.

**Relevance of a merged passage**: the best child's, and from there toward the best score of the whole ranking by half
of its support, the share of its text that was retrieved (``merged``). So it is never below its best child, more
retrieved children never make it less relevant, and it never passes the best child of all: several mediocre hits side by
side are better evidence than one of them, but no better than the best hit there is.

**Relevance of an added passage**: half way from that of the child which led to it down to the last child that was kept
(``added``). So what a good child leads to comes after that child and before the tail of the ranking; a kept child that
is led to keeps its own relevance where that is more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.stage_scores import Ranking

Values = NDArray[np.float64]

_CORROBORATION = 0.5  # of the way to the best score that a wholly retrieved parent rises
_FADING = 0.5  # of the way down to the last kept child that what it leads to falls
# The share of gold among the candidates a calibrated re-ranker reads: what it says of a passage that is like any other.
# Of the best 30 of 120 questions of each tuning suite, every suite with the same weight (3.0, 12.3, 10.0, 4.5 %).
USUAL = 0.075


def relevances(ranking: Ranking) -> Values:
    """The final scores of the kept children, best first; one without a score gets the least of the others'."""
    return _filled(ranking.final[ranking.kept])


def _filled(scores: Values) -> Values:
    known = scores[~np.isnan(scores)]
    return np.where(np.isnan(scores), known.min() if len(known) else 0.0, scores)


def relative_scores(ranking: Ranking) -> Values:
    """``(kept,)`` in [0, 1]: where each child's score lies between the average leaf's, 0, and the best child's, 1.

    All 1 where no leaf is better than the average. Scores are those of the last stage that scored every leaf.
    """
    scores = _filled(ranking.broad[ranking.kept])
    if not len(scores):
        return scores
    average = ranking.spread.mean
    span = float(scores.max()) - average
    return np.clip((scores - average) / span, 0.0, 1.0) if span > 1e-12 else np.ones(len(scores))


def confidences(ranking: Ranking) -> Values:
    """``(kept,)`` in [0, 1]: how far each child stands out from chance, times its ``relative_scores``.

    From chance: the logistic function of ``z - sqrt(2 ln n)``, where ``z`` is the child's final score in standard
    deviations above the mean of all ``n`` ranked leaves, and the root is about what the best of ``n`` unrelated leaves
    would reach if their scores were normal (the leading term of the expected maximum; Cramér, Mathematical Methods of
    Statistics, 28.6). So the best child of a question the library cannot answer has about 0.5, however large the
    library is; and a child half as far above the average as a clear best one has 0.5 as well. It is a place on a scale,
    no probability. Where a calibrated re-ranker read a child, ``moved_by_reading`` moves it along the same scale.
    """
    known, scores = ranking.spread, _filled(ranking.broad[ranking.kept])
    z = (scores - known.mean) / known.deviation if known.deviation > 1e-12 else np.zeros(len(scores))
    by_chance = math.sqrt(2 * math.log(max(known.count, 1)))
    placed = np.asarray(relative_scores(ranking) / (1 + np.exp(by_chance - z)))
    if ranking.probabilities is None:
        return placed
    likely = ranking.probabilities[ranking.kept]
    return np.where(np.isnan(likely), placed, moved_by_reading(placed, likely))


def moved_by_reading(placed: Values, likely: Values) -> Values:
    """Confidences after a calibrated re-ranker read the passages: Bayes' rule in its odds form.

    ``placed``: confidences before, in [0, 1]. ``likely``: the probability that each passage answers, ``nan`` gives
    ``nan``. The log-odds of ``placed`` move by the log-odds of ``likely`` less those of ``USUAL``, so that ``USUAL``
    changes nothing. A confidence of 0 or 1 stays.

    >>> moved_by_reading(np.array([0.5, 0.5, 0.2]), np.array([USUAL, 0.38, 0.38])).round(2).tolist()
    [0.5, 0.88, 0.65]
    """
    for_it = placed * likely * (1 - USUAL)
    against = (1 - placed) * (1 - likely) * USUAL
    total = for_it + against
    return np.asarray(np.divide(for_it, total, out=placed.copy(), where=total != 0))


def merged(best: float, support: float, top: float) -> float:
    """The relevance of a merged passage: ``best`` of its children, ``support`` from 0 to 1, ``top`` of the ranking.

    >>> merged(2.0, 0.5, 6.0), merged(6.0, 1.0, 6.0)
    (3.0, 6.0)
    """
    return best + (top - best) * support * _CORROBORATION


def added(relevance: float, least: float) -> float:
    """The relevance of what a child led to: its own ``relevance``, and the ``least`` of the kept children's.

    >>> added(6.0, 2.0)
    4.0
    """
    return least + (relevance - least) * _FADING
