"""The boundaries between the leaves of a chunk tree."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.spans import Placed, touching
from core.types import Block, BlockKind, Chunk, ChunkTree, Span

_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundary between two leaves, ``before`` and ``after``, as indices into ``ChunkTree.leaves``.

    ``end``: end of the leaf before. ``start``: start of the leaf after, its overlap included. ``cut``: the first
    visible character at or after both, which does not depend on how white space is assigned to leaves.
    """

    before: int
    after: int
    end: int
    start: int
    cut: int

    @property
    def overlapping(self) -> bool:
        """Whether the leaf after repeats text of the leaf before."""
        return self.start < self.end


def boundaries(tree: ChunkTree) -> tuple[Boundary, ...]:
    """The boundaries of a tree in text order: one before every leaf that has text beyond all leaves before it.

    >>> from core.types import Document
    >>> leaves = [Chunk(name, 0, None, start, end, "ab cd ef"[start:end], 1)
    ...           for name, start, end in (("x", 0, 2), ("y", 3, 5), ("z", 3, 8))]
    >>> [(found.before, found.after, found.cut) for found in boundaries(ChunkTree(
    ...     Document("v", "text", "T", "ab cd ef"), tuple(leaves)))]
    [(0, 1, 3), (1, 2, 6)]
    """
    text, leaves = tree.document.text, tree.leaves
    result: list[Boundary] = []
    farthest = 0  # index of the leaf with the largest end so far
    for number in range(1, len(leaves)):
        leaf, end = leaves[number], leaves[farthest].end
        visible = _VISIBLE.search(text, max(leaf.start, end), leaf.end)
        if visible is not None:
            result.append(Boundary(farthest, number, end, leaf.start, visible.start()))
            farthest = number
    return tuple(result)


def cuts(tree: ChunkTree) -> tuple[int, ...]:
    """The ``cut`` of each boundary, ascending."""
    return tuple(boundary.cut for boundary in boundaries(tree))


def holder(leaves: Sequence[Chunk], starts: Sequence[int], position: int) -> int:
    """The index of the last leaf that begins at or before ``position``; 0 for none.

    ``starts``: of the leaves, ascending; passed in so that repeated calls need not compute them.
    """
    return max(0, min(len(leaves), bisect_right(starts, position)) - 1)


def block_at(blocks: Sequence[Block], position: int) -> Block | None:
    """The block that contains the character at ``position``; ``None`` between blocks."""
    return next(iter(blocks[touching(blocks, position, position + 1)]), None)


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
_UNITS = (BlockKind.TABLE, BlockKind.CODE)  # consist of rows or lines instead of sentences


class SentencePlaces:
    """Finds the sentences that boundaries run through, in one text."""

    __slots__ = ("_blocks", "_sentences", "_starts", "_text")

    def __init__(self, text: str, blocks: Sequence[Block], sentences: Sequence[Span]) -> None:
        self._text, self._blocks, self._sentences = text, blocks, sentences
        self._starts = [span.start for span in sentences]

    def across(self, end: int, start: int) -> Span | None:
        """The sentence that contains both ``end - 1`` and ``start``; ``None`` when it ends between them.

        Both must be visible characters with only white space between them. In tables and code there are no sentences.
        """
        text = self._text
        gap = text[end:start]
        if _BLANK_LINE.search(gap) is not None:
            return None
        block = block_at(self._blocks, end - 1)
        if block is not None and (block.end <= start or block.kind in _UNITS or begins(block.parts, start)):
            return None
        if block is None and block_at(self._blocks, start) is not None:
            return None
        index = bisect_right(self._starts, start) - 1
        sentence = self._sentences[index] if index >= 0 else None
        return sentence if sentence is not None and sentence.start < end and sentence.end > start else None


def begins(placed: Sequence[Placed], position: int) -> bool:
    """Whether one of ``placed``, which are sorted, begins at ``position``."""
    index = bisect_right(placed, position, key=lambda one: one.start) - 1
    return index >= 0 and placed[index].start == position
