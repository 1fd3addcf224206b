"""Finds the rows of forms: names of fields, and below each its value, set in other type."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.pdf.layout.columns import Line, Parts, Row, join_words, with_printed_tables
from core.parsing.pdf.lines import TextLine, has_word

Style = tuple[str, float, bool]

_ALIGNED = 8.0  # points between the left edges of a name and its value
_MAX_WHITE = 1.2  # of a line's height, between a name and its value
_MAX_VALUE_LINES = 5  # more below headings side by side are columns of text
_MAX_NAME, _MAX_VALUE = 40, 60  # characters of a name, and of a printed line of a value


def with_label_rows(fragments: Sequence[TextLine]) -> list[TextLine]:
    """The fragments; each row of a form among them becomes a placeholder, a table of names and their values.

    A line of names has several parts in one type, and more white above than below. Each part of the lines right below
    begins under a name, in another type. Where OCR read, the type is unknown, and nothing is found.
    """
    return with_printed_tables(fragments, _form_rows)


def _form_rows(
    items: Sequence[TextLine], lines: Sequence[Line], parts: Sequence[Parts], start: int
) -> tuple[int, Sequence[Row], int]:
    if start + 1 == len(lines):
        return start + 1, (), 0
    end = _end_of_values(lines, parts, start, items)
    names, values = parts[start], parts[start + 1 : end]
    columns = {_column(part, names) for line in values for part in line}
    if not 0 < len(values) <= _MAX_VALUE_LINES or len(columns) < 2 or len(values[0]) < 2:
        return start + 1, (), 0
    below = [[line] for line in values] if all(len(line) == len(names) for line in values) else [values]
    return end, [_row(printed, names) for printed in ([names], *below)], len(names)


def _end_of_values(lines: Sequence[Line], parts: Sequence[Parts], start: int, items: Sequence[TextLine]) -> int:
    """The index after the last line of values below the line at ``start``; no values follow if it has no names."""
    names, style = parts[start], _style(lines[start], items)
    texts = [join_words(name) for name in names]
    if style is None or len(names) < 2 or any(len(text) > _MAX_NAME or not has_word(text) for text in texts):
        return start + 1
    if start and _white(lines, start) <= _white(lines, start + 1):
        return start + 1
    for index in range(start + 1, len(lines)):
        styles = {_style([word], items) for word in lines[index]}
        if _white(lines, index) > _MAX_WHITE * lines[index][0].height or style in styles or None in styles:
            return index
        if any(_column(part, names) is None or len(join_words(part)) > _MAX_VALUE for part in parts[index]):
            return index
    return len(lines)


def _white(lines: Sequence[Line], index: int) -> float:
    """The white above a printed line, in points."""
    return min(word.y0 for word in lines[index]) - max(word.y1 for word in lines[index - 1])


def _style(line: Line, items: Sequence[TextLine]) -> Style | None:
    """The type that all words of a line are set in; ``None`` if they differ or it is unknown."""
    styles = {
        (item.font, round(2 * item.size) / 2, item.bold)
        for word in line
        for item in (items[source] for source in word.sources)
    }
    found = styles.pop() if len(styles) == 1 else None
    return found if found and found[0] else None


def _column(part: Line, names: Parts) -> int | None:
    """The number of the name that a part begins under."""
    edges = [abs(part[0].x0 - name[0].x0) for name in names]
    return edges.index(min(edges)) if min(edges) <= _ALIGNED else None


def _row(printed: Sequence[Parts], names: Parts) -> Row:
    """Printed lines as one row of a table."""
    words = [word for line in printed for part in line for word in part]
    row = Row(min(word.y0 for word in words), max(word.y1 for word in words))
    for line in printed:
        for part in line:
            row.cells.setdefault(_column(part, names) or 0, []).extend(part)
    return row
