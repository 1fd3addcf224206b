"""The boundaries of a tree: between which leaves, and where the first words stand that the leaf before has not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.spans import touching
from core.types import Block, BlockKind, Chunk, ChunkTree, Span

_VISIBLE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Boundary:
    """Between leaf ``before`` and leaf ``after``, as indices into ``ChunkTree.leaves``.

    ``end``: where the text of the leaf before ends. ``start``: where the leaf after begins, its overlap included.
    ``cut``: the first visible character at or behind both, so that two trees cut alike have equal cuts.
    """

    before: int
    after: int
    end: int
    start: int
    cut: int

    @property
    def overlapping(self) -> bool:
        """Whether the leaf after repeats words of the leaf before."""
        return self.start < self.end


def boundaries(tree: ChunkTree) -> tuple[Boundary, ...]:
    """One boundary before every leaf but the first that adds something to the leaves before it, in text order.

    >>> from core.types import Document
    >>> leaves = [Chunk(name, 0, None, start, end, "ab cd ef"[start:end], 1)
    ...           for name, start, end in (("x", 0, 2), ("y", 3, 5), ("z", 3, 8))]
    >>> [(found.before, found.after, found.cut) for found in boundaries(ChunkTree(
    ...     Document("v", "text", "T", "ab cd ef"), tuple(leaves)))]
    [(0, 1, 3), (1, 2, 6)]
    """
    text, leaves = tree.document.text, tree.leaves
    found: list[Boundary] = []
    last = 0  # the leaf that reaches farthest
    for number in range(1, len(leaves)):
        leaf, end = leaves[number], leaves[last].end
        visible = _VISIBLE.search(text, max(leaf.start, end), leaf.end)
        if visible is not None:
            found.append(Boundary(last, number, end, leaf.start, visible.start()))
            last = number
    return tuple(found)


def cuts(tree: ChunkTree) -> tuple[int, ...]:
    """Where the tree's leaves meet: the first visible character behind each boundary, ascending, each once."""
    return tuple(boundary.cut for boundary in boundaries(tree))


def holder(leaves: Sequence[Chunk], starts: Sequence[int], position: int) -> int:
    """Index of the last leaf that begins at or before ``position``; 0 where none does.

    ``starts``: of the leaves, ascending; the caller keeps them, so that asking often is quick.
    """
    return max(0, min(len(leaves), bisect_right(starts, position)) - 1)


def block_at(blocks: Sequence[Block], position: int) -> Block | None:
    """The block that holds the character at ``position``; ``None`` between blocks."""
    return next(iter(blocks[touching(blocks, position, position + 1)]), None)


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
_UNITS = (BlockKind.TABLE, BlockKind.CODE)  # made of rows and lines, not of sentences


class SentencePlaces:
    """Sentences around places of one text."""

    __slots__ = ("_blocks", "_sentences", "_starts", "_text")

    def __init__(self, text: str, blocks: Sequence[Block], sentences: Sequence[Span]) -> None:
        self._text, self._blocks, self._sentences = text, blocks, sentences
        self._starts = [span.start for span in sentences]

    def across(self, end: int, start: int) -> Span | None:
        """The sentence that holds ``end - 1`` and ``start``; ``None`` when it ends between.

        Both are visible characters with nothing but blanks between them. Rows and lines of code are not sentences.
        """
        text = self._text
        gap = text[end:start]
        if _BLANK_LINE.search(gap) is not None:
            return None
        block = block_at(self._blocks, end - 1)
        if block is not None and (block.end <= start or block.kind in _UNITS or _begins_part(block, start)):
            return None
        if block is None and block_at(self._blocks, start) is not None:
            return None
        index = bisect_right(self._starts, start) - 1
        found = self._sentences[index] if index >= 0 else None
        return found if found is not None and found.start < end and found.end > start else None


def _begins_part(block: Block, position: int) -> bool:
    index = bisect_right(block.parts, position, key=_start) - 1
    return index >= 0 and block.parts[index].start == position


def _start(span: Span) -> int:
    return span.start
