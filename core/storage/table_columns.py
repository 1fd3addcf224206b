"""Columns of stored tables as typed values: what a numeric comparison reads, without loading whole documents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.storage.documents import texts
from core.storage.store import Store
from core.types import BlockKind

_HEADS = 4000  # cells at a table's beginning among which its header is looked for
_ABOUT = 300  # characters of the block before a table that may say what it is about


@dataclass(frozen=True, slots=True)
class TableHead:
    """A table of a version: ``[start, end)`` of its text, and what its columns are called.

    ``number``, ``block``: its keys in the catalogue. ``headers``: by column, "" for none. ``about``: the caption or
    paragraph before it, "" without one. ``text``: the version's own, whole: cells are read off it, for SQLite would
    count its characters anew for each.
    """

    version_id: str
    number: int
    block: int
    start: int
    end: int
    headers: tuple[str, ...]
    about: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A number in a table's body, at ``[start, end)`` of the text, which says it as ``text``."""

    row: int
    column: int
    start: int
    end: int
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class RowCell:
    """One cell of a body row as it is written."""

    column: int
    start: int
    end: int
    text: str


def table_heads(store: Store, version_ids: Sequence[str]) -> Iterator[TableHead]:
    """The tables of some versions that have typed cells and a header, in text order; none of one that is gone."""
    with store.reading() as connection:
        for version_id in version_ids:
            tables = connection.execute(
                'SELECT number, ordinal, block.start, block."end" FROM block JOIN version ON number = version'
                " WHERE version.id = ? AND block.kind = ? ORDER BY ordinal",
                (version_id, BlockKind.TABLE.value),
            ).fetchall()
            text = texts(store, [version_id])[version_id] if tables else ""
            for number, block, start, end in tables:
                headers = _headers(connection, number, block, text)
                if headers:
                    about = _about(connection, number, block, text)
                    yield TableHead(version_id, number, block, start, end, headers, about, text)


def numbers_in(store: Store, table: TableHead, column: int) -> list[NumberCell]:
    """The numbers of one column's body, from the top."""
    with store.reading() as connection:
        return [
            NumberCell(row, column, start, end, float(value), table.text[start:end])
            for row, start, end, value in connection.execute(
                'SELECT "row", start, "end", value FROM cell WHERE version = ? AND block = ? AND "column" = ?'
                " AND NOT header AND type IN ('integer', 'number') AND value IS NOT NULL ORDER BY ordinal",
                (table.number, table.block, column),
            )
        ]


def cells_of_rows(store: Store, table: TableHead, rows: Sequence[int]) -> dict[int, tuple[RowCell, ...]]:
    """By row: its cells that are not empty, from the left."""
    found: dict[int, tuple[RowCell, ...]] = {}
    with store.reading() as connection:
        for row, column, start, end in connection.execute(
            'SELECT "row", "column", start, "end" FROM cell WHERE version = ? AND block = ? AND type <> \'empty\''
            ' AND "row" IN (SELECT value FROM json_each(?)) ORDER BY "row", "column"',
            (table.number, table.block, json.dumps(list(rows))),
        ):
            found[row] = (*found.get(row, ()), RowCell(column, start, end, table.text[start:end]))
    return found


def cells_of_column(store: Store, table: TableHead, column: int) -> dict[int, RowCell]:
    """By row: the cell of one column, of the rows of the body in which it is not empty.

    A header that stands beside its row is a cell like any other; a row of headers alone is none of the body.
    """
    with store.reading() as connection:
        return {
            row: RowCell(column, start, end, table.text[start:end])
            for row, start, end in connection.execute(
                'SELECT "row", start, "end" FROM cell WHERE version = ? AND block = ? AND "column" = ?'
                " AND type <> 'empty' AND \"row\" IN"
                ' (SELECT "row" FROM cell WHERE version = ? AND block = ? AND NOT header) ORDER BY ordinal',
                (table.number, table.block, column, table.number, table.block),
            )
        }


def headings_above(store: Store, table: TableHead) -> list[str]:
    """The headings of the sections a table stands in, the nearest first."""
    found: list[str] = []
    lowest = 99
    with store.reading() as connection:
        for start, end, level in connection.execute(
            'SELECT start, "end", level FROM block WHERE version = ? AND ordinal < ? AND kind = ?'
            " ORDER BY ordinal DESC",
            (table.number, table.block, BlockKind.HEADING.value),
        ):
            if level < lowest:
                found.append(table.text[start:end])
                lowest = level
    return found


def _headers(connection: sqlite3.Connection, number: int, block: int, text: str) -> tuple[str, ...]:
    names: dict[int, dict[str, None]] = {}  # a header over several columns stands in the cells of each
    for column, start, end in connection.execute(
        'SELECT "column", start, "end" FROM cell WHERE version = ? AND block = ? AND header AND ordinal < ?'
        " ORDER BY ordinal",
        (number, block, _HEADS),
    ):
        names.setdefault(column, {})[" ".join(text[start:end].split())] = None
    return tuple(" ".join(names.get(column, ())).strip() for column in range(max(names, default=-1) + 1))


def _about(connection: sqlite3.Connection, number: int, block: int, text: str) -> str:
    row = connection.execute(
        'SELECT start, "end" FROM block WHERE version = ? AND ordinal = ? AND kind IN (?, ?, ?)',
        (number, block - 1, BlockKind.CAPTION.value, BlockKind.HEADING.value, BlockKind.PARAGRAPH.value),
    ).fetchone()
    return "" if row is None else text[row[0] : min(row[1], row[0] + _ABOUT)]
