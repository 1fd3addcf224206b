"""A ranking held against what is relevant: ``metric(ranked, relevant, k)``.

``ranked``: distinct identifiers, best first. ``relevant``: at least one. Over chunks, where one is relevant when it
shares a character with the gold, none of these compares chunkers: how many chunks are relevant, and how much text k of
them are, is the chunker's doing.
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
    wanted = set(relevant)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """``1 / r``, r being the rank of the first relevant item; 0 when none is among the first ``k``. Its mean is MRR@k.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"}, 10), reciprocal_rank(["x", "a", "b"], {"a", "b"}, 1)
    (0.5, 0.0)
    """
    wanted = set(relevant)
    return next((1 / rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted), 0.0)


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Normalised discounted cumulative gain at rank ``k`` with binary relevance.

    A relevant item at rank r gains ``1 / log2(r + 1)``; the sum is divided by that of a ranking with all relevant items
    on top. Over documents it compares any two presets. Source: Järvelin and Kekäläinen, "Cumulated gain-based
    evaluation of IR techniques", ACM TOIS 20(4), 2002, in the form trec_eval has.

    >>> ndcg(["x", "a"], {"a"}, 10) == 1 / log2(3)
    True
    """
    wanted = set(relevant)
    gained = fsum(1 / log2(rank + 1) for rank, name in enumerate(ranked[:k], start=1) if name in wanted)
    ideal = fsum(1 / log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gained / ideal


def average_precision(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Sum of precision@r over the ranks r <= ``k`` that hold a relevant item, over ``|relevant|``; its mean is MAP@k.

    trec_eval's ``map_cut_k``: a relevant item that is not among the first ``k`` counts as found with precision 0, also
    where there are more than ``k`` of them. Source: Buckley and Voorhees, "Evaluating Evaluation Measure Stability",
    SIGIR 2000.

    >>> average_precision(["a", "x", "b"], {"a", "b"}, 10) == (1 / 1 + 2 / 3) / 2
    True
    """
    wanted = set(relevant)
    found = [rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted]
    return fsum(count / rank for count, rank in enumerate(found, start=1)) / len(wanted)


def context_precision(relevances: Sequence[bool]) -> float:
    """Mean of precision@r over the ranks r that hold a relevant passage; 0 when none does.

    ``relevances``: for each passage of the context, best first, whether it is relevant (shares a character with the
    gold). Divided by the relevant passages *retrieved*, so it says nothing of those missed: ``context_recall`` does.
    Source: RAGAS, "Context Precision" (docs.ragas.io), without the 1e-10 its code adds to the divisor.

    >>> context_precision([True, False, True]) == (1 / 1 + 2 / 3) / 2
    True
    """
    ranks = [rank for rank, relevant in enumerate(relevances, start=1) if relevant]
    return average_precision(range(1, len(relevances) + 1), ranks, len(relevances)) if ranks else 0.0
