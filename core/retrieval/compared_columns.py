"""Which columns of a table a comparison is about, and what their cells say: yes, no, or that it cannot be told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.parsing.cells import cell_value
from core.retrieval.amounts import (
    POINTED,
    alike,
    amount,
    amount_pattern,
    has_unit,
    in_full,
    is_money,
    other_unit,
    scale_of,
    units_in,
)
from core.retrieval.bounds import Comparison
from core.retrieval.dated import lies_in_any, times_in
from core.storage.store import Store
from core.storage.table_columns import NumberCell, RowCell, TableHead, cells_of_column, numbers_in
from core.text.analysis import analyse

_SHARE = 0.5  # of a column's numbers that must bear the unit, where its header does not
_CALENDAR = re.compile(r"\W*(?:year|month|week|day|hour)\W*", re.IGNORECASE)  # which one, and not how many
_LONGEST_AMOUNT = 40  # characters of a cell that may say a number with its unit
_AMOUNT = re.compile(amount_pattern(), re.IGNORECASE)
_EMPHASIS = re.compile(r"\A(\*{1,3}|_{1,2}|`)(?=\S)(.*\S)\1\Z")
_DIGIT = re.compile(r"\d")
_BRACKETS = re.compile(r"[(\[][^)\]]+[)\]]")  # "(stones)": a unit, known or not
_FIGURES = re.compile(r"\d[\d.,]*\d|\d")
_GROUPED = re.compile(r"[1-9]\d{0,2},\d{3}")  # 1,200 or 1.2, as points and commas are used beside it
_DECIMAL_COMMA = re.compile(r"\W*\d+,(?:\d{1,2}|\d{4,})\W*(?:[^\W\d_]+\W*)?")
_DECIMAL_POINT = re.compile(r"0\.\d+|\d+\.(?:\d{1,2}|\d{4,})")


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column that is compared, with its numbers. ``scale``: what they are told in.

    ``doubtful``: the question's number is as bare as theirs, and may be told in the same or in full.
    """

    column: int
    scale: int
    numbers: tuple[NumberCell, ...]
    doubtful: bool = False


def fit(store: Store, asked: Comparison, table: TableHead) -> tuple[int, list[ComparedColumn]]:
    """How well a table fits, and its columns that fit best and bear the asked unit: several, if equally."""
    spoken = [frozenset(analyse(header)) for header in table.headers]
    told = len(asked.subject & frozenset(analyse(table.about)).union(*spoken))
    best, columns = 0, list[ComparedColumn]()
    for column, header in enumerate(table.headers):
        own = len(asked.subject & spoken[column])
        fits = 2 * own + told + len(asked.beside & spoken[column])  # "400 gateways": the numbers under "Gateways"
        if not told or not (asked.unit or own) or fits < best or not asked.falling <= spoken[column]:
            continue
        times = times_in(header) if asked.times else frozenset()
        if times and not any(lies_in_any(time, asked.times) for time in times):
            if own and fits > best:
                best, columns = fits, []  # "Growth 2023" is not that of 2024, and no other column is it
            continue
        found = _compared(store, asked, table, column, spoken[column])
        if found is not None:
            columns = [*(columns if fits == best else []), found]
            best = fits
    return best, columns


def _compared(
    store: Store, asked: Comparison, table: TableHead, column: int, spoken: frozenset[str]
) -> ComparedColumn | None:
    """A column's numbers in the asked unit, ``None`` where it has none."""
    header, unit = table.headers[column], asked.unit
    cells = numbers_in(store, table, column)
    if not cells and unit:
        measured = tuple(_measured(unit, cells_of_column(store, table, column)))
        return ComparedColumn(column, 1, measured) if measured else None
    if asked.noun and not asked.noun & spoken and _bears_unit(header, cells):
        return None  # "500 stones" of what is told in another unit
    borne = not unit or (has_unit(header, unit) and not _CALENDAR.fullmatch(header))
    if not borne and sum(has_unit(cell.text, unit) for cell in cells) < _SHARE * len(cells):
        return None
    counts = asked.counts and bool(asked.beside & spoken)
    scale = scale_of(header, table.about, counts=counts) if unit != "%" else 1
    if all(other_unit(cell.text, unit) for cell in cells):
        return None
    in_full_anyway = counts and not any(map(is_money, units_in(header)))
    return ComparedColumn(column, scale, tuple(cells), asked.plain and scale != 1 and not in_full_anyway)


