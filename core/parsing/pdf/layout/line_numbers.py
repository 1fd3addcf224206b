"""Finds the numbers that count the lines of a page: of bills, pleadings and drafts in the margin, of patents between
the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from core.parsing.pdf.lines import TextLine, around

_EVERY_LINE, _SOME_LINES = 10, 4  # the fewest numbers where every line is counted, and where each fifth or so is
_REGULAR = 0.75  # of the steps from one number to the next
_EVEN = 0.35  # of a line: how far a number may stand from where it should
_TALL = 0.4  # of the text's height
_LETTERS, _RUN_ON = 15, 0.2  # where every line is counted: letters of a line, and the share of those in lower case


def without_line_numbers(lines: Sequence[TextLine]) -> list[TextLine]:
    """The runs of a page, with those that number its lines as one line, which comes last.

    Line numbers count up by a regular step, stand below each other as evenly as printed lines, beside the text or in a
    gutter where there is no other text, and reach over much of the page.
    """
    numbers = [line for line in lines if len(words := line.text.strip()) <= 3 and words.isdecimal() and words.isascii()]
    column: list[TextLine] = []
    columns: list[list[TextLine]] = []
    for line in sorted(numbers, key=lambda line: line.x0):
        if column and line.x0 > max(mate.x1 for mate in column):
            columns.append(column)
            column = []
        column.append(line)
    result = list(lines)
    for candidate in [*columns, column]:
        found = _counting(sorted(candidate, key=lambda line: line.y0))
        inside = set(map(id, found))
        others = [line for line in result if id(line) not in inside]
        if found and _is_beside(found, others):
            text = " ".join(line.text.strip() for line in found)
            top, bottom = found[0].y0, found[-1].y1
            one = replace(found[0], text=text, y0=top, y1=bottom, box=around([line.box for line in found]))
            result = [*others, replace(one, counts_lines=True)]
    return result


def _counting(column: Sequence[TextLine]) -> list[TextLine]:
    """The numbers of a column, from top to bottom, that count up evenly; [] where too few do."""
    if len(column) < _SOME_LINES:
        return []
    values = [int(line.text) for line in column]
    steps = Counter(below - above for above, below in pairwise(values))
    step, count = steps.most_common(1)[0]
    if step < 1 or count < _REGULAR * (len(values) - 1) or len(values) < (_EVERY_LINE if step == 1 else _SOME_LINES):
        return []
    heights = sorted(
        (low.y0 - high.y0) / step
        for (high, low), (above, below) in zip(pairwise(column), pairwise(values), strict=True)
        if below - above == step
    )
    height = heights[len(heights) // 2]  # of one printed line
    origin = column[values.index(min(values))]
    reach = _EVEN * height * step
    even = [
        line
        for line, value in zip(column, values, strict=True)
        if abs(line.y0 - origin.y0 - height * (value - int(origin.text))) < reach
    ]
    return even if len(even) >= _REGULAR * len(column) and height > 0 else []


def _is_beside(numbers: Sequence[TextLine], others: Sequence[TextLine]) -> bool:
    """Whether numbers stand in a strip without other text, along much of the page's text, and that is prose:
    where every line is counted, lines are long and some begin in lower case, as those of a list do not.
    """
    left, right = min(line.x0 for line in numbers), max(line.x1 for line in numbers)
    top, bottom = numbers[0].y0, numbers[-1].y1
    mates = [line for line in others if line.y1 > top and line.y0 < bottom and not line.comment]
    if not mates or any(line.x0 < right and line.x1 > left for line in mates):
        return False
    if bottom - top < _TALL * (max(line.y1 for line in others) - min(line.y0 for line in others)):
        return False
    rows = len({round(line.baseline / 3) for line in mates})
    if int(numbers[1].text) - int(numbers[0].text) > 1:
        return rows >= 2 * len(numbers)  # there are lines between the numbered ones, and not in a table of ages
    letters = sum(char.isalpha() for line in mates for char in line.text)
    run_on = sum(line.text.lstrip()[:1].islower() for line in mates)
    return letters >= _LETTERS * len(mates) and run_on >= _RUN_ON * len(mates)
