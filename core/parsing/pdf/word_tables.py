"""Finds tables of words alone, whose rows are separated by white, in columns that could also be running text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.parsing.pdf.columns import (
    MARKER,
    as_rows,
    column_gap,
    placeholder,
    printed_lines,
    shared_gutters,
    word_box,
)
from core.parsing.pdf.lines import TextLine

_MIN_WORD_ROWS = 5  # of a table of words
_ROW_WHITE = 0.2  # of a line's height: additional white before a row of words
_SHARED_WHITES = 0.8  # share of the wide gaps that separate the rows in all columns
_MIN_LINES, _MAX_LINES = 1.5, 8  # mean printed lines of a row of words


def table_of_words(fragments: Sequence[TextLine]) -> TextLine | None:
    """A placeholder for columns of words that are a table; ``None`` for columns of running text.

    In a table, white separates the rows in all columns at the same height; paragraphs of running text end at different
    heights. Lists and glossaries in columns, whose items may be equally long, are no tables.
    """
    if any(item.is_placeholder for item in fragments):
        return None
    lines = printed_lines(word_box(item, index) for index, item in enumerate(fragments))
    gutters = shared_gutters(lines, column_gap(lines[0]))
    printed = as_rows(lines, gutters)
    columns = range(len(gutters) + 1)
    whites = [
        (min(word.y0 for word in below.cells[column]) - max(word.y1 for word in above.cells[column]), below)
        for column in columns
        for above, below in pairwise(row for row in printed if column in row.cells)
    ]
    if not gutters or not whites:
        return None
    height = sorted(row.y1 - row.y0 for row in printed)[len(printed) // 2]
    wide = sorted(white for white, _ in whites)[len(whites) // 4] + _ROW_WHITE * height
    rows, row_starts = printed[:1], {id(printed[0])}
    for above, line in pairwise(printed):
        if line.y0 - max(above.y1, rows[-1].y1) > wide and len(line.cells) > 1:
            rows.append(line)
            row_starts.add(id(line))
        else:
            rows[-1].y1 = max(rows[-1].y1, line.y1)
            for column, words in line.cells.items():
                rows[-1].cells.setdefault(column, []).extend(words)
    starts_row = [id(below) in row_starts for white, below in whites if white > wide]
    has_shared_whites = sum(starts_row) >= _SHARED_WHITES * len(starts_row)
    if len(rows) < _MIN_WORD_ROWS or not has_shared_whites or not _MIN_LINES < len(printed) / len(rows) < _MAX_LINES:
        return None
    firsts = [[row.cells[column][0].text for row in rows if column in row.cells] for column in columns]
    after_first_column = [text for column in firsts[1:] for text in column]
    is_list = 2 * sum(bool(MARKER.match(text)) for text in after_first_column) > len(after_first_column)
    in_order = [text.casefold() for column in firsts for text in column]
    if is_list or in_order == sorted(in_order):
        return None
    return placeholder(fragments, rows, len(columns))
