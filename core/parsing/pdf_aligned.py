"""Tables that no rule marks, among the runs of a page or a column: told by their alignment, and with caution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from core.parsing.cells import cell_value
from core.parsing.pdf_columns import (
    TABLE_CAPTION,
    Piece,
    Row,
    as_table,
    is_blank_figure,
    is_figure,
    phrases,
    placed,
    printed_lines,
    shared_gutters,
    unwrapped,
)
from core.parsing.pdf_lines import TextLine, around

_MIN_ROWS = 3
_MIN_GAP = 0.8  # of the type size, between columns
_MAX_WHITE = 1.8  # of a line's height, between rows
_SAME = 3.0  # points within which edges are one
_MARKER = re.compile(r"\W{0,2}(?:\w{1,4}[.):\]]|[•◦▪–—*+-])\s*")
_EQUATION_NUMBER = re.compile(r"\(\d+(?:[.-]\d+)*[a-z]?\)")
_LONG_CELL, _PROSE_CELL = 28, 45  # mean characters of a column's cells
_PROSE_WIDTH = 9.0  # of a line's height: a narrower column is none of prose
_CAPTION_REACH = 45.0


def aligned_tables(fragments: Sequence[TextLine]) -> list[TextLine]:
    """The fragments, those of an unruled table replaced by one stand-in each."""
    usable = [item for item in fragments if not item.stands_in]
    if len(usable) < 2 * _MIN_ROWS:
        return list(fragments)
    pieces = [_piece(item) for item in usable]
    item_of = {id(piece): item for piece, item in zip(pieces, usable, strict=True)}
    lines = printed_lines(pieces)
    result = list(fragments)
    for kept, rows, columns in _tables(_runs(lines, [item for item in fragments if item.stands_in]), usable):
        members = [item_of[id(piece)] for line in kept for piece in line]
        if 2 * sum(member.mono for member in members) > len(members):
            continue
        gone = {id(member) for member in members}
        result = [item for item in result if id(item) not in gone]
        result.append(_stand_in(members, rows, columns))
    return result


def _tables(
    runs: Sequence[list[list[Piece]]], items: Sequence[TextLine]
) -> Iterator[tuple[list[list[Piece]], list[Row], int]]:
    """The tables among the runs: a run is one, or a part of it that stands apart."""
    for run in runs:
        whole = _table(run, _captioned(run, items))
        if whole:
            yield whole
            continue
        for part in _parts(run):
            found = _table(part, _captioned(part, items), prose_columns=0)
            if found:
                yield found


def _parts(run: Sequence[list[Piece]]) -> list[list[list[Piece]]]:
    """A run parted where the white between its lines is wider than is usual in it."""
    whites = [min(p.y0 for p in below) - max(p.y1 for p in above) for above, below in pairwise(run)]
    usual = sorted(whites)[len(whites) // 2]
    height = sorted(piece.height for line in run for piece in line)[sum(map(len, run)) // 2]
    parts = [[run[0]]]
    for white, line in zip(whites, run[1:], strict=True):
        if white > usual + 0.3 * height:
            parts.append([])
        parts[-1].append(line)
    return [part for part in parts if len(part) >= _MIN_ROWS]


def _piece(item: TextLine) -> Piece:
    return Piece(item.x0, item.y0, item.x1, item.y1, item.text.strip(), item.box, item.bold)


def _stand_in(members: Sequence[TextLine], rows: Sequence[Row], columns: int) -> TextLine:
    x0, y0, x1, y1 = around([(item.x0, item.y0, item.x1, item.y1) for item in members])
    box = around([item.box for item in members])
    return TextLine("", x0, y0, x1, y1, y1, y1 - y0, box=box, table=as_table(rows, columns))


def _size(line: Sequence[Piece]) -> float:
    return max(piece.height for piece in line) / 1.2


def _runs(lines: Sequence[list[Piece]], stand_ins: Sequence[TextLine]) -> list[list[list[Piece]]]:
    """Stretches of printed lines that mostly have gaps, with at most one line between that has none."""
    many = [len(phrases(line, _MIN_GAP * _size(line))) > 1 for line in lines]
    runs: list[list[list[Piece]]] = []
    current: list[list[Piece]] = []

    def close() -> None:
        nonlocal current
        if len(current) >= _MIN_ROWS:
            runs.append(current)
        current = []

    for index, line in enumerate(lines):
        if current and _apart(current[-1], line, stand_ins):
            close()
        between = bool(current) and index + 1 < len(lines) and many[index + 1] and many[index - 1]
        if many[index] or between or (current and _overlap(current[-1], line)):
            current.append(line)
        else:
            close()
    close()
    return runs


def _overlap(above: Sequence[Piece], below: Sequence[Piece]) -> bool:
    """Whether one line reaches into the other: cells beside one that wraps are set in its middle."""
    white = min(piece.y0 for piece in below) - max(piece.y1 for piece in above)
    return white < -0.3 * min(above[0].height, below[0].height)


def _apart(above: Sequence[Piece], below: Sequence[Piece], stand_ins: Sequence[TextLine]) -> bool:
    foot, head = max(piece.y1 for piece in above), min(piece.y0 for piece in below)
    between = any(item.y0 < head and item.y1 > foot for item in stand_ins)
    return between or head - foot > _MAX_WHITE * max(above[0].height, below[0].height)


def _captioned(run: Sequence[Sequence[Piece]], items: Sequence[TextLine]) -> bool:
    """Whether a table's caption stands right above or below."""
    top, foot = min(piece.y0 for piece in run[0]), max(piece.y1 for piece in run[-1])
    left, right = min(line[0].x0 for line in run), max(piece.x1 for line in run for piece in line)
    return any(
        (-_CAPTION_REACH < item.y0 - top < 20 or -20 < item.y0 - foot < _CAPTION_REACH)
        and min(item.x1, right) > max(item.x0, left)
        and TABLE_CAPTION.match(item.text.strip())
        for item in items
    )


