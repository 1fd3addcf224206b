"""Blocks of HTML in Markdown. Headings and tables written as tags, as in READMEs, become headings and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.parsing.plain.markdown_tables import html_tables
from core.text.spans import trim
from core.types import Block, BlockKind, Span

# Within bounds: a page of tags that nothing closes is no reason to look through it for each.
_HEADING = re.compile(r"<h([1-6])\b[^<>]{0,500}>(.{0,1000}?)</h\1\s{0,9}>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_SHOWN = re.compile(r"<(?:img|svg|picture|video|audio|iframe|object|embed|input)\b|<!--", re.IGNORECASE)


def html_blocks(text: str, span: Span) -> Iterator[Block]:
    """The block of HTML at ``span``, parted at the tables in it, and at the headings that have words.

    Tags alone, without words, a picture or a comment, are a rule: they belong to what stands beside them.

    >>> source = "<div align=center>\\n<h1>The <b>Duck</b></h1>\\n<img src=duck.png>"
    >>> [(block.kind.value, block.level) for block in html_blocks(source, Span(0, len(source)))]
    [('rule', 0), ('heading', 1), ('html', 0)]
    """
    place = span.start
    for table in html_tables(text, span):
        yield from _between_tables(text, place, table.start)
        yield table
        place = table.end
    yield from _between_tables(text, place, span.end)


def _between_tables(text: str, start: int, end: int) -> Iterator[Block]:
    place = start
    for found in _HEADING.finditer(text, start, end):
        if not any(map(str.isalnum, _TAG.sub("", found[2]))):
            continue
        if before := trim(text, place, found.start()):
            yield Block(_kind_of(text, before), before.start, before.end)
        yield Block(BlockKind.HEADING, found.start(), found.end(), level=int(found[1]))
        place = found.end()
    if rest := trim(text, place, end):
        yield Block(_kind_of(text, rest), rest.start, rest.end)


def _kind_of(text: str, span: Span) -> BlockKind:
    has_words = any(map(str.isalnum, _TAG.sub("", text[span.start : span.end])))
    return BlockKind.HTML if has_words or _SHOWN.search(text, span.start, span.end) else BlockKind.RULE


def words_of_heading(text: str, start: int, end: int) -> Span | None:
    """The span between the tags of a heading at ``[start, end)``; ``None`` for a heading without tags."""
    found = _HEADING.match(text, start, end)
    return trim(text, *found.span(2)) if found else None