def _bears_unit(header: str, cells: Sequence[NumberCell]) -> bool:
    return bool(_BRACKETS.search(header) or units_in(header) or any(units_in(cell.text) for cell in cells))


def _measured(unit: str, cells: Mapping[int, RowCell]) -> list[NumberCell]:
    """The cells that say a number with the unit ("50 GB"), which is text to the catalogue."""
    found = []
    for row, cell in cells.items():
        match = _AMOUNT.fullmatch(plain_text(cell.text)) if len(cell.text) <= _LONGEST_AMOUNT else None
        read = amount(match) if match is not None else None
        if read is not None and read[1] == unit:
            found.append(NumberCell(row, cell.column, cell.start, cell.end, read[0], cell.text))
    return found


def satisfying(
    store: Store, asked: Comparison, table: TableHead, compared: ComparedColumn
) -> tuple[list[NumberCell], set[int]]:
    """The cells of a column that satisfy, and the rows of which it cannot be told: of another unit of the kind, or a
    number that has two readings.
    """
    unit, found, unknown = asked.unit, list[NumberCell](), set[int]()
    pointed = _Pointed(store, table, compared)
    bare = not unit and len({unit for cell in compared.numbers for unit in units_in(cell.text)}) > 1
    for cell in compared.numbers:
        if other_unit(cell.text, unit):
            if any(alike(unit, other) for other in units_in(cell.text)):
                unknown.add(cell.row)
            continue
        written = pointed.value(cell)
        readings = [] if written is None else [in_full(written, compared.scale)]
        if written is not None and compared.doubtful:
            readings.append(written)
        holds = {asked.holds(reading) for reading in readings}
        if bare or len(holds) != 1:
            unknown.add(cell.row)
        elif holds.pop():
            found.append(cell)
    return found, unknown


def unread(store: Store, asked: Comparison, table: TableHead, compared: ComparedColumn) -> set[int]:
    """The rows whose cell in a column says something of a number that was not read: "about 500 GB", "2 TB" of GB."""
    read = {cell.row for cell in compared.numbers}
    return {
        row
        for row, cell in cells_of_column(store, table, compared.column).items()
        if row not in read and _DIGIT.search(cell.text) and _of_kind(units_in(cell.text), asked.unit)
    }


def _of_kind(units: set[str], unit: str) -> bool:
    return not units or not unit or any(unit == other or alike(unit, other) for other in units)


class _Pointed:
    """The numbers of a column's cells where "1.200" may be 1,200: as the other cells of the table write decimals."""

    def __init__(self, store: Store, table: TableHead, compared: ComparedColumn) -> None:
        self._store, self._table, self._compared = store, table, compared
        self._commas: bool | None = None
        self._points: bool | None = None

    def value(self, cell: NumberCell) -> float | None:
        """The cell's number as it is written; ``None`` where it may be one of two."""
        written = cell_value(cell.text)
        value = float(written) if isinstance(written, int | float) else cell.value
        figures = _FIGURES.search(cell.text)
        if figures is None:
            return value
        if _GROUPED.fullmatch(figures.group()):
            return None if self._has_commas() else value
        if POINTED.fullmatch(figures.group()):
            if self._has_commas():
                return in_full(value, 1000)
            return value if self._has_points() else None
        return value

    def _has_commas(self) -> bool:
        """Whether some cell of the table has a decimal comma."""
        if self._commas is None:
            self._commas = any(
                _DECIMAL_COMMA.fullmatch(plain_text(cell.text))
                for column in range(len(self._table.headers))
                for cell in cells_of_column(self._store, self._table, column).values()
                if "," in cell.text and len(cell.text) <= _LONGEST_AMOUNT
            )
        return self._commas

    def _has_points(self) -> bool:
        """Whether the column's points are decimal ones: one of its numbers can have no other, or all have three
        decimals and are no money.
        """
        if self._points is None:
            texts = [found.group() for cell in self._compared.numbers if (found := _FIGURES.search(cell.text))]
            money = [unit for text in (self._table.headers[self._compared.column], *texts) for unit in units_in(text)]
            self._points = any(map(_DECIMAL_POINT.fullmatch, texts)) or (
                all(map(POINTED.fullmatch, texts)) and not any(map(is_money, money))
            )
        return self._points


def plain_text(text: str) -> str:
    """A cell's text on one line, without marks of emphasis.

    >>> plain_text("**North\\n Sea**"), plain_text("a * b")
    ('North Sea', 'a * b')
    """
    return _EMPHASIS.sub(r"\2", " ".join(text.split()))