def _table(
    run: list[list[Piece]], captioned: bool, prose_columns: int = 1
) -> tuple[list[list[Piece]], list[Row], int] | None:
    """The lines of a run that make a table, its rows and how many columns it has; ``None`` when it is none.

    ``prose_columns``: how many of three columns or more may hold running text.
    """
    while run and TABLE_CAPTION.match(run[0][0].text):
        run = run[1:]
    for skipped in (0, 1, 2):  # a header's cells may span columns
        body = [line for line in run[skipped:] if len(phrases(line, _MIN_GAP * _size(line))) > 1]
        if len(body) < _MIN_ROWS - (skipped > 0):
            return None
        gap = _MIN_GAP * sorted(_size(line) for line in body)[len(body) // 2]
        gutters = shared_gutters(body, gap)
        if not gutters:
            continue
        columns = len(gutters) + 1
        printed = placed(run, gutters, gap)
        if sum(_is_prose(printed, column) for column in range(columns)) > prose_columns * (columns > 2):
            return None
        rows = unwrapped(printed)
        if _is_table(rows, columns, captioned):
            return run, rows, columns
    return None


def _is_table(rows: Sequence[Row], columns: int, captioned: bool) -> bool:
    filled = sum(len(row.cells) for row in rows)
    several = sum(len(row.cells) > 1 for row in rows)
    if len(rows) < _MIN_ROWS or filled < 0.6 * len(rows) * columns or several < max(_MIN_ROWS, 0.7 * len(rows)):
        return False
    body = rows[1:]
    texts = [[row.text(column) for row in body if column in row.cells] for column in range(columns)]
    if any(not cells for cells in texts) or _reads_on(rows, texts):
        return False
    lengths = [sum(map(len, cells)) / len(cells) for cells in texts]
    figures = [sum(map(is_blank_figure, cells)) >= 0.6 * len(cells) and any(map(is_figure, cells)) for cells in texts]
    if max(lengths) > (2 * _PROSE_CELL if captioned else _PROSE_CELL) or sum(x > _LONG_CELL for x in lengths) > 1:
        return False
    lefts = [_is_aligned(body, column, lambda pieces: pieces[0].x0) for column in range(columns)]
    aligned = [
        left
        or _is_aligned(body, column, lambda pieces: pieces[-1].x1)
        or _is_aligned(body, column, lambda pieces: (pieces[0].x0 + pieces[-1].x1) / 2)
        or figures[column]
        for column, left in enumerate(lefts)
    ]
    if not all(aligned):
        return False
    if captioned:
        return True
    if columns == 2:
        return lefts[0] and figures[1] and not figures[0] and len(rows) > _MIN_ROWS and not _are_years(texts[1])
    if any(figures):
        return lefts[0] or figures[0]
    return all(lefts) and _is_bold(rows[0]) and not any(map(_is_bold, body))


def _is_prose(rows: Sequence[Row], column: int) -> bool:
    """Whether a column's printed lines fill its width, as running text does."""
    lines = [row.cells[column] for row in rows if column in row.cells]
    if not lines:
        return False
    left, right = min(line[0].x0 for line in lines), max(line[-1].x1 for line in lines)
    full = sum(line[-1].x1 - line[0].x0 >= 0.85 * (right - left) for line in lines)
    size = sum(piece.height for line in lines for piece in line) / sum(map(len, lines))
    return right - left > _PROSE_WIDTH * size and full >= 0.5 * len(lines)


def _reads_on(rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> bool:
    """Whether these are a list, a table of contents, equations or something else that only looks like columns."""
    columns = len(texts)
    signs = sum(not any(char.isalnum() for char in cell) for cells in texts for cell in cells)
    if signs > 0.3 * sum(map(len, texts)):
        return True
    if all(_EQUATION_NUMBER.fullmatch(cell) for cell in texts[-1]):
        return True
    if columns > 2:
        return False
    if sum(bool(_MARKER.fullmatch(cell)) for cell in texts[0]) >= 0.6 * len(texts[0]):
        return True
    numbers = [value for row in rows if isinstance(value := cell_value(row.text(1)), int)]
    return len(numbers) >= 0.8 * len(rows) and all(one <= other for one, other in pairwise(numbers))


def _are_years(cells: Sequence[str]) -> bool:
    return all(1900 <= value <= 2100 for cell in cells if isinstance(value := cell_value(cell), int))


def _is_bold(row: Row) -> bool:
    return all(piece.bold for pieces in row.cells.values() for piece in pieces)


def _is_aligned(rows: Sequence[Row], column: int, edge: Callable[[Sequence[Piece]], float]) -> bool:
    """Whether three quarters of the column's cells share an edge."""
    places = sorted(edge(row.cells[column]) for row in rows if column in row.cells)
    middle = places[len(places) // 2]
    return sum(abs(place - middle) <= _SAME for place in places) >= 0.75 * len(places)
