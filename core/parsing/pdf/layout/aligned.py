"""Finds tables without rules among the text runs of a page or a column, by their alignment.

Most are found by their numbers: printed lines with numbers after a gap, aligned with the numbers of other lines. Lines
of words alone are a table only next to a table's caption.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from core.parsing.pdf.layout.amounts import (
    as_one,
    beside_amounts,
    has_names,
    has_numbers,
    number_parts,
    share_edges,
    text_of,
    without_sign,
)
from core.parsing.pdf.layout.columns import (
    MARKER,
    MIN_GAP,
    TABLE_CAPTION,
    Row,
    WordBox,
    as_rows,
    column_gap,
    extends_text,
    line_parts,
    printed_lines,
    shared_gutters,
    split_numbers,
    table_line,
    word_box,
)
from core.parsing.pdf.layout.own_rows import tables_have_own_rows
from core.parsing.pdf.layout.spreading import CENTRED, spread_headers
from core.parsing.pdf.lines import TextLine, around
from core.parsing.table_header import cell_value

Line = list[WordBox]

_MIN_ROWS = 3
_CROSSED = 0.1  # share of the rows that may cross a gutter
_MAX_WHITE = 2.2  # of a line's height, between rows
_MAX_BETWEEN = 6  # lines without numbers between two with: section titles, wrapped labels
_MAX_HEADER = 4  # lines above the first with numbers
_LABELS = 0.9  # share of the rows
_SENTENCE, _LONG_SENTENCE = 8, 15  # words of a line that ends with a stop or a colon, and of any
_MAX_TAIL = 2  # lines below the last with numbers that may continue its row
_EQUATION_NUMBER = re.compile(r"\(\d+(?:[.-]\d+)*[a-z]?\)")
_MAX_CELL = 60  # mean characters of the cells of a column, except in the first
_PROSE_WIDTH = 9.0  # of a line's height; a narrower column is not running text
_CAPTION_REACH = 45.0  # points between a table and its caption


def aligned_tables(fragments: Sequence[TextLine], *, alone: bool = False) -> list[TextLine]:
    """The fragments; those of each table without rules are replaced by one placeholder.

    ``alone``: nothing else stands beside them, so that small tables, and those with long labels, are no chance.
    """
    placeholders = [item for item in fragments if item.is_placeholder]
    items = [item for item in fragments if not item.is_placeholder]
    captions = [item for item in items if TABLE_CAPTION.match(item.text.strip())]
    lines = printed_lines(part for index, item in enumerate(items) for part in without_sign(word_box(item, index)))
    in_tables: set[int] = set()  # indices of ``items``
    beside: list[TextLine] = []  # text beside one of several tables
    for is_row, between in ((has_numbers, _MAX_BETWEEN), (_has_gaps, 1)):
        for run, tail in list(_runs(lines, placeholders, is_row, between)):
            table = _table(run, tail, is_row, captions, alone=alone)
            if not table:
                continue
            table_lines, rows, columns = table
            indices = [index for line in table_lines for word in line for index in word.sources]
            members = [items[index] for index in indices]
            if 2 * sum(member.mono for member in members) > len(members):  # a listing
                continue
            gutter = _between_tables(table_lines, items, is_row, captions)
            if gutter is not None:
                apart = [index for index in indices if not items[index].x0 < gutter < items[index].x1]
                in_tables.update(apart)
                for is_left in (True, False):
                    found = aligned_tables([items[index] for index in apart if (items[index].x1 <= gutter) is is_left])
                    beside += [item for item in found if not item.is_placeholder]
                    placeholders += [item for item in found if item.is_placeholder]
                continue
            in_tables.update(indices)
            placeholders.append(table_line(members, rows, columns))
        lines = [line for line in lines if not in_tables.intersection(line[0].sources)]
    return [*(item for index, item in enumerate(items) if index not in in_tables), *beside, *placeholders]


def _between_tables(
    lines: Sequence[Line], items: Sequence[TextLine], is_row: Callable[[Line], bool], captions: Sequence[TextLine]
) -> float | None:
    """The x between two tables beside each other, each with rows of its own; ``None`` for a single table."""
    body = [line for line in lines if is_row(line)]
    cells = [[as_one(part) for part in line_parts(line)] for line in body]
    for start, end in shared_gutters(cells, MIN_GAP, _CROSSED):
        gutter = (start + end) / 2
        sides = [
            [half for line in body if (half := [word for word in line if (word.x1 <= gutter) is is_left])]
            for is_left in (True, False)
        ]
        blocks = [[items[index] for line in side for word in line for index in word.sources] for side in sides]
        if tables_have_own_rows(*blocks) and all(_table(side, (), is_row, captions) for side in sides):
            return gutter
    return None


def _has_gaps(line: Sequence[WordBox]) -> bool:
    return len(line_parts(line)) > 1


def _runs(
    lines: Sequence[Line], placeholders: Sequence[TextLine], is_row: Callable[[Line], bool], between: int
) -> Iterator[tuple[Sequence[Line], Sequence[Line]]]:
    """Candidate tables: runs of lines from a first to a last row, with at most ``between`` other lines between rows and
    with the lines above that may be the header. With each run come the lines right after it.
    """
    start = last = -1
    previous_end = 0
    for index, line in enumerate([*lines, None]):
        if start >= 0 and (
            line is None
            or index - last > between
            or _is_apart(lines[index - 1], line, placeholders)
            or _is_sentence_below(lines[last], line)
        ):
            if last > start:
                header = _header_start(lines, start, previous_end, placeholders)
                yield lines[header : last + 1], lines[last + 1 : last + 1 + _MAX_TAIL]
                previous_end = last + 1
            start = -1
        if line is not None and is_row(line):
            start, last = (index if start < 0 else start), index


def _is_sentence_below(row: Sequence[WordBox], line: Sequence[WordBox]) -> bool:
    """Whether a line is a sentence that runs below a row's numbers, as between two tables."""
    words = text_of(line).split()
    if len(words) < _SENTENCE or not (len(words) >= _LONG_SENTENCE or words[-1].endswith((".", ":"))):
        return False
    numbers = number_parts(row) if len(line_parts(line)) == 1 else []
    return bool(numbers) and line[0].x0 < numbers[0][0].x0 and line[-1].x1 > numbers[0][-1].x1


