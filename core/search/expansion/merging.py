"""Auto-merging: parents replace their children, from the leaves upward, wherever enough of a parent was retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.search.expansion.growth import Extent, Growth, family, leaves_within
from core.search.expansion.relevance import Values, merged_relevance, relative_scores
from core.types import Span

_FEWEST_RETRIEVED = 2  # leaves of a parent; a single hit says nothing about it

_WHOLE = "it is its whole parent"
_LONE = "no other leaf of its parent was retrieved"
_TOO_LITTLE = "too little of its parent was retrieved, support {support:.2f}"
_TOO_LARGE = "its parent is larger than the whole budget"
_OVER = "its parent, support {support:.2f}, is larger than the share of the budget of its {count} retrieved leaves"

LeafRange = tuple[int, int]  # the first and last leaf of a chunk of any level


@dataclass(frozen=True, slots=True)
class _Merge:
    """A chunk that replaces the chunks below it.

    ``height``: 1 for a parent of leaves, 2 for its parent, and so on. ``retrieved``: how many of its leaves were
    retrieved.
    """

    leaf_range: LeafRange
    height: int
    retrieved: int
    support: float


def auto_merge(growth: Growth) -> list[Extent]:
    """For every child, the highest merged chunk above it, or the child itself: never a chunk and its own parent.

    A parent is merged if at least two of its leaves were retrieved, its *support* reaches ``merge_share``, and it fits
    the sum of their shares of the budget. Support is the mean of ``strength / (1 + gap)`` over its leaves, weighted by
    size. Strength is a retrieved leaf's score, scaled so that the average leaf has 0 and the best one 1; 0 for a leaf
    that was not retrieved. Gap is the number of leaves without strength between the leaf and the parent's best leaf:
    two hits far apart are two passages rather than one. After a merge all leaves of the parent get their mean strength,
    and the next level is judged in the same way. Retrieved children of one merged chunk share its span. The catalogue
    is read only if a parent was merged, once, for the levels above.
    """
    leaves = growth.leaves
    strength = dict(zip(growth.children, relative_scores(growth.ranking).tolist(), strict=True))
    position_of = {child: position for position, child in enumerate(growth.children)}
    families = sorted({family(leaves, child) for child in growth.children if leaves.parent_rows[child] >= 0})
    merges: dict[LeafRange, _Merge] = {}
    refused = _judge(growth, families, 1, strength, position_of, merges)
    if merges:
        _judge_ancestors(growth, strength, position_of, merges)
    highest = _highest_merges(merges.values())
    top = float(growth.relevances[0]) if len(growth.relevances) else 0.0
    best: dict[LeafRange, float] = {}
    extents: list[Extent] = []
    for position, child in enumerate(growth.children):
        merge = highest.get(child)
        if merge is None:
            extents.append(growth.alone(position, refused.get(family(leaves, child), "it has no parent")))
            continue
        child_best = best.setdefault(merge.leaf_range, float(growth.relevances[position]))  # children come best first
        extent = growth.run(position, *merge.leaf_range, _reason(merge))
        extents.append(replace(extent, relevance=merged_relevance(child_best, merge.support, max(top, child_best))))
    return extents


def _judge_ancestors(
    growth: Growth, strength: dict[int, float], position_of: dict[int, int], merges: dict[LeafRange, _Merge]
) -> None:
    """Judge the chunks above merged ones, level by level, until nothing is merged."""
    leaves, height = growth.leaves, 2
    ancestors_of = growth.reads.ancestors([leaf_range[0] for leaf_range in merges])
    current = {leaf_range: ancestors_of.get(leaf_range[0], ()) for leaf_range in merges}
    while current:
        parents: dict[LeafRange, Sequence[Span]] = {}
        for leaf_range, ancestors in current.items():
            if len(ancestors) >= height:
                parents[leaves_within(leaves, int(leaves.documents[leaf_range[0]]), ancestors[height - 1])] = ancestors
        # A chunk with a single child has the leaves of that child and was judged with it.
        _judge(growth, sorted(parents.keys() - merges.keys()), height, strength, position_of, merges)
        current = {leaf_range: ancestors for leaf_range, ancestors in parents.items() if leaf_range in merges}
        height += 1


def _judge(
    growth: Growth,
    leaf_ranges: Sequence[LeafRange],
    height: int,
    strength: dict[int, float],
    position_of: dict[int, int],
    merges: dict[LeafRange, _Merge],
) -> dict[LeafRange, str]:
    """Add the chunks that are merged to ``merges``, and set ``strength`` of their leaves to the mean.

    Returns the reason for each of the others, in words for the extents of their children.
    """
    refused: dict[LeafRange, str] = {}
    for leaf_range in leaf_ranges:
        size, leaves = growth.size(*leaf_range), range(leaf_range[0], leaf_range[1] + 1)
        if size > growth.budget:  # checked first, since such a chunk may have very many leaves
            refused[leaf_range] = _TOO_LARGE
            continue
        retrieved = [position_of[leaf] for leaf in leaves if leaf in position_of]
        if len(retrieved) < _FEWEST_RETRIEVED:
            refused[leaf_range] = _WHOLE if len(leaves) == 1 else _LONE
            continue
        strengths = np.array([strength.get(leaf, 0.0) for leaf in leaves])
        support = _support(strengths, growth.sizes[leaf_range[0] : leaf_range[1] + 1].astype(np.float64))
        if support < growth.settings.merge_share:
            refused[leaf_range] = _TOO_LITTLE.format(support=support)
        elif size > sum(map(growth.limit, retrieved)):
            refused[leaf_range] = _OVER.format(count=len(retrieved), support=support)
        else:
            merges[leaf_range] = _Merge(leaf_range, height, len(retrieved), support)
            strength.update(dict.fromkeys(leaves, float(strengths[strengths > 0].mean())))
    return refused


def _support(strengths: Values, sizes: Values) -> float:
    """The support of a chunk, in [0, 1], from the strengths and sizes of its leaves.

    >>> _support(np.array([1.0, 0.0, 0.5]), np.ones(3))
    0.4166666666666667
    """
    missing = np.cumsum(strengths <= 0)
    gaps = np.abs(missing - missing[int(np.argmax(strengths))])
    total = float(sizes.sum())
    return float((sizes * strengths / (1 + gaps)).sum()) / total if total else 0.0


def _highest_merges(merges: Iterable[_Merge]) -> dict[int, _Merge]:
    """The highest merge that contains each leaf."""
    highest: dict[int, _Merge] = {}
    for merge in sorted(merges, key=lambda merge: merge.height):
        highest.update(dict.fromkeys(range(merge.leaf_range[0], merge.leaf_range[1] + 1), merge))
    return highest


def _reason(merge: _Merge) -> str:
    which = "its parent" if merge.height == 1 else f"the chunk {merge.height} levels above it"
    count = merge.leaf_range[1] - merge.leaf_range[0] + 1
    return f"{which}: {merge.retrieved} of its {count} leaves were retrieved, support {merge.support:.2f}"
