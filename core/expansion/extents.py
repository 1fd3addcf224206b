"""Expansion as index arithmetic over the leaf snapshot: siblings stand side by side, so growing reads no catalogue.

An extent is a run of neighbouring leaves of one parent around a retrieved child. The limit keeps one parent from
drowning the others, and falls with the child's rank: expansion has to earn its place in the budget it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval import Ranking
from core.settings import ExpansionSettings


@dataclass(frozen=True, slots=True)
class Extent:
    """Leaves ``[first, last]`` (indices into the snapshot) wanted for the child at index ``child``, and why."""

    child: int
    first: int
    last: int
    reason: str


Sizes = NDArray[np.int64]
Expander = Callable[[Ranking, int, Sizes, int], Extent]


def flat(ranking: Ranking, child: int, sizes: Sizes, limit: int) -> Extent:
    """The child as it is."""
    return Extent(child, child, child, "the child alone: expansion is off")


def parent(ranking: Ranking, child: int, sizes: Sizes, limit: int) -> Extent:
    """The child's parent where it fits the limit, else as many siblings as fit, the better-scored side first."""
    parents = ranking.leaves.parent_rows
    if parents[child] < 0:
        return Extent(child, child, child, "the child alone: it has no parent")
    first, last = _family(parents, child)
    whole = int(sizes[first : last + 1].sum())
    if first == last:
        return Extent(child, child, child, "the child is its whole parent")
    if whole <= limit:
        return Extent(child, first, last, f"the whole parent: {last - first + 1} leaves")
    low = high = child
    used = int(sizes[child])
    scores = _Scores(ranking)
    while True:
        options = [index for index in (low - 1, high + 1) if first <= index <= last and used + sizes[index] <= limit]
        if not options:
            break
        best = max(options, key=lambda index: (scores.of(index), -index))
        low, high = min(low, best), max(high, best)
        used += int(sizes[best])
    if low == high:
        return Extent(child, child, child, "the child alone: no sibling fits its share of the budget")
    return Extent(child, low, high, f"{high - low + 1} of the parent's {last - first + 1} leaves: the share ends there")


EXPANDERS: dict[str, Expander] = {"flat": flat, "parent": parent}


def expand(ranking: Ranking, settings: ExpansionSettings, sizes: Sizes, budget: int) -> list[Extent]:
    """One extent for each kept leaf, in relevance order.

    ``sizes``: of each leaf of the snapshot, in the budget's unit. ``budget``: the reader's whole room.
    """
    expander = EXPANDERS[settings.strategy]
    share = budget * settings.max_share
    return [
        expander(ranking, int(child), sizes, int(share / rank**settings.share_decay))
        for rank, child in enumerate(ranking.pool[ranking.kept], start=1)
    ]


def _family(parents: NDArray[np.int64], child: int) -> tuple[int, int]:
    """First and last index of the child's siblings, itself included: a parent's leaves stand side by side."""
    row = parents[child]
    first = last = child
    while first > 0 and parents[first - 1] == row:
        first -= 1
    while last + 1 < len(parents) and parents[last + 1] == row:
        last += 1
    return first, last


class _Scores:
    """Final scores by leaf index; leaves outside the pool score lowest."""

    def __init__(self, ranking: Ranking) -> None:
        self._pool = ranking.pool
        self._final = ranking.final

    def of(self, index: int) -> float:
        place = int(np.searchsorted(self._pool, index))
        inside = place < len(self._pool) and self._pool[place] == index
        return float(self._final[place]) if inside else float("-inf")
