"""Finds the tables of a sheet: connected blocks of filled cells, separated by blank rows and columns.

Cells are connected if they share an edge or a corner. Blocks whose rectangles overlap are merged, because neither could
be read before the other. The time is linear in the number of filled cells.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.parsing.sheets.grid import Area, DefinedTable, Filled, Row, Sheet
from core.parsing.table_header import EMPTY_CELL, CellFeatures, FeatureRow

Run = tuple[int, int, int]  # row, first column, last column: cells side by side
_MAX_TABLES = 500
_MAX_SWEEPS = 8


@dataclass(slots=True)
class Region:
    """A block of cells. ``runs``: its cells, in order. ``table``: the declared table that the block is, if any."""

    area: Area
    runs: list[Run] = field(default_factory=list)
    table: DefinedTable | None = None

    @property
    def width(self) -> int:
        return self.area.right - self.area.left + 1

    @property
    def height(self) -> int:
        return self.area.bottom - self.area.top + 1

    def absorb(self, other: Region) -> None:
        """Make ``other`` part of this region."""
        self.area = _hull(self.area, other.area)
        ordered = not self.runs or not other.runs or self.runs[-1] <= other.runs[0]
        self.runs += other.runs
        if not ordered:
            self.runs.sort()


def find_regions(sheet: Sheet) -> list[Region]:
    """The blocks of a sheet from top to bottom, then from left to right. Merged cells must have been spread.

    >>> from core.parsing.sheets.grid import filled
    >>> a, b, c = (filled(letter, letter) for letter in "abc")
    >>> sheet = Sheet("S", {0: {0: a}, 2: {0: a, 1: b, 3: c}})
    >>> [(region.area.top, region.area.left, region.width) for region in find_regions(sheet)]
    [(0, 0, 1), (2, 0, 2), (2, 3, 1)]
    """
    declared = [Region(table.area, table=table) for table in sorted(sheet.tables, key=lambda table: table.area)]
    declared = [
        region for index, region in enumerate(declared[:_MAX_TABLES]) if not _overlaps_any(region, declared[:index])
    ]
    free: list[Run] = []
    for row in sorted(sheet.rows):
        in_row = [region for region in declared if region.area.top <= row <= region.area.bottom]
        in_row.sort(key=lambda region: region.area.left)
        for run in _runs(row, sheet.rows[row]):
            free += _outside_tables(run, in_row) if in_row else (run,)
    regions = merge_overlapping(_connected(free))
    return sorted([*regions, *(region for region in declared if region.runs)], key=lambda region: region.area)


def merge_overlapping(regions: list[Region]) -> list[Region]:
    """The regions with those whose rectangles overlap merged, repeatedly until none do."""
    for _ in range(_MAX_SWEEPS):
        merged = _sweep(regions)
        if len(merged) == len(regions):
            break
        regions = merged
    return regions


def lines_of(region: Region, rows: dict[int, Row]) -> Iterator[dict[int, Filled]]:
    """The region's cells row by row, each by column. Empty rows are left out."""
    current = -1
    line: dict[int, Filled] = {}
    for row, left, right in region.runs:
        if row != current:
            if line:
                yield line
            current, line = row, {}
        cells = rows[row]
        for column in range(left, right + 1):
            line[column] = cells[column]
    if line:
        yield line


def feature_rows(region: Region, rows: dict[int, Row], limit: int) -> list[FeatureRow]:
    """The features of the region's first rows, at most ``limit``, with ``EMPTY_CELL`` for blanks."""
    lines = islice(lines_of(region, rows), limit)
    return [features_of_row(line, range(region.area.left, region.area.right + 1)) for line in lines]


def features_of_row(line: dict[int, Filled], columns: Sequence[int]) -> FeatureRow:
    """The features of one row's cells in the given columns."""
    return [
        CellFeatures(cell.text, cell.kind, cell.strong, cell.shaded) if (cell := line.get(column)) else EMPTY_CELL
        for column in columns
    ]


def _runs(row: int, cells: Row) -> Iterator[Run]:
    columns = sorted(cells)
    start = previous = columns[0] if columns else 0
    for column in columns[1:]:
        if column != previous + 1:
            yield row, start, previous
            start = column
        previous = column
    if columns:
        yield row, start, previous


def _outside_tables(run: Run, declared: Sequence[Region]) -> list[Run]:
    """Add a run's cells inside declared tables to these, and return the rest."""
    row, left, right = run
    rest: list[Run] = []
    for region in declared:  # sorted by their left edge, without overlaps
        start, end = max(left, region.area.left), min(right, region.area.right)
        if start > end:
            continue
        region.runs.append((row, start, end))
        if left < start:
            rest.append((row, left, start - 1))
        left = end + 1
    return [*rest, (row, left, right)] if left <= right else rest


def _connected(runs: Sequence[Run]) -> list[Region]:
    """The connected components of runs, by union-find with the runs of the row above."""
    parents = list(range(len(runs)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    above = above_end = start = 0  # runs of the row above that may still touch, and the first run of this row
    for index, (row, left, right) in enumerate(runs):
        if runs[start][0] != row:
            above, above_end, start = (start if runs[start][0] == row - 1 else index), index, index
        while above < above_end and runs[above][2] < left - 1:
            above += 1
        for other in range(above, above_end):
            if runs[other][1] > right + 1:
                break
            low, high = sorted((root(other), root(index)))
            parents[high] = low
    regions: dict[int, Region] = {}
    for index, (row, left, right) in enumerate(runs):
        region = regions.get(top := root(index))
        if region is None:
            region = regions[top] = Region(Area(row, left, row, right))
        area = region.area
        if left < area.left or right > area.right or row > area.bottom:
            region.area = Area(area.top, min(area.left, left), row, max(area.right, right))
        region.runs.append((row, left, right))
    return list(regions.values())


def _sweep(regions: list[Region]) -> list[Region]:
    """Merge overlapping regions in one sweep from top to bottom."""
    active: list[Region] = []  # regions that the sweep line crosses, side by side
    edges: list[int] = []  # their right edges, ascending
    finished: list[Region] = []
    for region in sorted(regions, key=lambda region: region.area):
        index = bisect_left(edges, region.area.left)
        merged = region
        while index < len(active) and active[index].area.left <= merged.area.right:
            other = active.pop(index)
            edges.pop(index)
            if other.area.bottom < region.area.top:
                finished.append(other)
                continue
            other.absorb(merged)
            merged = other
            index = bisect_left(edges, merged.area.left)
        active.insert(index, merged)
        edges.insert(index, merged.area.right)
    return finished + active


def _overlaps_any(region: Region, others: Sequence[Region]) -> bool:
    a = region.area
    return any(
        a.top <= b.bottom and b.top <= a.bottom and a.left <= b.right and b.left <= a.right
        for b in (other.area for other in others)
    )


def _hull(a: Area, b: Area) -> Area:
    return Area(min(a.top, b.top), min(a.left, b.left), max(a.bottom, b.bottom), max(a.right, b.right))
