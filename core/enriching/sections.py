"""The sections of a document: whose heading they stand under, how long they are, what they are called.

Also values asked for by span.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.text.spans import touching
from core.types import Block, BlockKind, Document, Span

_MARKS = re.compile(r"^\s*#{1,6}[ \t]+|[ \t]+#+[ \t]*$|\n[=\-]+[ \t]*$|[*_`~]+|[ \t]*\{[#.][^{}\n]{0,200}\}[ \t]*$")
_LINKED = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")


@dataclass(frozen=True, slots=True)
class Section:
    """``title``: the heading's words; ``span``: from the heading to the next one of its level or above."""

    title: str
    level: int
    heading: Span
    span: Span


class Sections:
    """The sections in the order of their headings; ``blocks`` are the document's own, asked for by span."""

    __slots__ = ("_starts", "document", "sections")

    def __init__(self, document: Document) -> None:
        self.document = document
        headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
        ends = _ends(headings, len(document.text))
        self.sections = [
            Section(_title(document, block), block.level, block.span, Span(block.start, end))
            for block, end in zip(headings, ends, strict=True)
        ]
        self._starts = [block.start for block in headings]

    def at(self, position: int) -> int:
        """Index of the last heading that begins at or before ``position``; -1 before the first."""
        return bisect_right(self._starts, position) - 1

    def blocks(self, start: int, end: int) -> list[Block]:
        """The document's blocks that share a character with ``[start, end)``, in order."""
        blocks = self.document.blocks
        return list(blocks[touching(blocks, start, end)])

    def inside(self, section: Section) -> list[Block]:
        """The blocks of a section without its heading."""
        return self.blocks(section.heading.end, section.span.end)


def _ends(headings: list[Block], length: int) -> list[int]:
    """Where each heading's section ends: at the next heading of its level or above."""
    ends = [length] * len(headings)
    unfinished: list[int] = []
    for index, block in enumerate(headings):
        while unfinished and headings[unfinished[-1]].level >= block.level:
            ends[unfinished.pop()] = block.start
        unfinished.append(index)
    return ends


def _title(document: Document, block: Block) -> str:
    raw = document.text[block.start : min(block.end, block.start + 400)]
    if document.kind in {"markdown", "notebook"}:
        raw = _MARKS.sub("", _LINKED.sub(r"\1", raw))
    return " ".join(raw.split())[:300]


Value = TypeVar("Value")


class SpanIndex(Generic[Value]):
    """Values with the spans they were found at, in the order of the text.

    >>> found = SpanIndex([(4, 9, "b"), (0, 3, "a"), (12, 14, "a")])
    >>> found.within(0, 13), found.distinct(0, 14, most=9)
    (['a', 'b'], ('a', 'b'))
    """

    __slots__ = ("_items", "_starts")

    def __init__(self, items: Iterable[tuple[int, int, Value]]) -> None:
        self._items = sorted(items, key=lambda item: item[:2])
        self._starts = [start for start, _, _ in self._items]

    def within(self, start: int, end: int) -> list[Value]:
        """Values whose whole span lies in ``[start, end)``."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [value for _, stop, value in self._items[first:last] if stop <= end]

    def distinct(self, start: int, end: int, most: int) -> tuple[Value, ...]:
        """Those values, each once, at most so many."""
        return tuple(dict.fromkeys(self.within(start, end)))[:most]

    def last_before(self, position: int) -> Value | None:
        """The value that begins last before ``position``; ``None`` when none does."""
        at = bisect_left(self._starts, position) - 1
        return self._items[at][2] if at >= 0 else None
