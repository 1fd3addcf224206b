"""nDCG over ranked documents or chunks."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import fsum, log2


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Normalised discounted cumulative gain at rank ``k`` with binary relevance.

    ``ranked``: distinct identifiers, best first. ``relevant``: at least one. A relevant item at rank r gains
    ``1 / log2(r + 1)``; the sum is divided by that of a ranking with all relevant items on top. Over documents it
    compares any two presets. Over chunks, where one is relevant when it shares a character with the gold, it does not
    compare chunkers. Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS
    20(4), 2002, in the form trec_eval has.

    >>> ndcg(["x", "a"], {"a"}, 10) == 1 / log2(3)
    True
    """
    wanted = set(relevant)
    gained = fsum(1 / log2(rank + 1) for rank, name in enumerate(ranked[:k], start=1) if name in wanted)
    ideal = fsum(1 / log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gained / ideal
