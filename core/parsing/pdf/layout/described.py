"""Finds names with what they mean beside them, as in codebooks, glossaries and transcripts: tables without rules."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.pdf.layout.columns import MARKER, Line, Parts, Row, column_gap, with_printed_tables
from core.parsing.pdf.lines import TextLine, has_word

_MIN_ROWS, _MIN_WRAPPED = 5, 0.2  # rows, and the further lines of their texts as a share of these
_MIN_WORDS, _MIN_BEGINNINGS = 0.8, 0.8  # share of the rows whose names are words, and whose texts begin as sentences do
_MAX_NAME = 40  # characters
_ALIGNED = 2.0  # points between the left edges of a column
_MAX_WHITE = 2.2  # of a line's height, between lines


def with_described(fragments: Sequence[TextLine]) -> list[TextLine]:
    """The fragments; names beside their texts become placeholders, tables of two columns.

    The lines of a name and its text begin at the same height, and the further lines of the text stand below it alone.
    Columns of running text are no such table: their lines begin within sentences.
    """
    return with_printed_tables(fragments, _described)


def _described(
    items: Sequence[TextLine], lines: Sequence[Line], parts: Sequence[Parts], start: int
) -> tuple[int, Sequence[Row], int]:
    end = _end(parts, start)
    rows = _rows(parts[start:end])
    if not rows or not _are_described(rows, end - start):
        return max(end, start + 1), (), 0
    members = [items[index] for line in lines[start:end] for word in line for index in word.sources]
    is_code = 2 * sum(item.mono or item.is_field for item in members) >= len(members)
    return end, () if is_code else rows, 2


def _end(parts: Sequence[Parts], start: int) -> int:
    """The index after the last line that stands in the two columns of the line at ``start``."""
    if len(parts[start]) != 2:
        return start
    left, right = parts[start][0][0].x0, parts[start][1][0].x0
    gap = column_gap(parts[start][0])
    for index in range(start, len(parts)):
        line = parts[index]
        first, last = line[0][0], line[0][-1]
        is_name = abs(first.x0 - left) <= _ALIGNED and last.x1 + gap < right
        is_text = abs((line[1] if is_name and len(line) > 1 else line[0])[0].x0 - right) <= _ALIGNED
        if len(line) > 1 + is_name or not (is_text or (is_name and len(line) == 1)):
            return index
        if index > start and first.y0 - parts[index - 1][0][0].y1 > _MAX_WHITE * first.height:
            return index
    return len(parts)


def _rows(parts: Sequence[Parts]) -> list[Row]:
    """The lines as rows, each from a name with a text to the next."""
    rows: list[Row] = []
    right = parts[0][1][0].x0 if parts else 0.0
    for line in parts:
        words = [word for part in line for word in part]
        if line[0][0].x0 < right - _ALIGNED and len(line) > 1:
            rows.append(Row(words[0].y0, words[0].y1))
        for word in words:
            rows[-1].cells.setdefault(int(word.x0 >= right - _ALIGNED), []).append(word)
        rows[-1].y1 = words[-1].y1
    return rows


def _are_described(rows: Sequence[Row], lines: int) -> bool:
    names, texts = [row.text(0) for row in rows], [row.text(1) for row in rows]
    if len(rows) < _MIN_ROWS or lines - len(rows) < _MIN_WRAPPED * len(rows) or max(map(len, names)) > _MAX_NAME:
        return False
    named = sum(has_word(name) and not MARKER.fullmatch(name) for name in names)
    begun = sum(has_word(text) and not text[:1].islower() for text in texts)
    if named < _MIN_WORDS * len(rows) or begun < _MIN_BEGINNINGS * len(rows):
        return False
    words = [word for row in rows for word in row.cells[1]]
    left = min(word.x0 for row in rows for word in row.cells[0])
    return max(word.x1 for word in words) - words[0].x0 > words[0].x0 - left
