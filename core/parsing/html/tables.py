"""HTML tables: their grid with merged cells repeated, their header rows, and which tables only lay out a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.parsing.flow import TableCell, Words
from core.parsing.html.tree import Node, plain_text
from core.parsing.inline import joined
from core.parsing.table_header import SAMPLE_ROWS, features_of, merges_in
from core.parsing.table_header import header_rows as guessed_header_rows

_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = frozenset({"td", "th"})
_PAGE_PARTS = frozenset("h1 h2 h3 h4 h5 h6 pre listing hr form fieldset figure dl section article nav".split())
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_DATA_ROLES = frozenset({"table", "grid", "treegrid"})
_LONG_CELL = 700  # characters
_LONG_NEST = 600
_LONGEST_LINE = 300  # characters
_MAX_COLUMNS, _MAX_ROWS = 1000, 65_534  # HTML, section 4.9.11
_PREFIX, _SUFFIX = re.compile(r"[$€£¥₹(]|US\$"), re.compile(r"\)?\s*[%‰]|[)€†‡]|\*{1,3}|pts")
_EMPTY = TableCell(Words(""))
_REPEATS_PER_CELL, _REPEATS_ALLOWED = 20, 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """A ``tr``. ``head``: whether it is in a ``thead``."""

    cells: tuple[Node, ...]
    head: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table's parts in the order a browser shows them."""

    captions: tuple[Node, ...]
    rows: tuple[Row, ...]


def table_of(node: Node) -> Table:
    """The captions and rows of a ``table`` element. Rows of ``thead`` come first and rows of ``tfoot`` last."""
    parts = [part for part in node.children if isinstance(part, Node)]
    rows = [
        Row(tuple(cell for cell in row.children if isinstance(cell, Node) and cell.tag in _CELLS), section == "thead")
        for section in _SECTIONS
        for part in parts
        if part.tag == section
        for row in part.children
        if isinstance(row, Node)
    ]
    return Table(tuple(part for part in parts if part.tag == "caption"), tuple(row for row in rows if row.cells))


def is_layout(node: Node, table: Table) -> bool:
    """Whether a table lays out a page and has no data; its cells are then read one after the other.

    A table with a caption, a header cell or a role of data has data.
    """
    role = node.attributes.get("role", "")
    if role in ("presentation", "none"):
        return True
    cells = [cell for row in table.rows for cell in row.cells]
    if role in _DATA_ROLES or table.captions or any(row.head for row in table.rows):
        return False
    if any(cell.tag == "th" for cell in cells):
        return False
    if all(len(row.cells) == 1 for row in table.rows):
        return True
    contents = [_content(cell, len(row.cells) > 1) for row in table.rows for cell in row.cells]
    if any(content.has_page_parts or content.characters > _LONG_CELL for content in contents):
        return True
    characters = sum(content.characters for content in contents)
    return any(content.has_table for content in contents) and characters > _LONG_NEST


@dataclass(frozen=True, slots=True)
class _Content:
    characters: int
    has_page_parts: bool
    has_table: bool


def _content(node: Node, has_neighbours: bool) -> _Content:
    """What a cell contains, counted only as far as ``is_layout`` needs.

    ``has_neighbours``: its row has other cells. A heading that fills such a cell is only typography.
    """
    characters, has_page_parts, has_table = 0, False, False
    pending: list[Node | str] = [node]
    inner = [child for child in node.children if isinstance(child, Node) or child.strip()]
    if has_neighbours and len(inner) == 1 and isinstance(inner[0], Node) and inner[0].tag in _HEADINGS:
        pending = list(inner[0].children)
    while pending and not has_page_parts and characters <= _LONG_CELL:
        item = pending.pop()
        if isinstance(item, str):
            characters += len(item.strip())
            continue
        has_page_parts = item.tag in _PAGE_PARTS
        has_table = has_table or item.tag == "table"
        pending.extend(item.children)
    return _Content(characters, has_page_parts, has_table)


Grid = tuple[tuple[TableCell, ...], ...]


def header_rows(rows: Sequence[Row], cells: Grid) -> int:
    """How many rows at the top are the header: those of a ``thead``, those of nothing but ``th``, or in a table without
    these, rows that differ from those below. ``cells``: of ``grid``.
    """
    stated = sum(row.head for row in rows)
    if stated:
        return stated
    count = 0
    while count < len(rows) and all(cell.tag == "th" for cell in rows[count].cells):
        count += 1
    if count or any(cell.tag == "th" for row in rows for cell in row.cells):
        return count if count < len(rows) else min(1, count)
    filled = [index for index, row in enumerate(cells) if any(cell.words.text.strip() for cell in row)][:SAMPLE_ROWS]
    sample = [cells[index] for index in filled]
    features = [[features_of(cell.words.text) for cell in row] for row in sample]
    labels = [[cell if cell.words.text.strip() else None for cell in row] for row in sample]
    guessed = guessed_header_rows(features, merges_in(labels), words_over_words=False)
    return filled[guessed - 1] + 1 if guessed else 0


