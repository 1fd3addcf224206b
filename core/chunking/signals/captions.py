"""What the captions of a document say, given to every piece of it that holds or stands in what they caption."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from core.types import Block, BlockKind, Span

# Characters of a caption that say what its figure or table is about: of a longer one, repeated beside every group of
# rows, the rows would hardly be found by their own words.
MOST = 300
_PASSED = frozenset({BlockKind.FURNITURE, BlockKind.RULE})  # stand between a table and its caption and part nothing


def captions_of(text: str, blocks: Sequence[Block], pieces: Sequence[Span]) -> list[str]:
    """For each piece of a text the captions it holds and those of the figures and tables it holds or stands in.

    A line each, in text order, cut at a word to ``MOST`` characters; "" for none. ``pieces``: by their starts. What
    belongs to what, ``core.chunking.signals.captions`` says; what a format calls a caption is one also
    where it stands alone.

    >>> text = "Table 1: Tides.\\n\\n| a |\\n| b |\\n\\nElsewhere."
    >>> blocks = (Block(BlockKind.PARAGRAPH, 0, 15), Block(BlockKind.TABLE, 17, 28), Block(BlockKind.PARAGRAPH, 30, 40))
    >>> captions_of(text, blocks, [Span(0, 22), Span(23, 28), Span(30, 40)])
    ['Table 1: Tides.', 'Table 1: Tides.', '']
    """
    said: list[list[str]] = [[] for _ in pieces]
    reached = list(accumulate((piece.end for piece in pieces), max))
    for caption, body in _captions(text, [block for block in blocks if block.kind not in _PASSED]):
        words = _shortened(" ".join(text[caption.start : caption.end].split()))
        start, end = min(caption.start, body.start), max(caption.end, body.end)
        for at in range(bisect_right(reached, start), len(pieces)):
            if pieces[at].start >= end:
                break
            if pieces[at].overlap(caption.span) or pieces[at].overlap(body.span):
                said[at].append(words)
    return ["\n".join(lines) for lines in said]


def _captions(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Every caption, in order, with what it captions: a figure, a table, or itself where a figure has no text."""
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
    """Which block a caption belongs to, ``None`` where it is none or stands alone.

    Between two, that of a figure stands below it and that of a table above it, unless it has one below itself.
    """
    above = at - 1 if at and _is_captioned_below(text, blocks, at - 1) else None
    below = at + 1
    while below < len(blocks) and blocks[at].kind is blocks[below].kind is BlockKind.CAPTION:
        below += 1  # several lines over one table
    if below == len(blocks) or blocks[below].kind is not BlockKind.TABLE:
        below = at + 1
    found = captioned(text, blocks[at], blocks[below]) if below < len(blocks) else None
    if found is None or found[0] != "caption":
        return above
    if above is None or above in bodies:
        return below
    tables_too = blocks[above].kind is BlockKind.TABLE and _is_captioned_below(text, blocks, below)
    return below if found[1] == "table" and not tables_too else above


def _is_captioned_below(text: str, blocks: Sequence[Block], at: int) -> bool:
    names = captioned(text, blocks[at], blocks[at + 1]) if at + 1 < len(blocks) else None
    return names is not None and names[1] == "caption"


def _shortened(words: str) -> str:
    return words if len(words) <= MOST else words[:MOST].rpartition(" ")[0] or words[:MOST]


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


class Placed(Protocol):
    """A block, or a paragraph between blocks, of a text."""

    @property
    def kind(self) -> BlockKind: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


def captioned(text: str, before: Placed, after: Placed) -> tuple[str, str] | None:
    """What two neighbours are, where they are a figure or a table and its caption; else ``None``.

    A figure is a paragraph of images alone, or what a format calls a caption: a picture has no text but what is said of
    it, its alternative text first. A caption is such a one too, a paragraph that begins "Figure 2:" or "Table 2.", and
    one in italics right below an image. Two that are both labelled caption two things.

    >>> from core.types import Block
    >>> text = "![A mill](mill.png)\\n\\nFigure 1: The mill.\\n\\nFigure 2: The weir."
    >>> image, first, second = (Block(BlockKind.PARAGRAPH, *span) for span in ((0, 19), (21, 40), (42, 61)))
    >>> captioned(text, image, first), captioned(text, first, second)
    (('figure', 'caption'), None)
    """
    if {before.kind, after.kind} <= _PLAIN and not (_is_image(text, before) or _is_image(text, after)):
        return None
    return _PAIRS.get((_role(text, before), _role(text, after)))


def _role(text: str, one: Placed) -> str:
    """Which of the six it is; "" for neither figure nor table nor caption."""
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


def _is_image(text: str, one: Placed) -> bool:
    return (
        one.kind is BlockKind.PARAGRAPH
        and text.startswith(("![", "[!["), one.start)
        and one.end - one.start <= _LONGEST
        and _IMAGES.fullmatch(text, one.start, one.end) is not None
    )
