"""Blocks of a sheet that belong together although a blank row or column parts them.

People leave a blank row below a header or between groups of records, and a blank column behind the labels of a form.
Read apart, such blocks lose what they say: a value its label, a record its header.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.parsing.sheets.grid import TEXT, Row
from core.parsing.sheets.regions import Region, apart, feature_rows
from core.parsing.table_header import EMPTY, SAMPLE_ROWS, FeatureRow, contrast, header_rows

_BLANK_COLUMNS = 2  # at most, between a label and its value
_SHARE_OF_LABELS = 0.5


def join_regions(regions: Sequence[Region], rows: dict[int, Row]) -> list[Region]:
    """Regions in reading order, those that are one table joined. Tables the file declares stay as they are."""
    joined = _join_labels(_join_rows(list(regions), rows), rows)
    declared = [region for region in joined if region.table]
    joined = apart([region for region in joined if not region.table])
    return sorted([*joined, *declared], key=lambda region: region.area)


def _join_rows(regions: list[Region], rows: dict[int, Row]) -> list[Region]:
    """A header and its records, and records of one kind, parted by one blank row."""
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
            and _goes_on(above, region, rows)
        ):
            above.absorb(region)
        else:
            kept.append(region)
            latest[edges] = region
    return kept


def _goes_on(above: Region, below: Region, rows: dict[int, Row]) -> bool:
    lower = feature_rows(below, rows, SAMPLE_ROWS)
    if header_rows(lower) and contrast(lower[0], lower[1:]) > 0:
        return False
    upper = feature_rows(above, rows, SAMPLE_ROWS)
    if len(upper) == 1:
        return all(cell.kind == TEXT for cell in upper[0]) and contrast(upper[0], lower) > 0
    return header_rows(upper) > 0 and _same_kinds(_typed(reversed(upper)), _typed(lower))


def _typed(lines: Iterable[FeatureRow]) -> FeatureRow:
    """The first of the rows that holds more than words, such as those that name a group of records; [] for none."""
    return next((line for line in lines if any(cell.kind not in (TEXT, EMPTY) for cell in line)), [])


def _same_kinds(before: FeatureRow, after: FeatureRow) -> bool:
    """Whether two rows have numbers and days in the same columns, blanks aside, and have any."""
    typed = [(a.kind, b.kind) for a, b in zip(before, after, strict=False) if {a.kind, b.kind} - {TEXT, EMPTY}]
    met = [pair for pair in typed if EMPTY not in pair]
    return 2 * len(met) > len(typed) and all(a == b for a, b in met)


def _join_labels(regions: list[Region], rows: dict[int, Row]) -> list[Region]:
    """A column of labels and, behind a blank column, the rows it labels, as forms and data sheets have them.

    A block with a header of its own is a table of its own.
    """
    by_left: dict[int, list[Region]] = defaultdict(list)
    for region in regions:
        by_left[region.area.left].append(region)
    gone: set[int] = set()
    labels = [region for region in regions if region.width == 1 and region.table is None]
    for label in sorted(labels, key=lambda region: -region.area.left):  # the labels nearest to their values first
        beside = _beside(label, by_left, gone)
        covered = sum(region.height for region in beside)
        if not beside or covered < _SHARE_OF_LABELS * label.height:
            continue
        if any(_is_table(region, rows) for region in beside):
            continue
        for region in beside:
            label.absorb(region)
            gone.add(id(region))
    return [region for region in regions if id(region) not in gone]


def _beside(label: Region, by_left: dict[int, list[Region]], gone: set[int]) -> list[Region]:
    """The regions right behind a column whose rows all lie within the column's."""
    right = label.area.right
    found: list[Region] = []
    for left in range(right + 2, right + _BLANK_COLUMNS + 2):
        candidates = by_left.get(left, [])  # one below the other
        for at in range(
            bisect_left(candidates, label.area.top, key=lambda region: region.area.bottom), len(candidates)
        ):
            region = candidates[at]
            if region.area.top > label.area.bottom:
                break
            if id(region) in gone:
                continue
            if region.area.top < label.area.top or region.area.bottom > label.area.bottom or region.table:
                return []
            found.append(region)
    return found


def _is_table(region: Region, rows: dict[int, Row]) -> bool:
    """Whether a region has a header that cannot be mistaken, bold or over other types."""
    sample = feature_rows(region, rows, SAMPLE_ROWS)
    if not header_rows(sample):
        return False
    strong = all(cell.strong for cell in sample[0] if cell.kind)
    return strong or contrast(sample[0], sample[1:]) > 0
