"""Score fusion: scores of several searches are brought to one scale, weighted and added, and raised by nearby leaves.

Every function is pure and takes aligned float arrays, one entry per leaf; ``nan`` marks a leaf a search did not rank.
A leaf's score is raised by question words around it and by the best leaf of its parent and of its document.
``docs/ablations.md`` has the measured effect of each piece.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """Statistics of a score over all searched leaves, with which the scores of a pool of them are scaled.

    ``count``: number of leaves. ``mean``, ``deviation`` (standard), ``least``: of their scores; an unranked leaf counts
    as 0.
    """

    count: int
    mean: float
    deviation: float
    least: float

    @classmethod
    def of(cls, scores: Scores, others: Scores | None = None, count: int | None = None) -> ScoreDistribution:
        """The distribution of ``scores``; with ``others``, an estimate for ``count`` leaves.

        ``others``: scores of leaves sampled evenly from those not among ``scores``, weighted to stand for all of these.
        ``None`` or empty: ``scores`` are all.

        >>> ScoreDistribution.of(np.array([1.0, 3.0]))
        ScoreDistribution(count=2, mean=2.0, deviation=1.0, least=1.0)
        >>> ScoreDistribution.of(np.array([4.0]), np.array([1.0, 3.0]), 3).mean
        2.6666666666666665
        """
        filled = np.where(np.isnan(scores), 0.0, scores)
        if others is None or not len(others):
            if not len(filled):
                return cls(0, 0.0, 0.0, 0.0)
            return cls(len(filled), float(filled.mean()), float(filled.std()), float(filled.min()))
        sample = np.where(np.isnan(others), 0.0, others)
        count = max(count or 0, len(filled) + len(sample))
        weights = np.repeat([1.0, (count - len(filled)) / len(sample)], [len(filled), len(sample)])
        combined = np.concatenate([filled, sample])
        mean = float(np.average(combined, weights=weights))
        deviation = float(np.average((combined - mean) ** 2, weights=weights) ** 0.5)
        return cls(count, mean, deviation, float(combined.min()))


def standardise(scores: Scores, over: ScoreDistribution | None = None) -> Scores:
    """Z-scores. An unranked entry counts as 0; a constant score carries no information and becomes zeros.

    ``over``: the distribution over all leaves, where the entries are only some of them; ``None``: that of the entries.

    >>> standardise(np.array([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """
    filled = np.where(np.isnan(scores), 0.0, scores)
    over = over or ScoreDistribution.of(filled)
    if over.deviation <= 1e-12:
        return np.zeros_like(filled)
    return np.asarray((filled - over.mean) / over.deviation)


def fill_with_mean(scores: Scores) -> Scores:
    """The scores with ``nan`` replaced by the mean of the others; all ``nan`` stays so.

    >>> fill_with_mean(np.array([1.0, np.nan, 3.0])).tolist(), fill_with_mean(np.array([np.nan])).tolist()
    ([1.0, 2.0, 3.0], [nan])
    """
    unknown = np.isnan(scores)
    return np.where(unknown, scores[~unknown].mean(), scores) if unknown.any() and not unknown.all() else scores


def ranks(scores: Scores) -> NDArray[np.int64]:
    """1-based ranks, best first, ties to the earlier entry; 0 for an entry that the search did not rank.

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
    if limit is not None and 0 < limit < len(chosen):  # partition first: a full sort of all entries costs more
        values = scores[chosen]
        chosen = chosen[values >= np.partition(values, -limit)[-limit]]
    return chosen[np.argsort(-scores[chosen], kind="stable")][: None if limit is None else max(0, limit)]


def fuse_standardised(searches: Sequence[tuple[Scores, float]], over: Sequence[ScoreDistribution] = ()) -> Scores:
    """The weighted sum of the z-scores.

    ``searches``: (scores, weight) pairs. ``over``: the distribution of each search's scores over all leaves; () where
    the entries are all of them.

    >>> fuse_standardised([(np.array([0.0, 1.0]), 1.0), (np.array([np.nan, 2.0]), 1.0)]).tolist()
    [-2.0, 2.0]
    """
    distributions: Sequence[ScoreDistribution | None] = over or [None] * len(searches)
    total = np.zeros(len(searches[0][0]))
    for (scores, weight), distribution in zip(searches, distributions, strict=True):
        total += weight * standardise(scores, distribution)
    return total


def fuse_reciprocal(searches: Sequence[tuple[Scores, float]], constant: int) -> Scores:
    """Weighted reciprocal rank fusion: the sum of ``weight / (constant + rank)`` over the searches that rank an entry.

    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.

    >>> fuse_reciprocal([(np.array([0.1, 0.9]), 1.0)], constant=1).round(3).tolist()
    [0.333, 0.5]
    """
    total = np.zeros(len(searches[0][0]))
    for scores, weight in searches:
        rank = ranks(scores)
        total += np.where(rank > 0, weight / (constant + np.maximum(rank, 1)), 0.0)
    return total


def add_neighbour_share(
    scores: Scores, documents: NDArray[np.int32], positions: NDArray[np.int64], share: float
) -> Scores:
    """Each score plus ``share`` times the scores of the leaves directly before and after it in its document; 0 is off.

    ``positions``: the entries' indices in text order; only consecutive ones are neighbours.

    >>> add_neighbour_share(np.array([1.0, 0.0, 4.0]), np.array([0, 0, 1], dtype=np.int32), np.arange(3), 0.5).tolist()
    [1.0, 0.5, 4.0]
    """
    if not share or len(scores) < 2:
        return scores
    adjacent = (documents[1:] == documents[:-1]) & (positions[1:] == positions[:-1] + 1)
    raised, shared = scores.copy(), share * scores
    np.add(raised[1:], shared[:-1], out=raised[1:], where=adjacent)
    np.add(raised[:-1], shared[1:], out=raised[:-1], where=adjacent)
    return raised


Groups = NDArray[np.integer[Any]]
Postings = NDArray[np.int64]
_TERMS_PER_PASS = 8  # terms that one pass of ``coverage`` handles: one bit each of a uint8


def continues_document(documents: NDArray[np.int32]) -> NDArray[np.bool_]:
    """``(n,)`` whether each leaf belongs to the same document as the leaf before it.

    >>> continues_document(np.array([0, 0, 1], dtype=np.int32)).tolist()
    [False, True, False]
    """
    continues = np.zeros(len(documents), bool)
    continues[1:] = documents[1:] == documents[:-1]
    return continues


def group_starts(groups: Groups) -> NDArray[np.int64]:
    """The index of the first entry of each group. ``groups``: ``(n,)`` group numbers, ascending.

    >>> group_starts(np.array([0, 0, 1, 2, 2])).tolist()
    [0, 2, 3]
    """
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else np.zeros(0, np.int64)


def parent_groups(documents: NDArray[np.int32], parents: NDArray[np.int64]) -> Groups:
    """``(n,)`` the number of each leaf's parent, counted in text order; a leaf without one is a group of its own.

    ``documents``, ``parents``: the ordinals of each leaf in text order; -1 for no parent.

    >>> parent_groups(np.array([0, 0, 0, 1], dtype=np.int32), np.array([7, 7, -1, -1])).tolist()
    [0, 0, 1, 2]
    """
    if not len(parents):
        return np.zeros(0, dtype=np.int64)
    starts_group = (documents[1:] != documents[:-1]) | (parents[1:] != parents[:-1]) | (parents[1:] < 0)
    return np.concatenate([[0], np.cumsum(starts_group)]).astype(np.int64)


def add_group_share(scores: Scores, fused: Scores, groups: Groups, share: float) -> Scores:
    """Each score plus ``share`` times the best fused score in the entry's group; 0 is off.

    ``groups``: ascending, aligned with the scores. The order within a group does not change.

    >>> add_group_share(np.zeros(3), np.array([1.0, 3.0, 2.0]), np.array([0, 0, 1]), 0.5).tolist()
    [1.5, 1.5, 1.0]
    """
    if not share or not len(fused):
        return scores
    first = group_starts(groups)
    best = np.maximum.reduceat(fused, first)
    return np.asarray(scores + np.repeat(share * best, np.diff(first, append=len(fused))))


def idf(frequency: int, total: int) -> float:
    """The inverse document frequency of a term that ``frequency`` of ``total`` leaves contain; 0 from half of them on.

    As in BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends
    in Information Retrieval 3(4), 2009, equation 3.2.

    >>> idf(2, 4), round(idf(1, 100), 2)
    (0.0, 4.19)
    """
    return max(0.0, float(np.log((total - frequency + 0.5) / (frequency + 0.5))))


def coverage(
    postings: Collection[Postings], continues_document: NDArray[np.bool_], group_starts: NDArray[np.int64]
) -> Scores:
    """``(n,)`` the share of the question's terms found around each leaf, in [0, 1]; ``nan`` where there is none.

    The mean of two idf-weighted shares: the terms in the leaf and its two neighbours of the same document, and the
    terms in its parent. A term counts once, however often it occurs, so that a place with all terms of the question
    outranks one that repeats a few of them.

    ``postings``: for each term of the question that the library knows, the indices of the leaves that contain it, each
    once. ``continues_document``, ``group_starts``: of all leaves, from the functions of these names, the latter for
    ``parent_groups``.

    >>> terms = [np.array([0]), np.array([1])]
    >>> coverage(terms, continues_document(np.zeros(5, dtype=np.int32)), np.arange(5)).round(2).tolist()
    [0.75, 0.75, 0.25, nan, nan]
    """
    total = len(continues_document)
    weighted = [(leaves, weight) for leaves in postings if (weight := idf(len(leaves), total))]
    if not weighted:
        return np.full(total, np.nan)
    matched, same_document = np.zeros(total), continues_document[1:].view(np.uint8) * np.uint8(255)
    sizes = np.diff(group_starts, append=total)
    for first in range(0, len(weighted), _TERMS_PER_PASS):
        # One bit per term in one byte per leaf keeps the passes over all leaves of a large library cheap.
        # ``weight_of[bits]`` is the summed weight of the terms whose bits are set.
        weight_of, terms = np.zeros(1), np.zeros(total, np.uint8)
        for bit, (leaves, weight) in enumerate(weighted[first : first + _TERMS_PER_PASS]):
            terms[leaves] |= np.uint8(1 << bit)
            weight_of = np.concatenate([weight_of, weight_of + weight])
        around = terms.copy()
        around[1:] |= terms[:-1] & same_document
        around[:-1] |= terms[1:] & same_document
        matched += weight_of[around]
        matched += np.repeat(weight_of[np.bitwise_or.reduceat(terms, group_starts)], sizes)
    matched[matched == 0] = np.nan
    return matched / (2 * sum(weight for _, weight in weighted))


def strictly_descending(values: Scores) -> Scores:
    """The values; each that is not below the value before it is lowered to the next smaller float64.

    So scores agree with an order in which a stage has already settled the ties.

    >>> strictly_descending(np.array([3.0, 3.0, 1.0])).round(9).tolist()
    [3.0, 3.0, 1.0]
    >>> bool((np.diff(strictly_descending(np.array([3.0, 3.0, 5.0]))) < 0).all())
    True
    """
    lowered = values.astype(np.float64)
    for index in range(1, len(lowered)):
        if not lowered[index] < lowered[index - 1]:
            lowered[index] = np.nextafter(lowered[index - 1], -np.inf)
    return lowered


def descending_column(order: NDArray[np.int64], values: Scores, behind: NDArray[np.int64], scores: Scores) -> Scores:
    """A stage's score column: ``(n,)`` float64, strictly falling along ``order``, then ``behind``; ``nan`` elsewhere.

    ``values``: the stage's scores of the entries in ``order``, aligned with it, best first. ``behind``: entries that
    the stage did not score; they follow with the differences they have in ``scores``, the previous column, ``(n,)``.

    >>> previous = np.array([9.0, 8.0, 7.0, 6.5])
    >>> descending_column(np.array([2, 0]), np.array([0.9, 0.5]), np.array([1, 3]), previous).tolist()
    [0.5, 0.49999999999999994, 0.9, -1.0]
    """
    result = np.full(len(scores), np.nan)
    entries = np.concatenate([order, behind]).astype(np.int64)
    behind_values = scores[behind].astype(np.float64)
    if len(behind) and len(order):
        behind_values = behind_values - behind_values[0] + values[-1]
    result[entries] = strictly_descending(np.concatenate([values, behind_values]))
    return result
