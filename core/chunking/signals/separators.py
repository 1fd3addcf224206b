"""Separators stronger than a blank line, by format: headings, rules, fences, the items (classes, functions) of code.

After LangChain's ``RecursiveCharacterTextSplitter.from_language`` and ``MarkdownTextSplitter``. Differences: headings
are taken from the parsed blocks, so a "#" inside a fence is none; the items of code from its syntax tree, so a comment,
decorator or attribute right above an item stays with it; and separators get weaker with indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.syntax import Unit
from core.types import Block, BlockKind, Document, Span

_MARKUP_KINDS = frozenset({"markdown", "notebook", "html", "epub", "rst", "org"})
_OUTERMOST, _LEVEL = 1.0, 0.15  # strength of a first-level heading, and how much weaker each further level is
_TYPE, _FUNCTION, _LEAST, _COLUMN = 1.0, 0.85, 0.1, 0.1
_RULE, _FENCE, _AFTER_FENCE = 0.2, 0.15, 0.1
_BLANKS = re.compile(r"\s*")
_TAB = 4  # columns
_FUNCTIONS = frozenset({"function", "method", "test"})


@dataclass(frozen=True, slots=True)
class Mark:
    """A separator. ``strength``: in (0, 1], how much cheaper a cut here is than at a blank line.

    ``what``: name of the text that begins here. ``heads``: whether its line is a title of the text after it.
    """

    strength: float
    what: str
    heads: bool = False


def marks_in(document: Document, region: Span, units: Sequence[Unit] = ()) -> dict[int, Mark]:
    """The separators of one region by offset, ascending; {} for plain text and other formats without separators.

    ``units``: the syntax of a document that is code; () where it has none.

    >>> text = "x\\n\\n# Ducks\\n\\nThey swim."
    >>> blocks = (Block(BlockKind.HEADING, 3, 10, level=1),)
    >>> marks_in(Document("v", "markdown", "t", text, blocks), Span(0, len(text)))
    {3: Mark(strength=1.0, what='heading', heads=True)}
    >>> marks_in(Document("v", "text", "t", text), Span(0, len(text)))
    {}
    """
    if document.kind in _MARKUP_KINDS:
        return _block_marks(document, region)
    return {at: mark for at, mark in _item_marks(document.text, units) if region.start <= at < region.end}


def _block_marks(document: Document, region: Span) -> dict[int, Mark]:
    """Headings by their level, rules, and both ends of code blocks."""
    marks: dict[int, Mark] = {}
    for block in document.blocks:
        if block.end <= block.start or not region.start <= block.start < region.end:
            continue
        if mark := _block_mark(block):
            marks[block.start] = mark
        if block.kind == BlockKind.CODE and (blanks := _BLANKS.match(document.text, block.end)):
            marks.setdefault(blanks.end(), Mark(_AFTER_FENCE, "paragraph"))
    return dict(sorted((at, mark) for at, mark in marks.items() if at < region.end))


def _block_mark(block: Block) -> Mark | None:
    if block.kind == BlockKind.HEADING:
        return Mark(_OUTERMOST - _LEVEL * (min(max(block.level, 1), 6) - 1), "heading", heads=True)
    if block.kind == BlockKind.RULE:
        return Mark(_RULE, "rule")
    return Mark(_FENCE, "code block") if block.kind == BlockKind.CODE else None


def _item_marks(text: str, units: Sequence[Unit]) -> Iterator[tuple[int, Mark]]:
    """The named units of code without macros, and units nested in them, each at its first comment or decorator."""
    for unit in units:
        if unit.name and unit.kind != "macro":
            columns = len(text[text.rfind("\n", 0, unit.start) + 1 : unit.start].expandtabs(_TAB))
            strength = (_FUNCTION if unit.kind in _FUNCTIONS else _TYPE) - _COLUMN * columns
            yield unit.start, Mark(max(_LEAST, round(strength, 2)), unit.kind)
        yield from _item_marks(text, unit.children)
