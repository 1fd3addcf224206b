"""Context precision: whether the relevant passages of a context come before the others."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum


def context_precision(relevances: Sequence[bool]) -> float:
    """Mean of precision@r over the ranks r that hold a relevant passage; 0 when none does.

    ``relevances``: for each passage of the context, best first, whether it is relevant (shares a character with the
    gold). Divided by the relevant passages *retrieved*, so it says nothing of those missed (``context_recall`` does),
    and passages being chunks, it does not compare chunkers. Source: RAGAS, "Context Precision" (docs.ragas.io), without
    the 1e-10 its code adds to the divisor.

    >>> context_precision([True, False, True]) == (1 / 1 + 2 / 3) / 2
    True
    """
    ranks = [rank for rank, relevant in enumerate(relevances, start=1) if relevant]
    return fsum(count / rank for count, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0