def _header_start(lines: Sequence[Line], start: int, previous_end: int, placeholders: Sequence[TextLine]) -> int:
    """The index of the first header line above the row at ``start``, not before ``previous_end``.

    Header lines are close above each other and right of the row's label. Labels, such as section titles, may stand
    between them.
    """
    label_end = max(word.x1 for word in line_parts(lines[start])[0])
    header = index = start
    while index > max(previous_end, header - _MAX_HEADER) and not _is_apart(
        lines[index - 1], lines[index], placeholders
    ):
        index -= 1
        parts = line_parts(lines[index])
        if TABLE_CAPTION.match(text_of(lines[index])) or _is_note(parts):
            break  # their numbers and marks are apart from their words, as cells are
        if len(parts) > 1 or parts[0][0].x0 >= label_end:
            header = index
    return max(header, start - 2 * _MAX_HEADER)


def _is_note(parts: Sequence[Line]) -> bool:
    """Whether the parts of a line are a note below another table: its mark, and a sentence."""
    return len(parts) == 2 and bool(MARKER.fullmatch(text_of(parts[0]))) and len(text_of(parts[1]).split()) >= _SENTENCE


def _is_apart(above: Sequence[WordBox], below: Sequence[WordBox], placeholders: Sequence[TextLine]) -> bool:
    """Whether two lines are too far apart for one table, or a placeholder is between them."""
    bottom, top = max(word.y1 for word in above), min(word.y0 for word in below)
    has_placeholder = any(item.y0 < top and item.y1 > bottom for item in placeholders)
    return has_placeholder or top - bottom > _MAX_WHITE * max(above[0].height, below[0].height)


