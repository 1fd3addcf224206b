"""Parents in the place of their children, from the leaves upward, wherever enough of a parent was retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.search.expansion.growth import Extent, Growth, family, leaves_within
from core.search.expansion.relevance import Values, merged, relative_scores
from core.types import Span

_FEWEST = 2  # leaves that must be retrieved: one child alone says nothing of its parent

_WHOLE = "it is its whole parent"
_LONE = "no other leaf of its parent was retrieved"
_TOO_LITTLE = "too little of its parent was retrieved, support {support:.2f}"
_TOO_LARGE = "its parent is larger than the whole budget"
_OVER = "its parent, support {support:.2f}, is larger than the share of the budget of its {count} retrieved leaves"

Run = tuple[int, int]  # the first and last leaf of a chunk of any level


@dataclass(frozen=True, slots=True)
class _Merged:
    """A chunk that takes the place of what is below it. ``height``: 1 for a parent, 2 for its parent, and so on."""

    run: Run
    height: int
    retrieved: int
    support: float


def auto_merge(growth: Growth) -> list[Extent]:
    """Every child, or the highest chunk above it that was merged: never a chunk and its own parent.

    A parent is merged when at least two of its leaves were retrieved, its *support* reaches ``merge_share`` and it fits
    what they may fill of the budget together, for it is read in the place of all of them. Support is the mean over its
    leaves, weighted by their sizes, of ``strength / (1 + gap)``. Strength: where a retrieved leaf's score lies between
    the average leaf's (0) and the best one's (1); 0 of a leaf that was not retrieved. Gap: how many leaves without
    strength lie between it and the parent's best leaf, for two hits far apart are two passages rather than one. A
    merged parent stands with all its leaves at their mean strength when the parent above it is judged, and so on up the
    tree. Retrieved children of one merged parent share its span. Only where something was merged the catalogue is
    asked, once, for the levels above it.
    """
    leaves = growth.leaves
    strength = dict(zip(growth.children, relative_scores(growth.ranking).tolist(), strict=True))
    place_of = {child: place for place, child in enumerate(growth.children)}
    families = sorted({family(leaves, child) for child in growth.children if leaves.parent_rows[child] >= 0})
    won: dict[Run, _Merged] = {}
    refused = _judge(growth, families, 1, strength, place_of, won)
    if won:
        _climb(growth, strength, place_of, won)
    highest = _over(won.values())
    top = float(growth.relevances[0]) if len(growth.relevances) else 0.0
    best: dict[Run, float] = {}
    made: list[Extent] = []
    for place, child in enumerate(growth.children):
        over = highest.get(child)
        if over is None:
            made.append(growth.alone(place, refused.get(family(leaves, child), "it has no parent")))
            continue
        first = best.setdefault(over.run, float(growth.relevances[place]))
        extent = growth.run(place, *over.run, _reason(over))
        made.append(replace(extent, relevance=merged(first, over.support, max(top, first))))
    return made


def _climb(growth: Growth, strength: dict[int, float], place_of: dict[int, int], won: dict[Run, _Merged]) -> None:
    """Judge the levels above the parents that were merged, as long as something is merged below them."""
    leaves, height = growth.leaves, 2
    chains = growth.reads.ancestors([run[0] for run in won])
    standing = {run: chains.get(run[0], ()) for run in won}
    while standing:
        above: dict[Run, Sequence[Span]] = {}
        for run, chain in standing.items():
            if len(chain) >= height:
                above[leaves_within(leaves, int(leaves.documents[run[0]]), chain[height - 1])] = chain
        # A chunk with one child alone has its child's leaves, and was judged with it.
        _judge(growth, sorted(above.keys() - won.keys()), height, strength, place_of, won)
        standing = {run: chain for run, chain in above.items() if run in won}
        height += 1


def _judge(
    growth: Growth,
    runs: Sequence[Run],
    height: int,
    strength: dict[int, float],
    place_of: dict[int, int],
    won: dict[Run, _Merged],
) -> dict[Run, str]:
    """Which of the chunks are merged: they are added to ``won``, and their leaves all get their mean strength.

    Of the others why they are not, as the reason of a child of theirs.
    """
    refused: dict[Run, str] = {}
    for run in runs:
        size, leaves = growth.size(*run), range(run[0], run[1] + 1)
        if size > growth.budget:  # no dial helps: its leaves, which may be many, need not be looked at one by one
            refused[run] = _TOO_LARGE
            continue
        inside = [place_of[leaf] for leaf in leaves if leaf in place_of]
        if len(inside) < _FEWEST:
            refused[run] = _WHOLE if len(leaves) == 1 else _LONE
            continue
        strengths = np.array([strength.get(leaf, 0.0) for leaf in leaves])
        support = _support(strengths, growth.sizes[run[0] : run[1] + 1].astype(np.float64))
        if support < growth.settings.merge_share:
            refused[run] = _TOO_LITTLE.format(support=support)
        elif size > sum(map(growth.limit, inside)):
            refused[run] = _OVER.format(count=len(inside), support=support)
        else:
            won[run] = _Merged(run, height, len(inside), support)
            strength.update(dict.fromkeys(leaves, float(strengths[strengths > 0].mean())))
    return refused


def _support(strengths: Values, sizes: Values) -> float:
    """From 0 to 1: how much of a chunk was retrieved, and how well and how close together.

    >>> _support(np.array([1.0, 0.0, 0.5]), np.ones(3))
    0.4166666666666667
    """
    missing = np.cumsum(strengths <= 0)
    gaps = np.abs(missing - missing[int(np.argmax(strengths))])
    total = float(sizes.sum())
    return float((sizes * strengths / (1 + gaps)).sum()) / total if total else 0.0


def _over(merges: Iterable[_Merged]) -> dict[int, _Merged]:
    """The highest merged chunk over each leaf."""
    highest: dict[int, _Merged] = {}
    for one in sorted(merges, key=lambda item: item.height):
        highest.update(dict.fromkeys(range(one.run[0], one.run[1] + 1), one))
    return highest


def _reason(over: _Merged) -> str:
    which = "its parent" if over.height == 1 else f"the chunk {over.height} levels above it"
    count = over.run[1] - over.run[0] + 1
    return f"{which}: {over.retrieved} of its {count} leaves were retrieved, support {over.support:.2f}"
