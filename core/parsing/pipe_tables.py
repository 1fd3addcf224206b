"""Pipe tables: cells with their exact offsets, and the one way tables are written into canonical text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from core.parsing.cells import cell_value
from core.types import Block, BlockKind, Cell, Span

_PIPE_OR_ESCAPE = re.compile(r"\\.|\|", re.DOTALL)


def row_cells(line: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each cell's content in one pipe table line; an empty cell is a point.

    A backslash escapes a pipe; the outer pipes are optional.

    >>> [(r"| a \\| b | | c"[start:end]) for start, end in row_cells(r"| a \\| b | | c")]
    ['a \\\\| b', '', 'c']
    """
    pipes = [match.start() for match in _PIPE_OR_ESCAPE.finditer(line) if match.group() == "|"]
    edges = [-1, *pipes, len(line)]
    cells = []
    for left, right in pairwise(edges):
        raw = line[left + 1 : right]
        outer = left < 0 or right == len(line)
        if outer and not raw.strip() and pipes:
            continue
        start = left + 1 + (len(raw) - len(raw.lstrip()) if raw.strip() else min(1, len(raw)))
        cells.append((start, start + len(raw.strip())))
    return cells


def pipe_table(text: str, header: Span, rows: Sequence[Span], *, headed: bool = True) -> Block:
    """The TABLE block of a pipe table: ``header`` holds the header row and the delimiter row, ``rows`` the body.

    Every span is one whole line (the header's: two). With ``headed`` false the block has no header.
    """
    cells: list[Cell] = []
    lines = [(header.start, text.find("\n", header.start, header.end))] if headed else []
    lines += [(row.start, row.end) for row in rows]
    for number, (start, end) in enumerate(lines):
        for column, (low, high) in enumerate(row_cells(text[start:end])):
            content = text[start + low : start + high]
            value = cell_value(content.replace(r"\|", "|"))
            cells.append(Cell(number, column, start + low, start + high, value, header=headed and number == 0))
    whole_end = rows[-1].end if rows else header.end
    return Block(
        BlockKind.TABLE,
        header.start,
        whole_end,
        parts=tuple(rows),
        header=header if headed else None,
        cells=tuple(cells),
    )
