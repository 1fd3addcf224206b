"""Reciprocal rank: how far down the first relevant chunk is."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """``1 / r``, r being the rank of the first relevant item; 0 when none is among the first ``k``. Its mean is MRR@k.

    ``ranked``: distinct identifiers, best first. Of chunks, where one is relevant when it shares a character with the
    gold, it does not compare chunkers: longer chunks are relevant more often. Source: Voorhees, "The TREC-8 Question
    Answering Track Report", 1999.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"}, 10), reciprocal_rank(["x", "a", "b"], {"a", "b"}, 1)
    (0.5, 0.0)
    """
    wanted = set(relevant)
    return next((1 / rank for rank, name in enumerate(ranked[:k], start=1) if name in wanted), 0.0)
