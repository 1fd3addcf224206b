"""Questions that compare with a number ("which regions above 5 %"), answered from typed table cells, exactly.

A table answers where one of its columns bears the asked unit, or the asked words, and something in its header or
caption is what the question is about; else none does. What is asked is read by ``core.retrieval.bounds``. A list is
whole or it is none: where a row may satisfy and it cannot be told, or more is asked than is understood, none is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.parsing.cells import cell_value
from core.retrieval.amounts import scale_in_words, scale_of
from core.retrieval.bounds import Comparison, comparison_in
from core.retrieval.compared_columns import ComparedColumn, fit, plain_text, satisfying, unread
from core.retrieval.table_times import Dated, rows_of_times
from core.storage.leaves import LeafTable
from core.storage.store import Store
from core.storage.table_columns import (
    NumberCell,
    RowCell,
    TableHead,
    cells_of_column,
    cells_of_rows,
    table_heads,
)
from core.text.analysis import analyse
from core.types import Passage, Span

__all__ = ["Comparison", "FoundRow", "Listing", "comparison_in", "leaves_with", "rows_listed", "rows_satisfying"]

_MOST_ROWS = 200
# What sums up the other rows, and is none of what is to be listed.
_SUMMARY = re.compile(
    r"\W*(?:(?:grand |sub-?|over)?(?:totals?|sum|all)|averages?|mean|median|gesamt|summe)\W*", re.IGNORECASE
)
_LONGEST_NAME = 80  # characters of a cell that may name its row
_LETTER = re.compile(r"[^\W\d_]")

_Texts = Mapping[int, Mapping[int, str]]  # by column: by row, the text of a cell


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A table row that satisfies a comparison: ``[start, end)`` of a version's text, its ``cells``, the one that does
    (``cell``), the ``header`` of that one's column, and the ``label`` by which the row is called, "" for none.

    ``told_in``: "in thousands" where the column is told so and its header does not say it.
    """

    version_id: str
    start: int
    end: int
    header: str
    cell: NumberCell
    cells: tuple[RowCell, ...]
    label: str = ""
    told_in: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The first rows that answer a question which asks to list them, and ``count``: how many cells satisfy in all.

    ``tables``: where the tables stand that were looked at, by version: their other rows do not satisfy.
    """

    rows: tuple[FoundRow, ...] = ()
    count: int = 0
    tables: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A table, the columns that are compared, the cells of theirs that satisfy, row by row, and the rows of which that
    cannot be told. ``dated``: which rows are of the asked times.
    """

    table: TableHead
    columns: tuple[ComparedColumn, ...]
    cells: tuple[NumberCell, ...]
    unknown: frozenset[int]
    dated: Dated


@dataclass(frozen=True, slots=True)
class _Named:
    """The ``rows`` that a question names, ``None`` for none, by ``words`` in ``columns``."""

    rows: frozenset[int] | None
    words: frozenset[str]
    columns: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Told:
    """A table that may answer, what stands beside its numbers, and what its rows are called, by a column."""

    found: _Fitting
    beside: _Texts
    label: int
    named: _Named = field(default=_Named(None, frozenset(), frozenset()))

    @property
    def labels(self) -> Mapping[int, str]:
        return self.beside.get(self.label, {})

    def among(self, row: int) -> bool:
        """Whether a row is asked about."""
        if not self.found.dated.holds(row):
            return False
        if self.named.rows is not None:
            return row in self.named.rows
        return not _SUMMARY.fullmatch(self.labels.get(row, ""))

    @property
    def cells(self) -> list[NumberCell]:
        """Those that satisfy, of the rows that are asked about."""
        return [cell for cell in self.found.cells if self.among(cell.row)]


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
    none where it may mean all others; else totals and averages are left out. A time that is asked for must be told by
    a column's header, the rows, or what stands above the table. Nothing is listed where a row that is asked about may
    satisfy and it cannot be told, nor where the question speaks of another column without naming rows by it, or goes
    on about something that names none.
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
    titles = {passage.version_id: (passage.document, passage.source) for passage in ranked}

    def dated(table: TableHead, columns: Sequence[ComparedColumn]) -> Dated | None:
        return rows_of_times(store, asked, table, [one.column for one in columns], titles[table.version_id])

    told: list[_Told] = []
    for one in _fitting(store, asked, heads or (item[1] for item in reached), dated):
        beside = _beside(store, one)
        label = _label(asked, one, beside)
        if heads or listed & frozenset(analyse(" ".join(beside.get(label, {}).values()))):
            told.append(_Told(one, beside, label, _named(asked, one, beside)))
    if named := [one for one in told if one.named.rows is not None]:
        told = named
    if (named and asked.excepts) or not all(_understood(asked, one) and _is_whole(store, asked, one) for one in told):
        return Listing()
    rows: list[FoundRow] = []
    held = [(answer.found, answer.cells, answer.labels) for answer in told]
    for found, cells, labels in held:
        rows += _rows(store, found, cells[: most - len(rows)], labels)
    tables = [(table.version_id, Span(table.start, table.end)) for _, table in reached]
    return Listing(tuple(rows), sum(len(cells) for _, cells, _ in held), tuple(tables))


