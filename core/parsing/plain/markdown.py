"""The parser of Markdown. markdown-it-py finds the lines of blocks; offsets, links and pipe tables are our own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from core.parsing.file_names import display_name, is_one_of_a_series, readable_title
from core.parsing.links import find_links, label_key
from core.parsing.plain.admonitions import unindented
from core.parsing.plain.front_matter import front_matter
from core.parsing.plain.markdown_html import html_blocks, words_of_heading
from core.parsing.table_header import cell_value
from core.text.markup.wiki import WIKI, tags_in, tags_of
from core.text.normalise import decode
from core.text.outline import without_attributes
from core.text.spans import line_spans, line_starts, subtract_spans, trim
from core.types import Block, BlockKind, Cell, Document, Link, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_KINDS = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "blockquote_open": BlockKind.QUOTE,
    "table_open": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
}
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE})
_DEFINITION = re.compile(r"^ {0,3}\[(\^?)[^\[\]]{1,200}\]:", re.MULTILINE)
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_MARKUP = (
    (re.compile(r"!?\[([^\[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)|\[[^\[\]]{0,1000}\])?"), r"\1"),
    (re.compile(r"<[^<>]{1,500}>"), ""),
    (re.compile(r"(\*{1,3}|_{1,3}(?![\w])|(?<!\w)_{1,3}|~~|`+)"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_MAX_TITLE = 200
_BOLD_LINE = re.compile(r"(\*\*|__)([^\n*_][^\n]{1,198}?)\1")
_PARTS = ("(PART)", "(PART*)", "(PART\\*)", "(APPENDIX)")  # headings of R Markdown's books above the chapter
_TITLE_WITHIN = 10_000  # a level-1 heading further down is a chapter, not the title


class MarkdownParser:
    """CommonMark with pipe tables, strike-through, footnotes and front matter."""

    name = "markdown"
    version = 7

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The file's own text, with blocks that cover every non-blank character. Raises ``ParseError``."""
        text, encoding = decode(data, display_name(name))
        head = front_matter(text)
        blocks, links = read_blocks(text, head.end if head else 0)
        values = head.values if head else {}
        stated = next((value for key, value in values.items() if key.lower() == "title" and value.strip()), "")
        title, title_span = (" ".join(stated.split())[:_MAX_TITLE], None) if stated else title_of(text, blocks, name)
        return Document(
            version_id=hashlib.sha256(data).hexdigest(),
            kind="markdown",
            title=title,
            text=text,
            blocks=tuple(blocks),
            title_span=title_span,
            links=tuple(links),
            metadata={**values, **_tags(text, blocks, links, values), "encoding": encoding},
            notes=(head.note,) if head and head.note else (),
        )


def _tags(text: str, blocks: Sequence[Block], links: Sequence[Link], values: Mapping[str, str]) -> dict[str, str]:
    """The tags of a note, from its front matter and its prose; in files that are no notes, ``#channel`` is no tag."""
    said = list(tags_of(values))
    if values or any(link.target.startswith(WIKI) for link in links):
        said += tags_in("\n".join(text[block.start : block.end] for block in blocks if block.kind in _PROSE))
    return {"tags": ", ".join(dict.fromkeys(said))} if said else {}


def read_blocks(text: str, body_start: int = 0) -> tuple[list[Block], list[Link]]:
    """Blocks and links of Markdown ``text``, sorted. Text before ``body_start`` is front matter.

    >>> [(block.kind.value, block.start, block.end) for block in read_blocks("# A\\n\\ntext\\n\\n- x\\n- y\\n")[0]]
    [('heading', 0, 3), ('paragraph', 5, 9), ('list', 11, 18)]
    """
    from markdown_it import MarkdownIt

    engine = MarkdownIt("commonmark").enable("table")
    engine.core.ruler.enableOnly(["normalize", "block"])  # inline rules know no offsets: links are found apart
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = engine.parse("\n" * text.count("\n", 0, body_start) + unindented(text[body_start:]), environment)
    starts = line_starts(text)
    references = {
        label_key(label): str(entry.get("href", ""))
        for label, entry in environment.get("references", {}).items()
        if not label.startswith("^")  # a footnote of one word looks like a reference
    }
    blocks = list(_top_blocks(text, tokens, starts))
    head = trim(text, 0, body_start)
    if head:
        blocks.insert(0, Block(BlockKind.FRONT_MATTER, head.start, head.end, parts=line_spans(text, *_ends(head))))
    between = subtract_spans([Span(0, len(text))], [block.span for block in blocks])
    gaps = [Block(BlockKind.PARAGRAPH, *_ends(gap)) for one in between if (gap := trim(text, *_ends(one)))]
    blocks = sorted([*blocks, *gaps], key=lambda block: block.start)
    blocks = _with_footnotes(text, blocks)
    return blocks, list(_links(text, tokens, starts, references))


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _lines(starts: Sequence[int], first: int, last: int) -> tuple[int, int]:
    """Offsets of the line range ``[first, last)``."""
    final = len(starts) - 1
    return starts[min(first, final)], starts[min(last, final)]


