"""Span metrics in characters: ``metric(retrieved, gold, budget)``.

``retrieved``: the context cut at ``budget`` characters (``core.evaluation.regions.cut_to_budget``). ``gold``: not
empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.regions import Placed, Region, region


def recall(retrieved: Region, gold: Region, budget: int) -> float:
    """``|retrieved ∩ gold| / |gold|``.

    >>> recall(region([("a", 0, 5)]), region([("a", 0, 10)]), 100)
    0.5
    """
    return retrieved.common(gold) / gold.size


def attained(retrieved: Region, gold: Region, budget: int) -> float:
    """``|retrieved ∩ gold| / min(budget, |gold|)``: recall that can reach 1 even where the gold exceeds the budget.

    >>> attained(region([("a", 0, 5)]), region([("a", 0, 1000)]), 10)
    0.5
    """
    return retrieved.common(gold) / min(budget, gold.size)


def precision(retrieved: Region, gold: Region, budget: int) -> float:
    """``|retrieved ∩ gold| / |retrieved|``; 0 for an empty context.

    >>> precision(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.25
    """
    return retrieved.common(gold) / retrieved.size if retrieved.size else 0.0


def iou(retrieved: Region, gold: Region, budget: int) -> float:
    """``|retrieved ∩ gold| / |retrieved ∪ gold|``, the Jaccard index.

    >>> iou(region([("a", 0, 8)]), region([("a", 6, 10)]), 8)
    0.2
    """
    common = retrieved.common(gold)
    return common / (retrieved.size + gold.size - common)


FULL_RECALL = 0.999
"""The suites' threshold: tolerates one missing character of a long gold span, such as a blank at its edge."""


def full(retrieved: Region, gold: Region, budget: int) -> float:
    """1 where recall is at least 0.999, else 0. Its mean is the share of questions whose gold was retrieved completely.

    >>> full(region([("a", 0, 8)]), region([("a", 6, 8)]), 8), full(region([("a", 0, 8)]), region([("a", 6, 9)]), 8)
    (1.0, 0.0)
    """
    return float(recall(retrieved, gold, budget) >= FULL_RECALL)


def before_gold(context: Sequence[Placed], gold: Region) -> tuple[Placed, ...] | None:
    """The part of ``context``, in its order, before the first character of ``gold``; ``None`` where it has no gold.

    Its length is what a reader reads before the answer. The spans of a context do not overlap.

    >>> before_gold([("a", 0, 8), ("b", 0, 9)], region([("b", 4, 12)]))
    (('a', 0, 8), ('b', 0, 4))
    """
    for position, (name, start, end) in enumerate(context):
        if common := region([(name, start, end)]).shared(gold):
            first_gold = common[0][1]
            return (*context[:position], (name, start, first_gold))
    return None


def share_before_gold(context: Sequence[Placed], gold: Region) -> float | None:
    """The share of ``context``, in its order, before its first gold; ``None`` where it has no gold.

    >>> share_before_gold([("a", 0, 8), ("b", 0, 8)], region([("b", 4, 12)]))
    0.75
    """
    before = before_gold(context, gold)
    if before is None:
        return None
    return sum(end - start for _, start, end in before) / sum(end - start for _, start, end in context)


def context_recall(retrieved: Region, gold_spans: Sequence[Placed]) -> float:
    """The share of ``gold_spans`` of which at least half the characters were retrieved.

    ``gold_spans``: at least one, none empty. Unlike in ``recall``, a short span counts as much as a long one. Source:
    RAGAS, "Non LLM Based Context Recall" (docs.ragas.io), which counts a reference as retrieved when its edit
    similarity to a passage exceeds 0.5. Here the positions are known, so common characters are counted instead.

    >>> context_recall(region([("a", 0, 10)]), [("a", 5, 15), ("a", 6, 15), ("b", 0, 4), ("a", 0, 1)])
    0.5
    """
    hits = sum(2 * retrieved.common(region([(name, start, end)])) >= end - start for name, start, end in gold_spans)
    return hits / len(gold_spans)
