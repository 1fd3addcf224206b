"""Scores of several searches to one: standardising, weighting, reciprocal ranks, and the neighbours' share.

Every function is a pure map of aligned float arrays, one entry per leaf; ``nan`` marks a leaf a search did not rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def standardise(scores: Scores) -> Scores:
    """Standard scores over all entries; an unranked entry counts as the lowest possible score, 0 for lexical search.

    A constant array carries no information and becomes zeros.

    >>> standardise(np.array([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """
    filled = np.where(np.isnan(scores), 0.0, scores)
    if not filled.size:
        return filled
    deviation = float(filled.std())
    if deviation <= 1e-12:
        return np.zeros_like(filled)
    return np.asarray((filled - filled.mean()) / deviation)


def rescale(scores: Scores) -> Scores:
    """Scores from 0 for the worst entry to 1 for the best; an unranked entry counts as 0, as in ``standardise``.

    A constant array carries no information and becomes zeros.

    >>> rescale(np.array([2.0, 3.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    filled = np.where(np.isnan(scores), 0.0, scores)
    if not filled.size:
        return filled
    least, most = float(filled.min()), float(filled.max())
    if most - least <= 1e-12:
        return np.zeros_like(filled)
    return np.asarray((filled - least) / (most - least))


class Ordered:
    """Scores ready to be asked who is best and who stands where: their values are sorted once, their places never.

    Best first, ties to the earlier entry; ``nan`` marks an entry the search did not rank.
    """

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        values = np.sort(scores)  # rising, those that are no number last
        self._values = values[: len(values) - int(np.count_nonzero(np.isnan(scores)))]

    def best(self, limit: int | None = None) -> NDArray[np.int64]:
        """Indices of the best entries, at most ``limit`` (``None`` is off)."""
        count = len(self._values)
        if limit is not None and limit < count:
            if limit <= 0:
                return np.zeros(0, dtype=np.int64)
            chosen = np.flatnonzero(self._scores >= self._values[count - limit])
        else:
            chosen = np.flatnonzero(~np.isnan(self._scores))
        return chosen[np.argsort(-self._scores[chosen], kind="stable")][:limit]

    def ranks_at(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """The 1-based ranks of some entries, 0 where the search did not rank one."""
        asked = self._scores[entries]
        through = np.searchsorted(self._values, asked, side="right")
        places = np.where(np.isnan(asked), 0, len(self._values) - through + 1)
        tied = through - np.searchsorted(self._values, asked) > 1
        for place in np.flatnonzero(tied).tolist():  # each stands behind the earlier ones with its score
            places[place] += np.count_nonzero(self._scores[: entries[place]] == asked[place])
        return places


def ranks(scores: Scores) -> NDArray[np.int64]:
    """1-based ranks, best first; ties fall to the earlier entry; 0 where the search did not rank the entry.

    >>> ranks(np.array([0.2, np.nan, 0.9])).tolist()
    [2, 0, 1]
    """
    result = np.zeros(len(scores), dtype=np.int64)
    order = best_first(scores)
    result[order] = np.arange(1, len(order) + 1)
    return result


def ranks_at(scores: Scores, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """What ``ranks`` says of some entries, without ordering all the others.

    >>> ranks_at(np.array([0.2, np.nan, 0.9, 0.2]), np.array([3, 1, 0])).tolist()
    [3, 0, 2]
    """
    return Ordered(scores).ranks_at(entries)


def best_first(scores: Scores, limit: int | None = None) -> NDArray[np.int64]:
    """Indices of the ranked entries, best first, ties to the earlier; at most ``limit`` (``None`` is off).

    >>> best_first(np.array([0.2, np.nan, 0.9, 0.2]), limit=2).tolist()
    [2, 0]
    """
    return Ordered(scores).best(limit)


def fuse_standard(searches: list[tuple[Scores, float]]) -> Scores:
    """The weighted sum of standard scores.

    >>> fuse_standard([(np.array([0.0, 1.0]), 1.0), (np.array([np.nan, 2.0]), 1.0)]).tolist()
    [-2.0, 2.0]
    """
    return np.asarray(sum((weight * standardise(scores) for scores, weight in searches), np.zeros(len(searches[0][0]))))


def fuse_rescaled(searches: list[tuple[Scores, float]]) -> Scores:
    """The weighted sum of scores between the worst and the best entry.

    >>> fuse_rescaled([(np.array([0.2, 1.0]), 1.0), (np.array([np.nan, 2.0]), 0.5)]).tolist()
    [0.0, 1.5]
    """
    return np.asarray(sum((weight * rescale(scores) for scores, weight in searches), np.zeros(len(searches[0][0]))))


def fuse_reciprocal(searches: list[tuple[Scores, float]], constant: int) -> Scores:
    """Weighted reciprocal rank fusion: the sum of ``weight / (constant + rank)`` over the searches that rank an entry.

    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.

    >>> fuse_reciprocal([(np.array([0.1, 0.9]), 1.0)], constant=1).round(3).tolist()
    [0.333, 0.5]
    """
    total = np.zeros(len(searches[0][0]))
    for scores, weight in searches:
        places = ranks(scores)
        total += np.where(places > 0, weight / (constant + np.maximum(places, 1)), 0.0)
    return total


def share_neighbours(
    scores: Scores, documents: NDArray[np.int32], positions: NDArray[np.int64], share: float
) -> Scores:
    """Each entry plus ``share`` of the entries directly before and after it in its own document; 0 is off.

    ``positions`` are the entries' places in text order: only consecutive places are neighbours.

    >>> share_neighbours(np.array([1.0, 0.0, 4.0]), np.array([0, 0, 1], dtype=np.int32), np.arange(3), 0.5).tolist()
    [1.0, 0.5, 4.0]
    """
    if not share or len(scores) < 2:
        return scores
    adjacent = (documents[1:] == documents[:-1]) & (positions[1:] == positions[:-1] + 1)
    gained = scores.copy()
    gained[1:] += np.where(adjacent, share * scores[:-1], 0.0)
    gained[:-1] += np.where(adjacent, share * scores[1:], 0.0)
    return gained
