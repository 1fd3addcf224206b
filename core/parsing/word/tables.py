"""Tables of a Word document: the grid, with merged cells repeated in every position they cover, and the header rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.parsing.flow import Piece, TableCell, Words
from core.parsing.ooxml.package import Element
from core.parsing.table_header import (
    EMPTY_CELL,
    SAMPLE_ROWS,
    cell_value,
    features_of,
    header_rows,
    merged_once,
    merges_in,
)
from core.parsing.word.styles import Styles
from core.parsing.word.xml import CELL, DELETIONS, ROW, W, content, number, switch, value
from core.types import BlockKind

_MAX_SPAN = 63  # Word's own limit of columns
_FIRST_ROW = 0x0020


@dataclass(frozen=True, slots=True)
class CellContent:
    """The content of a cell. ``notes``: footnotes and comments, which are written after the table. ``is_line``: it is
    one paragraph and no list. ``lines``: of a cell of plain paragraphs, blank ones too; () for any other.
    """

    words: Words
    notes: tuple[Piece, ...] = ()
    is_bold: bool = False
    is_line: bool = True
    lines: tuple[str, ...] = ()


_FEWEST_LINES = 3  # of cells that are columns of a table in themselves
_BLANK = CellContent(Words(""))
Grid = list[list[CellContent]]  # a merged cell is the same object in every position that it covers


def only_cell(table: Element) -> Element | None:
    """The cell of a table with a single cell, which is a frame around its content; else ``None``."""
    rows = list(_rows(table))
    cells = list(_cells(rows[0])) if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def read_table(
    table: Element, read_cell: Callable[[Element], CellContent], styles: Styles, repeat_budget: int
) -> tuple[list[Piece], int]:
    """The pieces of a table, its notes after it, and how many characters were repeated because of merged cells.

    ``repeat_budget``: how many may be; beyond that, a merged cell is only in its first position.
    """
    grid: Grid = []
    notes: list[Piece] = []
    stated = 0
    is_header = True
    for row in _rows(table):
        properties = row.find(f"{W}trPr")
        is_header = is_header and bool(switch(properties, "tblHeader"))
        stated += is_header
        cells = _read_row(row, properties, grid[-1] if grid else [], read_cell, notes)
        grid += _parted(cells)
    width = max(map(len, grid), default=0)
    for cells in grid:
        cells += [_BLANK] * (width - len(cells))
    header_rows = stated
    if not 0 < stated < len(grid):
        has_first_row = _has_first_row_look(table)
        style = value(table.find(f"{W}tblPr"), "tblStyle") or ""
        header_rows = _header_rows(grid, has_first_row, has_first_row and styles.has_bold_first_row(style))
    rows, repeated = _table_cells(merged_once(_filled(grid), header_rows), repeat_budget)
    return [Piece(BlockKind.TABLE, rows=rows, header_rows=header_rows), *notes], repeated


def _rows(table: Element) -> Iterator[Element]:
    for row in content(table):
        if row.tag == ROW and not any(row.find(f"{W}trPr/{tag}") is not None for tag in DELETIONS):
            yield row


def _cells(row: Element) -> Iterator[Element]:
    return (cell for cell in content(row) if cell.tag == CELL)


def _read_row(
    row: Element,
    properties: Element | None,
    above: list[CellContent],
    read_cell: Callable[[Element], CellContent],
    notes: list[Piece],
) -> list[CellContent]:
    cells = [_BLANK] * _span(number(properties, "gridBefore"), minimum=0)
    for cell in _cells(row):
        cell_properties = cell.find(f"{W}tcPr")
        span = _span(number(cell_properties, "gridSpan"), minimum=1)
        column = len(cells)
        merge = None if cell_properties is None else cell_properties.find(f"{W}vMerge")
        continues_above = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        if continues_above and column < len(above):
            cells += [above[column]] * span
        elif cells and value(cell_properties, "hMerge") == "continue":
            cells += [cells[-1]] * span
        else:
            cell_content = read_cell(cell)
            notes += cell_content.notes
            cells += [cell_content] * span
    return cells + [_BLANK] * _span(number(properties, "gridAfter"), minimum=0)


def _parted(cells: list[CellContent]) -> Grid:
    """The rows of a row whose cells hold a column each, line beside line: names in some, numbers in others. Any other
    row is itself.
    """
    filled = {id(cell): cell for cell in cells if cell.words.text.strip()}
    counts = {len(cell.lines) for cell in filled.values()}
    count = max(counts, default=0)
    numbers = (sum(isinstance(cell_value(line), int | float) for line in cell.lines) for cell in filled.values())
    if len(filled) < 2 or len(counts) > 1 or count < _FEWEST_LINES or not any(2 * number > count for number in numbers):
        return [cells]
    lines = {
        key: [CellContent(Words(line), is_bold=cell.is_bold) for line in cell.lines] for key, cell in filled.items()
    }
    return [[lines.get(id(cell), [_BLANK] * count)[at] for cell in cells] for at in range(count)]


def _span(stated: int | None, minimum: int) -> int:
    return min(max(stated if stated is not None else minimum, minimum), _MAX_SPAN)


def _filled(grid: Grid) -> list[list[CellContent | None]]:
    """The grid with ``None`` for blank cells."""
    return [[cell if cell.words.text.strip() else None for cell in row] for row in grid]


def _table_cells(
    grid: list[list[CellContent | None]], repeat_budget: int
) -> tuple[tuple[tuple[TableCell, ...], ...], int]:
    """The cells of a grid, and how many characters were repeated."""
    repeated = 0
    written: set[int] = set()  # ids of cells
    rows = []
    for row in grid:
        cells = []
        for cell in row:
            if cell is None:
                cells.append(TableCell(Words("")))
                continue
            characters = len(cell.words.text) if id(cell) in written else 0
            written.add(id(cell))
            exceeds_budget = characters > repeat_budget - repeated
            repeated += 0 if exceeds_budget else characters
            cells.append(TableCell(Words("") if exceeds_budget else cell.words))
        rows.append(tuple(cells))
    return tuple(rows), repeated


def _has_first_row_look(table: Element) -> bool | None:
    """Whether the table uses its style's format for the first row; ``None`` where the file does not state it."""
    look = table.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return None
    if look.get(f"{W}firstRow") is not None:
        return look.get(f"{W}firstRow") in ("1", "true", "on")
    try:
        return bool(int(look.get(f"{W}val", "0"), 16) & _FIRST_ROW)
    except ValueError:
        return None


def _header_rows(grid: Grid, has_first_row: bool | None, bold_style: bool | None) -> int:
    """How many rows at the top are the header, where the file marks none.

    ``has_first_row``: see ``_has_first_row_look``. ``bold_style``: whether the style makes the first row bold.
    """
    filled = _filled(grid[:SAMPLE_ROWS])
    labels = {id(cell): cell for cell in (filled[0] if filled else ()) if cell}
    if len(labels) < 2 or not all(cell.is_line for cell in labels.values()):
        return 0
    rows = [
        [features_of(cell.words.text)._replace(strong=cell.is_bold) if cell else EMPTY_CELL for cell in row]
        for row in filled
    ]
    if bold_style:
        rows[0] = [cell._replace(strong=True) for cell in rows[0]]
    if has_first_row is False and not all(cell.strong for cell in rows[0] if cell.kind):
        return 0
    return header_rows(rows, merges_in(filled))