def is_line_of_cells(cells: Sequence[Node]) -> bool:
    """Whether a row of a layout table is one line: short texts in several cells, without blocks."""
    return (
        len(cells) > 1
        and sum(len(plain_text(cell)) for cell in cells) <= _LONGEST_LINE
        and not any(_holds_block(cell) for cell in cells)
    )


def _holds_block(node: Node) -> bool:
    return any(
        isinstance(child, Node) and (child.tag not in ("a", "br", "img") or _holds_block(child))
        for child in node.children
    )


def grid(rows: Sequence[Row], words_of: Callable[[Node], Words]) -> Grid:
    """The table's cells by row and column. A merged cell is repeated in every position it covers, but a row of data
    that is a single merged cell has it once.

    Columns in which no cell begins are dropped, and so are columns for spacing: empty ones and parts of merged cells. A
    "$" or "%" in a cell of its own is joined with its number.

    >>> wide = Row((Node("td", {"colspan": "2"}),), False)
    >>> pair = Row((Node("td", {}), Node("td", {})), False)
    >>> named = iter("abc")
    >>> [[cell.words.text for cell in row] for row in grid([wide, pair], lambda cell: Words(next(named)))]
    [['a', ''], ['b', 'c']]
    >>> signed = iter("x$5y$7")
    >>> row = Row((Node("td", {}), Node("td", {}), Node("td", {})), False)
    >>> [[cell.words.text for cell in row] for row in grid([row, row], lambda cell: Words(next(signed)))]
    [['x', '$5'], ['y', '$7']]
    """
    spans = [[_spans(cell, len(rows) - index) for cell in row.cells] for index, row in enumerate(rows)]
    cells = sum(map(len, spans))
    repeats = sum(width * height for row in spans for width, height in row)
    if repeats > _REPEATS_PER_CELL * cells + _REPEATS_ALLOWED:  # a hostile table is read without its spans
        spans = [[(1, 1)] * len(row) for row in spans]
    by_column: list[dict[int, TableCell]] = [{} for _ in rows]
    first_columns: set[int] = set()
    for number, row in enumerate(rows):
        column = 0
        for node, (width, height) in zip(row.cells, spans[number], strict=True):
            while column in by_column[number]:
                column += 1
            first_columns.add(column)
            cell = TableCell(words_of(node), header=row.head or node.tag == "th")
            for covered_row in range(number, number + height):
                for covered_column in range(column, column + width):
                    by_column[covered_row].setdefault(covered_column, cell)
            column += width
    columns = sorted(first_columns)
    return _without_spacing([[row.get(column, _EMPTY) for column in columns] for row in by_column])


def _without_spacing(cells: list[list[TableCell]]) -> Grid:
    """The grid without columns for spacing, and with single cells of a whole row of data once."""
    columns: list[list[TableCell]] = []
    for column in map(list, zip(*cells, strict=True)):
        if columns and (_adds_nothing(column, columns[-1], _SUFFIX) or _adds_nothing(columns[-1], column, _PREFIX)):
            columns[-1] = list(map(_join_cells, columns[-1], column))
        else:
            columns.append(column)
    return tuple(
        (row[0], *[_EMPTY] * (len(row) - 1)) if _is_one_cell(row) else row for row in zip(*columns, strict=True)
    )


def _is_one_cell(row: Sequence[TableCell]) -> bool:
    """Whether a row of data is a single merged cell. A header cell does not count: it names every column it covers."""
    return len(row) > 1 and not row[0].header and all(cell is row[0] for cell in row)


def _adds_nothing(column: Sequence[TableCell], neighbour: Sequence[TableCell], signs: re.Pattern[str]) -> bool:
    """Whether every cell of a column is empty, the same cell as in the neighbouring column, or one of ``signs`` that
    belongs to the text there.
    """
    return all(
        cell is other
        or not (text := cell.words.text.strip())
        or (other.words.text.strip() != "" and signs.fullmatch(text) is not None)
        for cell, other in zip(column, neighbour, strict=True)
    )


def _join_cells(left: TableCell, right: TableCell) -> TableCell:
    if left is right or not right.words.text.strip():
        return left
    if not left.words.text.strip():
        return right
    return TableCell(joined([left.words, right.words], ""), header=left.header and right.header)


def _spans(cell: Node, rows_left: int) -> tuple[int, int]:
    """How many columns and rows a cell covers."""
    width = min(_MAX_COLUMNS, max(1, _integer(cell.attributes.get("colspan", ""), 1)))
    height = min(_MAX_ROWS, _integer(cell.attributes.get("rowspan", ""), 1))
    return width, min(rows_left, height or rows_left)  # rowspan="0": to the table's end


def _integer(text: str, default: int) -> int:
    match = re.match(r"\s*\+?(\d{1,9})", text)
    return int(match[1]) if match else default
