"""The cells of a table, row by row."""

from __future__ import annotations

from core.types import Block


def table_rows(text: str, block: Block) -> list[list[str]]:
    """The text of a table's cells by row, "" where a row has none; all rows are as long as the longest."""
    rows: dict[int, dict[int, str]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, {})[cell.column] = text[cell.start : cell.end]
    width = 1 + max((cell.column for cell in block.cells), default=-1)
    return [[row.get(column, "") for column in range(width)] for _, row in sorted(rows.items())]
