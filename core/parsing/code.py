"""Source code and data files as text: groups of lines between blank lines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from core.parsing.kinds import language_of
from core.parsing.lines import line_spans
from core.parsing.names import display_name
from core.text.normalise import decode
from core.types import Block, BlockKind, Document, Span


class CodeParser:
    """Any programming language, without reading its syntax."""

    name = "code"
    version = 1

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The file's own text; one CODE block per group of lines, with its lines as parts. Raises ``ParseError``."""
        shown = display_name(name)
        text, encoding = decode(data, shown)
        return Document(
            version_id=hashlib.sha256(data).hexdigest(),
            kind="code",
            title=shown,
            text=text,
            blocks=tuple(code_blocks(text, language_of(name))),
            metadata={"language": language_of(name), "encoding": encoding},
        )


def code_blocks(text: str, language: str) -> list[Block]:
    """CODE blocks parted at blank lines; their spans begin with the first line's indentation trimmed.

    >>> [(block.start, block.end, len(block.parts)) for block in code_blocks("a\\n  b\\n\\nc\\n", "python")]
    [(0, 5, 2), (7, 8, 1)]
    """
    blocks: list[Block] = []
    lines = line_spans(text, 0, len(text))
    first = 0
    for index in range(1, len(lines) + 1):
        if index < len(lines) and text.count("\n", lines[index - 1].end, lines[index].start) < 2:
            continue
        group = lines[first:index]
        start = group[0].start + _indent(text, group[0].start, group[0].end)
        parts = (Span(start, group[0].end), *group[1:])
        blocks.append(Block(BlockKind.CODE, start, group[-1].end, parts=parts, language=language))
        first = index
    return blocks


def _indent(text: str, start: int, end: int) -> int:
    return end - start - len(text[start:end].lstrip())