def _top_blocks(text: str, tokens: Sequence[Token], starts: Sequence[int]) -> Iterator[Block]:
    position = 0
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.type not in _KINDS:
            continue
        first, last = _lines(starts, *token.map)
        span = trim(text, max(first, position), last)
        if span is None:
            continue
        if token.type == "html_block":
            yield from html_blocks(text, span)
        else:
            yield _block(text, tokens, index, span, starts)
        position = span.end


def _block(text: str, tokens: Sequence[Token], index: int, span: Span, starts: Sequence[int]) -> Block:
    token, kind = tokens[index], _KINDS[tokens[index].type]
    if kind is BlockKind.HEADING:
        return Block(kind, span.start, span.end, level=int(token.tag[1]))
    if kind is BlockKind.LIST:
        return Block(kind, span.start, span.end, parts=tuple(_items(text, tokens, index, span, starts)))
    if kind is BlockKind.TABLE:
        return _table(text, tokens, index, span, starts)
    if kind is BlockKind.CODE:
        language = token.info.split()[0][:40] if token.info.split() else ""
        return Block(kind, span.start, span.end, parts=line_spans(text, *_ends(span)), language=language)
    return Block(kind, span.start, span.end)


def _inner(tokens: Sequence[Token], index: int, opening: str, depth: int) -> Iterator[tuple[int, int]]:
    """Line maps of ``opening`` tokens ``depth`` levels inside the container at ``index``."""
    for place in range(index + 1, len(tokens)):
        token = tokens[place]
        if token.level == 0:
            return
        if token.type == opening and token.level == depth and token.map is not None:
            yield token.map[0], token.map[1]


def _items(text: str, tokens: Sequence[Token], index: int, span: Span, starts: Sequence[int]) -> Iterator[Span]:
    position = span.start
    for first, last in _inner(tokens, index, "list_item_open", 1):
        start, end = _lines(starts, first, last)
        item = trim(text, max(start, position), min(end, span.end))
        if item:
            yield item
            position = item.end


def _table(text: str, tokens: Sequence[Token], index: int, span: Span, starts: Sequence[int]) -> Block:
    maps = list(_inner(tokens, index, "tr_open", 2))
    first = maps[0][0] if maps else 0
    lines = [
        line
        for row in (first, first + 1, *(row for row, _ in maps[1:]))
        if (line := trim(text, *_lines(starts, row, row + 1)))
    ]
    if len(maps) < 1 or len(lines) < 2:
        return Block(BlockKind.TABLE, span.start, span.end)
    header = Span(max(span.start, lines[0].start), lines[1].end)
    table = pipe_table(text, header, lines[2:])
    return replace(table, start=span.start, end=max(span.end, table.end))


