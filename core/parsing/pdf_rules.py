"""Drawn rules of a page, and the grids they make: rows, columns, and which places one merged cell covers.

Everything works on boxes: rules are thin vector boxes. Nothing here needs the PDF library.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.parsing.pdf_lines import Box

TOUCH = 3.0  # points within which two rules meet
_THIN = 3.0
_MIN_RULE = 12.0
_MAX_RULES = 1200
_MAX_PLACES = 20_000  # more is graph paper
_COVERED = 0.6  # of a cell's side: what a rule must cover to part it from its neighbour

Place = tuple[int, int]  # row, column


@dataclass(frozen=True, slots=True)
class Grid:
    """Edges of rows and columns, from the top left. ``merged``: the top left place of each place's cell."""

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    merged: dict[Place, Place]

    @property
    def box(self) -> Box:
        return self.columns[0], self.rows[0], self.columns[-1], self.rows[-1]


def rules_of(vectors: Iterable[Box]) -> tuple[list[Box], list[Box]]:
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
        if last and abs(last[1] - y) <= 2 and x0 <= last[2] + TOUCH:
            joined[-1] = (last[0], last[1], max(last[2], x1), last[3])
        else:
            joined.append((x0, y, x1, y))
    return joined


def edges(values: Iterable[float]) -> list[float]:
    """Sorted positions, those within a cell's padding of each other as one.

    >>> edges([10, 100, 12, 50])
    [10, 50, 100]
    """
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > 2 * TOUCH:
            found.append(value)
    return found


def grids(across: Sequence[Box], down: Sequence[Box]) -> list[Grid]:
    """Every connected set of rules that crosses itself like a grid."""
    groups: dict[int, tuple[list[Box], list[Box]]] = {}
    root_of = _connected(across, down)
    for index, rule in enumerate([*across, *down]):
        groups.setdefault(root_of(index), ([], []))[index >= len(across)].append(rule)
    found = []
    for rows, columns in groups.values():
        if len(rows) < 2 or not columns:
            continue
        ys = edges([row[1] for row in rows] + [column[1] for column in columns] + [column[3] for column in columns])
        xs = edges([column[0] for column in columns] + [row[0] for row in rows] + [row[2] for row in rows])
        if len(ys) >= 3 and len(xs) >= 3 and len(ys) * len(xs) <= _MAX_PLACES:
            found.append(Grid(tuple(ys), tuple(xs), _merged(ys, xs, rows, columns)))
    return found


def _connected(across: Sequence[Box], down: Sequence[Box]) -> _Groups:
    groups = _Groups(len(across) + len(down))
    for row_index, row in enumerate(across):
        for column_index, column in enumerate(down):
            if row[0] - TOUCH <= column[0] <= row[2] + TOUCH and column[1] - TOUCH <= row[1] <= column[3] + TOUCH:
                groups.join(row_index, len(across) + column_index)
    return groups


class _Groups:
    """Numbers joined into groups; calling it names a number's group."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def __call__(self, index: int) -> int:
        while self._parents[index] != index:
            self._parents[index] = self._parents[self._parents[index]]
            index = self._parents[index]
        return index

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self(one), self(other)))
        self._parents[second] = first


def _merged(
    ys: Sequence[float], xs: Sequence[float], rows: Sequence[Box], columns: Sequence[Box]
) -> dict[Place, Place]:
    """Places with no rule between them are one cell, if together they make a rectangle; else each stays its own."""
    width, height = len(xs) - 1, len(ys) - 1
    groups = _Groups(width * height)
    for row in range(height):
        for column in range(width):
            here = row * width + column
            if column + 1 < width and not _is_ruled(columns, xs[column + 1], ys[row], ys[row + 1], across=False):
                groups.join(here, here + 1)
            if row + 1 < height and not _is_ruled(rows, ys[row + 1], xs[column], xs[column + 1], across=True):
                groups.join(here, here + width)
    members: dict[int, list[Place]] = {}
    for index in range(width * height):
        members.setdefault(groups(index), []).append(divmod(index, width))
    merged: dict[Place, Place] = {}
    for places in members.values():
        tall = len({row for row, _ in places})
        wide = len({column for _, column in places})
        whole = tall * wide == len(places) and len(places) < width * height
        merged.update({place: places[0] if whole else place for place in places})
    return merged


def _is_ruled(rules: Sequence[Box], at: float, start: float, end: float, *, across: bool) -> bool:
    """Whether rules at one height (or x) cover most of the stretch between two cells."""
    covered = 0.0
    for x0, y0, x1, y1 in rules:
        place, low, high = (y0, x0, x1) if across else (x0, y0, y1)
        if abs(place - at) <= 2 * TOUCH:
            covered += max(0.0, min(high, end) - max(low, start))
    return covered >= _COVERED * (end - start)
