"""Whether a sentence runs across a place: by its neighbourhood alone, since all sentences of a text cost too much."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.inspecting.boundaries import Blocks
from core.text.sentences import sentence_spans
from core.types import Block, BlockKind, Span

_BEFORE, _BEHIND = 120, 60  # characters that decide whether a stop ends a sentence
_PARAGRAPH = 600  # characters of a paragraph looked at either way, to tell wrapped lines from short ones
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
_STOP = re.compile(r"[.!?…‼⁇⁈⁉؟۔।॥։。！？｡][\"'”’“‘«»›)\]}*_`）』」】》〉｣\d,–\-\[¹²³⁰-⁹\s]*\Z")
_UNITS = (BlockKind.TABLE, BlockKind.CODE)  # made of rows and lines, not of sentences


class SentencePlaces:
    """Sentences around places of one text. ``sentences``: all of them where they are known; asking is quicker then."""

    __slots__ = ("_blocks", "_sentences", "_starts", "_text")

    def __init__(self, text: str, blocks: Blocks, sentences: Sequence[Span] | None = None) -> None:
        self._text = text
        self._blocks = blocks
        self._sentences = sentences
        self._starts = [span.start for span in sentences] if sentences is not None else []

    def across(self, end: int, start: int) -> Span | None:
        """The sentence, or the part of it nearby, that holds ``end - 1`` and ``start``; ``None`` when it ends between.

        Both are visible characters with nothing but blanks between them. Rows and lines of code are not sentences.
        """
        text = self._text
        gap = text[end:start]
        if _BLANK_LINE.search(gap) is not None:
            return None
        block = self._blocks.at(end - 1)
        if block is not None and (block.end <= start or block.kind in _UNITS or _begins_part(block, start)):
            return None
        if block is None and self._blocks.at(start) is not None:
            return None
        if self._sentences is not None:
            index = bisect_right(self._starts, start) - 1
            found = self._sentences[index] if index >= 0 else None
            return found if found is not None and found.start < end and found.end > start else None
        low, high = (block.start, block.end) if block is not None else (0, len(text))
        return self._nearby(end, start, low, high)

    def _nearby(self, end: int, start: int, low: int, high: int) -> Span | None:
        text = self._text
        if "\n" not in text[end:start]:
            low, high = max(low, end - _BEFORE), min(high, start + _BEHIND)
            if _STOP.search(text, max(low, end - 24), end) is None and "\u2028" not in text[end:start]:
                return Span(low, high)
        else:
            breaks = [match.end() for match in _BLANK_LINE.finditer(text, max(low, end - _PARAGRAPH), end)]
            low = breaks[-1] if breaks else max(low, end - _PARAGRAPH)
            blank = _BLANK_LINE.search(text, start, min(high, start + _PARAGRAPH))
            high = blank.start() if blank else min(high, start + _PARAGRAPH)
        for span in sentence_spans(text, low, high):
            if span.start < end and span.end > start:
                return span
            if span.start >= start:
                break
        return None


def _begins_part(block: Block, position: int) -> bool:
    index = bisect_right(block.parts, position, key=_start) - 1
    return index >= 0 and block.parts[index].start == position


def _start(span: Span) -> int:
    return span.start
