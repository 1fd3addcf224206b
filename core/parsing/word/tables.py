"""Tables of a Word document on their grid: merged cells in every place they cover, and which rows are the head."""

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
_MAX_HEAD_CHARACTERS = 120
_YEARS = range(1800, 2200)
_FIRST_ROW = 0x0020


@dataclass(frozen=True, slots=True)
class CellContent:
    """``notes``: footnotes and comments, which stand behind the table. ``is_line``: one paragraph, no list."""

    words: Words
    notes: tuple[Piece, ...] = ()
    is_bold: bool = False
    is_line: bool = True


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of the grid. ``goes_on``: the cell began to the left or above."""

    cell: CellContent
    goes_on: str = ""  # "right", "down"


_NOTHING = CellContent(Words(""))
_BLANK = _Place(_NOTHING)


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
    grid: list[list[_Place]] = []
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
        places += [_BLANK] * (width - len(places))
    look = _first_row_look(table)
    style = value(table.find(f"{W}tblPr"), "tblStyle") or ""
    heads = stated if 0 < stated < len(grid) else _header_rows(grid, look, look and styles.has_bold_first_row(style))
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
    above: list[_Place],
    read_cell: Callable[[Element], CellContent],
    notes: list[Piece],
) -> list[_Place]:
    places = [_BLANK] * _span(number(properties, "gridBefore"), least=0)
    for cell in _cells(row):
        stated = cell.find(f"{W}tcPr")
        span = _span(number(stated, "gridSpan"), least=1)
        column = len(places)
        merge = None if stated is None else stated.find(f"{W}vMerge")
        goes_down = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        if goes_down and column < len(above):
            places += [_Place(above[column].cell, "down")] * span
        elif places and value(stated, "hMerge") == "continue":
            places += [_Place(places[-1].cell, "right")] * span
        else:
            found = read_cell(cell)
            notes += found.notes
            places += [_Place(found)] + [_Place(found, "right")] * (span - 1)
    return places + [_BLANK] * _span(number(properties, "gridAfter"), least=0)


def _span(stated: int | None, least: int) -> int:
    return min(max(stated if stated is not None else least, least), _MAX_SPAN)


def _filled(grid: list[list[_Place]], may_repeat: int) -> tuple[tuple[tuple[TableCell, ...], ...], int]:
    repeated = 0
    rows = []
    for places in grid:
        cells = []
        for place in places:
            again = len(place.cell.words.text) if place.goes_on else 0
            is_left_blank = again > may_repeat - repeated
            repeated += 0 if is_left_blank else again
            cells.append(TableCell(Words("") if is_left_blank else place.cell.words))
        rows.append(tuple(cells))
    return tuple(rows), repeated


def _first_row_look(table: Element) -> bool | None:
    """Whether the table's style treats its first row apart; ``None`` where the file does not say."""
    look = table.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return None
    if look.get(f"{W}firstRow") is not None:
        return look.get(f"{W}firstRow") in ("1", "true", "on")
    try:
        return bool(int(look.get(f"{W}val", "0"), 16) & _FIRST_ROW)
    except ValueError:
        return None


def _header_rows(grid: list[list[_Place]], look: bool | None, bold_style: bool | None) -> int:
    """How many rows at the top name the columns, where the file marks none: 0, 1, or 2 for a head of two storeys."""
    if len(grid) < 2 or len(grid[0]) < 2 or not _could_be_head(grid[0]):
        return 0
    inked = [place.cell for place in grid[0] if place.cell.words.text.strip()]
    is_bold = all(cell.is_bold for cell in inked)
    is_bold_below = all(place.cell.is_bold for place in grid[1] if place.cell.words.text.strip())
    if not (is_bold and not is_bold_below) and not bold_style and (look is False or _is_form(grid)):
        return 0
    has_columns_merged = any(place.goes_on == "right" for place in grid[0])
    has_storeys = has_columns_merged and any(place.goes_on == "down" for place in grid[1])
    return 2 if has_storeys and len(grid) > 2 and _could_be_head(grid[1]) else 1


def _could_be_head(places: list[_Place]) -> bool:
    inked = [place.cell for place in places if place.cell.words.text.strip()]
    distinct = {id(cell) for cell in inked}
    return len(distinct) >= 2 and 2 * len(inked) >= len(places) and all(map(_could_name_a_column, inked))


def _could_name_a_column(cell: CellContent) -> bool:
    text = cell.words.text.strip()
    stated = cell_value(text)
    is_figure = isinstance(stated, int | float) and not isinstance(stated, bool) and stated not in _YEARS
    return cell.is_line and len(text) <= _MAX_HEAD_CHARACTERS and not is_figure


def _is_form(grid: list[list[_Place]]) -> bool:
    """Names on the left and what is filled in on the right: its first row is as any other."""
    if len(grid[0]) != 2:
        return False
    names = [row[0].cell for row in grid if row[0].cell.words.text.strip()]
    ends_so = sum(cell.words.text.strip().endswith((":", "：")) for cell in names)
    others_bold = any(row[1].cell.is_bold for row in grid)
    return 2 * ends_so >= len(names) or (all(cell.is_bold for cell in names) and not others_bold)
