"""Where a sheet's tables are: connected blocks of filled cells, parted by blank rows and columns, in reading order.

Cells touch when they share an edge or a corner. Blocks whose rectangles overlap are one: neither could be read before
the other. All of it is linear in the filled cells, however far apart they lie.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.parsing.sheets.grid import Area, DefinedTable, Filled, Row, Sheet
from core.parsing.table_header import EMPTY_CELL, CellFeatures, FeatureRow

Run = tuple[int, int, int]  # row, first column, last column: cells side by side
_MAX_TABLES = 500
_MAX_SWEEPS = 8


@dataclass(slots=True)
class Region:
    """A block of cells. ``runs`` are in order; ``table``: the one the file declares, if the block is one."""

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
    """The blocks of a sheet whose merged cells are spread, from top to bottom, then from left to right.

    >>> from core.parsing.sheets.grid import filled
    >>> a, b, c = (filled(letter, letter) for letter in "abc")
    >>> sheet = Sheet("S", {0: {0: a}, 2: {0: a, 1: b, 3: c}})
    >>> [(region.area.top, region.area.left, region.width) for region in find_regions(sheet)]
    [(0, 0, 1), (2, 0, 2), (2, 3, 1)]
    """
    declared = [Region(table.area, table=table) for table in sorted(sheet.tables, key=lambda table: table.area)]
    declared = [region for at, region in enumerate(declared[:_MAX_TABLES]) if not _overlaps_any(region, declared[:at])]
    free: list[Run] = []
    for row in sorted(sheet.rows):
        here = [region for region in declared if region.area.top <= row <= region.area.bottom]
        here.sort(key=lambda region: region.area.left)
        for run in _runs(row, sheet.rows[row]):
            free += _claimed(run, here) if here else (run,)
    found = apart(_connected(free))
    return sorted([*found, *(region for region in declared if region.runs)], key=lambda region: region.area)


def apart(regions: list[Region]) -> list[Region]:
    """Regions whose rectangles overlap made one, until none do."""
    for _ in range(_MAX_SWEEPS):
        merged = _sweep(regions)
        if len(merged) == len(regions):
            break
        regions = merged
    return regions


def lines_of(region: Region, rows: dict[int, Row]) -> Iterator[dict[int, Filled]]:
    """The region's cells row by row, by column; rows without any are left out."""
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
    """The region's first rows as the finder of headers wants them, blanks in their places."""
    found: list[FeatureRow] = []
    for line in lines_of(region, rows):
        found.append(features_of_row(line, range(region.area.left, region.area.right + 1)))
        if len(found) == limit:
            break
    return found


def features_of_row(line: dict[int, Filled], columns: Sequence[int]) -> FeatureRow:
    """One row's cells in the given columns."""
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


def _claimed(run: Run, declared: Sequence[Region]) -> list[Run]:
    """Hand the run's cells inside declared tables to them; what is left comes back."""
    row, left, right = run
    rest: list[Run] = []
    for region in declared:  # by their left edge, for none of them overlap
        start, end = max(left, region.area.left), min(right, region.area.right)
        if start > end:
            continue
        region.runs.append((row, start, end))
        if left < start:
            rest.append((row, left, start - 1))
        left = end + 1
    return [*rest, (row, left, right)] if left <= right else rest


def _connected(runs: Sequence[Run]) -> list[Region]:
    """Runs joined to those they touch in the row above, by union and find."""
    parents = list(range(len(runs)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    above = above_end = start = 0  # runs of the row above that may still touch, and where this row's begin
    for at, (row, left, right) in enumerate(runs):
        if runs[start][0] != row:
            above, above_end, start = (start if runs[start][0] == row - 1 else at), at, at
        while above < above_end and runs[above][2] < left - 1:
            above += 1
        for other in range(above, above_end):
            if runs[other][1] > right + 1:
                break
            low, high = sorted((root(other), root(at)))
            parents[high] = low
    regions: dict[int, Region] = {}
    for at, (row, left, right) in enumerate(runs):
        region = regions.get(top := root(at))
        if region is None:
            region = regions[top] = Region(Area(row, left, row, right))
        area = region.area
        if left < area.left or right > area.right or row > area.bottom:
            region.area = Area(area.top, min(area.left, left), row, max(area.right, right))
        region.runs.append((row, left, right))
    return list(regions.values())


def _sweep(regions: list[Region]) -> list[Region]:
    """One pass from top to bottom, over the regions a row crosses, which lie side by side."""
    active: list[Region] = []
    edges: list[int] = []  # right edges of the active ones, ascending
    done: list[Region] = []
    for region in sorted(regions, key=lambda region: region.area):
        at = bisect_left(edges, region.area.left)
        grown = region
        while at < len(active) and active[at].area.left <= grown.area.right:
            other = active.pop(at)
            edges.pop(at)
            if other.area.bottom < region.area.top:
                done.append(other)
                continue
            other.absorb(grown)
            grown = other
            at = bisect_left(edges, grown.area.left)
        active.insert(at, grown)
        edges.insert(at, grown.area.right)
    return done + active


def _overlaps_any(region: Region, others: Sequence[Region]) -> bool:
    a = region.area
    return any(
        a.top <= b.bottom and b.top <= a.bottom and a.left <= b.right and b.left <= a.right
        for b in (other.area for other in others)
    )


def _hull(a: Area, b: Area) -> Area:
    return Area(min(a.top, b.top), min(a.left, b.left), max(a.bottom, b.bottom), max(a.right, b.right))
