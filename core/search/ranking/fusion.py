"""Scores of several searches to one: standardised, weighted, joined, and lifted by what stands around a leaf.

Every function is a pure map of aligned float arrays, one entry per leaf; ``nan`` marks a leaf a search did not rank.
What lifts a leaf (the question's words around it, the best leaf of its parent and its document) is index arithmetic
over what the searches found. ``docs/ablations.md`` says what each piece is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spread:
    """How a score lies over all leaves that are searched, by which the scores of a few are brought to its scale.

    ``count``: the leaves. ``mean``, ``deviation``, ``least``, ``most``: of their scores; an unranked one counts as 0.
    """

    count: int
    mean: float
    deviation: float
    least: float
    most: float

    @classmethod
    def of(cls, scores: Scores, others: Scores | None = None, count: int | None = None) -> Spread:
        """Of the scores; or of ``count`` of which these are all but those that ``others`` were drawn from evenly.

        >>> Spread.of(np.array([1.0, 3.0])), Spread.of(np.array([4.0]), np.array([1.0, 3.0]), 3).mean
        (Spread(count=2, mean=2.0, deviation=1.0, least=1.0, most=3.0), 2.6666666666666665)
        """
        filled = np.where(np.isnan(scores), 0.0, scores)
        if others is None or not len(others):
            if not len(filled):
                return cls(0, 0.0, 0.0, 0.0, 0.0)
            return cls(len(filled), float(filled.mean()), float(filled.std()), float(filled.min()), float(filled.max()))
        drawn = np.where(np.isnan(others), 0.0, others)
        count = max(count or 0, len(filled) + len(drawn))
        weights = np.repeat([1.0, (count - len(filled)) / len(drawn)], [len(filled), len(drawn)])
        every = np.concatenate([filled, drawn])
        mean = float(np.average(every, weights=weights))
        deviation = float(np.average((every - mean) ** 2, weights=weights) ** 0.5)
        return cls(count, mean, deviation, float(every.min()), float(every.max()))


def standardise(scores: Scores, over: Spread | None = None) -> Scores:
    """Standard scores over all entries; an unranked entry counts as the lowest possible score, 0 for lexical search.

    ``over``: how the scores lie where the entries are some of many; ``None``: these are all. A constant score carries
    no information and becomes zeros.

    >>> standardise(np.array([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """
    filled = np.where(np.isnan(scores), 0.0, scores)
    over = over or Spread.of(filled)
    if over.deviation <= 1e-12:
        return np.zeros_like(filled)
    return np.asarray((filled - over.mean) / over.deviation)


def rescale(scores: Scores, over: Spread | None = None) -> Scores:
    """Scores from 0 for the worst entry to 1 for the best; an unranked entry counts as 0, and ``over`` is as in
    ``standardise``.

    A constant score carries no information and becomes zeros.

    >>> rescale(np.array([2.0, 3.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    filled = np.where(np.isnan(scores), 0.0, scores)
    over = over or Spread.of(filled)
    if over.most - over.least <= 1e-12:
        return np.zeros_like(filled)
    return np.asarray((filled - over.least) / (over.most - over.least))


def averaged(scores: Scores) -> Scores:
    """The scores with the average of those there are for each entry that has none: of it nothing is known yet.

    >>> averaged(np.array([1.0, np.nan, 3.0])).tolist(), averaged(np.array([np.nan])).tolist()
    ([1.0, 2.0, 3.0], [nan])
    """
    unknown = np.isnan(scores)
    return np.where(unknown, scores[~unknown].mean(), scores) if unknown.any() and not unknown.all() else scores


def ranks(scores: Scores) -> NDArray[np.int64]:
    """1-based ranks, best first; ties fall to the earlier entry; 0 where the search did not rank the entry.

    >>> ranks(np.array([0.2, np.nan, 0.9])).tolist()
    [2, 0, 1]
    """
    result = np.zeros(len(scores), dtype=np.int64)
    order = best_first(scores)
    result[order] = np.arange(1, len(order) + 1)
    return result


def best_first(scores: NDArray[np.floating[Any]], limit: int | None = None) -> NDArray[np.int64]:
    """Indices of the ranked entries, best first, ties to the earlier; at most ``limit`` (``None`` is off).

    >>> best_first(np.array([0.2, np.nan, 0.9, 0.2]), limit=2).tolist()
    [2, 0]
    """
    chosen = np.flatnonzero(~np.isnan(scores))
    if limit is not None and 0 < limit < len(chosen):  # before the others are put in order
        values = scores[chosen]
        chosen = chosen[values >= np.partition(values, -limit)[-limit]]
    return chosen[np.argsort(-scores[chosen], kind="stable")][: None if limit is None else max(0, limit)]


Scaled = Callable[[Scores, Spread | None], Scores]


def fuse_scaled(
    searches: Sequence[tuple[Scores, float]], scaled: Scaled = standardise, over: Sequence[Spread] = ()
) -> Scores:
    """The weighted sum of scores on one scale: standard scores, or those of ``rescale``.

    ``over``: how the scores of each search lie over all leaves; () where the entries are all of them.

    >>> fuse_scaled([(np.array([0.0, 1.0]), 1.0), (np.array([np.nan, 2.0]), 1.0)]).tolist()
    [-2.0, 2.0]
    >>> fuse_scaled([(np.array([0.2, 1.0]), 1.0), (np.array([np.nan, 2.0]), 0.5)], rescale).tolist()
    [0.0, 1.5]
    """
    spreads: Sequence[Spread | None] = over or [None] * len(searches)
    summed = (weight * scaled(scores, one) for (scores, weight), one in zip(searches, spreads, strict=True))
    return np.asarray(sum(summed, np.zeros(len(searches[0][0]))))


def fuse_reciprocal(searches: Sequence[tuple[Scores, float]], constant: int) -> Scores:
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
    gained, lent = scores.copy(), share * scores
    np.add(gained[1:], lent[:-1], out=gained[1:], where=adjacent)
    np.add(gained[:-1], lent[1:], out=gained[:-1], where=adjacent)
    return gained


Groups = NDArray[np.integer[Any]]
Holders = NDArray[np.int64]
_BITS = 8  # words that one pass of ``coverage`` looks at


def joined(documents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """(n,) whether each leaf and the one before it are of one document.

    >>> joined(np.array([0, 0, 1], dtype=np.int32)).tolist()
    [False, True, False]
    """
    found = np.zeros(len(documents), bool)
    found[1:] = documents[1:] == documents[:-1]
    return found


def begins(groups: Groups) -> NDArray[np.int64]:
    """The place of each group's first entry; the groups rise.

    >>> begins(np.array([0, 0, 1, 2, 2])).tolist()
    [0, 2, 3]
    """
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else np.zeros(0, np.int64)


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
    first = begins(groups)
    best = np.maximum.reduceat(fused, first)
    return np.asarray(scores + np.repeat(share * best, np.diff(first, append=len(fused))))


def rarity(held: int, total: int) -> float:
    """What finding a word tells where ``held`` of ``total`` leaves hold it: 0 in half of them or more.

    The weight that BM25 gives a word: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
    Foundations and Trends in Information Retrieval 3(4), 2009, equation 3.2.

    >>> rarity(2, 4), round(rarity(1, 100), 2)
    (0.0, 4.19)
    """
    return max(0.0, float(np.log((total - held + 0.5) / (held + 0.5))))


def coverage(holders: Collection[Holders], joined: NDArray[np.bool_], begins: NDArray[np.int64]) -> Scores:
    """(n,) how much of the question stands around each leaf, from 0 to 1; ``nan`` where none of it does.

    The mean of two shares of the question's words, each word weighed by its rarity: of those found in the leaf and its
    two neighbours of the same document, and of those found in its parent. A word counts once however often it occurs,
    so a place that holds all of a question is told from one that repeats a part of it.

    ``holders``: for each word of the question that the library knows, the leaves that hold it, each once.
    ``joined``, ``begins``: of all leaves in text order, as the functions of these names make them.

    >>> words = [np.array([0]), np.array([1])]
    >>> coverage(words, joined(np.zeros(5, dtype=np.int32)), np.arange(5)).round(2).tolist()
    [0.75, 0.75, 0.25, nan, nan]
    """
    total = len(joined)
    telling = [(held, weight) for held in holders if (weight := rarity(len(held), total))]
    share, same = np.zeros(total), joined[1:].view(np.uint8) * np.uint8(255)
    sizes = np.diff(begins, append=total)
    for first in range(0, len(telling), _BITS):
        # A bit a word and a byte a leaf: whatever is done for every leaf of a large library is done for few bytes.
        worth, held_by = np.zeros(1), np.zeros(total, np.uint8)
        for bit, (held, weight) in enumerate(telling[first : first + _BITS]):
            held_by[held] |= np.uint8(1 << bit)
            worth = np.concatenate([worth, worth + weight])
        around = held_by.copy()
        around[1:] |= held_by[:-1] & same
        around[:-1] |= held_by[1:] & same
        share += worth[around]
        share += np.repeat(worth[np.bitwise_or.reduceat(held_by, begins)], sizes)
    share[share == 0] = np.nan
    return share / (2 * sum(weight for _, weight in telling)) if telling else np.full(total, np.nan)


def strictly_descending(values: Scores) -> Scores:
    """The values, each lowered to just below the one before it where it is not below it already.

    Where a stage takes leaves one after another, ties between them are settled; a score that equals another would
    open them again. The change is the smallest a float64 can show.

    >>> strictly_descending(np.array([3.0, 3.0, 1.0])).round(9).tolist()
    [3.0, 3.0, 1.0]
    >>> bool((np.diff(strictly_descending(np.array([3.0, 3.0, 5.0]))) < 0).all())
    True
    """
    lowered = values.astype(np.float64)
    for at in range(1, len(lowered)):
        if not lowered[at] < lowered[at - 1]:
            lowered[at] = np.nextafter(lowered[at - 1], -np.inf)
    return lowered


def column(order: NDArray[np.int64], values: Scores, behind: NDArray[np.int64], scores: Scores) -> Scores:
    """``(n,)`` float64 that falls along ``order``, then along ``behind``; ``nan`` for entries in neither.

    ``values``: what the stage thinks of the entries in ``order``, best first, aligned with it. ``behind``: entries it
    did not look at. ``scores``: ``(n,)``, the column before, whose distances carry on among them.

    >>> column(np.array([2, 0]), np.array([0.9, 0.5]), np.array([1, 3]), np.array([9.0, 8.0, 7.0, 6.5])).tolist()
    [0.5, 0.49999999999999994, 0.9, -1.0]
    """
    result = np.full(len(scores), np.nan)
    every = np.concatenate([order, behind]).astype(np.int64)
    followed = scores[behind].astype(np.float64)
    if len(behind) and len(order):
        followed = followed - followed[0] + values[-1]
    result[every] = strictly_descending(np.concatenate([values, followed]))
    return result
