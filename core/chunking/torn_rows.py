"""What a leaf that begins inside a row of a table is about, said before it: the row's first cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache

from core.chunking.atoms import Atom
from core.chunking.signals.rows import Row, column_names, row_key, table_rows
from core.types import BlockKind, Document

# What atoms of a row are called that is cut; whole rows, of which a table may have thousands, need no looking up.
_PARTS = frozenset({"sentence of a table row", "sentence of a slice of a row", "slice of a row", "run of words"})


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
        number = bisect_right(starts, atom.start) - 1 if atom.what in _PARTS else -1
        if number < 0 or atom.start >= tables[number].end:
            continue
        rows, names = read(number)
        row = rows[max(0, bisect_right(rows, atom.start, key=_start) - 1)] if rows else None
        if row and row.cells and not row.header and row.cells[0].end <= atom.start < row.end:
            atom.row = row_key(document.text, row, names)


def _start(row: Row) -> int:
    return row.start
