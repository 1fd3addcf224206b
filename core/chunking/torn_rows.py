"""What a leaf that begins inside a row of a table is about, said before it: the row's first cell."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

from core.chunking.atoms import Atom
from core.chunking.signals.rows import Row, column_names, row_key, table_rows
from core.types import BlockKind, Document, Span


def name_rows(document: Document, atoms: Iterable[Atom]) -> None:
    """Tells the atoms that begin behind the first cell of a row which row it is.

    A row longer than a leaf is cut, and of an option's description nothing but its first part names the option.
    """
    tables = [block for block in document.blocks if block.kind == BlockKind.TABLE]
    starts = [table.start for table in tables]

    @cache
    def read(number: int) -> tuple[list[Row], dict[int, str]]:
        rows = sorted(table_rows(document.text, tables[number]), key=_start)
        return rows, column_names(document.text, rows)

    for atom in atoms if tables else ():
        number = bisect_right(starts, atom.start) - 1
        if number < 0 or atom.start >= tables[number].end or _is_start(tables[number].parts, atom.start):
            continue
        rows, names = read(number)
        row = rows[max(0, bisect_right(rows, atom.start, key=_start) - 1)] if rows else None
        if row and row.cells and not row.header and row.cells[0].end <= atom.start < row.end:
            atom.row = row_key(document.text, row, names)


def _is_start(rows: Sequence[Span], place: int) -> bool:
    """Whether one of the spans, in order, begins there: no table is read for what begins with a row of it."""
    at = bisect_left(rows, place, key=_start)
    return at < len(rows) and rows[at].start == place


def _start(one: Row | Span) -> int:
    return one.start
