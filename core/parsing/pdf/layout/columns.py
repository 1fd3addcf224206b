"""Builds tables from the positions of words: printed lines become rows, the gutters they share separate columns.

Used for tables without rules, and for the words inside the cells of a drawn grid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from unicodedata import bidirectional

from core.parsing.pdf.lines import Box, Run, TableCells, TextLine, around, placeholder
from core.parsing.table_header import cell_value

TABLE_CAPTION = re.compile(
    r"(?:Table|Tab\.|Tabelle|Tableau|Tabla|Tabela|Tabella)\s*[A-Z]?\d+|\[?표\s*\d+", re.IGNORECASE
)
MARKER = re.compile(r"\W{0,2}(?:\w{1,4}[.):\]]|[•◦▪–—*+-])\s*")
MIN_GAP = 0.8  # of the type size, between columns
CLOSING = re.compile(r"[)%]{1,2}")
_NUMBER_GAP = 0.2  # of the type size, between two numbers
CURRENCY = re.compile(r"[$€£¥₹₩]|US\$|EUR|USD")
_TIGHT = 0.1  # of a line's height, within a word
_MAX_HEADER_ROWS = 4
_FIGURE = re.compile(r"[^\w]*(?:US\$|EUR|USD)?[^\w]*\d[\d.,'\u00a0 /()\[\]±-]*(?:x|bps|pts?)?[^\w]*")
_MONEY = re.compile(r"[$€£¥₹₩]")
_NO_FIGURE = {"", "-", "–", "—", "n/a", "na", "n.a.", "nm", "n/m", "nil", "$ —", "$ –", "$ -", "— %", "…", "..."}


@dataclass(frozen=True, slots=True)
class WordBox:
    """Words that belong together: their rectangle in the upright frame, and their ``box`` on the page as it is shown.

    ``sources``: indices of the text runs they come from, in the list of the caller.
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

    @property
    def frame(self) -> Box:
        return self.x0, self.y0, self.x1, self.y1


@dataclass(slots=True)
class Row:
    """A row of a table. ``cells``: the words of each cell by column; empty cells are missing."""

    y0: float
    y1: float
    cells: dict[int, list[WordBox]] = field(default_factory=dict)

    def text(self, column: int) -> str:
        return " ".join(word.text for word in self.cells.get(column, ()))

    def is_number(self, column: int) -> bool:
        return is_number(self.text(column))


Line = Sequence[WordBox]
Parts = Sequence[Line]  # of a printed line, as its gaps split it


def is_number(text: str) -> bool:
    """Whether a cell holds a number.

    >>> [is_number(text) for text in ("1,200", "yes", "12 %")]
    [True, False, True]
    """
    value = cell_value(text)
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache(maxsize=1 << 12)  # asked of the same words in every search for rows
def is_number_or_dash(text: str) -> bool:
    """Whether a cell is a number (also in brackets, with a currency or a footnote mark) or a sign for no value."""
    return text.strip().casefold() in _NO_FIGURE or bool(_FIGURE.fullmatch(text))


def _has_number(text: str) -> bool:
    return any(map(str.isdigit, text)) and is_number_or_dash(text)


def printed_lines(words: Iterable[WordBox]) -> list[list[WordBox]]:
    """The words grouped into printed lines, from top to bottom, each from left to right."""
    lines: list[list[WordBox]] = []
    for word in sorted(words, key=lambda word: (word.y0 + word.y1, word.x0)):
        mates = lines[-1] if lines else []
        middle = (word.y0 + word.y1) / 2
        if mates and middle - (mates[0].y0 + mates[0].y1) / 2 < 0.45 * max(mates[0].height, word.height):
            mates.append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.x0) for line in lines]