def _table(
    run: Sequence[Line],
    tail: Sequence[Line],
    is_row: Callable[[Line], bool],
    captions: Sequence[TextLine],
    *,
    alone: bool = False,
) -> tuple[Sequence[Line], list[Row], int] | None:
    """The lines of a run that are a table, its rows, and its number of columns; ``None`` if the run is no table.

    Lines of ``tail`` belong to the table as long as they continue its last row.
    """
    body = [line for line in run if is_row(line)]
    by_numbers = is_row is has_numbers
    if len(body) < _MIN_ROWS - (alone and by_numbers and has_names(run, body)):
        return None
    cells = [[as_one(part) for part in line_parts(line)] for line in body]
    # Bold sums are as wide as their columns, so that a run of them crosses all gutters: the other lines show these.
    without_sums = [[part for part in line if not split_numbers(part)] for line in cells]
    if 2 * sum(len(one) < len(line) for one, line in zip(without_sums, cells, strict=True)) < len(cells):
        cells = without_sums
    gutters = shared_gutters(cells, 1.0, _CROSSED) if by_numbers else shared_gutters(cells, column_gap(body[0]))
    gutters = beside_amounts(gutters, body)
    columns = len(gutters) + 1
    if columns < 2:
        return None

    def rows_of(lines: Sequence[Line]) -> list[Row]:
        cells = [[as_one(cell) for part in line_parts(line) for cell in _split_at(gutters, part)] for line in lines]
        return spread_headers(as_rows(cells, gutters), columns)

    run = _without_title(run)
    if not (alone and by_numbers and _are_labels(body)):
        printed = rows_of(run)
        if any(_is_prose(printed, column) for column in ({0, columns - 1} if by_numbers else range(columns))):
            return None
    rows = _merge_lines(rows_of(run))
    for line in tail:
        extended = _merge_lines(rows_of([*run, line]))
        if len(extended) > len(rows):
            break
        run, rows = [*run, line], extended
    texts = [[row.text(column) for row in rows if column in row.cells] for column in range(columns)]
    if _only_looks_like_columns(rows, texts):
        return None
    if any(sum(map(len, column)) > _MAX_CELL * len(column) for column in texts[1:]):
        return None
    if not (share_edges(body, with_signs=alone) if by_numbers else _is_captioned(run, captions)):
        return None
    return run, rows, columns


def _without_title(run: Sequence[Line]) -> Sequence[Line]:
    """The lines without those at the top that are a single text in the middle of all columns."""
    left, right = min(line[0].x0 for line in run), max(word.x1 for line in run for word in line)
    start = 0
    while len(line_parts(run[start])) == 1 and abs(run[start][0].x0 + run[start][-1].x1 - left - right) < CENTRED:
        start += 1
    return run[start:]


def _split_at(gutters: Sequence[tuple[float, float]], part: Sequence[WordBox]) -> list[Line]:
    """A part of a line, split at the gutters between its words, because names of columns may stand close together.

    A part that begins in the first column, or has a word that crosses a gutter, stays whole.
    """
    crosses = any(word.x0 < start and word.x1 > end for word in part for start, end in gutters)
    if crosses or part[0].x0 < gutters[0][0]:
        return [list(part)]
    by_column: dict[int, Line] = {}
    for word in part:
        by_column.setdefault(sum((start + end) / 2 < word.x0 for start, end in gutters), []).append(word)
    return [by_column[column] for column in sorted(by_column)]


def _is_captioned(run: Sequence[Line], captions: Sequence[TextLine]) -> bool:
    """Whether a table's caption is right above or below the run."""
    x0, y0, x1, y1 = around([word.frame for line in run for word in line])
    return any(
        (-_CAPTION_REACH < item.y0 - y0 < 20 or -20 < item.y0 - y1 < _CAPTION_REACH)
        and min(item.x1, x1) > max(item.x0, x0)
        for item in captions
    )


