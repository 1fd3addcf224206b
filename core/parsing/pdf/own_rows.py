"""Tells blocks that are set beside each other from the columns of a table: each block has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from core.parsing.pdf.lines import TextLine

_MIN_ROWS = 2  # in the block that has fewer
_SHARED = 0.34  # share of those rows that may stand on a baseline of the other block by chance
_SAME_BASELINE, _NEXT_LINE, _MAX_STEP = 0.12, 0.4, 2.0  # of the type size: same baseline, another line, same block
_WORD = 3  # letters


def have_own_rows(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Whether two blocks beside each other are set independently: they share few baselines.

    The cells of a row stand on one baseline; the lines of a letterhead and of the box beside it do only by chance. Only
    lines beside the other block count, at least two of one and three of the other, and on both sides most of them are
    set closely: values in the middle of wrapped labels are apart. Both sides have words, unlike bullets and formulas.
    Where a font is unknown, OCR measured the baselines, and they say nothing.
    """
    sides = [[line for line in side if not line.is_placeholder] for side in (left, right)]
    if not all(sides) or not all(line.font for side in sides for line in side):
        return False
    top = max(min(line.y0 for line in side) for side in sides)
    bottom = min(max(line.y1 for line in side) for side in sides)
    size = median(line.size for side in sides for line in side)
    sides = [[line for line in side if line.y1 > top and line.y0 < bottom] for side in sides]
    rows = [_baselines(side, size) for side in sides]
    fewer, more = sorted(rows, key=len)
    if len(fewer) < _MIN_ROWS or len(more) <= _MIN_ROWS:
        return False
    letters = sum(char.isalnum() for line in sides[0] for char in line.text)
    words = (word for line in sides[1] for word in line.text.split())
    if letters < _WORD * len(rows[0]) or not any(len(word) >= _WORD and word.isalpha() for word in words):
        return False
    shared = sum(any(abs(one - other) <= _SAME_BASELINE * size for other in more) for one in fewer)
    return shared <= _SHARED * len(fewer) and all(_are_close(side, size) for side in rows)


def _baselines(lines: Sequence[TextLine], size: float) -> list[float]:
    """The baselines of the printed lines, from top to bottom."""
    found: list[float] = []
    for baseline in sorted(line.baseline for line in lines):
        if not found or baseline - found[-1] > _NEXT_LINE * size:
            found.append(baseline)
    return found


def _are_close(baselines: Sequence[float], size: float) -> bool:
    """Whether at least half of the steps from line to line are those of a block of text."""
    steps = [below - above for above, below in pairwise(baselines)]
    return 2 * sum(step <= _MAX_STEP * size for step in steps) >= len(steps)
