"""The parsers of plain text and source code. In plain text only unmistakable structure is recognised."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from core.parsing.file_kinds import language_of
from core.parsing.file_names import display_name, is_one_of_a_series, readable_title
from core.parsing.plain.chapters import LEADER, headings_by_words
from core.parsing.plain.clippings import clipping_blocks
from core.parsing.plain.paged import centred_title, headings_at_margin, page_lines, subject_of_mail
from core.text.normalise import decode
from core.text.spans import line_spans
from core.types import Block, BlockKind, Document, Span

_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*")
_RULE = re.compile(r"\s*(?:([-=_*~#])\s?)(?:\1\s?){2,}\s*")
MARKER = re.compile(r"\s*(?P<marker>[-*+•‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")  # of a list's item
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+(?=[^\W\d_])(.*\S)")
_LONG_LINE = 100  # characters; with such a median, or a line twice as long, lines are not wrapped: each is a paragraph
_TIMED_LINE, _TIMED_SHARE = re.compile(r".{0,60}?\d:[0-5]\d:[0-5]\d"), 0.8  # logs; of lines that are not wrapped either
_MAX_HEADING = 100
_FIRST_PAGE = 4_000  # characters
_NAME_BELOW = 70  # characters of a chapter's name on the line below its number


class PlainParser:
    """Text files of any kind: notes, transcripts, logs, comma-separated values."""

    name = "text"
    version = 7

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The file's own text in paragraphs. Raises ``ParseError``."""
        text, encoding = decode(data, display_name(name))
        clippings = clipping_blocks(text)
        blocks = clippings or text_blocks(text)
        named = subject_of_mail(text) or _title_span(text, blocks) or _title_of_pages(text, blocks)
        title_span = None if clippings else named
        return Document(
            version_id=hashlib.sha256(data).hexdigest(),
            kind="text",
            title=text[title_span.start : title_span.end] if title_span else readable_title(name),
            text=text,
            blocks=tuple(blocks),
            title_span=title_span,
            metadata={"encoding": encoding},
        )


def text_blocks(text: str) -> list[Block]:
    """The blocks of plain text: paragraphs between blank lines, headings (underlined, numbered, named), lists, rules.

    Where lines are not wrapped, as in transcripts and logs, every line is a paragraph.

    >>> [(block.kind.value, block.level) for block in text_blocks("Title\\n=====\\n\\nBody text.\\n\\n- a\\n- b\\n")]
    [('heading', 1), ('paragraph', 0), ('list', 0)]
    """
    lines = line_spans(text, 0, len(text))
    furniture = page_lines(text, lines)
    groups = _groups(text, [line for line in lines if line.start not in furniture])
    numbered = _numbered_headings(text, groups)
    if not numbered:
        numbered = headings_by_words([[text[line.start : line.end] for line in group] for group in groups])
    numbered = numbered or headings_at_margin(text, groups)
    blocks = [Block(BlockKind.FURNITURE, *_without_indent(text, line)) for line in lines if line.start in furniture]
    for index, group in enumerate(groups):
        blocks.extend(_group_blocks(text, group, numbered.get(index, 0)))
    return sorted(blocks, key=lambda block: block.start) if furniture else blocks


def _groups(text: str, lines: Sequence[Span]) -> list[list[Span]]:
    """The lines grouped at blank lines."""
    groups: list[list[Span]] = []
    for line in lines:
        if groups and text.count("\n", groups[-1][-1].end, line.start) < 2:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _group_blocks(text: str, group: Sequence[Span], numbered_level: int) -> list[Block]:
    first = text[group[0].start : group[0].end]
    start = group[0].start + len(first) - len(first.lstrip())
    if numbered_level:
        below = text[group[1].start : group[1].end].strip() if len(group) == 2 else ""
        lines = 2 if below and len(below) <= _NAME_BELOW and below[-1] not in ".,;:" else 1
        heading = Block(BlockKind.HEADING, start, group[lines - 1].end, level=numbered_level)
        return [heading, *(_group_blocks(text, group[lines:], 0) if group[lines:] else [])]
    if len(group) >= 2 and _is_underlined(first, text[group[1].start : group[1].end]):
        level = 1 if text[group[1].start : group[1].end].strip()[0] in "=*" else 2
        heading = Block(BlockKind.HEADING, start, group[1].end, level=level)
        return [heading, *(_group_blocks(text, group[2:], 0) if len(group) > 2 else [])]
    if len(group) == 1 and _RULE.fullmatch(first):
        return [Block(BlockKind.RULE, start, group[0].end)]
    if items := _items(text, group):
        return [Block(BlockKind.LIST, start, group[-1].end, parts=items)]
    if len(group) > 1 and _never_wrapped(text, group):
        return [Block(BlockKind.PARAGRAPH, *_without_indent(text, line)) for line in group]
    return [Block(BlockKind.PARAGRAPH, start, group[-1].end)]


