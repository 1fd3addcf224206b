"""Tells blocks that are set beside each other from the columns of a table: each block has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from core.parsing.pdf.lines import TextLine, has_word

Rows = list[list[TextLine]]

_MIN_ROWS = 2  # in the block that has fewer
_SHARED = 0.34  # share of those rows that may stand on a baseline of the other block by chance
_SAME_BASELINE, _NEXT_LINE, _MAX_STEP = 0.12, 0.4, 2.0  # of the type size: same baseline, another line, same block
_SAME_HEIGHT, _SAME_STEP = 0.3, 1.2  # of the type size, between edges of cells; of the usual step, in a cell


def have_own_rows(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Whether two blocks of text beside each other are set independently, like a letterhead and the box beside it.

    On both sides most lines have a word, unlike numbers beside their labels, and groups of lines are not at the heights
    of those beside them, unlike cells whose text is wrapped.
    """
    rows, size = _beside(left, right)
    if not _share_few_baselines(rows, size):
        return False
    if not all(2 * sum(any(has_word(line.text) for line in row) for row in side) >= len(side) for side in rows):
        return False
    return not _are_cells(_groups(rows[0]), _groups(rows[1]), size)


def tables_have_own_rows(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Whether two blocks that may both be tables share few baselines, so that they are not one table."""
    return _share_few_baselines(*_beside(left, right))


def _beside(left: Sequence[TextLine], right: Sequence[TextLine]) -> tuple[list[Rows], float]:
    """The printed lines of each block that stand beside the other, and the usual type size. None without known fonts.

    Where OCR read, the font is unknown: the baselines were measured, and they say nothing.
    """
    sides = [[line for line in side if not line.is_placeholder] for side in (left, right)]
    if not all(sides) or not all(line.font for side in sides for line in side):
        return [[], []], 0.0
    top = max(min(line.y0 for line in side) for side in sides)
    bottom = min(max(line.y1 for line in side) for side in sides)
    size = median(line.size for side in sides for line in side)
    return [_rows([line for line in side if line.y1 > top and line.y0 < bottom], size) for side in sides], size


def _share_few_baselines(sides: Sequence[Rows], size: float) -> bool:
    """Whether closely set lines, at least two on one side and three on the other, share baselines only by chance."""
    fewer, more = sorted(([row[0].baseline for row in side] for side in sides), key=len)
    if len(fewer) < _MIN_ROWS or len(more) <= _MIN_ROWS:
        return False
    shared = sum(any(abs(one - other) <= _SAME_BASELINE * size for other in more) for one in fewer)
    return shared <= _SHARED * len(fewer) and _are_close(fewer, size) and _are_close(more, size)


def _rows(lines: Sequence[TextLine], size: float) -> Rows:
    """The printed lines, from top to bottom."""
    found: Rows = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if not found or line.baseline - found[-1][0].baseline > _NEXT_LINE * size:
            found.append([])
        found[-1].append(line)
    return found


def _groups(rows: Rows) -> list[tuple[float, float]]:
    """The first and the last baseline of each run of lines at the usual distance, as the lines of a cell are."""
    baselines = [row[0].baseline for row in rows]
    usual = min(below - above for above, below in pairwise(baselines))
    groups = [(baselines[0], baselines[0])]
    for above, below in pairwise(baselines):
        is_next = below - above <= _SAME_STEP * usual
        groups[-1:] = [(groups[-1][0], below)] if is_next else [groups[-1], (below, below)]
    return groups


def _are_cells(left: Sequence[tuple[float, float]], right: Sequence[tuple[float, float]], size: float) -> bool:
    """Whether most groups of lines have their first line, last line or middle at the height of one beside them."""
    fewer, more = sorted((left, right), key=len)
    if len(fewer) < 2:
        return False
    heights = [(first, last, (first + last) / 2) for first, last in more]
    matched = sum(
        any(
            abs(one - other) <= _SAME_HEIGHT * size
            for place in heights
            for one, other in zip((first, last, (first + last) / 2), place, strict=True)
        )
        for first, last in fewer
    )
    return 2 * matched >= len(fewer)


def _are_close(baselines: Sequence[float], size: float) -> bool:
    """Whether at least half of the steps from line to line are those of a block of text."""
    steps = [below - above for above, below in pairwise(baselines)]
    return 2 * sum(step <= _MAX_STEP * size for step in steps) >= len(steps)
