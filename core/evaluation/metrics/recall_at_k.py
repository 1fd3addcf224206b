"""Recall at a rank: how many of the relevant chunks are among the first ones."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def recall_at_k(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """``|first k of ranked ∩ relevant| / |relevant|``: trec_eval's ``recall_k``.

    ``ranked``: distinct identifiers, best first. ``relevant``: at least one. Of chunks it is "chunk recall@k", where a
    chunk is relevant when it shares a character with the gold; it then does not compare chunkers, for how many chunks
    are relevant, and how much text k of them are, is the chunker's doing. Source: Manning, Raghavan and Schütze,
    "Introduction to Information Retrieval", 2008, section 8.3.

    >>> recall_at_k([7, 3, 1], {1, 3}, 2)
    0.5
    """
    wanted = set(relevant)
    return len(wanted.intersection(ranked[:k])) / len(wanted)
