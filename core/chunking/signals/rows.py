"""The rows and cells of a table as spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.markup.inline_tags import blanked
from core.text.spans import lines_around
from core.types import Block, Cell

_WHITESPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Row:
    """One row ``[start, end)`` and its cells from left to right. ``header``: whether it names the columns."""

    start: int
    end: int
    cells: tuple[Cell, ...]
    header: bool = False


def table_rows(text: str, block: Block) -> list[Row]:
    """The rows of a table that have a cell, header rows first; a Markdown rule under the header is no row."""
    by_row: dict[int, list[Cell]] = {}
    for cell in block.cells:
        by_row.setdefault(cell.row, []).append(cell)
    starts = [part.start for part in block.parts]
    rows: list[Row] = []
    for number in sorted(by_row):
        cells = sorted(by_row[number], key=lambda cell: (cell.column, cell.start))
        low, high = min(cell.start for cell in cells), max(cell.end for cell in cells)
        at = bisect_right(starts, low) - 1
        in_part = at >= 0 and high <= block.parts[at].end
        line = block.parts[at] if in_part else lines_around(text, low, high, (block.start, block.end))
        rows.append(Row(line.start, line.end, tuple(cells), all(cell.header for cell in cells)))
    return rows


def cell_text(text: str, cell: Cell) -> str:
    """The text of a cell on one line, without escapes and tags."""
    return _WHITESPACE.sub(" ", blanked(text[cell.start : cell.end]).replace("\\|", "|")).strip()


def column_names(text: str, rows: Sequence[Row]) -> dict[int, str]:
    """The name of each column: its header cells from top to bottom, joined; {} without a header."""
    names: dict[int, list[str]] = {}
    for row in rows:
        for cell in row.cells if row.header else ():
            words = cell_text(text, cell)
            if words and words not in names.setdefault(cell.column, []):
                names[cell.column].append(words)
    return {column: " ".join(words) for column, words in names.items() if words}


def row_key(text: str, row: Row, names: dict[int, str]) -> str:
    """What a row is about: the first column's name, the row's first cell and a colon; "" where the cell is empty.

    For a first column of years or dates: "In 2023:".
    """
    if not row.cells:
        return ""
    words = cell_text(text, row.cells[0])
    name = names.get(row.cells[0].column, "")
    if words and name.casefold() in _TIME_COLUMNS:
        return f"In {words}:"
    return f"{name} {words}:".strip() if words else ""


_TIME_COLUMNS = frozenset(
    {"year", "years", "fiscal year", "month", "quarter", "period", "jahr", "monat", "quartal", "année", "año"}
)
