"""What a reader of a flowing format (HTML, Word, slides, sheets, mail ...) finds, and its one way into canonical text.

A reader yields pieces in reading order; ``compose`` writes them by the rules of the house: one blank line between
blocks, list markers kept, a table as one line a row with escaped separators and its cells kept typed, running headers
and footers in a trailing region.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.cancellation import check_cancelled
from core.parsing.table_header import cell_value
from core.types import Attachment, Block, BlockKind, Cell, CellValue, Link, Page, PageBox, Span

INDENT = "  "  # of a list item, a level
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\ufeff\ufffe\uffff\ud800-\udfff]")
_UNTIDY = re.compile(rf"\A\s|\s\Z|\s\s|[^\S \n]|{_UNSAFE.pattern}")
_OTHER_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Words:
    """Inline text. ``links``: ``(start, end, target)`` in it, sorted and apart. Newlines are line breaks."""

    text: str
    links: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: ``depth`` from 0, and the ``marker`` a reader of the page sees ("-", "2.", "iv)", "" for none)."""

    words: Words
    marker: str = "-"
    depth: int = 0


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell. ``value``: where the file itself types it (spreadsheets); "auto": what its text states.

    ``box``: its own on the piece's page, ``None`` for that of the whole piece.
    """

    words: Words
    value: CellValue = "auto"
    header: bool = False
    box: Rectangle | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """One block to be. What counts depends on ``kind``: ``items`` of a LIST, ``rows`` of a TABLE, else ``words``.

    ``level``: 1-6 for headings. ``header_rows``: of a table, repeated when its rows are parted. A merged cell stands in
    every place it covers, so that each row can be read alone. ``language``: of CODE, whose words are taken as they are.
    ``page`` and ``box``: 1-based page or slide and the rectangle on it in points, for formats that have them.
    ``aside``: furniture that stays where it stands, written as its kind is.
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

    def said(self) -> Iterator[Words]:
        """All its words: of the block itself, of its items, of its cells row by row."""
        yield self.words
        yield from (item.words for item in self.items)
        yield from (cell.words for row in self.rows for cell in row)


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All a reader found. ``title``: what the file itself states as its title, "" when it does not."""

    pieces: tuple[Piece, ...]
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pages: tuple[Page, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(slots=True)
class Flow:
    """Canonical text as it is written."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    boxes: list[PageBox] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def write(self, text: str) -> Span:
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        return Span(start, self.length)

    def put(self, words: Words) -> Span:
        """Write inline text and note its links."""
        span = self.write(words.text)
        for start, end, target in words.links:
            self.links.append(Link(span.start + start, span.start + end, target))
        return span


