"""Tables written as HTML in Markdown: their rows and cells, at the places where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

from core.parsing.table_header import cell_value
from core.text.spans import line_starts
from core.types import Block, BlockKind, Cell, Span

_MOST_COLUMNS = 200  # more is no table that anyone reads


@dataclass(slots=True)
class _Cell:
    """``start``, ``end``: of its words, without the tags around them. ``wide``, ``high``: how many columns and rows it
    covers. ``words``: its text without tags.
    """

    start: int
    is_header: bool
    wide: int
    high: int
    end: int = -1
    is_open: bool = True
    words: list[str] = field(default_factory=list)

    def add(self, words: str, start: int, end: int) -> None:
        """Words of the cell stand at ``[start, end)``; blanks count only between others."""
        if words.strip():
            self.start, self.end = (self.start if self.end >= 0 else start), end
        self.words.append(words)


@dataclass(slots=True)
class _Row:
    start: int
    end: int = -1
    cells: list[_Cell] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    start: int
    end: int = -1
    rows: list[_Row] = field(default_factory=list)


class _Reader(HTMLParser):
    """Finds the tables of a text that are in no other table. Tags that HTML lets authors leave out are closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._text, self._starts = text, line_starts(text)
        self._depth = 0
        self.tables: list[_Table] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        here = self._here()
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append(_Table(here))
        elif self._depth == 1 and tag == "tr":
            self._end_row(here)
            self.tables[-1].rows.append(_Row(here))
        elif self._depth == 1 and tag in ("td", "th") and self._row:
            self._end_cell()
            wide, high = (_number(dict(attrs).get(name)) for name in ("colspan", "rowspan"))
            self._row.cells.append(_Cell(here + len(self.get_starttag_text() or ""), tag == "th", wide, high))
        elif (cell := self._cell) and tag in ("br", "p", "li", "div"):
            cell.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        here = self._here()
        if self._depth == 1 and tag in ("td", "th"):
            self._end_cell()
        elif self._depth == 1 and tag in ("tr", "table", "thead", "tbody", "tfoot"):
            self._end_row(self._after(here) if tag == "tr" else here)
        if tag == "table" and self._depth:
            self._depth -= 1
            if not self._depth:
                self.tables[-1].end = self._after(here)

    def handle_data(self, data: str) -> None:
        if cell := self._cell:
            here = self._here()
            cell.add(data, here + len(data) - len(data.lstrip()), here + len(data.rstrip()))

    def handle_entityref(self, name: str) -> None:
        if cell := self._cell:
            cell.add(unescape(f"&{name};"), self._here(), self._here() + len(name) + 1)

    def handle_charref(self, name: str) -> None:
        self.handle_entityref(f"#{name}")

    @property
    def _row(self) -> _Row | None:
        rows = self.tables[-1].rows if self._depth else []
        return rows[-1] if rows and rows[-1].end < 0 else None

    @property
    def _cell(self) -> _Cell | None:
        cells = self._row.cells if self._row else []
        return cells[-1] if cells and cells[-1].is_open else None

    def _end_cell(self) -> None:
        if cell := self._cell:
            cell.is_open = False

    def _end_row(self, here: int) -> None:
        self._end_cell()
        if row := self._row:
            row.end = here

    def _here(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column

    def _after(self, here: int) -> int:
        return self._text.find(">", here) + 1 or len(self._text)


def _number(value: str | None) -> int:
    return max(1, int(value)) if value and value.isdecimal() and len(value) < 3 else 1


def html_tables(text: str, span: Span) -> Iterator[Block]:
    """The tables in the HTML at ``span`` as blocks, in order; a table of fewer than two rows or columns is none.

    A cell's span is that of its words, without the tags around them. A cell over several columns is in each.

    >>> source = "<table><tr><th>Dose<th>Unit</tr><tr><td><b>5</b></td><td>mg</td></tr></table>"
    >>> (table,) = html_tables(source, Span(0, len(source)))
    >>> [(cell.row, cell.column, cell.value, cell.header) for cell in table.cells]
    [(0, 0, 'Dose', True), (0, 1, 'Unit', True), (1, 0, 5, False), (1, 1, 'mg', False)]
    """
    part = text[span.start : span.end]
    if "<table" not in part.lower():
        return
    for found in _Reader(part).tables:
        rows = [row for row in found.rows if row.cells and row.end > row.start]
        if found.end < 0 or len(rows) < 2:
            continue
        cells = tuple(_cells(rows, span.start))
        if max((cell.column for cell in cells), default=0) not in range(1, _MOST_COLUMNS):
            continue
        lines = [Span(span.start + row.start, span.start + row.end) for row in rows]
        headers = next((at for at, row in enumerate(rows) if not all(cell.is_header for cell in row.cells)), 0)
        header = Span(lines[0].start, lines[headers - 1].end) if headers else None
        yield Block(
            BlockKind.TABLE,
            span.start + found.start,
            span.start + found.end,
            parts=tuple(lines[headers:]),
            header=header,
            cells=tuple(cells),
        )


def _cells(rows: Sequence[_Row], offset: int) -> Iterator[Cell]:
    taken: set[tuple[int, int]] = set()  # by cells over several rows, which begin above
    for number, row in enumerate(rows):
        column = 0
        is_header = all(cell.is_header for cell in row.cells)
        for cell in row.cells:
            while (number, column) in taken:
                column += 1
            start, end = offset + cell.start, offset + max(cell.start, cell.end)
            value = cell_value(" ".join("".join(cell.words).split()))
            for _ in range(cell.wide):
                taken |= {(number + below, column) for below in range(1, cell.high)}
                yield Cell(number, column, start, end, value, header=is_header)
                column += 1
