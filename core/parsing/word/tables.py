"""Tables of a Word document on their grid: merged cells in every place they cover, and which rows are the head."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.parsing.flow import Piece, TableCell, Words
from core.parsing.ooxml.package import Element
from core.parsing.table_header import SAMPLE_ROWS, Merge, header_rows, seen
from core.parsing.word.styles import Styles
from core.parsing.word.xml import CELL, DELETIONS, ROW, W, content, number, switch, value
from core.types import BlockKind

_MAX_SPAN = 63  # Word's own limit of columns


@dataclass(frozen=True, slots=True)
class CellContent:
    """``notes``: footnotes and comments, which stand behind the table."""

    words: Words
    notes: tuple[Piece, ...] = ()
    is_bold: bool = False


_NOTHING = CellContent(Words(""))
_Grid = Sequence[Sequence[CellContent]]  # a merged cell is one object in all its places


def only_cell(table: Element) -> Element | None:
    """The cell of a table that has but one, which is a frame around its content."""
    rows = list(_rows(table))
    cells = list(_cells(rows[0])) if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def read_table(
    table: Element, read_cell: Callable[[Element], CellContent], styles: Styles, may_repeat: int
) -> tuple[list[Piece], int]:
    """The table and then its notes; and how many characters stand in it again because their cell is a merged one.

    ``may_repeat``: how many may. Behind that a merged cell stands in its first place alone.
    """
    grid: list[list[CellContent]] = []
    notes: list[Piece] = []
    stated = 0
    is_head = True
    for row in _rows(table):
        properties = row.find(f"{W}trPr")
        is_head = is_head and bool(switch(properties, "tblHeader"))
        stated += is_head
        grid.append(_read_row(row, properties, grid[-1] if grid else [], read_cell, notes))
    width = max(map(len, grid), default=0)
    for places in grid:
        places += [_NOTHING] * (width - len(places))
    style = value(table.find(f"{W}tblPr"), "tblStyle") or ""
    heads = stated if 0 < stated < len(grid) else _head(grid, is_set_apart=styles.has_bold_first_row(style))
    rows, repeated = _filled(grid, may_repeat)
    return [Piece(BlockKind.TABLE, rows=rows, header_rows=heads), *notes], repeated


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
    places = [_NOTHING] * _span(number(properties, "gridBefore"), least=0)
    for cell in _cells(row):
        stated = cell.find(f"{W}tcPr")
        span = _span(number(stated, "gridSpan"), least=1)
        column = len(places)
        merge = None if stated is None else stated.find(f"{W}vMerge")
        goes_down = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        if goes_down and column < len(above):
            places += [above[column]] * span
        elif places and value(stated, "hMerge") == "continue":
            places += [places[-1]] * span
        else:
            found = read_cell(cell)
            notes += found.notes
            places += [found] * span
    return places + [_NOTHING] * _span(number(properties, "gridAfter"), least=0)


def _span(stated: int | None, least: int) -> int:
    return min(max(stated if stated is not None else least, least), _MAX_SPAN)


def _filled(grid: _Grid, may_repeat: int) -> tuple[tuple[tuple[TableCell, ...], ...], int]:
    repeated = 0
    given: set[int] = set()
    rows = []
    for places in grid:
        cells = []
        for cell in places:
            again = len(cell.words.text) if id(cell) in given else 0
            given.add(id(cell))
            is_left_blank = again > may_repeat - repeated
            repeated += 0 if is_left_blank else again
            cells.append(TableCell(Words("") if is_left_blank else cell.words))
        rows.append(tuple(cells))
    return tuple(rows), repeated


def _head(grid: _Grid, *, is_set_apart: bool) -> int:
    """How many rows at the top name the columns, where the file marks none. ``is_set_apart``: by the table's style."""
    if len(grid) < 2 or len(grid[0]) < 2:
        return 0
    looks = [[seen(cell.words.text, strong=cell.is_bold) for cell in row] for row in grid[:SAMPLE_ROWS]]
    return header_rows(looks, _merges(grid[:SAMPLE_ROWS])) or int(is_set_apart and all(cell.text for cell in looks[0]))


def _merges(grid: _Grid) -> list[Merge]:
    extents: dict[int, Merge] = {}
    for row, places in enumerate(grid):
        for column, cell in enumerate(places):
            first = extents.get(id(cell), Merge(row, column, row, column))
            extents[id(cell)] = Merge(first.top, min(first.left, column), row, max(first.right, column))
    extents.pop(id(_NOTHING), None)
    return [merge for merge in extents.values() if merge[:2] != merge[2:]]
