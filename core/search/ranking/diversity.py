"""From leaves in order of relevance to leaves that do not repeat one another: pure functions of aligned arrays.

An entry is a leaf's place among those handed in, which stand best first: entry 0 is ranked 1st. A method gives an order
of entries and a value for each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.fusion import Scores, column
from core.settings.searching import DiversitySettings
from core.types import Vectors

Order = NDArray[np.int64]


def diversify(scores: Scores, vectors: Vectors, settings: DiversitySettings) -> tuple[Order, Scores]:
    """The entries in the order of the method, and ``(n,)`` float64 scores that fall strictly along it.

    Aligned, best first: ``scores`` ``(n,)``, falling; ``vectors`` ``(n, d)``, unit norm. Those behind the first
    ``settings.candidates`` follow as they were.
    """
    best, behind = scores[: settings.candidates], np.arange(settings.candidates, len(scores), dtype=np.int64)
    compared = vectors[: settings.candidates]
    match settings.method:
        case "mmr":
            order, values = mmr(best, compared, settings.relevance)
        case "clusters":
            order, values = in_turn(best, clusters(compared, settings.cluster_similarity))
        case _:
            order, values = np.arange(len(best), dtype=np.int64), best
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


def clusters(vectors: Vectors, similarity: float) -> NDArray[np.int64]:
    """``(n,)`` int64: the number of each entry's cluster, from 0 in the order of their best entries.

    An entry, best first, joins the cluster whose best entry it is likest to, where their cosine is at least
    ``similarity``; else it begins one. So a cluster never depends on what is ranked below, and everything in it is
    like its best. The leader algorithm: Hartigan, "Clustering Algorithms" (1975), chapter 3.

    >>> clusters(np.float32([[1, 0], [0, 1], [0.8, 0.6]]), 0.7).tolist()
    [0, 1, 0]
    """
    cosines = vectors @ vectors.T
    leaders: list[int] = []
    found = np.zeros(len(vectors), dtype=np.int64)
    for entry in range(len(vectors)):
        near = cosines[entry, leaders]
        if len(leaders) and near.max() >= similarity:
            found[entry] = int(near.argmax())
        else:
            found[entry] = len(leaders)
            leaders.append(entry)
    return found


def in_turn(scores: Scores, groups: NDArray[np.int64]) -> tuple[Order, Scores]:
    """The best of every group, then the second of every group, and so on; each round in order of relevance.

    ``groups``: the same number for entries of one group. The value of an entry is its score scaled to [0, 1], less the
    number of its group's entries before it.

    >>> order, values = in_turn(np.array([5.0, 4.0, 3.0]), np.array([7, 7, 8]))
    >>> order.tolist(), values.tolist()
    ([0, 2, 1], [1.0, 0.0, -0.5])
    """
    rounds = np.zeros(len(groups), dtype=np.int64)
    counts: dict[int, int] = {}
    for entry, group in enumerate(groups.tolist()):
        rounds[entry] = counts.get(group, 0)
        counts[group] = counts.get(group, 0) + 1
    order = np.argsort(rounds, kind="stable").astype(np.int64)
    return order, _scaled(scores)[order] - rounds[order]


def _scaled(scores: Scores) -> Scores:
    """From 0 for the worst to 1 for the best; 1 for all where they are equal."""
    spread = float(np.ptp(scores)) if len(scores) else 0.0
    return (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))
