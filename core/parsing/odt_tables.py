"""Tables of OpenDocument text, merged and repeated cells in every place they cover (OpenDocument 1.3, section 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.errors import ParseError
from core.parsing.flow import TableCell, Words
from core.parsing.odt_text import children
from core.types import CellValue

Element = Any  # lxml's elements come without types
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_MOST_CELLS = 5_000_000
_HOLDERS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_NUMBERS = frozenset({"float", "percentage", "currency"})


class Allowance:
    """How many cells one document may have, those it only repeats included."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = _MOST_CELLS

    def take(self, cells: int) -> None:
        """Raises ``ParseError`` when there are too many."""
        self._left -= cells
        if self._left < 0:
            raise ParseError(f"{self._name} has more than {_MOST_CELLS:,} table cells.", "Split it into smaller files.")


def table_rows(
    table: Element, words_of: Callable[[Element], Words], allowance: Allowance
) -> tuple[tuple[tuple[TableCell, ...], ...], int]:
    """A table's cells by row and column, and how many rows at its top are headers."""
    placed: list[dict[int, TableCell]] = []
    waiting: dict[int, dict[int, TableCell]] = {}
    heads = 0
    for row, is_head in _rows(table, False):
        for _ in range(_count(row, "number-rows-repeated")):
            number = len(placed)
            line = waiting.pop(number, {})
            _fill(row, is_head, line, number, waiting, words_of, allowance)
            placed.append(line)
            heads += is_head and heads == number
            if not line:
                break  # blank rows to the sheet's end
    width = 1 + max((max(line, default=-1) for line in placed), default=-1)
    allowance.take(width * len(placed))
    empty = TableCell(Words(""))
    return tuple(tuple(line.get(column, empty) for column in range(width)) for line in placed), heads


def _fill(
    row: Element,
    is_head: bool,
    line: dict[int, TableCell],
    number: int,
    waiting: dict[int, dict[int, TableCell]],
    words_of: Callable[[Element], Words],
    allowance: Allowance,
) -> None:
    """Put a row's cells into ``line``, and into ``waiting`` what they cover of later rows."""
    column = 0
    for name, element in children(row):
        if name not in ("table-cell", "covered-table-cell"):
            continue
        repeats = _count(element, "number-columns-repeated")
        if name == "covered-table-cell" or not len(element):
            column += repeats
            continue
        words = words_of(element)
        cell = TableCell(words, _value(element), is_head)
        across, down = _count(element, "number-columns-spanned"), _count(element, "number-rows-spanned")
        allowance.take(max(across, repeats) * down)
        for place in range(column, column + max(across, repeats)):
            line[place] = cell
            for below in range(number + 1, number + down):
                waiting.setdefault(below, {})[place] = cell
        column += repeats


def _rows(holder: Element, is_head: bool) -> Iterator[tuple[Element, bool]]:
    for name, child in children(holder):
        if name == "table-row":
            yield child, is_head
        elif name in _HOLDERS:
            yield from _rows(child, is_head or name == "table-header-rows")


def _value(cell: Element) -> CellValue:
    """The value the file itself types; "auto" where it types none."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind in _NUMBERS:
        try:
            number = float(cell.get(f"{_OFFICE}value", ""))
        except ValueError:
            return "auto"
        if number != number or abs(number) == float("inf"):
            return "auto"
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return cell.get(f"{_OFFICE}boolean-value") == "true" if kind == "boolean" else "auto"


def _count(element: Element, name: str) -> int:
    text = element.get(f"{_TABLE}{name}", "1")
    return min(1000, max(1, int(text))) if text.isdecimal() and len(text) < 10 else 1
