"""Labels for atoms that begin inside a table row: the row's first cell, which says what the row is about."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache

from core.chunking.atoms import Atom
from core.chunking.signals.rows import Row, column_names, row_key, table_rows
from core.types import BlockKind, Document

# Names (``Atom.what``) of atoms that may begin inside a row. Skipping whole rows matters: a table may have thousands.
_ROW_PARTS = frozenset({"sentence of a table row", "sentence of a slice of a row", "slice of a row", "run of words"})


def label_torn_rows(document: Document, atoms: Iterable[Atom]) -> None:
    """Sets ``row_label`` of every atom that begins after the first cell of its row.

    A row longer than a leaf is cut, and only its first part would name what the row describes.
    """
    tables = [block for block in document.blocks if block.kind == BlockKind.TABLE]
    starts = [table.start for table in tables]

    @cache
    def read(number: int) -> tuple[list[Row], dict[int, str]]:
        rows = sorted(table_rows(document.text, tables[number]), key=_start)
        return rows, column_names(document.text, rows)

    for atom in atoms if tables else ():
        number = bisect_right(starts, atom.start) - 1 if atom.what in _ROW_PARTS else -1
        if number < 0 or atom.start >= tables[number].end:
            continue
        rows, names = read(number)
        row = rows[max(0, bisect_right(rows, atom.start, key=_start) - 1)] if rows else None
        if row and row.cells and not row.header and row.cells[0].end <= atom.start < row.end:
            atom.row_label = row_key(document.text, row, names)


def _start(row: Row) -> int:
    return row.start