def line_parts(line: Sequence[WordBox]) -> list[list[WordBox]]:
    """The line split at its gaps. A currency sign stays with the number after it, a closing bracket with the text
    before it. Between two numbers a blank is enough of a gap.
    """
    size = max(word.height for word in line) / 1.2
    parts: list[list[WordBox]] = []
    for word in line:
        last = parts[-1][-1] if parts else None
        if last is None:
            parts.append([word])
            continue
        gap = word.x0 - max(mate.x1 for mate in parts[-1])
        is_amount = CURRENCY.fullmatch(word.text) or is_number_or_dash(word.text)
        min_gap = _NUMBER_GAP if is_number_or_dash(last.text) and is_amount else MIN_GAP
        if gap < min_gap * size or CURRENCY.fullmatch(last.text) or CLOSING.fullmatch(word.text):
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def shared_gutters(
    lines: Sequence[Sequence[WordBox]], min_gap: float, crossed: float = 0.0
) -> list[tuple[float, float]]:
    """The gutters of lines: x intervals at least ``min_gap`` wide, between the outermost words, that no word touches.

    ``crossed``: the share of lines whose words may cross a gutter nevertheless.
    """
    edges = sorted([(p.x0, 1) for line in lines for p in line] + [(p.x1, -1) for line in lines for p in line])
    allowed = int(crossed * len(lines))
    gutters: list[tuple[float, float]] = []
    depth, start = 0, None
    for x, step in edges:
        depth += step
        if depth > allowed and start is not None:
            if x - start >= min_gap:
                gutters.append((start, x))
            start = None
        elif depth <= allowed and start is None and step < 0:
            start = x
    return gutters


def as_rows(lines: Sequence[Sequence[WordBox]], gutters: Sequence[tuple[float, float]]) -> list[Row]:
    """Printed lines as rows of cells. In a row without numbers, words that cover a whole gutter are in both columns.

    A run of as many numbers as the columns it covers is split into one number for each.
    """
    edges = [(start + end) / 2 for start, end in gutters]
    rows: list[Row] = []
    for line in lines:
        row = Row(min(word.y0 for word in line), max(word.y1 for word in line))
        for word in line:
            crossed = [at for at, (start, end) in enumerate(gutters) if word.x0 < start + 1 and word.x1 > end - 1]
            first = last = sum(edge < (word.x0 if crossed else (word.x0 + word.x1) / 2) for edge in edges)
            numbers = split_numbers(word) if crossed else []
            if len(numbers) == len(crossed) + 1 and crossed == list(range(crossed[0], crossed[-1] + 1)):
                for column, number in enumerate(numbers, start=crossed[0]):
                    row.cells.setdefault(column, []).append(number)
                continue
            if crossed and len(line) > 1 and not any(is_number(other.text) for other in line):
                first, last = crossed[0], crossed[-1] + 1
            for column in range(first, last + 1):  # a single text that crosses a gutter is a long label: one column
                row.cells.setdefault(column, []).append(word)
        rows.append(row)
    return rows


def split_numbers(run: WordBox) -> list[WordBox]:
    """The numbers of a run that holds several and nothing else, each with its share of the width; else []."""
    words = run.text.split()
    if len(words) < 2 or is_number(run.text) or not all(map(is_number, words)):
        return []
    numbers, at = [], 0
    for word in words:
        at = run.text.index(word, at)
        numbers.append(part_of(run, at, at + len(word)))
        at += len(word)
    return numbers


def part_of(run: WordBox, start: int, end: int) -> WordBox:
    """The characters ``[start, end)`` of a run, with their share of its width."""
    width = (run.x1 - run.x0) / len(run.text)  # of a character
    left, right = width * start, width * end
    is_upright = run.box[2] - run.box[0] == run.x1 - run.x0
    box = (run.box[0] + left, run.box[1], run.box[0] + right, run.box[3]) if is_upright else run.box
    return replace(run, x0=run.x0 + left, x1=run.x0 + right, text=run.text[start:end], box=box)


def extends_text(above: Row, row: Row) -> bool:
    """Whether every cell of ``row`` is text below text of ``above``, and none is in the first column."""
    return 0 not in row.cells and all(
        column in above.cells and not above.is_number(column) and not row.is_number(column) for column in row.cells
    )


def cell_text(words: Sequence[WordBox]) -> str:
    """The text of a cell, its printed lines separated by newlines; hyphenated words are joined later."""
    return "\n".join(map(join_words, printed_lines(words)))


def join_words(line: Sequence[WordBox]) -> str:
    """The words of one printed line as text, with a blank at each gap but none before a closing bracket or percent."""
    from_right = sum(bidirectional(word.text[0]) in ("R", "AL") for word in line if word.text)  # of Hebrew and Arabic
    line = line[::-1] if 2 * from_right > len(line) else line
    text = line[0].text
    for left, right in pairwise(line):
        gap = max(right.x0 - left.x1, left.x0 - right.x1)
        tight = abs(gap) < _TIGHT * right.height or CLOSING.fullmatch(right.text)
        text += right.text if tight else f" {right.text}"
    return text


