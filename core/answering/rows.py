"""Rows of a table as things to quote: read with their headers, and the one cell a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.analysis import analyse
from core.types import Block, BlockKind, Cell, Span

# Two things are asked, and the row may hold both.
_SEVERAL = re.compile(r"\band (?:what|which|how|when|whom?|where|why|by|for|its|their|the)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells in column order and the header above each ("" where there is none), of the table at ``table``."""

    cells: tuple[Cell, ...]
    headers: tuple[str, ...]
    table: Span

    @property
    def span(self) -> Span:
        """From its first cell to its last."""
        return Span(min(cell.start for cell in self.cells), max(cell.end for cell in self.cells))

    @property
    def reading(self) -> str:
        """The row in words: every value after its header."""
        told = [
            f"{header}: {cell.value}" if header else f"{cell.value}"
            for cell, header in zip(self.cells, self.headers, strict=True)
        ]
        return "; ".join(told)


def rows_of(table: Block, within: Span) -> Iterator[Row]:
    """The rows of a table that lie whole in a span and have at least two filled cells; header rows are none."""
    if table.kind is not BlockKind.TABLE:
        return
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.value is not None and cell.end > cell.start:
            rows.setdefault(cell.row, []).append(cell)
    headers: dict[int, str] = {}
    for number in sorted(rows):
        cells = sorted(rows[number], key=lambda cell: cell.column)
        if all(cell.header for cell in cells):  # a header that stands beside its row is a cell like any other
            for cell in cells:
                headers[cell.column] = f"{headers.get(cell.column, '')} {cell.value}".strip()
        elif len(cells) > 1 and all(within.contains(Span(cell.start, cell.end)) for cell in cells):
            yield Row(tuple(cells), tuple(headers.get(cell.column, "") for cell in cells), Span(table.start, table.end))


def asked_cell(row: Row, question: str) -> tuple[str, Span]:
    """What the asked cell is of, and its span; ("", the whole row) where the question does not tell one cell.

    One cell is told where one thing is asked, the row's first cell shares a word with the question, and exactly one
    other cell's header holds most of the question's words that the label lacks.

    >>> texts = ["Availability", "99.97 %", "99.92 %"]
    >>> cells = tuple(Cell(1, at, 10 * at, 10 * at + 5, text) for at, text in enumerate(texts))
    >>> row = Row(cells, ("Figure", "Q2 2026", "Q3 2026"), Span(0, 30))
    >>> asked_cell(row, "What was the availability in Q3 2026?")
    ('Availability › Q3 2026', Span(start=20, end=25))
    >>> asked_cell(row, "How available was it?")[0]
    ''
    """
    if _SEVERAL.search(question):
        return "", row.span
    wanted = frozenset(analyse(question))
    label = frozenset(analyse(str(row.cells[0].value)))
    if not label & wanted:
        return "", row.span
    left = wanted - label
    shared = [len(frozenset(analyse(header)) & left) for header in row.headers[1:]]
    best = max(shared, default=0)
    if not best or shared.count(best) > 1:
        return "", row.span
    place = 1 + shared.index(best)
    cell = row.cells[place]
    return f"{row.cells[0].value} › {row.headers[place]}", Span(cell.start, cell.end)
