"""Children left as they are, or grown to their parents: siblings stand side by side, so this is index arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.expansion.extents import Extent, family
from core.expansion.growth import Growth


def flat(growth: Growth) -> list[Extent]:
    """Every child as it is."""
    return [growth.alone(place, "expansion is off") for place in range(len(growth.children))]


def parent(growth: Growth) -> list[Extent]:
    """Every child's parent where it fits the child's share, else as many siblings as fit, the better side first.

    With ``parent_ratio`` the parent is taken only to about that many times the child's size. Reads the documents' kinds
    where ``kinds`` are chosen, else nothing.
    """
    return [_parent(growth, place) for place in range(len(growth.children))]


def gated_parent(growth: Growth) -> list[Extent]:
    """As ``parent`` for children whose confidence is below the threshold; the others as they are."""
    made: list[Extent] = []
    for place, confidence in enumerate(growth.confidences.tolist()):
        if confidence < growth.settings.confidence:
            made.append(_parent(growth, place))
        else:
            made.append(growth.alone(place, f"its confidence of {confidence:.2f} is enough"))
    return made


def _parent(growth: Growth, place: int) -> Extent:
    child, leaves, settings = growth.children[place], growth.leaves, growth.settings
    if settings.kinds and (kind := growth.reads.kind(int(leaves.documents[child]))) not in settings.kinds:
        return growth.alone(place, f"parents are not taken of documents of the kind {kind!r}")
    if leaves.parent_rows[child] < 0:
        return growth.alone(place, "it has no parent")
    first, last = family(leaves, child)
    if first == last:
        return growth.run(place, child, child, "the child is its whole parent")
    limit, count = growth.limit(place), last - first + 1
    aim = settings.parent_ratio * float(growth.sizes[child]) if settings.parent_ratio else float("inf")
    whole = growth.size(first, last)
    if whole <= min(limit, aim):
        return growth.run(place, first, last, f"the whole parent: {count} leaves")
    low, high = _grown(growth, child, (first, last), limit, aim)
    if (low, high) == (first, last):
        return growth.run(place, first, last, f"the whole parent: {count} leaves")
    shared = whole > limit and aim > growth.size(low, high)
    if low == high:
        reason = "no sibling fits its share of the budget" if shared else "a sibling would pass its ratio"
        return growth.alone(place, reason)
    ends = "the share ends there" if shared else f"about {settings.parent_ratio:g} times the child"
    return growth.run(place, low, high, f"{high - low + 1} of the parent's {count} leaves: {ends}")


def _grown(growth: Growth, child: int, whole: tuple[int, int], limit: int, aim: float) -> tuple[int, int]:
    """The run of siblings around the child, the better-scored side first: never over ``limit``, as near to ``aim``."""
    sizes, score_of = growth.sizes, _scores(growth)
    low = high = child
    used = int(sizes[child])
    while True:
        options = [
            index
            for index in (low - 1, high + 1)
            if whole[0] <= index <= whole[1] and used + sizes[index] <= limit and used + sizes[index] / 2 <= aim
        ]
        if not options:
            return low, high
        best = max(options, key=lambda index: (score_of(index), -index))
        low, high = min(low, best), max(high, best)
        used += int(sizes[best])


def _scores(growth: Growth) -> Callable[[int], float]:
    """Final scores by leaf index; leaves that are not ranked score lowest."""
    pool, final = growth.ranking.pool, growth.ranking.broad

    def score_of(index: int) -> float:
        place = int(np.searchsorted(pool, index))
        inside = place < len(pool) and pool[place] == index and not np.isnan(final[place])
        return float(final[place]) if inside else float("-inf")

    return score_of
