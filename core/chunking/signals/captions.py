"""Finds the captions of figures and tables, and which chunks each caption belongs to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from core.types import Block, BlockKind, Span

# The length to which captions are cut: repeated for every group of rows, a longer one would outweigh their own words.
MAX_CHARACTERS = 300
_TRANSPARENT = frozenset({BlockKind.FURNITURE, BlockKind.RULE})  # may be between a table and its caption


def captions_of(text: str, blocks: Sequence[Block], pieces: Sequence[Span]) -> list[str]:
    """For each piece of a text: its captions, and those of the figures and tables that it overlaps.

    One line per caption, in text order, each cut at a word to ``MAX_CHARACTERS``; "" for none. ``pieces``: sorted by
    start. A block of kind ``CAPTION`` counts even without a figure or table.

    >>> text = "Table 1: Tides.\\n\\n| a |\\n| b |\\n\\nElsewhere."
    >>> blocks = (Block(BlockKind.PARAGRAPH, 0, 15), Block(BlockKind.TABLE, 17, 28), Block(BlockKind.PARAGRAPH, 30, 40))
    >>> captions_of(text, blocks, [Span(0, 22), Span(23, 28), Span(30, 40)])
    ['Table 1: Tides.', 'Table 1: Tides.', '']
    """
    captions: list[list[str]] = [[] for _ in pieces]
    ends = list(accumulate((piece.end for piece in pieces), max))  # ascending, although pieces may overlap
    for caption, body in _captions(text, [block for block in blocks if block.kind not in _TRANSPARENT]):
        line = _shortened(" ".join(text[caption.start : caption.end].split()))
        start, end = min(caption.start, body.start), max(caption.end, body.end)
        for at in range(bisect_right(ends, start), len(pieces)):
            if pieces[at].start >= end:
                break
            if pieces[at].overlap(caption.span) or pieces[at].overlap(body.span):
                captions[at].append(line)
    return ["\n".join(lines) for lines in captions]


def _captions(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Every caption in order, with its figure or table; with itself where the figure has no block."""
    bodies: set[int] = set()
    for at, block in enumerate(blocks):
        if at in bodies:
            continue
        body = _body(text, blocks, at, bodies)
        if body is not None:
            bodies.add(body)
            yield block, blocks[body]
        elif block.kind is BlockKind.CAPTION and not _is_captioned_below(text, blocks, at):
            yield block, block


def _body(text: str, blocks: Sequence[Block], at: int, bodies: set[int]) -> int | None:
    """The index of the block that ``blocks[at]`` captions; ``None`` where it is no caption or stands alone.

    Between two candidates, a figure's caption is below the figure and a table's caption above the table, unless the
    tables of this document have theirs below. ``bodies``: blocks that have a caption already.
    """
    above = at - 1 if at and _is_captioned_below(text, blocks, at - 1) else None
    below = at + 1
    while below < len(blocks) and blocks[at].kind is blocks[below].kind is BlockKind.CAPTION:
        below += 1  # a caption of several lines over one table
    if below == len(blocks) or blocks[below].kind is not BlockKind.TABLE:
        below = at + 1
    pair = captioned(text, blocks[at], blocks[below]) if below < len(blocks) else None
    if pair is None or pair[0] != "caption":
        return above
    if above is None or above in bodies:
        return below
    tables_captioned_below = blocks[above].kind is BlockKind.TABLE and _is_captioned_below(text, blocks, below)
    return below if pair[1] == "table" and not tables_captioned_below else above


def _is_captioned_below(text: str, blocks: Sequence[Block], at: int) -> bool:
    """Whether the block after ``blocks[at]`` is its caption."""
    names = captioned(text, blocks[at], blocks[at + 1]) if at + 1 < len(blocks) else None
    return names is not None and names[1] == "caption"


def _shortened(words: str) -> str:
    if len(words) <= MAX_CHARACTERS:
        return words
    return words[:MAX_CHARACTERS].rpartition(" ")[0] or words[:MAX_CHARACTERS]


