"""Context recall: how many of the gold excerpts the reader got, rather than how many of their characters."""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.regions import Placed, Region, region


def context_recall(taken: Region, gold_spans: Sequence[Placed]) -> float:
    """Share of ``gold_spans`` of which at least half the characters are in ``taken``.

    ``gold_spans``: at least one, none empty. Unlike ``recall``, a short excerpt counts as much as a long one. Source:
    RAGAS, "Non LLM Based Context Recall" (docs.ragas.io), which finds a reference again when its edit similarity to a
    passage retrieved exceeds 0.5; here the characters are known, so they are counted instead, and half is enough.

    >>> context_recall(region([("a", 0, 10)]), [("a", 5, 15), ("a", 6, 15), ("b", 0, 4), ("a", 0, 1)])
    0.5
    """
    read = sum(2 * taken.common(region([(name, start, end)])) >= end - start for name, start, end in gold_spans)
    return read / len(gold_spans)
