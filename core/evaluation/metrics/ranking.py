"""Rank metrics with binary relevance: ``metric(ranked, relevant, k)``.

``ranked``: distinct identifiers, best first. ``relevant``: the relevant ones, at least one.

A chunk is relevant when it shares a character with the gold. Over chunks these metrics do not compare chunkers: how
many chunks are relevant, and how much text k of them hold, depends on the chunker.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import fsum, log2


def recall_at_k(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """``|first k of ranked ∩ relevant| / |relevant|``: trec_eval's ``recall_k``.

    Source: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3.

    >>> recall_at_k([7, 3, 1], {1, 3}, 2)
    0.5
    """
    relevant_set = set(relevant)
    return len(relevant_set.intersection(ranked[:k])) / len(relevant_set)


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """``1 / r`` for the first relevant item at rank r, 0 when none is among the first ``k``. Its mean is MRR@k.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"}, 10), reciprocal_rank(["x", "a", "b"], {"a", "b"}, 1)
    (0.5, 0.0)
    """
    relevant_set = set(relevant)
    return next((1 / rank for rank, name in enumerate(ranked[:k], start=1) if name in relevant_set), 0.0)


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Normalised discounted cumulative gain at rank ``k``.

    A relevant item at rank r gains ``1 / log2(r + 1)``; the sum is divided by that of the ideal ranking. Over documents
    it compares any two presets. Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
    ACM TOIS 20(4), 2002, in the form trec_eval has.

    >>> ndcg(["x", "a"], {"a"}, 10) == 1 / log2(3)
    True
    """
    relevant_set = set(relevant)
    gain = fsum(1 / log2(rank + 1) for rank, name in enumerate(ranked[:k], start=1) if name in relevant_set)
    ideal = fsum(1 / log2(rank + 1) for rank in range(1, min(k, len(relevant_set)) + 1))
    return gain / ideal


def average_precision(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """The sum of precision@r over the ranks r <= ``k`` of relevant items, divided by ``|relevant|``. Its mean is MAP@k.

    As in trec_eval's ``map_cut_k``, the divisor counts all relevant items, also where there are more than ``k``.
    Source: Buckley and Voorhees, "Evaluating Evaluation Measure Stability", SIGIR 2000.

    >>> average_precision(["a", "x", "b"], {"a", "b"}, 10) == (1 / 1 + 2 / 3) / 2
    True
    """
    relevant_set = set(relevant)
    ranks = [rank for rank, name in enumerate(ranked[:k], start=1) if name in relevant_set]
    return fsum(count / rank for count, rank in enumerate(ranks, start=1)) / len(relevant_set)


def context_precision(relevances: Sequence[bool]) -> float:
    """The mean of precision@r over the ranks r of relevant passages; 0 without any.

    ``relevances``: for each passage of the context, best first, whether it shares a character with the gold. The
    divisor is the number of relevant passages *retrieved*: passages that were missed count in ``context_recall`` only.
    Source: RAGAS, "Context Precision" (docs.ragas.io), without the 1e-10 its code adds to the divisor.

    >>> context_precision([True, False, True]) == (1 / 1 + 2 / 3) / 2
    True
    """
    ranks = [rank for rank, relevant in enumerate(relevances, start=1) if relevant]
    return average_precision(range(1, len(relevances) + 1), ranks, len(relevances)) if ranks else 0.0
