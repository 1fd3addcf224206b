"""Questions that compare with a number ("which regions above 5 %"), answered from typed table cells, exactly.

A table answers where one of its columns bears the asked unit, or the asked words, and something in its header or
caption is what the question is about; else none does. What is asked is read by ``core.retrieval.bounds``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.parsing.cells import cell_value
from core.retrieval.amounts import amount, amount_pattern, has_unit, in_full, other_unit, scale_of
from core.retrieval.bounds import Comparison, comparison_in
from core.storage.leaves import LeafTable
from core.storage.store import Store
from core.storage.table_columns import (
    NumberCell,
    RowCell,
    TableHead,
    cells_of_column,
    cells_of_rows,
    numbers_in,
    table_heads,
)
from core.text.analysis import analyse
from core.types import Passage

__all__ = ["Comparison", "FoundRow", "Listing", "comparison_in", "leaves_with", "rows_listed", "rows_satisfying"]

_SHARE = 0.5  # of a column's numbers that must bear the unit, where its header does not
_MOST_ROWS = 200
# What sums up the other rows, and is none of what is to be listed.
_SUMMARY = re.compile(
    r"\W*(?:(?:grand |sub-?|over)?(?:totals?|sum|all)|averages?|mean|median|gesamt|summe)\W*", re.IGNORECASE
)
_CALENDAR = re.compile(r"\W*(?:year|month|week|day|hour)\W*", re.IGNORECASE)  # which one, and not how many

_LONGEST_NAME = 80  # characters of a cell that may name its row
_LONGEST_AMOUNT = 40  # and of one that may say a number with its unit
_AMOUNT = re.compile(amount_pattern(), re.IGNORECASE)
_EMPHASIS = re.compile(r"\A(\*{1,3}|_{1,2}|`)(?=\S)(.*\S)\1\Z")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_LETTER = re.compile(r"[^\W\d_]")

_Texts = Mapping[int, Mapping[int, str]]  # by column: by row, the text of a cell
Columns = list[list[tuple[NumberCell, float]]]  # cells, and their numbers as they are compared


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A table row that satisfies a comparison: ``[start, end)`` of a version's text, its ``cells``, the one that does
    (``cell``), the ``header`` of that one's column, and the ``label`` by which the row is called, "" for none.
    """

    version_id: str
    start: int
    end: int
    header: str
    cell: NumberCell
    cells: tuple[RowCell, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The first rows that answer a question which asks to list them, and ``count``: how many cells satisfy in all."""

    rows: tuple[FoundRow, ...] = ()
    count: int = 0


def rows_satisfying(store: Store, asked: Comparison, version_ids: Sequence[str]) -> list[FoundRow]:
    """The rows of the tables of some versions that satisfy the comparison, from the tables that fit it best.

    Best: most words of the question in header and caption; tables of equal fit all answer. At most 200 rows. None
    where no table is about what is asked.
    """
    found: list[FoundRow] = []
    for one in _fitting(store, asked, table_heads(store, version_ids)):
        found += _rows(store, one, one.cells[: _MOST_ROWS - len(found)], {})
    return found


def rows_listed(store: Store, asked: Comparison, passages: Sequence[Passage], most: int) -> Listing:
    """The rows to be named in answer, of tables that reach into the passages; those of the most relevant one first.

    A table that is cut answers whole: half of what is above 5 % is no answer. Only tables that bear a word of what is
    to be listed answer: in header or caption, in the document's title where a table has no caption, or, where none does
    there, in the labels of rows. Where the question names rows by a cell ("in North", "in 2024"), they alone do, or
    none where it may mean all others; else totals and averages are left out.
    """
    if not asked.listed:
        return Listing()
    listed = frozenset(asked.listed)
    ranked = sorted(passages, key=lambda passage: passage.rank)
    reached: list[tuple[int, TableHead]] = []
    for table in table_heads(store, list(dict.fromkeys(passage.version_id for passage in ranked))):
        first = next((place for place, passage in enumerate(ranked) if _reaches(passage, table)), None)
        if first is not None:
            reached.append((first, table))
    reached.sort(key=lambda item: item[0])
    heads = [table for place, table in reached if listed & _spoken(table, ranked[place].document)]
    fitting: list[tuple[_Fitting, _Texts, Mapping[int, str]]] = []
    for one in _fitting(store, asked, heads or (item[1] for item in reached)):
        beside = _beside(store, one)
        labels = _labels(asked, one.table, beside)
        if heads or listed & frozenset(analyse(" ".join(labels.values()))):
            fitting.append((one, beside, labels))
    named = [
        (replace(one, cells=held), labels)
        for one, beside, labels in fitting
        if (held := _named(asked, one, beside)) is not None
    ]
    if named and asked.excepts:
        return Listing()
    told = named or [(replace(one, cells=_single(one.cells, labels)), labels) for one, _, labels in fitting]
    rows: list[FoundRow] = []
    for one, labels in told:
        rows += _rows(store, one, one.cells[: most - len(rows)], labels)
    return Listing(tuple(rows), sum(len(one.cells) for one, _ in told))


def leaves_with(leaves: LeafTable, rows: Sequence[FoundRow]) -> NDArray[np.bool_]:
    """(n,) bool: the leaves that share a character with one of the rows."""
    mask = np.zeros(len(leaves), bool)
    places = {version_id: place for place, version_id in enumerate(leaves.version_ids)}
    for row in rows:
        place = places.get(row.version_id, -1)
        mask |= (leaves.documents == place) & (leaves.starts < row.end) & (leaves.ends > row.start)
    return mask


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A table, the columns that were compared, and the cells of theirs that satisfy, row by row."""

    table: TableHead
    columns: frozenset[int]
    cells: tuple[NumberCell, ...]


def _fitting(store: Store, asked: Comparison, tables: Iterable[TableHead]) -> list[_Fitting]:
    """The tables that fit best, in their order, whether or not a cell of theirs satisfies."""
    best = 0
    fitting: list[tuple[TableHead, Columns]] = []
    for table in tables:
        fit, columns = _fit(store, asked, table)
        if columns and fit >= max(1, best):
            fitting = [*(fitting if fit == best else []), (table, columns)]
            best = fit
    found = []
    for table, columns in fitting:
        cells = [cell for column in columns for cell, value in column if asked.holds(value)]
        cells.sort(key=lambda cell: (cell.row, cell.column))
        found.append(_Fitting(table, frozenset(column[0][0].column for column in columns), tuple(cells)))
    return found


def _rows(store: Store, found: _Fitting, cells: Sequence[NumberCell], labels: Mapping[int, str]) -> Iterator[FoundRow]:
    rows = cells_of_rows(store, found.table, [cell.row for cell in cells])
    for cell in cells:
        row = rows[cell.row]
        start, end = min(one.start for one in row), max(one.end for one in row)
        header = found.table.headers[cell.column]
        yield FoundRow(found.table.version_id, start, end, header, cell, row, labels.get(cell.row, ""))


def _named(asked: Comparison, found: _Fitting, beside: _Texts) -> tuple[NumberCell, ...] | None:
    """Of the cells that satisfy those in rows that the question names, in every column in which it names some;
    ``None`` where it names no row.
    """
    common = {*asked.listed}.union(*(analyse(found.table.headers[column]) for column in found.columns))
    rows: set[int] | None = None
    asked_years = _years(asked.subject)
    for texts in beside.values():
        told = set(texts.values())
        spoken = {text for text in told if _is_named(asked, text, common)}
        if spoken or (asked_years and _years(told) == told):  # of other years alone
            own = {row for row, text in texts.items() if text in spoken}
            rows = own if rows is None else rows & own
    return None if rows is None else tuple(cell for cell in found.cells if cell.row in rows)


def _is_named(asked: Comparison, text: str, common: Collection[str]) -> bool:
    """Whether the question says all words of a cell, and not only because it speaks of such rows at all."""
    words = set(analyse(text)) if len(text) <= _LONGEST_NAME else set()
    if not words or not words <= asked.subject:
        return False
    if not _years(words) and not any(map(_LETTER.search, words)):
        return False  # "the top 3" names no row
    return not words <= set(common) or _SUMMARY.fullmatch(text) is not None


def _years(words: Iterable[str]) -> set[str]:
    return {word for word in words if _YEAR.fullmatch(word)}


def _single(cells: Iterable[NumberCell], labels: Mapping[int, str]) -> tuple[NumberCell, ...]:
    """The cells of rows that sum up no others."""
    return tuple(cell for cell in cells if not _SUMMARY.fullmatch(labels.get(cell.row, "")))


def _labels(asked: Comparison, table: TableHead, beside: _Texts) -> Mapping[int, str]:
    """By row: what it is called. In the column that is asked for, else the first the question speaks of, else the first
    of words; never in a column whose numbers are compared.
    """
    for words in (*({word} for word in asked.listed), asked.subject):
        spoken = (column for column in beside if words & set(analyse(table.headers[column])))
        if (column := next(spoken, None)) is not None:
            return beside[column]
    for labels in beside.values():
        if any(isinstance(cell_value(label), str) for label in labels.values()):
            return labels
    return {}


def _beside(store: Store, found: _Fitting) -> _Texts:
    """The cells of all columns whose numbers are not compared."""
    table = found.table
    others = (column for column in range(len(table.headers)) if column not in found.columns)
    return {
        column: {row: _plain(cell.text) for row, cell in cells_of_column(store, table, column).items()}
        for column in others
    }


def _plain(text: str) -> str:
    """A cell's text on one line, without marks of emphasis.

    >>> _plain("**North\\n Sea**"), _plain("a * b")
    ('North Sea', 'a * b')
    """
    return _EMPHASIS.sub(r"\2", " ".join(text.split()))


def _reaches(passage: Passage, table: TableHead) -> bool:
    return passage.version_id == table.version_id and passage.start < table.end and table.start < passage.end


def _spoken(table: TableHead, title: str) -> frozenset[str]:
    return frozenset(analyse(" ".join([table.about or title, *table.headers])))


def _fit(store: Store, asked: Comparison, table: TableHead) -> tuple[int, Columns]:
    """How well a table fits, and the numbers in the asked unit of its columns that fit best: several, if equally."""
    spoken = [frozenset(analyse(header)) for header in table.headers]
    told = len(asked.subject & frozenset(analyse(table.about)).union(*spoken))
    best, columns = 0, Columns()
    asked_years = _years(asked.subject)
    for column, header in enumerate(table.headers):
        own = len(asked.subject & spoken[column])
        fit = 2 * own + told + len(asked.beside & spoken[column])  # "400 gateways": the numbers under "Gateways"
        if not told or not (asked.unit or own) or fit < best:
            continue
        if asked_years and (years := _years(spoken[column])) and not years & asked_years:
            if own and fit > best:
                best, columns = fit, Columns()  # "Growth 2023" is not that of 2024, and no other column is it
            continue
        counts = asked.counts and bool(asked.beside & spoken[column])
        cells = numbers_in(store, table, column)
        numbers = list(_in_unit(asked.unit, header, table.about, cells, counts=counts))
        if not cells and asked.unit:
            numbers = list(_measured(asked.unit, cells_of_column(store, table, column)))
        if numbers:
            columns = [*(columns if fit == best else []), numbers]
            best = fit
    return best, columns


def _measured(unit: str, cells: Mapping[int, RowCell]) -> Iterator[tuple[NumberCell, float]]:
    """The cells that say a number with the unit ("50 GB"), which is text to the catalogue, with their numbers."""
    for row, cell in cells.items():
        match = _AMOUNT.fullmatch(_plain(cell.text)) if len(cell.text) <= _LONGEST_AMOUNT else None
        read = amount(match) if match is not None else None
        if read is not None and read[1] == unit:
            yield NumberCell(row, cell.column, cell.start, cell.end, read[0], cell.text), read[0]


def _in_unit(
    unit: str, header: str, about: str, cells: Sequence[NumberCell], *, counts: bool
) -> Iterator[tuple[NumberCell, float]]:
    """The cells with their numbers as they are meant, where header or cells bear the unit; "" asks for none.

    ``counts``: as ``scale_of`` has it.
    """
    borne = not unit or (has_unit(header, unit) and not _CALENDAR.fullmatch(header))
    if not borne and (not cells or sum(has_unit(cell.text, unit) for cell in cells) < _SHARE * len(cells)):
        return
    scale = scale_of(header, about, counts=counts) if unit != "%" else 1
    for cell in cells:
        if not other_unit(cell.text, unit):
            written = cell_value(cell.text)
            yield cell, in_full(written if isinstance(written, int | float) else cell.value, scale)
