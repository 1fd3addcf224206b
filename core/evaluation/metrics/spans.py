"""What the reader got, held against the gold: ``metric(taken, gold, budget)`` in characters.

``taken``: the context cut at ``budget`` characters (``core.evaluation.regions.take``). ``gold``: never empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.regions import Placed, Region, region


def recall(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |gold|``, in characters; ``budget`` plays no part beyond having cut ``taken``.

    >>> recall(region([("a", 0, 5)]), region([("a", 0, 10)]), 100)
    0.5
    """
    return taken.common(gold) / gold.size


def attained(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / min(budget, |gold|)``: recall that a perfect context brings to 1 even where gold is longer.

    >>> attained(region([("a", 0, 5)]), region([("a", 0, 1000)]), 10)
    0.5
    """
    return taken.common(gold) / min(budget, gold.size)


def precision(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |taken|``, in characters; 0 for an empty context.

    >>> precision(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.25
    """
    return taken.common(gold) / taken.size if taken.size else 0.0


def iou(taken: Region, gold: Region, budget: int) -> float:
    """``|taken ∩ gold| / |taken ∪ gold|``, in characters (Jaccard's index).

    >>> iou(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.2
    """
    common = taken.common(gold)
    return common / (taken.size + gold.size - common)


FULL_RECALL = 0.999
"""The suites' definition: one lost character of a long gold span (a blank at its edge) is forgiven."""


def full(taken: Region, gold: Region, budget: int) -> float:
    """1 where recall is at least 0.999, else 0; its mean is the share of questions wholly served.

    >>> full(region([("a", 0, 8)]), region([("a", 6, 8)]), 8), full(region([("a", 0, 8)]), region([("a", 6, 9)]), 8)
    (1.0, 0.0)
    """
    return float(recall(taken, gold, budget) >= FULL_RECALL)


def before_gold(context: Sequence[Placed], gold: Region) -> tuple[Placed, ...] | None:
    """What is read of ``context``, in its order, before the first character of ``gold``; ``None`` where none is read.

    Its length is what a reader pays to get to the answer. Spans of a context hold no character twice.

    >>> before_gold([("a", 0, 8), ("b", 0, 9)], region([("b", 4, 12)]))
    (('a', 0, 8), ('b', 0, 4))
    """
    for place, (name, start, end) in enumerate(context):
        if held := region([(name, start, end)]).shared(gold):
            return (*context[:place], (name, start, held[0][1]))
    return None


def share_before_gold(context: Sequence[Placed], gold: Region) -> float | None:
    """The share of ``context``, in its order, that stands before its first gold; ``None`` where it holds none.

    >>> share_before_gold([("a", 0, 8), ("b", 0, 8)], region([("b", 4, 12)]))
    0.75
    """
    before = before_gold(context, gold)
    if before is None:
        return None
    return sum(end - start for _, start, end in before) / sum(end - start for _, start, end in context)


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