def leaves_with(leaves: LeafTable, rows: Sequence[FoundRow]) -> NDArray[np.bool_]:
    """(n,) bool: the leaves that share a character with one of the rows."""
    mask = np.zeros(len(leaves), bool)
    places = {version_id: place for place, version_id in enumerate(leaves.version_ids)}
    for row in rows:
        place = places.get(row.version_id, -1)
        mask |= (leaves.documents == place) & (leaves.starts < row.end) & (leaves.ends > row.start)
    return mask


def _fitting(
    store: Store,
    asked: Comparison,
    tables: Iterable[TableHead],
    dated: Callable[[TableHead, Sequence[ComparedColumn]], Dated | None] = lambda *_: Dated(),
) -> list[_Fitting]:
    """The tables that fit best, in their order, whether or not a cell of theirs satisfies; of those that are ``dated``
    as is asked.
    """
    best = 0
    fitting: list[tuple[TableHead, list[ComparedColumn], Dated]] = []
    for table in tables:
        fits, columns = fit(store, asked, table)
        if columns and fits >= max(1, best) and (times := dated(table, columns)) is not None:
            fitting = [*(fitting if fits == best else []), (table, columns, times)]
            best = fits
    found = []
    for table, columns, times in fitting:
        read = [satisfying(store, asked, table, column) for column in columns]
        cells = sorted((cell for held, _ in read for cell in held), key=lambda cell: (cell.row, cell.column))
        unknown = frozenset[int]().union(*(rows for _, rows in read))
        found.append(_Fitting(table, tuple(columns), tuple(cells), unknown, times))
    return found


def _rows(store: Store, found: _Fitting, cells: Sequence[NumberCell], labels: Mapping[int, str]) -> Iterator[FoundRow]:
    rows = cells_of_rows(store, found.table, [cell.row for cell in cells])
    scales = {one.column: one.scale for one in found.columns}
    for cell in cells:
        row = rows[cell.row]
        start, end = min(one.start for one in row), max(one.end for one in row)
        header = found.table.headers[cell.column]
        told_in = scale_in_words(scales[cell.column]) if scale_of(header) == 1 else ""
        yield FoundRow(found.table.version_id, start, end, header, cell, row, labels.get(cell.row, ""), told_in)


def _is_whole(store: Store, asked: Comparison, told: _Told) -> bool:
    """Whether of every row that is asked about it can be told if it satisfies."""
    unknown = told.found.unknown.union(*(unread(store, asked, told.found.table, one) for one in told.found.columns))
    return not any(map(told.among, unknown))


def _understood(asked: Comparison, told: _Told) -> bool:
    """Whether the question speaks of no column besides but by naming rows of it, and goes on about nothing else."""
    headers = [frozenset(analyse(header)) for header in told.found.table.headers]
    used = {*(one.column for one in told.found.columns), told.label, *told.named.columns, told.found.dated.column}
    known = {*asked.listed, *told.named.words}.union(*(headers[column] for column in used if column >= 0))
    return asked.further <= known and not asked.subject & frozenset().union(*headers) - known


def _named(asked: Comparison, found: _Fitting, beside: _Texts) -> _Named:
    """The rows that the question names, in every column in which it names some."""
    common = {*asked.listed}.union(*(analyse(found.table.headers[one.column]) for one in found.columns))
    rows: frozenset[int] | None = None
    words, columns = set[str](), set[int]()
    for column, texts in beside.items():
        spoken = {text for text in set(texts.values()) if _is_named(asked, text, common)}
        if spoken:
            own = frozenset(row for row, text in texts.items() if text in spoken)
            rows = own if rows is None else rows & own
            columns.add(column)
            words.update(*map(analyse, spoken))
    return _Named(rows, frozenset(words), frozenset(columns))


def _is_named(asked: Comparison, text: str, common: Collection[str]) -> bool:
    """Whether the question says all words of a cell, and not only because it speaks of such rows at all."""
    words = set(analyse(text)) if len(text) <= _LONGEST_NAME else set()
    if not words or not words <= asked.subject or not any(map(_LETTER.search, words)):
        return False  # "the top 3" names no row
    return not words <= set(common) or _SUMMARY.fullmatch(text) is not None


def _label(asked: Comparison, found: _Fitting, beside: _Texts) -> int:
    """The column by which rows are called: the one that is asked for, else the first the question speaks of but to say
    when, else the first of words; never one whose numbers are compared. -1 for none.
    """
    for words in (*({word} for word in asked.listed), asked.subject):
        for column in beside:
            when = column == found.dated.column and words is asked.subject
            if words & set(analyse(found.table.headers[column])) and not when:
                return column
    for column, labels in beside.items():
        if any(isinstance(cell_value(label), str) for label in labels.values()):
            return column
    return -1


def _beside(store: Store, found: _Fitting) -> _Texts:
    """The cells of all columns whose numbers are not compared."""
    compared = {one.column for one in found.columns}
    return {
        column: {row: plain_text(cell.text) for row, cell in cells_of_column(store, found.table, column).items()}
        for column in range(len(found.table.headers))
        if column not in compared
    }


def _reaches(passage: Passage, table: TableHead) -> bool:
    return passage.version_id == table.version_id and passage.start < table.end and table.start < passage.end


def _spoken(table: TableHead, title: str) -> frozenset[str]:
    return frozenset(analyse(" ".join([table.about or title, *table.headers])))
