"""Evidence beside a leaf's own scores: the question's words around it, and the best leaf of what it stands in.

All of it is index arithmetic over what the searches found: nothing is encoded, and nothing but which rows hold a word
is read. ``docs/ablations.md`` says what each piece is worth.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.retrieval.fusion import Scores

Groups = NDArray[np.integer[Any]]
Holders = NDArray[np.int64]


def parent_groups(documents: NDArray[np.int32], parents: NDArray[np.int64]) -> Groups:
    """(n,) the number of the parent each leaf stands in, rising in text order; a leaf without one is by itself.

    ``documents``, ``parents``: of each leaf in text order, a missing parent is -1.

    >>> parent_groups(np.array([0, 0, 0, 1], dtype=np.int32), np.array([7, 7, -1, -1])).tolist()
    [0, 0, 1, 2]
    """
    if not len(parents):
        return np.zeros(0, dtype=np.int64)
    begins = (documents[1:] != documents[:-1]) | (parents[1:] != parents[:-1]) | (parents[1:] < 0)
    return np.concatenate([[0], np.cumsum(begins)]).astype(np.int64)


def share_best(scores: Scores, fused: Scores, groups: Groups, share: float) -> Scores:
    """Each score plus ``share`` of the best fused score in the entry's group; 0 is off.

    ``groups``: rising, aligned with the scores. Within a group the order stays what it was.

    >>> share_best(np.zeros(3), np.array([1.0, 3.0, 2.0]), np.array([0, 0, 1]), 0.5).tolist()
    [1.5, 1.5, 1.0]
    """
    if not share or not len(fused):
        return scores
    begins = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    best = np.maximum.reduceat(fused, begins)
    return np.asarray(scores + np.repeat(share * best, np.diff(begins, append=len(fused))))


def rarity(held: int, total: int) -> float:
    """What finding a word tells where ``held`` of ``total`` leaves hold it: 0 in half of them or more.

    The weight that BM25 gives a word: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
    Foundations and Trends in Information Retrieval 3(4), 2009, equation 3.2.

    >>> rarity(2, 4), round(rarity(1, 100), 2)
    (0.0, 4.19)
    """
    return max(0.0, float(np.log((total - held + 0.5) / (held + 0.5))))


def coverage(holders: Collection[Holders], documents: NDArray[np.int32], groups: Groups) -> Scores:
    """(n,) how much of the question stands around each leaf, from 0 to 1; ``nan`` where none of it does.

    The mean of two shares of the question's words, each word weighed by its rarity: of those found in the leaf and its
    two neighbours of the same document, and of those found in its parent. A word counts once however often it occurs,
    so a place that holds all of a question is told from one that repeats a part of it.

    ``holders``: for each word of the question that the library knows, the leaves that hold it, each once.
    ``documents``, ``groups``: of all leaves in text order, as ``parent_groups`` makes them.

    >>> words = [np.array([0]), np.array([1])]
    >>> coverage(words, np.zeros(5, dtype=np.int32), np.arange(5)).round(2).tolist()
    [0.75, 0.75, 0.25, nan, nan]
    """
    total = len(documents)
    near, inside = np.zeros(total), np.zeros(int(groups[-1]) + 1 if total else 0)
    joined = np.zeros(total + 1, dtype=bool)  # whether a leaf and the one before it are of one document
    joined[1:total] = documents[1:] == documents[:-1]
    weights = 0.0
    for held in holders:
        weight = rarity(len(held), total)
        if not weight:
            continue
        weights += weight
        around, within = np.zeros(total, dtype=bool), np.zeros(len(inside), dtype=bool)
        around[held] = around[held[joined[held]] - 1] = around[held[joined[held + 1]] + 1] = True
        within[groups[held]] = True
        near[np.flatnonzero(around)] += weight
        inside[np.flatnonzero(within)] += weight
    if not weights:
        return np.full(total, np.nan)
    share = (near + inside[groups]) / (2 * weights)
    return np.where(share > 0, share, np.nan)
