"""Ruled tables of a page: grids of drawn lines, and tables with horizontal rules alone (as in papers).

Everything works on boxes: rules are thin vector boxes, words come with theirs. Nothing here needs the PDF library.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.parsing.cells import cell_value
from core.parsing.pdf_lines import Box, TableCells

Word = tuple[float, float, float, float, str]

_THIN = 3.0
_TOUCH = 3.0
_MIN_RULE = 12.0
_MAX_RULES = 1200
_MAX_CELL_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table and the box of the page it fills."""

    box: Box
    cells: TableCells


def find_tables(vectors: Iterable[Box], words: Sequence[Word]) -> list[FoundTable]:
    """Tables that drawn rules mark, from top to bottom; they do not overlap.

    ``vectors``: boxes of drawn paths. ``words``: (x0, y0, x1, y1, text) of the page's upright words.
    """
    across, down = _rules(vectors)
    found: list[FoundTable] = []
    grids = _grids(across, down)
    for index, (rows, columns) in enumerate([*grids, *_ruled(across, words)]):
        box = (columns[0], rows[0], columns[-1], rows[-1])
        if any(_overlap(box, table.box) for table in found):
            continue
        cells = _filled(rows, columns, words)
        if cells and (index < len(grids) or _is_regular(cells)):
            found.append(FoundTable(box, cells))
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _rules(vectors: Iterable[Box]) -> tuple[list[Box], list[Box]]:
    """Horizontal and vertical rules: thin boxes, and the edges of larger ones (shaded or framed cells)."""
    across: list[Box] = []
    down: list[Box] = []
    for x0, y0, x1, y1 in vectors:
        wide, high = x1 - x0, y1 - y0
        if high <= _THIN and wide >= _MIN_RULE:
            across.append((x0, (y0 + y1) / 2, x1, (y0 + y1) / 2))
        elif wide <= _THIN and high >= _THIN:
            down.append(((x0 + x1) / 2, y0, (x0 + x1) / 2, y1))
        elif wide >= _MIN_RULE and high >= 6:
            across += [(x0, y0, x1, y0), (x0, y1, x1, y1)]
            down += [(x0, y0, x0, y1), (x1, y0, x1, y1)]
    if len(across) + len(down) > _MAX_RULES:  # a drawing, not a table
        return [], []
    return _joined(across), [_turned(rule) for rule in _joined([_turned(rule) for rule in down])]


def _turned(rule: Box) -> Box:
    return rule[1], rule[0], rule[3], rule[2]


def _joined(rules: Sequence[Box]) -> list[Box]:
    """Pieces of one horizontal rule, drawn cell by cell, as one."""
    joined: list[Box] = []
    for x0, y, x1, _ in sorted(rules, key=lambda rule: (round(rule[1] / 2), rule[0])):
        last = joined[-1] if joined else None
        if last and abs(last[1] - y) <= 2 and x0 <= last[2] + _TOUCH:
            joined[-1] = (last[0], last[1], max(last[2], x1), last[3])
        else:
            joined.append((x0, y, x1, y))
    return joined


def _grids(across: Sequence[Box], down: Sequence[Box]) -> list[tuple[list[float], list[float]]]:
    """Row and column edges of every connected set of rules that crosses itself like a grid."""
    group_of = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while group_of[index] != index:
            group_of[index] = group_of[group_of[index]]
            index = group_of[index]
        return index

    for row_index, row in enumerate(across):
        for column_index, column in enumerate(down):
            if row[0] - _TOUCH <= column[0] <= row[2] + _TOUCH and column[1] - _TOUCH <= row[1] <= column[3] + _TOUCH:
                group_of[root(row_index)] = root(len(across) + column_index)
    groups: dict[int, tuple[list[Box], list[Box]]] = {}
    for index, rule in enumerate([*across, *down]):
        groups.setdefault(root(index), ([], []))[index >= len(across)].append(rule)
    grids = []
    for rows, columns in groups.values():
        if len(rows) < 2 or not columns:
            continue
        ys = _edges([row[1] for row in rows] + [column[1] for column in columns] + [column[3] for column in columns])
        xs = _edges([column[0] for column in columns] + [row[0] for row in rows] + [row[2] for row in rows])
        if len(ys) >= 3 and len(xs) >= 3:
            grids.append((ys, xs))
    return grids