_LABEL = re.compile(
    r"[*_\s]{0,4}(?:(?P<figure>fig(?:ure|ura)?\b\.?|abb(?:ildung)?\b\.?|그림|図|图)"
    r"|(?P<table>tab(?:le|elle|la|leau)?\b\.?|표|表))[ \u00a0]?"
    r"(?:S?\d{1,3}|[A-Z]|[IVX]{1,5})(?:[.-]\d{1,3}){0,3}[a-z]?[*_]{0,3}\s?[.:–—|](?!\d)",
    re.IGNORECASE,
)
_IMAGE = (
    r"\[?!\[(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,600}\](?:\([^()\n]{0,600}\)|\[[^\[\]\n]{0,100}\])?"
    r"(?:\]\([^()\n]{0,600}\))?(?:\{[^{}\n]{0,200}\})?"
)
_IMAGES = re.compile(rf"{_IMAGE}(?:\s{{1,9}}{_IMAGE}){{0,9}}")
_DRAWN = re.compile(r"<(?:img|figure|picture|svg)\b", re.IGNORECASE)
_ASIDE = re.compile(r"(?P<mark>[*_])(?![*_\s])[^*_]{1,400}(?P=mark)")
_PLAIN = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST, BlockKind.QUOTE, BlockKind.CODE})
_LONGEST = 2000  # characters of a paragraph that holds nothing but images

_FIGURE, _TABLE, _CAPTION, _OF_FIGURE, _OF_TABLE, _ITALICS = "figure table caption figure: table: italics".split()
_PAIRS = {
    **dict.fromkeys([(_FIGURE, _OF_FIGURE), (_FIGURE, _CAPTION), (_FIGURE, _ITALICS)], ("figure", "caption")),
    **dict.fromkeys([(_OF_FIGURE, _FIGURE), (_CAPTION, _FIGURE)], ("caption", "figure")),
    **dict.fromkeys([(_CAPTION, _CAPTION), (_CAPTION, _OF_FIGURE)], ("figure", "caption")),
    (_OF_FIGURE, _CAPTION): ("caption", "figure"),
    (_OF_TABLE, _TABLE): ("caption", "table"),
    (_TABLE, _OF_TABLE): ("table", "caption"),
    (_CAPTION, _TABLE): ("caption", "table"),
    (_TABLE, _CAPTION): ("table", "caption"),
}


class Positioned(Protocol):
    """Anything with a block kind and a span: a block, or a paragraph between blocks."""

    @property
    def kind(self) -> BlockKind: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


def captioned(text: str, before: Positioned, after: Positioned) -> tuple[str, str] | None:
    """The roles of two neighbours that are a figure or table and its caption, as ("figure", "caption"); else ``None``.

    A figure is a paragraph of images alone, or a ``CAPTION`` block, since a picture's only text may be its alternative
    text. A caption is a ``CAPTION`` block, a paragraph that begins "Figure 2:" or "Table 2.", or one in italics right
    below an image. Two labelled captions do not form a pair.

    >>> from core.types import Block
    >>> text = "![A mill](mill.png)\\n\\nFigure 1: The mill.\\n\\nFigure 2: The weir."
    >>> image, first, second = (Block(BlockKind.PARAGRAPH, *span) for span in ((0, 19), (21, 40), (42, 61)))
    >>> captioned(text, image, first), captioned(text, first, second)
    (('figure', 'caption'), None)
    """
    if {before.kind, after.kind} <= _PLAIN and not (_is_image(text, before) or _is_image(text, after)):
        return None
    return _PAIRS.get((_role_of(text, before), _role_of(text, after)))


def _role_of(text: str, one: Positioned) -> str:
    """One of the six roles in ``_PAIRS``; "" for neither figure nor table nor caption."""
    label = _LABEL.match(text, one.start, min(one.end, one.start + 60))
    if one.kind is BlockKind.TABLE:
        return _TABLE
    if one.kind is BlockKind.HTML:
        return _FIGURE if _DRAWN.search(text, one.start, min(one.end, one.start + _LONGEST)) else ""
    if one.kind not in {BlockKind.CAPTION, BlockKind.PARAGRAPH}:
        return ""
    if label is not None:
        return _OF_FIGURE if label["figure"] else _OF_TABLE
    if one.kind is BlockKind.CAPTION:
        return _CAPTION
    if _is_image(text, one):
        return _FIGURE
    return _ITALICS if _ASIDE.fullmatch(text, one.start, one.end) else ""


def _is_image(text: str, one: Positioned) -> bool:
    return (
        one.kind is BlockKind.PARAGRAPH
        and text.startswith(("![", "[!["), one.start)
        and one.end - one.start <= _LONGEST
        and _IMAGES.fullmatch(text, one.start, one.end) is not None
    )
