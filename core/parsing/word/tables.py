"""Tables of a Word document: the grid, with merged cells repeated in every position they cover, and the header rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.parsing.flow import Piece, TableCell, Words
from core.parsing.ooxml.package import Element
from core.parsing.table_header import cell_value
from core.parsing.word.styles import Styles
from core.parsing.word.xml import CELL, DELETIONS, ROW, W, content, number, switch, value
from core.types import BlockKind

_MAX_SPAN = 63  # Word's own limit of columns
_MAX_HEADER_CHARACTERS = 120
_YEARS = range(1800, 2200)
_FIRST_ROW = 0x0020


@dataclass(frozen=True, slots=True)
class CellContent:
    """The content of a cell. ``notes``: footnotes and comments, which are written after the table. ``is_line``: it is
    one paragraph and no list.
    """

    words: Words
    notes: tuple[Piece, ...] = ()
    is_bold: bool = False
    is_line: bool = True


@dataclass(frozen=True, slots=True)
class _GridCell:
    """A position of the grid. ``merged``: "right" if the cell begins on the left, "down" if above, else ""."""

    cell: CellContent
    merged: str = ""


_BLANK = _GridCell(CellContent(Words("")))


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
    grid: list[list[_GridCell]] = []
    notes: list[Piece] = []
    stated = 0
    is_header = True
    for row in _rows(table):
        properties = row.find(f"{W}trPr")
        is_header = is_header and bool(switch(properties, "tblHeader"))
        stated += is_header
        grid.append(_read_row(row, properties, grid[-1] if grid else [], read_cell, notes))
    width = max(map(len, grid), default=0)
    for cells in grid:
        cells += [_BLANK] * (width - len(cells))
    header_rows = stated
    if not 0 < stated < len(grid):
        has_first_row = _has_first_row_look(table)
        style = value(table.find(f"{W}tblPr"), "tblStyle") or ""
        header_rows = _header_rows(grid, has_first_row, has_first_row and styles.has_bold_first_row(style))
    rows, repeated = _table_cells(grid, repeat_budget)
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
    above: list[_GridCell],
    read_cell: Callable[[Element], CellContent],
    notes: list[Piece],
) -> list[_GridCell]:
    cells = [_BLANK] * _span(number(properties, "gridBefore"), minimum=0)
    for cell in _cells(row):
        cell_properties = cell.find(f"{W}tcPr")
        span = _span(number(cell_properties, "gridSpan"), minimum=1)
        column = len(cells)
        merge = None if cell_properties is None else cell_properties.find(f"{W}vMerge")
        continues_above = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        if continues_above and column < len(above):
            cells += [_GridCell(above[column].cell, "down")] * span
        elif cells and value(cell_properties, "hMerge") == "continue":
            cells += [_GridCell(cells[-1].cell, "right")] * span
        else:
            cell_content = read_cell(cell)
            notes += cell_content.notes
            cells += [_GridCell(cell_content)] + [_GridCell(cell_content, "right")] * (span - 1)
    return cells + [_BLANK] * _span(number(properties, "gridAfter"), minimum=0)


def _span(stated: int | None, minimum: int) -> int:
    return min(max(stated if stated is not None else minimum, minimum), _MAX_SPAN)


def _table_cells(grid: list[list[_GridCell]], repeat_budget: int) -> tuple[tuple[tuple[TableCell, ...], ...], int]:
    """The cells of a grid, and how many characters were repeated."""
    repeated = 0
    rows = []
    for row in grid:
        cells = []
        for grid_cell in row:
            characters = len(grid_cell.cell.words.text) if grid_cell.merged else 0
            exceeds_budget = characters > repeat_budget - repeated
            repeated += 0 if exceeds_budget else characters
            cells.append(TableCell(Words("") if exceeds_budget else grid_cell.cell.words))
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


def _header_rows(grid: list[list[_GridCell]], has_first_row: bool | None, bold_style: bool | None) -> int:
    """How many rows at the top are the header, where the file marks none: 0, 1, or 2 for a header with merged cells.

    ``has_first_row``: see ``_has_first_row_look``. ``bold_style``: whether the style makes the first row bold.
    """
    if len(grid) < 2 or len(grid[0]) < 2 or not _could_be_header(grid[0]):
        return 0
    filled = [grid_cell.cell for grid_cell in grid[0] if grid_cell.cell.words.text.strip()]
    is_bold = all(cell.is_bold for cell in filled)
    is_bold_below = all(grid_cell.cell.is_bold for grid_cell in grid[1] if grid_cell.cell.words.text.strip())
    if not (is_bold and not is_bold_below) and not bold_style and (has_first_row is False or _is_form(grid)):
        return 0
    has_merged_columns = any(grid_cell.merged == "right" for grid_cell in grid[0])
    has_two_rows = has_merged_columns and any(grid_cell.merged == "down" for grid_cell in grid[1])
    return 2 if has_two_rows and len(grid) > 2 and _could_be_header(grid[1]) else 1


def _could_be_header(row: list[_GridCell]) -> bool:
    filled = [grid_cell.cell for grid_cell in row if grid_cell.cell.words.text.strip()]
    distinct = {id(cell) for cell in filled}
    return len(distinct) >= 2 and 2 * len(filled) >= len(row) and all(map(_could_name_a_column, filled))


def _could_name_a_column(cell: CellContent) -> bool:
    text = cell.words.text.strip()
    stated = cell_value(text)
    is_number = isinstance(stated, int | float) and not isinstance(stated, bool) and stated not in _YEARS
    return cell.is_line and len(text) <= _MAX_HEADER_CHARACTERS and not is_number


def _is_form(grid: list[list[_GridCell]]) -> bool:
    """Whether a table is a form, with labels on the left and values on the right; it has no header."""
    if len(grid[0]) != 2:
        return False
    labels = [row[0].cell for row in grid if row[0].cell.words.text.strip()]
    with_colon = sum(cell.words.text.strip().endswith((":", "：")) for cell in labels)
    has_bold_value = any(row[1].cell.is_bold for row in grid)
    return 2 * with_colon >= len(labels) or (all(cell.is_bold for cell in labels) and not has_bold_value)