def _edges(values: Iterable[float]) -> list[float]:
    """Sorted positions, those within a cell's padding of each other as one."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > 2 * _TOUCH:
            edges.append(value)
    return edges


def _ruled(across: Sequence[Box], words: Sequence[Word]) -> list[tuple[list[float], list[float]]]:
    """Tables with three or more rules of one width: columns from the gaps all rows share, rows from the words."""
    tables = []
    families: dict[tuple[int, int], list[Box]] = {}
    for rule in across:
        key = next(
            (k for k in families if abs(k[0] - rule[0]) < 4 and abs(k[1] - rule[2]) < 4), (int(rule[0]), int(rule[2]))
        )
        families.setdefault(key, []).append(rule)
    for rules in families.values():
        ys = _edges(rule[1] for rule in rules)
        if len(ys) < 3:
            continue
        x0, x1 = rules[0][0], rules[0][2]
        inside = [word for word in words if ys[0] < _middle(word)[1] < ys[-1] and x0 - 2 < _middle(word)[0] < x1 + 2]
        columns = _column_edges(inside, x0, x1)
        rows = _row_edges(inside, ys)
        if len(columns) >= 3 and len(rows) >= 3:
            tables.append((rows, columns))
    return tables


def _middle(word: Word) -> tuple[float, float]:
    return (word[0] + word[2]) / 2, (word[1] + word[3]) / 2


def _column_edges(words: Sequence[Word], x0: float, x1: float) -> list[float]:
    """Column edges in the middle of every stretch of x that no word touches."""
    if not words:
        return []
    wide_gap = 0.6 * sorted(word[3] - word[1] for word in words)[len(words) // 2]
    edges = [x0]
    reach: float | None = None
    for word in sorted(words):
        if reach is not None and word[0] - reach >= wide_gap:
            edges.append((reach + word[0]) / 2)
        reach = word[2] if reach is None else max(reach, word[2])
    return [*edges, x1]


def _row_edges(words: Sequence[Word], rules: Sequence[float]) -> list[float]:
    """Row edges: the rules, and half way between printed lines."""
    middles = _edges(_middle(word)[1] for word in words)
    between = [(above + below) / 2 for above, below in pairwise(middles)]
    inner = [y for y in between if all(abs(y - rule) > 6 for rule in rules)]
    return sorted([*rules, *inner])


def _filled(rows: Sequence[float], columns: Sequence[float], words: Sequence[Word]) -> TableCells | None:
    """Words put into their cells; ``None`` when it is no table (a chart, a form's frame, a boxed text)."""
    inside = [
        word
        for word in words
        if columns[0] <= _middle(word)[0] <= columns[-1] and rows[0] <= _middle(word)[1] <= rows[-1]
    ]
    grid: dict[tuple[int, int], list[Word]] = {}
    for word in inside:
        x, y = _middle(word)
        row = min(bisect_right(rows, y), len(rows) - 1) - 1
        column = min(bisect_right(columns, x), len(columns) - 1) - 1
        grid.setdefault((row, column), []).append(word)
    used_rows = sorted({row for row, _ in grid})
    used_columns = sorted({column for _, column in grid})
    bands = [band for row in used_rows for band in _baselines(grid, row, used_columns)]
    table = tuple(
        tuple(_cell(band.get(column, []), rows, columns, row, column) for column in used_columns) for row, band in bands
    )
    filled = [text for row in table for text, _ in row if text]
    if len(table) < 2 or len(used_columns) < 2 or len(filled) < 0.4 * len(table) * len(used_columns):
        return None
    full_rows = sum(sum(bool(text) for text, _ in row) >= 2 for row in table)
    if full_rows < 2 or max(map(len, filled)) > 2 * _MAX_CELL_CHARACTERS:
        return None
    return TableCells(table, _header_rows(table))


def _baselines(
    grid: dict[tuple[int, int], list[Word]], row: int, columns: Sequence[int]
) -> list[tuple[int, dict[int, list[Word]]]]:
    """One grid row as one or more table rows: rows without rules between them are told by aligned printed lines."""
    cells = {column: grid[row, column] for column in columns if (row, column) in grid}
    lines: dict[int, dict[int, list[Word]]] = {}
    middles = _edges(_middle(word)[1] for words in cells.values() for word in words)
    for column, words in cells.items():
        for word in words:
            line = bisect_right(middles, _middle(word)[1]) - 1
            lines.setdefault(line, {}).setdefault(column, []).append(word)
    aligned = len(lines) >= 3 and all(len(line) >= max(2, 0.6 * len(cells)) for line in lines.values())
    if not aligned:
        return [(row, cells)]
    return [(row, lines[line]) for line in sorted(lines)]


def _cell(
    words: Sequence[Word], rows: Sequence[float], columns: Sequence[float], row: int, column: int
) -> tuple[str, Box]:
    if not words:
        return "", (columns[column], rows[row], columns[column + 1], rows[row + 1])
    ordered: list[Word] = []
    upward = sum(word[3] - word[1] > 1.5 * (word[2] - word[0]) for word in words if len(word[4]) > 2)
    if upward > len(words) / 2:  # a narrow column's heading, written from bottom to top
        ordered = sorted(words, key=lambda word: (round(word[0] / _TOUCH), -word[3]))
    for line in _edges(word[3] for word in words) if not ordered else ():
        ordered += sorted(word for word in words if 0 <= word[3] - line <= 2 * _TOUCH)
    text = " ".join(word[4] for word in ordered)
    return " ".join(text.split()), (
        min(word[0] for word in words),
        min(word[1] for word in words),
        max(word[2] for word in words),
        max(word[3] for word in words),
    )


def _is_regular(cells: TableCells) -> bool:
    """Whether most rows fill most columns: text between two rules happens to have gaps, but not on every line."""
    return all(sum(bool(text) for text, _ in row) >= 2 for row in cells.rows[1:]) and len(cells.rows) >= 3


def _header_rows(table: Sequence[Sequence[tuple[str, Box]]]) -> int:
    """How many of the first two rows name columns; the second only counts where the first has gaps or repeats."""
    if not _names_columns(table[0]):
        return 0
    first = [text for text, _ in table[0]]
    spread = "" in first[1:] or len(set(first)) < len(first)
    figures = [sum(isinstance(cell_value(text), int | float) for text, _ in row) for row in table[1:4]]
    second = len(figures) >= 2 and spread and 4 * figures[0] < len(first) and figures[1] >= len(first) / 3
    return 2 if second else 1


def _names_columns(row: Sequence[tuple[str, Box]]) -> bool:
    """Words, or years, but no other figures."""
    values = [cell_value(text) for text, _ in row]
    figures = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    years = all(isinstance(value, int) and 1900 <= value <= 2100 for value in figures)
    return years and any(isinstance(value, str) for value in values)
