"""How large the chunks of a tree are: figures, and the shares of sections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.types import Chunk, ChunkTree


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a tree's leaves in the embedder's tokens, and how many chunks are above them.

    Quartiles are interpolated linearly; all are 0 for a tree without leaves. ``parents``: of level 1.
    """

    leaves: int
    smallest: int
    lower: float
    median: float
    upper: float
    largest: int
    parents: int


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
    if not len(tokens):
        return Sizes(0, 0, 0.0, 0.0, 0.0, 0, parents)
    lower, median, upper = (float(value) for value in np.percentile(tokens, (25, 50, 75)))
    return Sizes(len(tokens), int(tokens.min()), lower, median, upper, int(tokens.max()), parents)


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
