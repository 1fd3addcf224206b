"""Tables whose cells are separated by drawn lines: PyMuPDF finds the cells, this module puts the words into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Any

from core.parsing.pdf.layout.columns import (
    WordBox,
    cell_text,
    header_rows,
    is_number,
    printed_lines,
)
from core.parsing.pdf.lines import Box, Run, TableCells, TextLine, around, middle_inside, overlap, placeholder

Word = tuple[float, float, float, float, str]

_MAX_CELL_CHARACTERS = 800
_MAX_KEYED_CHARACTERS, _MAX_KEY_CHARACTERS, _FEWEST_KEYS, _MIN_KEYED = 6000, 40, 3, 0.7
_MAX_VECTORS = 4000  # a page with more is a drawing
_THIN, _MIN_SIDE = 3.0, 6.0  # points: width of a line, side of a cell
_MAX_MERGED, _MAX_LABEL_NUMBERS = 0.35, 2  # of a table's positions: those that merged cells repeat; in a merged cell
_MAX_JOINED = 0.2  # of a table's rows
_WIDE_GAP = 2.0  # of a line's height, between columns
_UPWARD_RATIO = 1.5  # height to width of a word that is written upwards


def may_have_grid(vectors: Sequence[Mapping[str, Any]]) -> bool:
    """Whether vertical lines or frames are drawn, without which the library's slow table finder finds nothing.

    ``vectors``: blocks of ``page.get_text("dict")``.
    """
    upright = 0
    for vector in vectors:
        x0, y0, x1, y1 = vector["bbox"]
        upright += y1 - y0 > _MIN_SIDE and (x1 - x0 < _THIN or (vector["stroked"] and x1 - x0 > _MIN_SIDE))
    return upright > 1 and len(vectors) <= _MAX_VECTORS


def find_tables(page: Any, words: Sequence[Word]) -> list[TextLine]:
    """Placeholders for the tables with drawn cells, from top to bottom, without overlaps.

    ``page``: of PyMuPDF. ``words``: (x0, y0, x1, y1, text) of the page's words.
    """
    import pymupdf.table

    vars(pymupdf.table)["make_chars"] = make_characters
    found: list[TextLine] = []
    for table in page.find_tables(use_layout=False, strategy="lines_strict").tables:
        box = _box(table.bbox)
        grid = [[_box(cell) if cell else None for cell in row.cells] for row in table.rows]
        cells = _fill_cells(grid, _inside(words, box))
        at_same_height = _inside(words, (-inf, box[1], inf, box[3]))
        if cells and not any(overlap(box, other.box) for other in found) and _keeps_rows(cells, at_same_height):
            found.append(placeholder(box, box, cells))
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def make_characters(page: Any, clip: Any = None) -> Any:
    """Put a page's characters where PyMuPDF's finder looks for them; returns their text page.

    In place of the finder's own, which takes most of its time to gather twenty values of each character. Where lines
    are drawn it asks only whether a character lies in a box: top and bottom from the page's top, y from its bottom.
    """
    import pymupdf.table as finder

    text_page = page.get_textpage(clip=clip, flags=finder.FLAGS)
    _, _, _, scale, _, shift = page.transformation_matrix
    lines = (line for block in text_page.extractRAWDICT()["blocks"] for line in block["lines"])
    characters = []
    for character in (character for line in lines for span in line["spans"] for character in span["chars"]):
        x0, top, x1, bottom = character["bbox"]
        y0, y1 = sorted((scale * top + shift, scale * bottom + shift))
        box = {"x0": x0, "x1": x1, "top": top, "bottom": bottom, "y0": y0, "y1": y1}
        characters.append({**box, "text": character["c"]})
    finder.CHARS.extend(characters)
    return text_page


def _box(values: Sequence[float]) -> Box:
    x0, y0, x1, y1 = map(float, values)
    return x0, y0, x1, y1


def _inside(words: Sequence[Word], box: Box) -> list[WordBox]:
    """The words whose middles lie in the box."""
    return [WordBox(*word[:4], word[4], word[:4]) for word in words if middle_inside(word[:4], box)]


def _fill_cells(grid: Sequence[Sequence[Box | None]], words: Sequence[WordBox]) -> TableCells | None:
    """The table with its words, those of a merged cell in every position it covers; ``None`` if it is not a table."""
    boxes = sorted({cell for row in grid for cell in row if cell})
    words_in: dict[Box, list[WordBox]] = {}
    for word in words:
        words_in.setdefault(min(boxes, key=lambda cell: _distance(word, cell)), []).append(word)
    rows = [[_run(cell, words_in) for cell in _complete_row(grid, index, boxes)] for index in range(len(grid))]
    used = [column for column in range(len(rows[0])) if any(row[column].text for row in rows)]
    table = [tuple(row[column] for column in used) for row in rows if any(run.text for run in row)]
    rows_of_several = sum(len({run.text for run in row if run.text}) > 1 for row in table)
    longest = max((len(run.text) for row in table for run in row), default=0)
    most = _MAX_KEYED_CHARACTERS if _has_keys(table) else _MAX_CELL_CHARACTERS
    if len(used) < 2 or rows_of_several < 2 or longest > most:
        return None
    if len(words_in) < 0.4 * len(boxes) or 2 * sum(map(_has_columns, words_in.values())) > len(table):
        return None
    return TableCells(tuple(table), header_rows(table))


def _has_keys(table: Sequence[Sequence[Run]]) -> bool:
    """Whether nearly all rows begin with something short of their own, such as the times and names of a transcript.

    The cells beside it may then be long; in a frame around running text they may not.
    """
    keys = [text for row in table if (text := row[0].text) and len(text) <= _MAX_KEY_CHARACTERS]
    return len(table) >= _FEWEST_KEYS and len(set(keys)) >= _MIN_KEYED * len(table)


def _distance(word: WordBox, cell: Box) -> float:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return max(cell[0] - x, x - cell[2], cell[1] - y, y - cell[3], 0.0)


def _complete_row(grid: Sequence[Sequence[Box | None]], index: int, boxes: Sequence[Box]) -> list[Box]:
    """The cells of a row; where the library has none, the merged cell that covers the position."""
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


def _has_columns(words: Sequence[WordBox]) -> bool:
    """Whether a cell has several columns, with a wide gap before a number: it is shading and no cell."""
    lines = [line for line in printed_lines(words) if is_number(line[-1].text)]
    return any(right.x0 - left.x1 > _WIDE_GAP * left.height for line in lines for left, right in pairwise(line))


def _keeps_rows(cells: TableCells, words: Sequence[WordBox]) -> bool:
    """Whether the rows match the printed lines: the numbers of nearly every line are in one row, and none is repeated
    but in a merged cell.

    Shading, and rules that underline single cells, make grids that split rows, join them or repeat numbers. ``words``:
    of the page, between the table's top and bottom.
    """
    rows = [_numbers(row) for row in cells.rows]
    lines = (Counter(word.text for word in line if is_number(word.text)) for line in printed_lines(words))
    printed = [numbers for numbers in lines if numbers]
    matched = sum(any(numbers <= row for row in rows) for numbers in printed)
    printed_total, row_total = (sum(map(Counter.total, counts)) for counts in (printed, rows))
    printed_several, row_several = (sum(numbers.total() > 1 for numbers in counts) for counts in (printed, rows))
    joined = sum(map(_joins_lines, cells.rows))
    keeps_apart = printed_several <= 1.1 * row_several or joined <= _MAX_JOINED * len(rows)
    return matched >= 0.9 * len(printed) and row_total - _merged(cells) <= 1.1 * printed_total and keeps_apart


def _numbers(runs: Iterable[Run]) -> Counter[str]:
    return Counter(word for run in runs for word in run.text.split() if is_number(word))


def _merged(cells: TableCells) -> int:
    """How often numbers are repeated because their cell covers several positions, as do the labels of groups of rows or
    columns. 0 where so many positions are covered that the grid is a form's.
    """
    positions = [run for row in cells.rows for run in row if run.text]
    distinct = {run.box: run for run in positions}
    if len(positions) - len(distinct) > _MAX_MERGED * len(positions):
        return 0
    times = Counter(run.box for run in positions)
    repeats = ((_numbers([run]).total(), times[box] - 1) for box, run in distinct.items() if not _is_stack(run))
    return sum(numbers * more for numbers, more in repeats if numbers <= _MAX_LABEL_NUMBERS)


def _is_stack(run: Run) -> bool:
    """Whether a cell holds several numbers, one in each line: those of several rows."""
    return sum(map(is_number, run.text.split("\n"))) > 1


def _joins_lines(row: Sequence[Run]) -> bool:
    """Whether a row is several printed rows: a cell is a stack of numbers, or all cells have several lines, and one of
    them a number in each.
    """
    cells = [run.text.split("\n") for run in row if run.text]
    has_numbers = any(all(any(map(str.isdigit, line)) for line in lines) for lines in cells)
    return any(map(_is_stack, row)) or (has_numbers and all(len(lines) > 1 for lines in cells))


def _run(cell: Box, words_in: dict[Box, list[WordBox]]) -> Run:
    words = words_in.get(cell, [])
    if not words:
        return Run("", cell)
    longer = [word for word in words if len(word.text) > 2]
    upward = sum(word.height > _UPWARD_RATIO * (word.x1 - word.x0) for word in longer)
    text = cell_text(words)
    if upward > len(longer) / 2:  # a narrow column's heading, written from bottom to top
        ordered = sorted(words, key=lambda word: (round((word.x0 + word.x1) / 12), -word.y1))
        text = " ".join(word.text for word in ordered)
    return Run(text, around([word.box for word in words]))
