"""Average precision: whether the relevant chunks come before the others."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import fsum


def average_precision(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Sum of precision@r over the ranks r <= ``k`` that hold a relevant item, over ``|relevant|``; its mean is MAP@k.

    trec_eval's ``map_cut_k``: a relevant item that is not among the first ``k`` counts as found with precision 0, also
    where there are more than ``k`` of them. ``ranked``: distinct identifiers, best first. ``relevant``: at least one.
    Of chunks, where one is relevant when it shares a character with the gold, it does not compare chunkers: each has a
    number of relevant chunks of its own. Source: Buckley and Voorhees, "Evaluating Evaluation Measure Stability",
    SIGIR 2000.

    >>> average_precision(["a", "x", "b"], {"a", "b"}, 10) == (1 / 1 + 2 / 3) / 2
    True
    """
    wanted = set(relevant)
    found = [rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted]
    return fsum(count / rank for count, rank in enumerate(found, start=1)) / len(wanted)
