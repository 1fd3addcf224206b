"""The blocks of a Kindle's "My Clippings.txt": each clipping under its book, with its place and date."""

from __future__ import annotations

import re

from core.text.spans import trim
from core.types import Block, BlockKind

_CLIPPING = re.compile(
    r"^\s*(?P<book>\S[^\n]*)\n(?P<place>- [^\n]*\|[^\n]*)\n(?P<said>(?:(?!={10}$)[^\n]*\n)*)(?P<rule>={10})$",
    re.MULTILINE,
)
_KINDS = {"place": BlockKind.PARAGRAPH, "said": BlockKind.PARAGRAPH, "rule": BlockKind.RULE}
_FEWEST, _SHARE = 2, 0.8


def clipping_blocks(text: str) -> list[Block]:
    """The book as heading, the place, the text and the rule below, of each clipping; [] where the text is none of them.

    >>> text = "Duck (Ann Lee)\\n- Your Note on page 5 | Added on Monday\\n\\nThey swim.\\n==========\\n"
    >>> [text[block.start : block.end] for block in clipping_blocks(2 * text)][:3]
    ['Duck (Ann Lee)', '- Your Note on page 5 | Added on Monday', 'They swim.']
    """
    found = list(_CLIPPING.finditer(text))
    if len(found) < _FEWEST or sum(len(clipping[0]) for clipping in found) < _SHARE * len(text):
        return []
    blocks: list[Block] = []
    for clipping in found:
        blocks.append(Block(BlockKind.HEADING, *clipping.span("book"), level=1))
        for part, kind in _KINDS.items():
            if span := trim(text, *clipping.span(part)):
                blocks.append(Block(kind, span.start, span.end))
    return blocks
