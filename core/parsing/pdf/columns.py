"""Cells told by white space: printed lines to rows, the gutters they share to columns.

Used inside the cells of a grid, and for tables that nothing but their alignment marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from core.parsing.pdf.lines import Box, Run, TableCells, around
from core.parsing.table_header import cell_value

TABLE_CAPTION = re.compile(
    r"(?:Table|Tab\.|Tabelle|Tableau|Tabla|Tabela|Tabella)\s*[A-Z]?\d+|\[?표\s*\d+", re.IGNORECASE
)
CLOSING = re.compile(r"[)%]{1,2}")
_TIGHT = 0.1  # of a line's height, within a word
_MAX_HEADER_ROWS = 4
_FIGURE = re.compile(r"[^\w]*(?:US\$|EUR|USD)?[^\w]*\d[\d.,'\u00a0 /()\[\]±-]*(?:x|bps|pts?)?[^\w]*")
_MONEY = re.compile(r"[$€£¥₹₩]")
_NO_FIGURE = {"", "-", "–", "—", "n/a", "na", "n.a.", "nm", "n/m", "nil", "$ —", "$ –", "$ -", "— %", "…", "..."}


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that belong together, in the frame in which they are read, with their box on the page.

    ``sources``: places of the runs they come from, in a list that their finder knows.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    box: Box
    bold: bool = False
    sources: tuple[int, ...] = ()

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@dataclass(slots=True)
class Row:
    """A row in the making: ``cells`` by column."""

    y0: float
    y1: float
    cells: dict[int, list[Piece]] = field(default_factory=dict)

    def text(self, column: int) -> str:
        return " ".join(piece.text for piece in self.cells.get(column, ()))

    def is_figure(self, column: int) -> bool:
        return is_figure(self.text(column))


def is_figure(text: str) -> bool:
    """Whether a cell holds a number.

    >>> [is_figure(text) for text in ("1,200", "yes", "12 %")]
    [True, False, True]
    """
    value = cell_value(text)
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_blank_figure(text: str) -> bool:
    """Whether a cell holds a number (in brackets, behind a currency, with a note's mark), or stands for none."""
    return text.strip().casefold() in _NO_FIGURE or bool(_FIGURE.fullmatch(text))


def _holds_figure(text: str) -> bool:
    return any(map(str.isdigit, text)) and is_blank_figure(text)


def printed_lines(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces that stand on one printed line together, from top to bottom, each from left to right."""
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.y0 + piece.y1, piece.x0)):
        mates = lines[-1] if lines else []
        middle = (piece.y0 + piece.y1) / 2
        if mates and middle - (mates[0].y0 + mates[0].y1) / 2 < 0.45 * max(mates[0].height, piece.height):
            mates.append(piece)
        else:
            lines.append([piece])
    return [sorted(line, key=lambda piece: piece.x0) for line in lines]


def shared_gutters(
    lines: Sequence[Sequence[Piece]], least_gap: float, crossed: float = 0.0
) -> list[tuple[float, float]]:
    """Stretches of x at least ``least_gap`` wide between the outermost pieces that no piece touches.

    ``crossed``: the share of lines whose pieces may, all the same.
    """
    edges = sorted([(p.x0, 1) for line in lines for p in line] + [(p.x1, -1) for line in lines for p in line])
    allowed = int(crossed * len(lines))
    gutters: list[tuple[float, float]] = []
    depth, start = 0, None
    for x, step in edges:
        depth += step
        if depth > allowed and start is not None:
            if x - start >= least_gap:
                gutters.append((start, x))
            start = None
        elif depth <= allowed and start is None and step < 0:
            start = x
    return gutters


def placed(lines: Sequence[Sequence[Piece]], gutters: Sequence[tuple[float, float]]) -> list[Row]:
    """Printed lines as rows of cells. What covers a whole gutter, in a row without figures, stands on both sides.

    Figures of one run, as many as the columns it covers, stand one in each.
    """
    edges = [(start + end) / 2 for start, end in gutters]
    rows: list[Row] = []
    for line in lines:
        row = Row(min(piece.y0 for piece in line), max(piece.y1 for piece in line))
        for piece in line:
            crossed = [at for at, (start, end) in enumerate(gutters) if piece.x0 < start + 1 and piece.x1 > end - 1]
            first = last = sum(edge < (piece.x0 if crossed else (piece.x0 + piece.x1) / 2) for edge in edges)
            figures = figures_of(piece) if crossed else []
            if len(figures) == len(crossed) + 1 and crossed == list(range(crossed[0], crossed[-1] + 1)):
                for column, figure in enumerate(figures, start=crossed[0]):
                    row.cells.setdefault(column, []).append(figure)
                continue
            if crossed and len(line) > 1 and not any(is_figure(other.text) for other in line):
                first, last = crossed[0], crossed[-1] + 1
            for column in range(first, last + 1):  # what crosses a gutter and is a line of its own is a long label
                row.cells.setdefault(column, []).append(piece)
        rows.append(row)
    return rows


def figures_of(piece: Piece) -> list[Piece]:
    """A run of several figures, and nothing else, as a piece for each, by their shares of its letters; else []."""
    words = piece.text.split()
    if len(words) < 2 or is_figure(piece.text) or not all(map(is_figure, words)):
        return []
    share = (piece.x1 - piece.x0) / len(piece.text)
    flat = piece.box[2] - piece.box[0] == piece.x1 - piece.x0  # read as it lies on the page
    found, at = [], 0
    for word in words:
        at = piece.text.index(word, at)
        left, right = share * at, share * (at + len(word))
        box = (piece.box[0] + left, piece.box[1], piece.box[0] + right, piece.box[3]) if flat else piece.box
        found.append(replace(piece, x0=piece.x0 + left, x1=piece.x0 + right, text=word, box=box))
        at += len(word)
    return found


def hangs(above: Row, row: Row) -> bool:
    """Whether ``row`` has words under words of ``above`` alone, none of them in the first column."""
    return 0 not in row.cells and all(
        column in above.cells and not above.is_figure(column) and not row.is_figure(column) for column in row.cells
    )


def cell_text(pieces: Sequence[Piece]) -> str:
    """The words of a cell, its printed lines apart: whether a line's end parts a word is told later."""
    return "\n".join(map(spaced, printed_lines(pieces)))


def spaced(line: Sequence[Piece]) -> str:
    """Pieces of one printed line as text, with a blank where there is one between them, and none before a bracket."""
    text = line[0].text
    for left, right in pairwise(line):
        tight = abs(right.x0 - left.x1) < _TIGHT * right.height or CLOSING.fullmatch(right.text)
        text += right.text if tight else f" {right.text}"
    return text


def table_of(rows: Sequence[Row], columns: int) -> tuple[tuple[Run, ...], ...]:
    """Rows as runs; an empty cell gets the box of its row."""
    table = []
    for row in rows:
        box = around([piece.box for pieces in row.cells.values() for piece in pieces])
        cells = []
        for column in range(columns):
            pieces = row.cells.get(column, [])
            cells.append(Run(cell_text(pieces), around([piece.box for piece in pieces]) if pieces else box))
        table.append(tuple(cells))
    return tuple(table)


def header_rows(table: Sequence[Sequence[Run]]) -> int:
    """How many of the first rows name columns: those behind the first do over figures, beside an empty corner.

    Under a row with gaps, an empty corner or repeats, the second may have words in the corner as well. One cell alone
    above the figures is the title of a section, unless it is in brackets, as units are.
    """
    if not _names_columns(table[0]):
        return 0
    first = [run.text for run in table[0]]
    spread = "" in first or len(set(first)) < len(first)
    count = 1
    while count < min(len(table) - 1, _MAX_HEADER_ROWS) and _names_columns(table[count]):
        corner, *behind = (run.text for run in table[count])
        figures = sum(_holds_figure(run.flat) for run in table[count])
        under = count == 1 and spread and (4 * figures < len(first) or figures == len(behind))
        alone = len(behind) > 1 and sum(map(bool, behind)) == 1 and not corner and not "".join(behind).startswith("(")
        section = alone and not _names_columns(table[count + 1])
        over = table[count + 1 : count + 3]  # figures, or dashes, which stand for none
        told = max(sum(bool(run.text) and is_blank_figure(run.flat) for run in row) for row in over)
        if not any(behind) or section or (corner and not under) or told < len(first) / 3:
            break
        count += 1
    return count


def _names_columns(row: Sequence[Run]) -> bool:
    """Words, or years, but no other figures and no sums of money; behind an empty corner years alone."""
    if any(_MONEY.search(run.flat) and _holds_figure(run.flat) for run in row):
        return False
    values = [cell_value(run.flat) for run in row]
    figures = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    years = all(isinstance(value, int) and 1900 <= value <= 2100 for value in figures)
    return years and (any(isinstance(value, str) for value in values) or (values[0] is None and len(figures) > 1))


def as_table(rows: Sequence[Row], columns: int) -> TableCells:
    """Rows as a table, its header told by its words."""
    table = table_of(rows, columns)
    return TableCells(table, header_rows(table))
