"""Which rows of a table are of the times a question asks about, as header, cells or what stands above it tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.retrieval.amounts import is_time, units_in
from core.retrieval.bounds import Comparison
from core.retrieval.compared_columns import plain_text
from core.retrieval.dated import lies_in_any, time_of, times_in
from core.storage.store import Store
from core.storage.table_columns import TableHead, cells_of_column, headings_above
from core.text.analysis import analyse

_SHARE = 0.5  # of a column's cells that must be times for it to be one of times; so of the first of a long one
_FIRST = 50


@dataclass(frozen=True, slots=True)
class Dated:
    """The ``rows`` of a table that are of the asked times, ``None`` for all; ``column`` tells them, -1 for none."""

    rows: frozenset[int] | None = None
    column: int = -1

    def holds(self, row: int) -> bool:
        """Whether a row is one of them."""
        return self.rows is None or row in self.rows


def rows_of_times(
    store: Store, asked: Comparison, table: TableHead, compared: Sequence[int], titles: Sequence[str]
) -> Dated | None:
    """The rows of the asked times; ``None`` where nothing tells that a row is of them, or it cannot be told which.

    Told by the headers of the ``compared`` columns, which are of those times; else by a column of times; else by what
    stands before the table, the headings above it from the nearest on, or ``titles``: the first that names any time.
    """
    if not asked.times or all(times_in(table.headers[column]) for column in compared):
        return Dated()
    others = [column for column in range(len(table.headers)) if column not in compared]
    dated = dict(_columns_of_times(store, table, others))
    if len(dated) > 1:
        spoken = [column for column in dated if asked.subject & frozenset(analyse(table.headers[column]))]
        dated = {column: dated[column] for column in spoken}
    if dated:
        return _among(asked.times, *dated.popitem()) if len(dated) == 1 else None
    for text in (table.about, *headings_above(store, table), " ".join(titles)):
        if named := times_in(text):
            return Dated() if all(lies_in_any(one, named) and _tells(one, named) for one in asked.times) else None
    return None


def _tells(asked: str, named: Collection[str]) -> bool:
    """Whether one of the named times is the asked one; a month of any year is that of one."""
    return asked in named or any(asked.startswith("--") and lies_in_any(one, (asked,)) for one in named)


def _columns_of_times(
    store: Store, table: TableHead, columns: Sequence[int]
) -> Iterator[tuple[int, Mapping[int, str]]]:
    """Of some columns those of times: by row, the time of a cell, "" for what is none."""
    for column in columns:
        if any(not is_time(unit) for unit in units_in(table.headers[column])):
            continue
        cells = list(cells_of_column(store, table, column).items())
        for some in (cells[:_FIRST], cells):
            times = {row: time_of(plain_text(cell.text)) for row, cell in some}
            if sum(map(bool, times.values())) <= _SHARE * len(times):
                break
        else:
            yield column, times


def _among(asked: Collection[str], column: int, times: Mapping[int, str]) -> Dated | None:
    told = {row: lies_in_any(time, asked) for row, time in times.items() if time}
    if None in told.values():
        return None
    return Dated(frozenset(row for row, holds in told.items() if holds), column)
