"""Tables of a page whose cells drawn lines part: the library finds the cells, the words are put into them here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

from core.parsing.pdf.columns import (
    Piece,
    cell_text,
    header_rows,
    is_figure,
    printed_lines,
)
from core.parsing.pdf.lines import Box, Run, TableCells, around, middle_inside, overlap

Word = tuple[float, float, float, float, str]

_MAX_CELL_CHARACTERS = 800
_MAX_VECTORS = 4000  # more is a drawing
_THIN, _MIN_SIDE = 3.0, 6.0  # points: of a line, and of a cell
_WIDE_GAP = 2.0  # of a line's height, between columns
_SLOPE = 1.5  # times as high as wide: a word written upwards


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table and the box of the page it fills."""

    box: Box
    cells: TableCells


def may_have_grid(vectors: Sequence[Mapping[str, Any]]) -> bool:
    """Whether upright lines or frames are drawn, so that the library's finder, which takes its time, can find cells.

    ``vectors``: blocks of ``page.get_text("dict")``.
    """
    upright = 0
    for vector in vectors:
        x0, y0, x1, y1 = vector["bbox"]
        upright += y1 - y0 > _MIN_SIDE and (x1 - x0 < _THIN or (vector["stroked"] and x1 - x0 > _MIN_SIDE))
    return upright > 1 and len(vectors) <= _MAX_VECTORS


def find_tables(page: Any, words: Sequence[Word]) -> list[FoundTable]:
    """Tables whose cells drawn lines part, from top to bottom; they do not overlap.

    ``page``: PyMuPDF's. ``words``: (x0, y0, x1, y1, text) of the page's words.
    """
    found: list[FoundTable] = []
    for table in page.find_tables(use_layout=False, strategy="lines_strict").tables:
        box = _box(table.bbox)
        grid = [[_box(cell) if cell else None for cell in row.cells] for row in table.rows]
        cells = _filled(grid, box, _inside(words, box))
        beside = _inside(words, (-inf, box[1], inf, box[3]))
        if cells and not any(overlap(box, other.box) for other in found) and _keeps_rows(cells, beside):
            found.append(FoundTable(box, cells))
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def _box(values: Sequence[float]) -> Box:
    x0, y0, x1, y1 = map(float, values)
    return x0, y0, x1, y1


def _inside(words: Sequence[Word], box: Box) -> list[Piece]:
    """The words whose middles lie in the box."""
    return [Piece(*word[:4], word[4], word[:4]) for word in words if middle_inside(word[:4], box)]


def _filled(grid: Sequence[Sequence[Box | None]], box: Box, words: Sequence[Piece]) -> TableCells | None:
    """Words put into their cells, those of a merged cell into each place it covers; ``None`` when it is no table."""
    boxes = sorted({cell for row in grid for cell in row if cell})
    held: dict[Box, list[Piece]] = {}
    for word in words:
        held.setdefault(min(boxes, key=lambda cell: _distance(word, cell)), []).append(word)
    rows = [[_run(cell, held) for cell in _whole_row(grid, index, boxes)] for index in range(len(grid))]
    used = [column for column in range(len(rows[0])) if any(row[column].text for row in rows)]
    table = [tuple(row[column] for column in used) for row in rows if any(run.text for run in row)]
    several = sum(len({run.text for run in row if run.text}) > 1 for row in table)
    longest = max((len(run.text) for row in table for run in row), default=0)
    if len(used) < 2 or several < 2 or longest > _MAX_CELL_CHARACTERS:
        return None
    if len(held) < 0.4 * len(boxes) or 2 * sum(map(_holds_columns, held.values())) > len(table):
        return None
    return TableCells(tuple(table), header_rows(table))


def _distance(word: Piece, cell: Box) -> float:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return max(cell[0] - x, x - cell[2], cell[1] - y, y - cell[3], 0.0)


def _whole_row(grid: Sequence[Sequence[Box | None]], index: int, boxes: Sequence[Box]) -> list[Box]:
    """The cells of a row, the one that covers a place where the library has none of its own."""
    row = grid[index]
    y = _middle([cell for cell in row if cell], 1)
    cells = []
    for column, cell in enumerate(row):
        if cell is None:
            x = _middle([other for line in grid if (other := line[column])], 0)
            cell = min(boxes, key=lambda other: max(other[0] - x, x - other[2], other[1] - y, y - other[3]))
        cells.append(cell)
    return cells


def _middle(cells: Sequence[Box], axis: int) -> float:
    """The middle of the narrowest cell of a row (``axis`` 1) or a column (0)."""
    start, end = min(((cell[axis], cell[axis + 2]) for cell in cells), key=lambda edges: edges[1] - edges[0])
    return (start + end) / 2


def _holds_columns(pieces: Sequence[Piece]) -> bool:
    """Whether wide white stands before a figure: shading drew a cell around several columns."""
    lines = [line for line in printed_lines(pieces) if is_figure(line[-1].text)]
    return any(right.x0 - left.x1 > _WIDE_GAP * left.height for line in lines for left, right in pairwise(line))


def _keeps_rows(cells: TableCells, words: Sequence[Piece]) -> bool:
    """Whether the figures of nearly every printed line stand in a row of their own, each as often as it is printed.

    Shading and rules that underline single cells make grids that part rows, join them, or say a figure twice.
    ``words``: of the page, between the table's top and foot.
    """
    rows = [Counter(word for run in row for word in run.text.split() if is_figure(word)) for row in cells.rows]
    lines = (Counter(piece.text for piece in line if is_figure(piece.text)) for line in printed_lines(words))
    printed = [figures for figures in lines if figures]
    whole = sum(any(figures <= row for row in rows) for figures in printed)
    said = sum(map(Counter.total, rows))
    several = [sum(figures.total() > 1 for figures in side) for side in (printed, rows)]
    return (
        whole >= 0.9 * len(printed)
        and said <= 1.1 * sum(map(Counter.total, printed))
        and several[0] <= 1.1 * several[1]
    )


def _run(cell: Box, held: dict[Box, list[Piece]]) -> Run:
    pieces = held.get(cell, [])
    if not pieces:
        return Run("", cell)
    words = [piece for piece in pieces if len(piece.text) > 2]
    upward = sum(piece.height > _SLOPE * (piece.x1 - piece.x0) for piece in words)
    text = cell_text(pieces)
    if upward > len(words) / 2:  # a narrow column's heading, written from bottom to top
        ordered = sorted(pieces, key=lambda piece: (round((piece.x0 + piece.x1) / 12), -piece.y1))
        text = " ".join(piece.text for piece in ordered)
    return Run(text, around([piece.box for piece in pieces]))