def compose(pieces: Iterable[Piece]) -> Flow:
    """Canonical text, blocks, links and boxes. Blank pieces vanish; furniture goes behind everything else, but for
    what is set ``aside`` in its place.

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
    """Blanks run together, edges trimmed, unprintable characters gone; the links still over the same words.

    >>> tidy(Words(" see  the\\t[site] ", ((6, 16, "x:"),)))
    Words(text='see the [site]', links=((4, 14, 'x:'),))
    """
    places: Sequence[int]
    text, places = words.text, range(len(words.text) + 1)
    if _UNTIDY.search(text) or (one_line and "\n" in text):
        text, places = _squeezed(text, one_line)
    elif not words.links:
        return words
    links: list[tuple[int, int, str]] = []
    for start, end, target in words.links:
        first, last = places[min(start, len(places) - 1)], places[min(end, len(places) - 1)]
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if first < last and target and (not links or first >= links[-1][1]):
            links.append((first, last, target))
    return Words(text, tuple(links))


def _squeezed(text: str, one_line: bool) -> tuple[str, list[int]]:
    """The tidy text, and where every place of the raw one (its end too) came to stand in it."""
    kept: list[str] = []
    places: list[int] = []
    pending = ""
    for char in text:
        places.append(len(kept) + (1 if pending and kept else 0))
        if char in "\n\r\x0b\x0c\x85\u2028\u2029" and not one_line:
            pending = "\n"
        elif char.isspace():
            pending = pending or " "
        elif not _UNSAFE.match(char):
            if pending and kept:
                kept.append(pending)
            pending = ""
            kept.append(char)
    places.append(len(kept))
    limit = len(kept)
    return "".join(kept), [min(place, limit) for place in places]


def write_piece(flow: Flow, piece: Piece) -> None:
    """Write one piece behind a blank line, unless it is blank."""
    drafted = {BlockKind.TABLE: _table, BlockKind.LIST: _list, BlockKind.CODE: _code}.get(piece.kind, _flowing)
    if not _has_words(piece):
        return
    if flow.length:
        flow.write("\n\n")
    start = flow.length
    block = drafted(flow, piece, start)
    flow.blocks.append(Block(BlockKind.FURNITURE, start, block.end, parts=block.parts) if piece.aside else block)


def _has_words(piece: Piece) -> bool:
    if piece.kind is BlockKind.TABLE:
        return any(tidy(cell.words).text for row in piece.rows for cell in row)
    if piece.kind is BlockKind.LIST:
        return any(tidy(item.words).text for item in piece.items)
    return bool(tidy(piece.words).text)


def _boxed(flow: Flow, piece: Piece, span: Span, box: Rectangle | None = None) -> None:
    if piece.page and span.length:
        flow.boxes.append(PageBox(span.start, span.end, piece.page, *(box or piece.box)))


def _flowing(flow: Flow, piece: Piece, start: int) -> Block:
    span = flow.put(tidy(piece.words, one_line=piece.kind is BlockKind.HEADING))
    _boxed(flow, piece, span)
    level = min(6, max(1, piece.level)) if piece.kind is BlockKind.HEADING else 0
    return Block(piece.kind, start, flow.length, level=level)


def _code(flow: Flow, piece: Piece, start: int) -> Block:
    """Lines as they are; blank ones around them go, and what no text may hold."""
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
            _boxed(flow, piece, span)
    return Block(BlockKind.CODE, start, flow.length, parts=tuple(parts), language=piece.language)


def _list(flow: Flow, piece: Piece, start: int) -> Block:
    parts = []
    top = min(item.depth for item in piece.items)
    for item in piece.items:
        words = tidy(item.words)
        if not words.text:
            continue
        if flow.length > start:
            flow.write("\n")
        # The first item's indentation would stand before the block.
        indent = INDENT * min(12, item.depth - top) if flow.length > start else ""
        flow.write(indent)
        first = flow.write(f"{item.marker} " if item.marker else "")
        _hanging(flow, words, indent + INDENT)
        span = Span(first.start, flow.length)
        parts.append(span)
        _boxed(flow, piece, span)
    return Block(BlockKind.LIST, start, flow.length, parts=tuple(parts))


def _hanging(flow: Flow, words: Words, indent: str) -> None:
    """An item's words, its later lines indented under its first."""
    lines = words.text.split("\n")
    place = 0
    for number, line in enumerate(lines):
        if number:
            flow.write(f"\n{indent}")
        inside = tuple(
            (max(a, place) - place, min(b, place + len(line)) - place, target)
            for a, b, target in words.links
            if a < place + len(line) and b > place
        )
        flow.put(Words(line, inside))
        place += len(line) + 1


def _table(flow: Flow, piece: Piece, start: int) -> Block:
    """One line a row, cells parted by `` | ``, pipes inside them escaped; no blank at a row's edges."""
    rows: list[Span] = []
    cells: list[Cell] = []
    kept = [row for row in piece.rows if any(tidy(cell.words).text for cell in row)]
    dropped_heads = sum(not any(tidy(cell.words).text for cell in row) for row in piece.rows[: piece.header_rows])
    heads = piece.header_rows - dropped_heads
    for number, row in enumerate(kept):
        check_cancelled()
        if number:
            flow.write("\n")
        row_start = flow.length
        for column, cell in enumerate(row):
            words = _escaped(tidy(cell.words, one_line=True))
            if column:
                before = "" if flow.length == row_start else " "
                flow.write(f"{before}|{'' if not words.text and column == len(row) - 1 else ' '}")
            span = flow.put(words)
            _boxed(flow, piece, span, cell.box)
            value = cell_value(words.text) if cell.value == "auto" else cell.value
            cells.append(Cell(number, column, span.start, span.end, value, cell.header or number < heads))
        rows.append(Span(row_start, flow.length))
    header = Span(start, rows[heads - 1].end) if 0 < heads <= len(rows) else None
    return Block(
        BlockKind.TABLE, start, flow.length, parts=tuple(rows[max(0, heads) :]), header=header, cells=tuple(cells)
    )


def _escaped(words: Words) -> Words:
    """Pipes escaped, and the links moved along."""
    if "|" not in words.text:
        return words
    moved = tuple((a + words.text.count("|", 0, a), b + words.text.count("|", 0, b), t) for a, b, t in words.links)
    return Words(words.text.replace("|", r"\|"), moved)
