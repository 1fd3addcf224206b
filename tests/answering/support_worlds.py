"""Passages, tables and encoders for the tests of the answer line."""

from __future__ import annotations

from core.types import Block, BlockKind, Cell, Passage, Span

TABLE = "Figure | Q2 2026 | Q3 2026\nAvailability of intake | 99.97 % | 99.92 %\nAlerts sent | 1,200 | 1,340\n"


def passage(text, start=100, rank=1, version="v" * 64, children=(), headings=(), document="Handbook"):
    return Passage(
        version_id=version,
        document=document,
        source="handbook.md",
        start=start,
        end=start + len(text),
        text=text,
        tokens=10,
        chunk_ids=("c",),
        children=tuple(children) or (Span(start, start + 10),),
        rank=rank,
        score=1.0,
        reason="the child alone",
        headings=tuple(headings),
        page=3,
    )


def table(text=TABLE, start=100, header_rows=1):
    cells, at = [], start
    for row, line in enumerate(text.splitlines()):
        column_at = at
        for column, value in enumerate(line.split(" | ")):
            cells.append(Cell(row, column, column_at, column_at + len(value), value, row < header_rows))
            column_at += len(value) + 3
        at += len(line) + 1
    return Block(BlockKind.TABLE, start, start + len(text.rstrip()), cells=tuple(cells))