def _never_wrapped(text: str, group: Sequence[Span]) -> bool:
    lengths = [line.length for line in group]
    if max(lengths) >= 2 * _LONG_LINE or median(lengths) >= _LONG_LINE:
        return True
    timed = sum(_TIMED_LINE.match(text, line.start, line.end) is not None for line in group)
    return timed >= _TIMED_SHARE * len(group)


def _without_indent(text: str, line: Span) -> tuple[int, int]:
    words = text[line.start : line.end]
    return line.end - len(words.lstrip()), line.end


def _is_underlined(words: str, underline: str) -> bool:
    """Whether a short line of text has a line of one repeated mark below it, of about the same length."""
    match, length = _UNDERLINE.fullmatch(underline), len(words.strip())
    return bool(
        match
        and length <= _MAX_HEADING
        and any(map(str.isalpha, words))
        and not MARKER.match(words)
        and 0.6 * length <= len(match[1]) <= 1.5 * length + 3
    )


def _items(text: str, group: Sequence[Span]) -> tuple[Span, ...]:
    """The spans of a list's items: two or more markers with one indent, other lines indented more. () for no list."""
    rows = [(line, text[line.start : line.end]) for line in group]
    if len(rows) < 2 or not MARKER.match(rows[0][1]):
        return ()
    margin = _margin(rows[0][1])
    starts = [line for line, words in rows if MARKER.match(words) and _margin(words) == margin]
    stray = [words for _, words in rows if not MARKER.match(words) and _margin(words) <= margin]
    if len(starts) < 2 or stray:
        return ()
    ends = [*(line.start for line in starts[1:]), group[-1].end]
    return tuple(
        Span(line.start + (margin if number == 0 else 0), line.start + len(text[line.start : end].rstrip()))
        for number, (line, end) in enumerate(zip(starts, ends, strict=True))
    )


def _margin(words: str) -> int:
    return len(words) - len(words.lstrip())


def _numbered_headings(text: str, groups: Sequence[Sequence[Span]]) -> dict[int, int]:
    """Levels by group index of numbered headings: single lines such as ``2.1 Method`` that count up in the file."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for index, group in enumerate(groups):
        words = text[group[0].start : group[0].end]
        match = _NUMBERED.fullmatch(words) if len(group) == 1 and len(words) <= _MAX_HEADING else None
        if match and match[2][-1] not in ".,;:!?" and not LEADER.search(words) and index + 1 < len(groups):
            found.append((index, tuple(int(part) for part in match[1].split("."))))
    steps = sum(_follows(before, after) for (_, before), (_, after) in pairwise(found))
    prose = [b - a > 1 for (a, _), (b, _) in pairwise(found)]
    if len(found) < 2 or steps < len(found) - 1 or found[0][1][-1] > 1 or not any(prose):
        return {}
    return {index: min(6, len(number)) for index, number in found}


def _follows(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether ``after`` may be the next number after ``before``.

    >>> [_follows((1,), after) for after in ((2,), (1, 1), (3,))], _follows((1, 4), (2,))
    ([True, True, False], True)
    """
    if len(after) == len(before) + 1:
        return after[:-1] == before and after[-1] == 1
    size = len(after)
    return size <= len(before) and after[:-1] == before[: size - 1] and after[-1] == before[size - 1] + 1


def _title_span(text: str, blocks: Sequence[Block]) -> Span | None:
    """The heading or the title-like line with which the file begins; ``None`` for neither."""
    if not blocks:
        return None
    first = blocks[0]
    end = text.find("\n", first.start, first.end)
    span = Span(first.start, len(text[: end if end >= 0 else first.end].rstrip()))
    words = text[span.start : span.end]
    if first.kind is BlockKind.HEADING:
        headings = (text[block.start : block.end] for block in blocks if block.kind is BlockKind.HEADING)
        others = [heading.partition("\n")[0].rstrip() for heading in headings]
        return None if is_one_of_a_series(words, others) else span
    clearly = (
        first.kind is BlockKind.PARAGRAPH
        and end < 0
        and len(blocks) > 1
        and 3 <= len(words) <= 120
        and words[-1] not in ".,;:!?…"
        and (words[0].isupper() or words[0].isdigit())
        and ":" not in words[:20]
        and "://" not in words
        and len(text) > 5 * len(words)
    )
    return span if clearly else None


def _title_of_pages(text: str, blocks: Sequence[Block]) -> Span | None:
    """The line in the middle of the first page, of a text that has the lines of pages."""
    if not any(block.kind is BlockKind.FURNITURE for block in blocks):
        return None
    return centred_title(text, _groups(text, line_spans(text, 0, min(len(text), _FIRST_PAGE))))


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
    """CODE blocks, separated at blank lines. A block begins after the first line's indentation.

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
