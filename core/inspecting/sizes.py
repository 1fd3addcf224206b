"""How large the chunks of a tree are: figures, a histogram for a plot, shares of sections, and how full parents are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.types import Chunk, ChunkTree

_ROUND_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a tree's leaves in the embedder's tokens, and how many chunks are above them.

    Quartiles are interpolated linearly; all are 0 for a tree without leaves. ``parents``: of level 1.
    """

    leaves: int
    smallest: int
    lower: float
    median: float
    mean: float
    upper: float
    largest: int
    parents: int
    levels: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts for a plot: ``counts[i]`` values lie in ``[edges[i], edges[i + 1])``; edges are round and even."""

    edges: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The leaves under one heading path, () before the first heading: their number, text and share of all text.

    ``characters`` are counted once where leaves overlap. ``share`` is in (0, 1] and adds up to 1 over the sections.
    """

    path: tuple[str, ...]
    leaves: int
    characters: int
    share: float


def sizes(tree: ChunkTree) -> Sizes:
    """The figures of a tree's sizes, as a table shows them side by side."""
    tokens = np.array([leaf.tokens for leaf in tree.leaves], dtype=np.float64)
    parents = sum(chunk.level == 1 for chunk in tree.chunks)
    levels = max((chunk.level for chunk in tree.chunks), default=-1) + 1
    if not len(tokens):
        return Sizes(0, 0, 0.0, 0.0, 0.0, 0.0, 0, parents, levels)
    lower, median, upper = (float(value) for value in np.percentile(tokens, (25, 50, 75)))
    mean = float(tokens.mean())
    return Sizes(len(tokens), int(tokens.min()), lower, median, mean, upper, int(tokens.max()), parents, levels)


def histogram(values: Sequence[int], most: int = 30) -> Histogram:
    """At most ``most`` bins of equal, round width (1, 2 or 5 times a power of ten) from 0 over every value.

    Raises ``ValueError`` for a negative value: sizes have none.

    >>> histogram([3, 4, 12], most=3)
    Histogram(edges=(0, 5, 10, 15), counts=(2, 0, 1))
    """
    if not len(values):
        return Histogram((0, 1), (0,))
    if min(values) < 0:
        raise ValueError("Sizes are not negative.")
    largest, power = max(values), 1
    while True:
        for step in _ROUND_STEPS:
            bins = largest // (step * power) + 1
            if bins <= max(1, most):
                counts = np.bincount(np.asarray(values, dtype=np.int64) // (step * power), minlength=bins)
                edges = tuple(range(0, (bins + 1) * step * power, step * power))
                return Histogram(edges, tuple(counts.tolist()))
        power *= 10


def level_histogram(tree: ChunkTree, level: int, most: int = 30) -> Histogram:
    """Of the tokens of the chunks of a level, without prefixes: 0 for leaves, 1 for the parents right above them."""
    return histogram([chunk.tokens for chunk in tree.chunks if chunk.level == level], most)


def sections(tree: ChunkTree) -> tuple[Section, ...]:
    """How the leaves' text is shared out among heading paths, in the order in which they first come."""
    leaves: dict[tuple[str, ...], int] = {}
    characters: dict[tuple[str, ...], int] = {}
    reached = 0
    for leaf in tree.leaves:
        leaves[leaf.headings] = leaves.get(leaf.headings, 0) + 1
        own = max(0, leaf.end - max(leaf.start, reached))
        characters[leaf.headings] = characters.get(leaf.headings, 0) + own
        reached = max(reached, leaf.end)
    whole = max(1, sum(characters.values()))
    return tuple(Section(path, leaves[path], number, number / whole) for path, number in characters.items())


def size_of(chunk: Chunk, unit: str) -> int:
    """A chunk's own size in ``unit``, without prefix.

    >>> size_of(Chunk("c", 0, None, 0, 4, "four", 1), "characters")
    4
    """
    return chunk.tokens if unit == "tokens" else chunk.end - chunk.start