def _with_footnotes(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with footnote definitions as blocks of their own, including indented lines that continue them."""
    result: list[Block] = []
    for block in blocks:
        previous = result[-1] if result else None
        if block.kind is BlockKind.PARAGRAPH:
            result.extend(_split_footnotes(text, block))
        elif (
            previous is not None
            and previous.kind is BlockKind.FOOTNOTE
            and block.kind is BlockKind.CODE
            and text[text.rfind("\n", 0, block.start) + 1 : block.start].isspace()
        ):
            result[-1] = replace(previous, end=block.end)
        else:
            result.append(block)
    return result


def _split_footnotes(text: str, block: Block) -> Iterator[Block]:
    line_start = text.rfind("\n", 0, block.start) + 1
    marks = list(_DEFINITION.finditer(text[line_start : block.end]))
    edges = [block.start, *(max(block.start, line_start + mark.start()) for mark in marks), block.end]
    kinds = [BlockKind.PARAGRAPH, *(BlockKind.FOOTNOTE if mark[1] else BlockKind.PARAGRAPH for mark in marks)]
    for kind, (start, end) in zip(kinds, pairwise(edges), strict=True):
        if span := trim(text, start, end):
            yield Block(kind, span.start, span.end)


def _links(text: str, tokens: Sequence[Token], starts: Sequence[int], references: Mapping[str, str]) -> Iterator[Link]:
    done = 0
    for token in tokens:
        if token.type != "inline" or token.map is None or token.map[1] <= done:
            continue
        done = token.map[1]
        yield from find_links(text, *_lines(starts, *token.map), references)


def heading_words(text: str, start: int, end: int) -> Span:
    """The text of the heading block ``[start, end)``, without number signs and underline.

    >>> text = "## Setting up ##"
    >>> span = heading_words(text, 0, len(text)); text[span.start:span.end]
    'Setting up'
    """
    if tagged := words_of_heading(text, start, end):
        return tagged
    match = _ATX.match(text, start, end)
    if match:
        stop = match.end() + len(without_attributes(_ATX_CLOSING.sub("", text[match.end() : end])))
        return trim(text, match.end(), stop) or Span(match.end(), match.end())
    underline = text.rfind("\n", start, end)
    stop = underline if underline > start else end
    return trim(text, start, start + len(without_attributes(text[start:stop]))) or Span(start, end)


def plain_words(markup: str) -> str:
    """``markup`` without inline marks and with blanks collapsed. For titles only: offsets are not kept.

    >>> plain_words("The **new** `api_key` [guide](https://x.test)")
    'The new api_key guide'
    """
    for pattern, replacement in _MARKUP:
        markup = pattern.sub(replacement, markup)
    return " ".join(markup.split())


def title_of(text: str, blocks: Sequence[Block], name: str) -> tuple[str, Span | None]:
    """The document's title and its span: the first level-1 heading unless it is one of a series or names a part.

    Where several headings are of level 1, a bold line with which the text begins is the title above them all. Without
    any, the title is the file's name.
    """
    headings = [block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    if len(headings) > 1 and blocks[0].kind is BlockKind.PARAGRAPH:
        bold = _BOLD_LINE.fullmatch(text, blocks[0].start, blocks[0].end)
        if bold:
            return plain_words(bold[2]), Span(*bold.span(2))
    spans = [heading_words(text, block.start, block.end) for block in headings]
    # What parted a number from it is no part of a title: "# : Ducks".
    spans = [Span(span.end - len(text[span.start : span.end].lstrip(":：;, ")), span.end) for span in spans]
    said = [plain_words(text[span.start : span.end]) for span in spans]
    for span, words in zip(spans, said, strict=True):
        if span.start > _TITLE_WITHIN or is_one_of_a_series(words, said):
            break
        if words and len(words) <= _MAX_TITLE and not words.startswith(_PARTS):
            return words, span
    return readable_title(name), None


# Tags that occur in tables of READMEs and manuals; other names in angle brackets may be placeholders.
_MARK = re.compile(r"</?(?:a|b|code|em|i|img|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(r"\s*</?(?:br|div|li|ol|p|ul)(?:\s[^<>]*)?/?>\s*", re.IGNORECASE)
_PIPE_OR_ESCAPE = re.compile(r"\\.|\|", re.DOTALL)


def row_cells(line: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each cell's content in one pipe table line; an empty cell is a point.

    A backslash escapes a pipe; the outer pipes are optional.

    >>> [(r"| a \\| b | | c"[start:end]) for start, end in row_cells(r"| a \\| b | | c")]
    ['a \\\\| b', '', 'c']
    """
    pipes = [match.start() for match in _PIPE_OR_ESCAPE.finditer(line) if match.group() == "|"]
    edges = [-1, *pipes, len(line)]
    cells = []
    for left, right in pairwise(edges):
        raw = line[left + 1 : right]
        outer = left < 0 or right == len(line)
        if outer and not raw.strip() and pipes:
            continue
        start = left + 1 + (len(raw) - len(raw.lstrip()) if raw.strip() else min(1, len(raw)))
        cells.append((start, start + len(raw.strip())))
    return cells


def pipe_table(text: str, header: Span, rows: Sequence[Span]) -> Block:
    """The TABLE block of a pipe table: ``header`` holds the header row and the delimiter row, ``rows`` the body.

    Every span is one whole line (the header's: two).
    """
    cells: list[Cell] = []
    lines = [(header.start, text.find("\n", header.start, header.end))]
    lines += [(row.start, row.end) for row in rows]
    for number, (start, end) in enumerate(lines):
        for column, (low, high) in enumerate(row_cells(text[start:end])):
            content = _TAG.sub(" ", _MARK.sub("", text[start + low : start + high])).strip()
            value = cell_value(content.replace(r"\|", "|"))
            cells.append(Cell(number, column, start + low, start + high, value, header=number == 0))
    whole_end = rows[-1].end if rows else header.end
    return Block(
        BlockKind.TABLE,
        header.start,
        whole_end,
        parts=tuple(rows),
        header=header,
        cells=tuple(cells),
    )
