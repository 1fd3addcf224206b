"""Figures and tables and the words that caption them, where the format does not say which belongs to which."""

from __future__ import annotations

import re
from typing import Protocol

from core.types import BlockKind

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
