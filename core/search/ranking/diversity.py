"""From leaves in order of relevance to leaves that do not repeat one another: pure functions of aligned arrays.

An entry is a leaf's place among those handed in, which stand best first: entry 0 is ranked 1st.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.fusion import Scores, column
from core.settings.searching import DiversitySettings
from core.types import Vectors

Order = NDArray[np.int64]


def diversify(scores: Scores, vectors: Vectors, settings: DiversitySettings) -> tuple[Order, Scores]:
    """The entries in the order of maximal marginal relevance, and ``(n,)`` float64 scores that fall strictly along it.

    Aligned, best first: ``scores`` ``(n,)``, falling; ``vectors`` ``(n, d)``, unit norm. Those behind the first
    ``settings.candidates`` follow as they were.
    """
    behind = np.arange(settings.candidates, len(scores), dtype=np.int64)
    order, values = mmr(scores[: settings.candidates], vectors[: settings.candidates], settings.relevance)
    return np.concatenate([order, behind]), column(order, values, behind, scores)


def mmr(scores: Scores, vectors: Vectors, relevance: float) -> tuple[Order, Scores]:
    """The entries in the order maximal marginal relevance takes them, and the value of each when it was taken.

    The next is the entry with the greatest ``relevance * score - (1 - relevance) * likeness``: its score scaled to
    [0, 1] over all entries, and its cosine, negative ones as 0, to the likest of those already taken. The values fall,
    since likeness only grows. Ties go to the earlier entry.

    Source: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
    Summaries", SIGIR 1998.

    >>> order, values = mmr(np.array([3.0, 2.0, 1.0]), np.float32([[1, 0], [1, 0], [0, 1]]), 0.5)
    >>> order.tolist(), values.tolist()
    ([0, 2, 1], [0.5, 0.0, -0.25])
    """
    count = len(scores)
    values = relevance * _scaled(scores)  # of those not yet taken; those taken fall out as -inf
    penalties = (1 - relevance) * (vectors @ vectors.T).astype(np.float64)
    paid = np.zeros(count)  # which a negative cosine leaves at 0
    order, taken = np.zeros(count, dtype=np.int64), np.zeros(count)
    for place in range(count):
        current = values - paid
        entry = int(current.argmax())
        order[place], taken[place] = entry, current[entry]
        values[entry] = -np.inf
        np.maximum(paid, penalties[entry], out=paid)
    return order, taken


def _scaled(scores: Scores) -> Scores:
    """From 0 for the worst to 1 for the best; 1 for all where they are equal."""
    spread = float(np.ptp(scores)) if len(scores) else 0.0
    return (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))