def table_of(rows: Sequence[Row], columns: int) -> tuple[tuple[Run, ...], ...]:
    """The rows as runs. An empty cell gets the box of its row."""
    table = []
    for row in rows:
        box = around([word.box for words in row.cells.values() for word in words])
        cells = []
        for column in range(columns):
            words = row.cells.get(column, [])
            cells.append(Run(cell_text(words), around([word.box for word in words]) if words else box))
        table.append(tuple(cells))
    return tuple(table)


def header_rows(table: Sequence[Sequence[Run]]) -> int:
    """How many of the first rows are the header. A further row belongs to it if it has names above numbers and an empty
    first cell.

    If the first row has empty or repeated cells, the second may have a first cell too. A row with a single cell is the
    title of a section, unless it is in brackets, like a unit.
    """
    if not _names_columns(table[0]):
        return 0
    first = [run.text for run in table[0]]
    has_gaps = "" in first or len(set(first)) < len(first)
    count = 1
    while count < min(len(table) - 1, _MAX_HEADER_ROWS) and _names_columns(table[count]):
        corner, *others = (run.text for run in table[count])
        numbers = sum(_has_number(run.flat) for run in table[count])
        may_have_corner = count == 1 and has_gaps and (4 * numbers < len(first) or numbers == len(others))
        is_single = len(others) > 1 and sum(map(bool, others)) == 1 and not corner
        is_section = is_single and not "".join(others).startswith("(") and not _names_columns(table[count + 1])
        # Rows below a header have numbers, or dashes in their place.
        below = max(
            sum(bool(run.text) and is_number_or_dash(run.flat) for run in row) for row in table[count + 1 : count + 3]
        )
        if not any(others) or is_section or (corner and not may_have_corner) or below < len(first) / 3:
            break
        count += 1
    return count


def _names_columns(row: Sequence[Run]) -> bool:
    """Whether a row may name columns: it has words or years, but no other numbers and no amounts of money. A row of
    nothing but years does so only beside an empty first cell.
    """
    if any(_MONEY.search(run.flat) and _has_number(run.flat) for run in row):
        return False
    values = [cell_value(run.flat) for run in row]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    only_years = all(isinstance(value, int) and 1900 <= value <= 2100 for value in numbers)
    return only_years and (any(isinstance(value, str) for value in values) or (values[0] is None and len(numbers) > 1))


def word_box(item: TextLine, index: int) -> WordBox:
    """A text run as words; ``index``: its place in the list of the caller."""
    return WordBox(item.x0, item.y0, item.x1, item.y1, item.text.strip(), item.box, item.bold, (index,))


def table_line(members: Sequence[TextLine], rows: Sequence[Row], columns: int) -> TextLine:
    """A placeholder for the table that the text runs ``members`` make."""
    table = table_of(rows, columns)
    frame, box = around([item.frame for item in members]), around([item.box for item in members])
    return placeholder(frame, box, TableCells(table, header_rows(table)))


def with_printed_tables(
    fragments: Sequence[TextLine],
    look: Callable[[Sequence[TextLine], Sequence[Line], Sequence[Parts], int], tuple[int, Sequence[Row], int]],
) -> list[TextLine]:
    """The fragments; each table that ``look`` finds among their printed lines becomes a placeholder.

    ``look(items, lines, parts, start)``: the line to go on at, and the rows and the number of columns of the table that
    begins at ``start`` and ends before it; no rows where there is none.
    """
    items = [item for item in fragments if not item.is_placeholder]
    others: list[TextLine] = [item for item in fragments if item.is_placeholder]
    lines = printed_lines(word_box(item, index) for index, item in enumerate(items))
    parts = [line_parts(line) for line in lines]
    taken: set[int] = set()
    start = 0
    while start < len(lines):
        end, rows, columns = look(items, lines, parts, start)
        if rows:
            indices = [index for line in lines[start:end] for word in line for index in word.sources]
            others.append(table_line([items[index] for index in indices], rows, columns))
            taken.update(indices)
        start = end
    return [*(item for index, item in enumerate(items) if index not in taken), *others]


def column_gap(line: Sequence[WordBox]) -> float:
    """The smallest gap between columns, in points, for the type size of a line."""
    return MIN_GAP * max(word.height for word in line) / 1.2
