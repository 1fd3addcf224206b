"""Diversification of a ranking by maximal marginal relevance: pure functions of aligned arrays.

Entries are indices into the arrays, which are sorted best first: entry 0 is ranked 1st.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.fusion import Scores, descending_column
from core.settings.searching import DiversitySettings
from core.types import Vectors

Order = NDArray[np.int64]


def diversify(scores: Scores, vectors: Vectors, settings: DiversitySettings) -> tuple[Order, Scores]:
    """The entries in the order of maximal marginal relevance, and ``(n,)`` float64 scores that fall strictly along it.

    ``scores``: ``(n,)``, descending. ``vectors``: ``(n, d)``, unit norm. Only the first ``settings.candidates`` entries
    are reordered; the others follow in their order.
    """
    behind = np.arange(settings.candidates, len(scores), dtype=np.int64)
    order, values = mmr(scores[: settings.candidates], vectors[: settings.candidates], settings.relevance)
    return np.concatenate([order, behind]), descending_column(order, values, behind, scores)


def mmr(scores: Scores, vectors: Vectors, relevance: float) -> tuple[Order, Scores]:
    """The entries in the order that maximal marginal relevance selects them, and the value of each at its selection.

    The next entry is the one with the greatest ``relevance * score - (1 - relevance) * similarity``: its score, scaled
    to [0, 1] over all entries, and its highest cosine to an entry already selected, at least 0. The values fall, since
    the similarity only grows. Ties go to the earlier entry.

    Source: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing
    Summaries", SIGIR 1998.

    >>> order, values = mmr(np.array([3.0, 2.0, 1.0]), np.float32([[1, 0], [1, 0], [0, 1]]), 0.5)
    >>> order.tolist(), values.tolist()
    ([0, 2, 1], [0.5, 0.0, -0.25])
    """
    count = len(scores)
    relevances = relevance * _min_max(scores)  # -inf once selected
    pair_penalties = (1 - relevance) * (vectors @ vectors.T).astype(np.float64)
    penalties = np.zeros(count)  # a negative cosine leaves it at 0
    order, values = np.zeros(count, dtype=np.int64), np.zeros(count)
    for position in range(count):
        current = relevances - penalties
        entry = int(current.argmax())
        order[position], values[position] = entry, current[entry]
        relevances[entry] = -np.inf
        np.maximum(penalties, pair_penalties[entry], out=penalties)
    return order, values


def _min_max(scores: Scores) -> Scores:
    """Scores scaled to [0, 1], worst to best; all 1 if they are equal."""
    spread = float(np.ptp(scores)) if len(scores) else 0.0
    return (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))
