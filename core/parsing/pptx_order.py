"""The order in which the shapes of a slide are read, by where they stand."""

from __future__ import annotations

from collections.abc import Sequence

from core.parsing.flow import Rectangle

_INSET = 7.2  # points: frames are a little larger than the words in them, so that neighbours overlap
_MAX_CUT = 400  # shapes; more are a map or a drawing, read line by line
_LINE = 12.0  # points: what stands this little higher stands in the same line


def reading_order(boxes: Sequence[Rectangle], right_to_left: bool = False) -> list[int]:
    """Indexes of ``boxes`` as a person reads them: rows downwards, columns beside each other one after the other.

    The slide is cut along its widest gaps, again and again (a recursive X-Y cut: Nagy, Seth and Viswanathan,
    "A Prototype Document Image Analysis System for Technical Journals", Computer 25(7), 1992). Where shapes overlap
    so that no cut is left, the topmost is read and the others are cut anew.

    >>> reading_order([(300, 60, 500, 300), (20, 100, 200, 180), (20, 200, 200, 300), (20, 0, 500, 50)])
    [3, 1, 2, 0]
    """
    if right_to_left:
        boxes = [(-x1, y0, -x0, y1) for x0, y0, x1, y1 in boxes]
    if len(boxes) > _MAX_CUT:
        return sorted(range(len(boxes)), key=lambda index: (boxes[index][1] // _LINE, boxes[index][0]))
    order: list[int] = []
    waiting = [list(range(len(boxes)))] if boxes else []
    while waiting:
        group = waiting.pop()
        if len(group) == 1:
            order += group
        else:
            waiting.extend(reversed(_parted(boxes, group)))
    return order


def _parted(boxes: Sequence[Rectangle], group: list[int]) -> list[list[int]]:
    rows, row_gap = _bands(boxes, group, 1)
    columns, column_gap = _bands(boxes, group, 0)
    if len(rows) > 1 and row_gap >= column_gap:
        return rows
    if len(columns) > 1:
        return columns
    first = min(group, key=lambda index: (boxes[index][1] // _LINE, boxes[index][0], index))
    return [[first], [index for index in group if index != first]]


def _bands(boxes: Sequence[Rectangle], group: Sequence[int], axis: int) -> tuple[list[list[int]], float]:
    """The group cut at every gap along an axis (0: columns, 1: rows), and the widest gap; 0 where there is none."""
    spans = sorted((*_within(boxes[index][axis], boxes[index][axis + 2]), index) for index in group)
    bands: list[list[int]] = []
    reach, widest = float("-inf"), 0.0
    for start, end, index in spans:
        if start > reach:
            widest = max(widest, start - reach if bands else 0.0)
            bands.append([])
        bands[-1].append(index)
        reach = max(reach, end)
    return [sorted(band) for band in bands], widest


def _within(start: float, end: float) -> tuple[float, float]:
    inset = min(_INSET, (end - start) / 4)
    return start + inset, end - inset
