"""Joins blocks of a sheet that belong together although a blank row or column separates them.

People leave a blank row below a header or between groups of records, and a blank column after the labels of a form.
Read separately, a value would lose its label, and a record its header.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from core.parsing.sheets.grid import Row
from core.parsing.sheets.regions import Region, feature_rows, merge_overlapping
from core.parsing.table_header import EMPTY, SAMPLE_ROWS, TEXT, FeatureRow, contrast, header_rows

_MAX_BLANK_COLUMNS = 2  # between a label and its value
_MIN_LABELLED = 0.5  # share of the labels that have a value


def join_regions(regions: Sequence[Region], rows: dict[int, Row]) -> list[Region]:
    """The regions in reading order, with those that are one table joined. Declared tables are not changed."""
    joined = _join_labels(_join_rows(list(regions), rows))
    declared = [region for region in joined if region.table]
    joined = merge_overlapping([region for region in joined if not region.table])
    return sorted([*joined, *declared], key=lambda region: region.area)


def _join_rows(regions: list[Region], rows: dict[int, Row]) -> list[Region]:
    """Join a header with its records, and records with the same columns, across one blank row."""
    kept: list[Region] = []
    latest: dict[tuple[int, int], Region] = {}
    for region in regions:
        edges = (region.area.left, region.area.right)
        above = latest.get(edges)
        if (
            above is not None
            and above.table is None
            and region.table is None
            and region.width > 1
            and region.area.top - above.area.bottom == 2
            and _continues(above, region, rows)
        ):
            above.absorb(region)
        else:
            kept.append(region)
            latest[edges] = region
    return kept


def _continues(above: Region, below: Region, rows: dict[int, Row]) -> bool:
    """Whether the rows below belong to the table above."""
    lower = feature_rows(below, rows, SAMPLE_ROWS)
    if header_rows(lower) and contrast(lower[0], lower[1:]) > 0:
        return False
    upper = feature_rows(above, rows, SAMPLE_ROWS)
    if len(upper) == 1:
        return all(cell.kind == TEXT for cell in upper[0]) and contrast(upper[0], lower) > 0
    return header_rows(upper) > 0 and _same_kinds(_typed(reversed(upper)), _typed(lower))


def _typed(rows: Iterable[FeatureRow]) -> FeatureRow:
    """The first row with a number, date or truth value; titles of groups have none. [] for no such row."""
    return next((row for row in rows if any(cell.kind not in (TEXT, EMPTY) for cell in row)), [])


def _same_kinds(before: FeatureRow, after: FeatureRow) -> bool:
    """Whether two rows have values of the same kinds in the same columns, ignoring blanks."""
    typed = [(a.kind, b.kind) for a, b in zip(before, after, strict=False) if {a.kind, b.kind} - {TEXT, EMPTY}]
    filled = [pair for pair in typed if EMPTY not in pair]
    return 2 * len(filled) > len(typed) and all(a == b for a, b in filled)


def _join_labels(regions: list[Region]) -> list[Region]:
    """Join a column of labels with the rows it labels after a blank column, as in forms and data sheets."""
    by_left: dict[int, list[Region]] = defaultdict(list)
    for region in regions:
        by_left[region.area.left].append(region)
    absorbed: set[int] = set()  # ids of regions
    labels = [region for region in regions if region.width == 1 and region.table is None]
    for label in sorted(labels, key=lambda region: -region.area.left):  # the labels nearest to their values first
        values = _values_of(label, by_left, absorbed)
        labelled = sum(region.height for region in values)
        if not values or labelled < _MIN_LABELLED * label.height:
            continue
        for region in values:
            label.absorb(region)
            absorbed.add(id(region))
    return [region for region in regions if id(region) not in absorbed]


def _values_of(label: Region, by_left: dict[int, list[Region]], absorbed: set[int]) -> list[Region]:
    """The regions right of a column of labels; [] where one of them extends beyond the column's rows."""
    right = label.area.right
    values: list[Region] = []
    for left in range(right + 2, right + _MAX_BLANK_COLUMNS + 2):
        candidates = by_left.get(left, [])  # one below the other
        first = bisect_left(candidates, label.area.top, key=lambda region: region.area.bottom)
        for region in islice(candidates, first, None):
            if region.area.top > label.area.bottom:
                break
            if id(region) in absorbed:
                continue
            if region.area.top < label.area.top or region.area.bottom > label.area.bottom or region.table:
                return []
            values.append(region)
    return values
