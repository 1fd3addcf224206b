"""The heading tree of a document: the path of headings above any position."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from core.text.spans import trim
from core.types import Block, BlockKind, Document, Span

_ATX = re.compile(r"#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r"\n[ \t]*(?:=+|-+)[ \t]*$")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.:-][^{}\n]{0,200}\}[ \t]*$")  # of Pandoc, Quarto and kramdown
_INLINE = (
    (re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,1000}(?:\s[^()]{0,200})?\)"), r"\1"),
    (re.compile(r"(?<!`)(`{1,3})([^`]{1,500})\1(?!`)"), r"\2"),
    (re.compile(r"(\*{1,3})(?=\S)([^*\n]{1,500})\1"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_\n]{1,500})\1(?!\w)"), r"\2"),
    (re.compile(r"~~([^~\n]{1,500})~~"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>\n]{0,200}>"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_LONGEST = 300  # characters to which a heading is cut; longer ones are paragraphs marked as headings


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading block, its text without markup, and the span of that text."""

    block: Block
    text: str
    source: Span


def plain_heading(raw: str) -> str:
    """The text of a Markdown heading without hashes, underline, emphasis, links and tags.

    >>> plain_heading("## The *new* [plan](x.md) `v2` ##"), plain_heading("Setext\\n====="), plain_heading("#")
    ('The new plan v2', 'Setext', '')
    """
    text = _content(raw)
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return _shorten(" ".join(text.split()))


def without_attributes(words: str) -> str:
    """The words of a heading without the attributes in braces behind it.

    >>> without_attributes("Dates {#sec-dates}"), without_attributes("Notes {-}"), without_attributes("The set {1}")
    ('Dates', 'Notes', 'The set {1}')
    """
    return _ATTRIBUTES.sub("", words)


def _content(raw: str) -> str:
    """The heading without its block markup, trimmed."""
    text = raw.strip()
    hashes = _ATX.match(text)
    text = _CLOSING_HASHES.sub("", text[hashes.end() :]) if hashes else _UNDERLINE.sub("", text)
    return without_attributes(text).strip()


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rsplit(" ", 1)[0] + "…"


def _heading(document: Document, block: Block) -> Heading:
    """The heading of a block; markup is removed in Markdown only."""
    raw = document.text[block.start : block.end]
    if document.kind not in {"markdown", "notebook"}:
        return Heading(
            block, _shorten(" ".join(raw.split())), trim(document.text, block.start, block.end) or block.span
        )
    words, content = plain_heading(raw), _content(raw)
    offset = content.find(words) if words else -1
    source, offset = (words, offset) if offset >= 0 else (content, 0)  # inline markup may split the words
    start = block.start + raw.find(content) + offset
    return Heading(block, words, Span(start, start + len(source)))


class Outline:
    """The headings of a document, and for each its path: the indices of its ancestors and itself in ``headings``."""

    __slots__ = ("_ends", "_starts", "_stops", "_texts", "blocks", "document", "headings", "paths")

    def __init__(self, document: Document) -> None:
        self.document = document
        blocks = [block for block in document.blocks if block.kind == BlockKind.HEADING]
        self.headings = [_heading(document, block) for block in blocks]
        self.blocks = blocks
        self._starts = [block.start for block in blocks]
        self._ends = [block.end for block in blocks]
        self._stops = [len(document.text)] * len(blocks)  # where their sections end
        self._texts: dict[tuple[int, ...], tuple[str, ...]] = {}
        self.paths: list[tuple[int, ...]] = []
        open_path: tuple[int, ...] = ()
        for index, block in enumerate(blocks):
            while open_path and blocks[open_path[-1]].level >= block.level:
                self._stops[open_path[-1]] = block.start
                open_path = open_path[:-1]
            open_path = (*open_path, index)
            self.paths.append(open_path)

    def heading_at(self, position: int) -> int:
        """Index of the last heading that begins at or before ``position``; -1 before the first."""
        return bisect_right(self._starts, position) - 1

    def section(self, heading: int) -> Span:
        """The span from a heading, by its index, to the next one of its level or above."""
        return Span(self._starts[heading], self._stops[heading])

    def path(self, heading: int) -> tuple[int, ...]:
        """The path of a heading by its index; () for -1, the text before any heading."""
        return self.paths[heading] if heading >= 0 else ()

    def body_heading(self, start: int, end: int) -> int:
        """The heading whose section has the first body character of ``[start, end)``; -1 before any heading.

        That is the first non-blank character outside of heading blocks; without one, the last heading in the span.
        """
        text = self.document.text
        first = self.heading_at(start)
        if start < end and not text[start].isspace() and (first < 0 or start >= self._ends[first]):
            return first  # a fast exit for most chunks
        position = start
        while position < end:
            rest = trim(text, position, min(end, position + 64)) or trim(text, position, end)
            if rest is None:
                break
            position = rest.start
            heading = self.heading_at(position)
            if heading < 0 or position >= self._ends[heading]:
                return heading
            position = self._ends[heading]
        return self.heading_at(end - 1)

    def path_over(self, start: int, end: int) -> tuple[int, ...]:
        """The heading path of the chunk ``[start, end)``: that of the section of its first body character.

        A chunk that contains that section's heading and further sections has the path that all of them share.
        """
        first = self.body_heading(start, end)
        path = self.path(first)
        if first < 0 or self._starts[first] < start:
            return path
        for other in self.paths[first + 1 : self.heading_at(end - 1) + 1]:
            shared = sum(one == same for one, same in zip(path, other, strict=False))
            path = path[:shared]
        return path

    def texts(self, path: tuple[int, ...]) -> tuple[str, ...]:
        """The texts of a path's headings, without empty ones."""
        if path not in self._texts:  # cached, as every chunk of a section needs them
            self._texts[path] = tuple(self.headings[at].text for at in path if self.headings[at].text)
        return self._texts[path]
