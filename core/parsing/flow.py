"""The intermediate form that all flowing formats (HTML, Word, slides, sheets, mail ...) share, and its conversion to
canonical text.

A reader returns ``Piece``s in reading order. ``compose`` writes them as text with the same rules for every format: one
blank line between blocks; list markers kept; one line for each table row, with escaped separators and typed cells;
running headers and footers at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress

from core.cancellation import check_cancelled
from core.parsing.table_header import cell_value
from core.types import Attachment, Block, BlockKind, Cell, CellValue, Link, Page, PageBox, Span

INDENT = "  "  # of a list item, for each level of depth
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\ufeff\ufffe\uffff\ud800-\udfff]")
_UNTIDY = re.compile(rf"\A\s|\s\Z|\s\s|[^\S \n]|{_UNSAFE.pattern}")
_OTHER_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Words:
    """Inline text with links. ``links``: ``(start, end, target)``, offsets in ``text``, sorted and disjoint.

    A newline in ``text`` is a line break.
    """

    text: str
    links: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A list item. ``marker``: as displayed ("-", "2.", "iv)"), "" for none. ``depth``: 0 for the outermost list."""

    words: Words
    marker: str = "-"
    depth: int = 0


@dataclass(frozen=True, slots=True)
class TableCell:
    """A table cell. ``value``: its typed value in the file (spreadsheets); "auto" derives it from the text.

    ``box``: the cell's rectangle on the page of its piece; ``None`` for the rectangle of the whole piece.
    """

    words: Words
    value: CellValue = "auto"
    header: bool = False
    box: Rectangle | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A block before it is written. Its content is ``items`` for a LIST, ``rows`` for a TABLE, ``words`` for the rest.

    ``level``: 1 to 6 for a HEADING. ``header_rows``: how many of ``rows`` are the header, which a chunker repeats when
    it splits the table. A merged cell is repeated in every position it covers, so that each row can be read alone.
    ``language``: of CODE, whose whitespace is kept. ``page`` and ``box``: the page or slide, from 1, and the rectangle
    on it in points; 0 where the format has no pages. ``aside``: the block becomes FURNITURE but keeps its position and
    is written as its ``kind``.
    """

    kind: BlockKind
    words: Words = Words("")
    level: int = 0
    items: tuple[Item, ...] = ()
    rows: tuple[tuple[TableCell, ...], ...] = ()
    header_rows: int = 0
    language: str = ""
    page: int = 0
    box: Rectangle = (0.0, 0.0, 0.0, 0.0)
    aside: bool = False

    def all_words(self) -> Iterator[Words]:
        """All inline text of the piece: ``words``, then each item's, then each cell's, row by row."""
        yield self.words
        yield from (item.words for item in self.items)
        yield from (cell.words for row in self.rows for cell in row)


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a reader returns for one file. ``title``: the title in the file's metadata, "" for none.

    ``notes``: messages for the user about what was left out or went wrong.
    """

    pieces: tuple[Piece, ...]
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pages: tuple[Page, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(slots=True)
class Flow:
    """Canonical text under construction, with the blocks, links and boxes written so far. Offsets are code points."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    boxes: list[PageBox] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def write(self, text: str) -> Span:
        """Append ``text`` and return its span."""
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        return Span(start, self.length)

    def put(self, words: Words) -> Span:
        """Append inline text, record its links and return its span."""
        span = self.write(words.text)
        for start, end, target in words.links:
            self.links.append(Link(span.start + start, span.start + end, target))
        return span


def compose(pieces: Iterable[Piece]) -> Flow:
    """Canonical text with blocks, links and boxes. Blank pieces are dropped. FURNITURE pieces come last; pieces with
    ``aside`` keep their position.

    >>> table = Piece(BlockKind.TABLE, rows=((TableCell(Words("Year")),), (TableCell(Words("a|b")),)), header_rows=1)
    >>> flow = compose([Piece(BlockKind.PARAGRAPH, Words("  One\\u00a0 two ")), table])
    >>> flow.text
    'One two\\n\\nYear\\na\\\\|b'
    """
    flow = Flow()
    body: list[Piece] = []
    furniture: list[Piece] = []
    for piece in pieces:
        (furniture if piece.kind is BlockKind.FURNITURE else body).append(piece)
    for piece in (*body, *furniture):
        check_cancelled()
        write_piece(flow, piece)
    return flow


def tidy(words: Words, *, one_line: bool = False) -> Words:
    """``words`` with whitespace collapsed, edges stripped and unprintable characters removed; links are moved along.

    Line breaks are kept unless ``one_line``.

    >>> tidy(Words(" see  the\\t[site] ", ((6, 16, "x:"),)))
    Words(text='see the [site]', links=((4, 14, 'x:'),))
    """
    offsets: Sequence[int]
    text, offsets = words.text, range(len(words.text) + 1)
    if _UNTIDY.search(text) or (one_line and "\n" in text):
        text, offsets = _collapse_whitespace(text, one_line)
    elif not words.links:
        return words
    links: list[tuple[int, int, str]] = []
    for start, end, target in words.links:
        first, last = offsets[min(start, len(offsets) - 1)], offsets[min(end, len(offsets) - 1)]
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if first < last and target and (not links or first >= links[-1][1]):
            links.append((first, last, target))
    return Words(text, tuple(links))


def _collapse_whitespace(text: str, one_line: bool) -> tuple[str, list[int]]:
    """The tidy text, and for each offset of the raw text, its end included, the offset in the tidy one."""
    kept: list[str] = []
    offsets: list[int] = []
    pending = ""  # whitespace that is written only if a character follows it
    for char in text:
        offsets.append(len(kept) + (1 if pending and kept else 0))
        if char in "\n\r\x0b\x0c\x85\u2028\u2029" and not one_line:
            pending = "\n"
        elif char.isspace():
            pending = pending or " "
        elif not _UNSAFE.match(char):
            if pending and kept:
                kept.append(pending)
            pending = ""
            kept.append(char)
    offsets.append(len(kept))
    limit = len(kept)
    return "".join(kept), [min(offset, limit) for offset in offsets]


def write_piece(flow: Flow, piece: Piece) -> None:
    """Append one piece as a block, after a blank line. A blank piece writes nothing."""
    if not _has_words(piece):
        return
    if flow.length:
        flow.write("\n\n")
    start = flow.length
    writers = {BlockKind.TABLE: _write_table, BlockKind.LIST: _write_list, BlockKind.CODE: _write_code}
    block = writers.get(piece.kind, _write_prose)(flow, piece, start)
    flow.blocks.append(Block(BlockKind.FURNITURE, start, block.end, parts=block.parts) if piece.aside else block)


def _has_words(piece: Piece) -> bool:
    if piece.kind is BlockKind.TABLE:
        return any(tidy(cell.words).text for row in piece.rows for cell in row)
    if piece.kind is BlockKind.LIST:
        return any(tidy(item.words).text for item in piece.items)
    return bool(tidy(piece.words).text)


def _add_box(flow: Flow, piece: Piece, span: Span, box: Rectangle | None = None) -> None:
    """Record where ``span`` stands on the page of ``piece``, if the piece has one."""
    if piece.page and span.length:
        flow.boxes.append(PageBox(span.start, span.end, piece.page, *(box or piece.box)))


def _write_prose(flow: Flow, piece: Piece, start: int) -> Block:
    span = flow.put(tidy(piece.words, one_line=piece.kind is BlockKind.HEADING))
    _add_box(flow, piece, span)
    level = min(6, max(1, piece.level)) if piece.kind is BlockKind.HEADING else 0
    return Block(piece.kind, start, flow.length, level=level)


def _write_code(flow: Flow, piece: Piece, start: int) -> Block:
    """Write lines with their whitespace, without the blank lines around them and without unprintable characters."""
    text = _UNSAFE.sub("", _OTHER_BREAKS.sub("\n", piece.words.text)).strip("\n").rstrip()
    first_line = len(text) - len(text.lstrip())
    text = text[first_line:] if "\n" not in text[:first_line] else text.lstrip()
    parts = []
    for number, line in enumerate(text.split("\n")):
        if number:
            flow.write("\n")
        indent = len(line) - len(line.lstrip())
        flow.write(line[:indent])
        span = flow.write(line[indent:].rstrip())
        flow.write(line[indent + span.length :])
        if span.length:
            parts.append(span)
            _add_box(flow, piece, span)
    return Block(BlockKind.CODE, start, flow.length, parts=tuple(parts), language=piece.language)


def _write_list(flow: Flow, piece: Piece, start: int) -> Block:
    parts = []
    top = min(item.depth for item in piece.items)
    for item in piece.items:
        words = tidy(item.words)
        if not words.text:
            continue
        if flow.length > start:
            flow.write("\n")
        # The first item is not indented: a block does not begin with whitespace.
        indent = INDENT * min(12, item.depth - top) if flow.length > start else ""
        flow.write(indent)
        first = flow.write(f"{item.marker} " if item.marker else "")
        _write_hanging(flow, words, indent + INDENT)
        span = Span(first.start, flow.length)
        parts.append(span)
        _add_box(flow, piece, span)
    return Block(BlockKind.LIST, start, flow.length, parts=tuple(parts))


def _write_hanging(flow: Flow, words: Words, indent: str) -> None:
    """Write an item's words with a hanging indent: ``indent`` before every line but the first."""
    offset = 0  # of the line in ``words.text``
    for number, line in enumerate(words.text.split("\n")):
        if number:
            flow.write(f"\n{indent}")
        line_end = offset + len(line)
        links = tuple(
            (max(start, offset) - offset, min(end, line_end) - offset, target)
            for start, end, target in words.links
            if start < line_end and end > offset
        )
        flow.put(Words(line, links))
        offset = line_end + 1


def _write_table(flow: Flow, piece: Piece, start: int) -> Block:
    """Write one line for each row: cells joined by `` | ``, pipes inside them escaped, blank rows dropped."""
    row_spans: list[Span] = []
    cells: list[Cell] = []
    has_text = [any(tidy(cell.words).text for cell in row) for row in piece.rows]
    header_rows = sum(has_text[: piece.header_rows])
    for number, row in enumerate(compress(piece.rows, has_text)):
        check_cancelled()
        if number:
            flow.write("\n")
        row_start = flow.length
        for column, cell in enumerate(row):
            words = _escape_pipes(tidy(cell.words, one_line=True))
            if column:  # no blank at the row's edges, even where the first or the last cell is empty
                before = "" if flow.length == row_start else " "
                flow.write(f"{before}|{'' if not words.text and column == len(row) - 1 else ' '}")
            span = flow.put(words)
            _add_box(flow, piece, span, cell.box)
            value = cell_value(words.text) if cell.value == "auto" else cell.value
            cells.append(Cell(number, column, span.start, span.end, value, cell.header or number < header_rows))
        row_spans.append(Span(row_start, flow.length))
    header = Span(start, row_spans[header_rows - 1].end) if header_rows else None
    body = tuple(row_spans[header_rows:])
    return Block(BlockKind.TABLE, start, flow.length, parts=body, header=header, cells=tuple(cells))


def _escape_pipes(words: Words) -> Words:
    """``words`` with pipes escaped and the links moved along."""
    text = words.text
    if "|" not in text:
        return words
    links = tuple(
        (start + text.count("|", 0, start), end + text.count("|", 0, end), target) for start, end, target in words.links
    )
    return Words(text.replace("|", r"\|"), links)