def _merge_lines(printed: Sequence[Row]) -> list[Row]:
    """Rows of a table from printed lines: lines that continue labels or cells of words are merged."""
    whites = [below.y0 - above.y1 for above, below in pairwise(printed)]
    height = sorted(row.y1 - row.y0 for row in printed)[len(printed) // 2]
    between_full = [
        white for white, pair in zip(whites, pairwise(printed), strict=True) if all(len(row.cells) > 1 for row in pair)
    ]
    usual = sorted(between_full)[len(between_full) // 2] if between_full else 0.0
    rows = [printed[0]]
    for white, row in zip(whites, printed[1:], strict=True):
        has_numbers = any(each.is_number(column) for each in (*rows, row) for column in each.cells)
        continues_header = len(rows) == 1 and 0 not in row.cells and not has_numbers
        is_close = white < usual - 0.2 * height or white < -0.2 * height
        if continues_header or _continues(rows[-1], row, is_close=is_close):
            for column, words in row.cells.items():
                rows[-1].cells.setdefault(column, []).extend(words)
            rows[-1].y1 = row.y1
        else:
            rows.append(row)
    return rows


def _continues(above: Row, row: Row, *, is_close: bool) -> bool:
    """Whether a printed line continues the row above.

    A label does if it begins in lower case, or ``is_close``: the line is closer to that row than rows are to each
    other. Other lines do if every cell is text below text.
    """
    label, label_above = row.text(0), above.text(0)
    in_lower_case = label[:1].islower() and bool(label_above)
    if set(above.cells) == {0}:
        return not label_above.endswith(":") and (in_lower_case or is_close)
    if set(row.cells) == {0}:
        return in_lower_case or (is_close and bool(label_above))
    return extends_text(above, row) and not _is_section_title(above, row)


def _is_section_title(above: Row, row: Row) -> bool:
    """Whether a row is a single cell below several cells of the row above: the title of the rows that follow."""
    words = [word for cell in row.cells.values() for word in cell]
    x0, x1 = min(word.x0 for word in words), max(word.x1 for word in words)
    cells_above = sum(cell[0].x0 < x1 and cell[-1].x1 > x0 for cell in above.cells.values())
    return len(row.cells) == 1 and cells_above > 1


def _are_labels(lines: Sequence[Line]) -> bool:
    """Whether nearly all of these rows begin with a capital or a digit, unlike the lines of running text."""
    return sum(not line[0].text[:1].islower() for line in lines) >= _LABELS * len(lines)


def _is_prose(rows: Sequence[Row], column: int) -> bool:
    """Whether a column's printed lines fill its width, as running text does."""
    lines = [row.cells[column] for row in rows if column in row.cells]
    if not lines:
        return False
    left, right = min(line[0].x0 for line in lines), max(line[-1].x1 for line in lines)
    full = sum(line[-1].x1 - line[0].x0 >= 0.85 * (right - left) for line in lines)
    letters = sum(char.isalpha() for line in lines for word in line for char in word.text)
    size = sum(word.height for line in lines for word in line) / sum(map(len, lines))
    return right - left > _PROSE_WIDTH * size and full >= 0.5 * len(lines) and letters > 15 * len(lines)


def _only_looks_like_columns(rows: Sequence[Row], texts: Sequence[Sequence[str]]) -> bool:
    """Whether these are a list, a table of contents or equations. ``texts``: of the filled cells, by column."""
    if any(not cells for cells in texts) or all(_EQUATION_NUMBER.fullmatch(cell) for cell in texts[-1]):
        return True
    if len(texts) > 2:
        return False
    if sum(bool(MARKER.fullmatch(cell)) for cell in texts[0]) >= 0.6 * len(texts[0]):
        return True
    numbers = [value for row in rows if isinstance(value := cell_value(row.text(1)), int)]
    return len(numbers) >= 0.8 * len(rows) and all(one <= other for one, other in pairwise(numbers))
