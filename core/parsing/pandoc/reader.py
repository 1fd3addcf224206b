"""The reader of pandoc's HTML, to which reStructuredText, Org, OpenDocument, RTF and others are converted."""

from __future__ import annotations

import re
from dataclasses import replace

from core.parsing.flow import ParsedFile
from core.parsing.html.reader import read as read_page
from core.types import BlockKind

_TITLED = b'<h1 class="title"'
_FORMULA = re.compile(rb"(<span\s+class=\"math (?:inline|display)\">)\\[(\[](.*?)\\[)\]](?=</span>)", re.DOTALL)


def read(data: bytes, name: str) -> ParsedFile:
    """The pieces of pandoc's HTML. Where the document states a title, its headings are one level deeper.

    >>> page = b'<h1 class="title">Ducks</h1><h1>Feed</h1>'
    >>> [piece.level for piece in read(page, "ducks.rst").pieces]
    [1, 2]
    """
    if not data.strip():
        return ParsedFile(())
    reading = read_page(_FORMULA.sub(rb"\1\2", data), name)
    if _TITLED not in data:
        return reading
    first, *others = reading.pieces
    below = (
        replace(piece, level=min(6, piece.level + 1)) if piece.kind is BlockKind.HEADING else piece for piece in others
    )
    return replace(reading, pieces=(first, *below))
