"""The reading order of one page: it is split into columns, which are read one after the other, row by row.

A gutter is an x position that the gaps between many side-by-side runs have in common. Runs that cross it split the page
into bands. A band with running text on both sides, or with blocks that have rows of their own, is read column by
column, any other band row by row; columns are split again in the same way. This is a recursive XY cut (Nagy and Seth,
1984) in which titles and wide figures may cross columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from core.parsing.pdf.layout.aligned import aligned_tables
from core.parsing.pdf.layout.described import with_described
from core.parsing.pdf.layout.label_rows import with_label_rows
from core.parsing.pdf.layout.own_rows import have_own_rows
from core.parsing.pdf.lines import TextLine, is_centred, merged

_MAX_DEPTH = 6
_MAX_CANDIDATES = 4
_MAX_ROW_MATES = 60
_EDGE_ZONE = 0.1  # of the page's height, at the top and at the bottom
_PROSE_LETTERS = 12  # mean letters of a row in a column of prose; a table's cells have fewer
_STRONG_ROWS = 3  # rows on both sides that show a gutter to be one
_LONG_LETTERS = 30  # mean letters of a line of running text beside margin notes
_NOTE_LETTERS = 4  # mean letters of a row of margin notes of words
_MAX_NOTE_WHITE = 3.0  # of a note's height; text with more white below it does not belong to the notes
_LEADERS = re.compile(r"\s*(?:\.\s?){5,}\s*")  # from a title to its page number, in a table of contents


def reading_order(fragments: Sequence[TextLine], height: float) -> list[TextLine]:
    """The page's lines in reading order with ``region`` set. Fragments of one printed line are merged, and tables
    without rules become placeholders.

    ``fragments``: text runs and placeholders of one page, in any order. ``height``: of the upright frame. The numbers
    of lines and rotated runs come after the others, and comments last.
    """
    comments = [item for item in fragments if item.comment]
    counts = [item for item in fragments if item.counts_lines]
    upright = [item for item in fragments if not (item.is_rotated or item.comment or item.counts_lines)]
    right_to_left = _is_right_to_left(upright)
    if right_to_left:
        upright = [replace(item, x0=-item.x1, x1=-item.x0) for item in upright]
    else:
        upright = aligned_tables(with_described(upright))
    top, body, bottom = _split_edges(upright, height)
    groups = [*([top] if top else []), *_columns(body, 0), *([bottom] if bottom else [])]
    if not right_to_left:
        groups = [with_label_rows(aligned_tables(group, alone=True)) for group in groups]
    lines = [replace(line, region=region) for region, group in enumerate(groups) for line in _rows(group)]
    if right_to_left:
        lines = [replace(item, x0=-item.x1, x1=-item.x0) for item in lines]
    rotated = [replace(item, text=item.text.strip(), region=len(groups)) for item in fragments if item.is_rotated]
    comments = [replace(item, region=len(groups) + 1) for item in comments]
    counts = [replace(item, region=len(groups) + 2) for item in counts]
    return [*lines, *counts, *sorted(rotated, key=lambda item: (item.x0, item.y0)), *comments]


def _is_right_to_left(fragments: Sequence[TextLine]) -> bool:
    """Whether most letters are Hebrew or Arabic."""
    letters = [char for item in fragments for char in item.text if char.isalpha()]
    matches = sum("\u0590" <= char <= "\u08ff" or "\ufb1d" <= char <= "\ufefc" for char in letters)
    return 2 * matches > len(letters)


def _split_edges(fragments: Sequence[TextLine], height: float) -> tuple[list[TextLine], list[TextLine], list[TextLine]]:
    """The fragments split into rows at the top edge (running headers), the body, and rows at the bottom edge.

    Rows of columns stay in the body even if white separates them from it: they are read with their columns.
    """
    ordered = sorted(fragments, key=lambda item: item.y0)
    cuts = _cuts([(item.y0, item.y1, item.size) for item in ordered], height)
    first = max((cut for cut in cuts if not _in_columns(ordered[:cut], ordered[cut:])), default=0)
    body = sorted(ordered[first:], key=lambda item: -item.y1)
    cuts = _cuts([(height - item.y1, height - item.y0, item.size) for item in body], height)
    last = min((cut for cut in cuts if not _in_columns(body[:cut], body[cut:])), default=0)
    return ordered[:first], sorted(body[last:], key=lambda item: item.y0), body[:last]


def _in_columns(edge: Sequence[TextLine], others: Sequence[TextLine]) -> bool:
    """Whether the rows of an edge belong to columns of running text: at least two rows on both sides of a gutter, or a
    heading in the middle of each column of the ``others``.
    """
    return any(
        _is_prose(edge, gutter, 2, _LONG_LETTERS) and not any(_crosses(item, gutter) for item in edge)
        for gutter in _gutters(edge)
    ) or any(_heads_columns(edge, others, gutter) for gutter in _gutters(others)[:1])


def _heads_columns(edge: Sequence[TextLine], others: Sequence[TextLine], gutter: float) -> bool:
    """Whether an edge has text in the middle of the columns left and right of a gutter, and nowhere else."""
    for is_left in (True, False):
        above, column = (
            [item for item in items if ((item.x0 + item.x1) / 2 <= gutter) is is_left and not _crosses(item, gutter)]
            for items in (edge, others)
        )
        if not above or not column:
            return False
        left, right = min(item.x0 for item in column), max(item.x1 for item in column)
        if not is_centred(min(item.x0 for item in above), max(item.x1 for item in above), left, right):
            return False
    return not any(_crosses(item, gutter) for item in edge)


def _cuts(items: Sequence[tuple[float, float, float]], height: float) -> Iterator[int]:
    """How many items at a page's edge white separates from the rest. ``items``: near side, far side and type size."""
    reach = float("-inf")
    for index, (near, far, size) in enumerate(items):
        if index and near > reach + 0.5 * size and reach < _EDGE_ZONE * height:
            yield index
        reach = max(reach, far)
        if reach > 2 * _EDGE_ZONE * height:
            return


def _columns(fragments: Sequence[TextLine], depth: int) -> list[list[TextLine]]:
    """The fragments split into groups that are read one after the other, each row by row."""
    if depth >= _MAX_DEPTH or len(fragments) < 2 * _STRONG_ROWS:
        return [list(fragments)] if fragments else []
    for gutter in _gutters(fragments):
        bands = _bands(fragments, gutter)
        if any(is_columnar for is_columnar, _ in bands):
            groups: list[list[TextLine]] = []
            for is_columnar, band in bands:
                if is_columnar:
                    left, right = _sides(band, gutter)
                    groups += [*_columns(left, depth + 1), *_columns(right, depth + 1)]
                else:
                    groups += _columns(band, depth + 1)
            return groups
    return [list(fragments)]


def _sides(items: Sequence[TextLine], gutter: float) -> tuple[list[TextLine], list[TextLine]]:
    """The items left and right of a gutter, by their middles."""
    left = [item for item in items if (item.x0 + item.x1) / 2 <= gutter]
    return left, [item for item in items if (item.x0 + item.x1) / 2 > gutter]


def _gutters(fragments: Sequence[TextLine]) -> list[float]:
    """Candidate gutters as x positions: those that the most gaps between side-by-side fragments cover come first."""
    ordered = sorted(fragments, key=lambda item: item.y0)
    nearest: dict[int, tuple[float, float]] = {}  # by fragment: the gap to its nearest neighbour on the right
    for index, one in enumerate(ordered):
        for other_index in range(index + 1, min(len(ordered), index + _MAX_ROW_MATES)):
            other = ordered[other_index]
            if other.y0 >= one.y1 - 0.3 * min(one.height, other.height):
                break
            left, right, key = (one, other, index) if one.x1 <= other.x0 + 1 else (other, one, other_index)
            gap = right.x0 - left.x1
            if gap < 0.7 * min(left.size, right.size):
                continue
            if key not in nearest or right.x0 < nearest[key][1]:
                nearest[key] = (left.x1, right.x0)
    gaps = list(nearest.values())
    candidates: list[float] = []
    while len(gaps) >= 2 and len(candidates) < _MAX_CANDIDATES:
        start, end = _most_covered(gaps)
        middle = (start + end) / 2
        candidates.append(middle)
        gaps = [gap for gap in gaps if not gap[0] <= middle <= gap[1]]
    return candidates


def _most_covered(gaps: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval of x that is covered by the most gaps.

    >>> _most_covered([(0, 9), (4, 12), (6, 20)])
    (6, 9)
    """
    events = sorted([(start, 0) for start, _ in gaps] + [(end, 1) for _, end in gaps])
    depth, max_depth, interval = 0, 0, gaps[0]
    for index, (position, is_end) in enumerate(events):
        depth += -1 if is_end else 1
        if depth > max_depth:
            max_depth, interval = depth, (position, events[index + 1][0])
    return interval


def _crosses(item: TextLine, gutter: float) -> bool:
    return item.x0 < gutter - 1 and item.x1 > gutter + 1


def _bands(fragments: Sequence[TextLine], gutter: float) -> list[tuple[bool, list[TextLine]]]:
    """The fragments from top to bottom in bands: (whether the gutter splits the band into columns, its fragments)."""
    runs: list[tuple[bool, list[TextLine]]] = []
    for item in sorted(fragments, key=lambda item: (item.y0 + item.y1, item.x0)):
        crosses = _crosses(item, gutter)
        if runs and runs[-1][0] == crosses:
            runs[-1][1].append(item)
        else:
            runs.append((crosses, [item]))
    has_strong_run = any(not crosses and _is_prose(run, gutter, _STRONG_ROWS) for crosses, run in runs)
    bands: list[tuple[bool, list[TextLine]]] = []
    for crosses, run in runs:
        has_columns = not crosses and has_strong_run and _is_prose(run, gutter, 1)
        notes_top = None if crosses or has_columns else _margin_top(run, gutter)
        above = [item for item in run if notes_top is not None and item.y1 <= notes_top]
        below = [item for item in run if notes_top is None or item.y1 > notes_top]
        parts = [(False, above), (has_columns or notes_top is not None, below)]
        if not crosses and not parts[1][0]:
            parts = [
                (not _is_form(part, gutter) and have_own_rows(*_sides(part, gutter)), part)
                for part in _between_whites(run)
            ]
        for is_columnar, band in parts:
            if bands and bands[-1][0] == is_columnar:
                bands[-1][1].extend(band)
            elif band:
                bands.append((is_columnar, band))
    return bands


def _between_whites(run: Sequence[TextLine]) -> list[list[TextLine]]:
    """The run split where white as high as a line goes through all of it."""
    parts: list[list[TextLine]] = []
    reach = 0.0
    for item in sorted(run, key=lambda item: item.y0):
        if not parts or item.y0 - reach > item.size:
            parts.append([])
        parts[-1].append(item)
        reach = max(reach, item.y1)
    return parts


def _is_prose(run: Sequence[TextLine], gutter: float, min_rows: int, min_letters: int = _PROSE_LETTERS) -> bool:
    """Whether both sides of the gutter have running text, and not a listing: at least ``min_rows`` rows with a mean of
    ``min_letters`` letters.
    """
    if 2 * sum(item.mono for item in run) > len(run) or _is_form(run, gutter):
        return False
    for items in _sides(run, gutter):
        rows = len({round(item.baseline / 3) for item in items if not item.is_placeholder})
        tables = sum(item.is_placeholder and not item.is_field for item in items)
        letters = sum(char.isalpha() for item in items for char in item.text)
        if rows + 3 * tables < min_rows or (not tables and letters < min_letters * rows):
            return False
    return True


def _is_form(run: Sequence[TextLine], gutter: float) -> bool:
    """Whether form fields stand on both sides of a gutter: they are filled in row by row."""
    return all(any(item.is_field for item in items) for items in _sides(run, gutter))


def _margin_top(run: Sequence[TextLine], gutter: float) -> float | None:
    """The y where margin notes begin: running text on one side of the gutter, small type on the other. Else ``None``.

    In a table both sides have the same type size. Notes have at least two rows: a single one may be a superscript. They
    have words, unlike the bullets before items, and may have a title in larger type.
    """
    sides = _sides(run, gutter)
    for text, notes in (sides, sides[::-1]):
        rows = {round(item.baseline / 3) for item in text if not item.is_placeholder}
        letters = sum(char.isalpha() for item in text for char in item.text)
        if len(rows) < _STRONG_ROWS or letters < _LONG_LETTERS * len(rows) or any(item.is_placeholder for item in run):
            continue
        note_rows = len({round(item.baseline / 3) for item in notes})
        if note_rows < 2:
            continue
        note_letters = sum(char.isalpha() for item in notes for char in item.text)
        if note_letters < _NOTE_LETTERS * note_rows:
            continue
        if median(item.size for item in notes) >= 0.9 * median(item.size for item in text):
            continue
        ordered = sorted(notes, key=lambda item: item.y0)
        tops = (one.y0 for one, other in pairwise(ordered) if other.y0 - one.y1 < _MAX_NOTE_WHITE * one.height)
        return next(tops, ordered[0].y0)
    return None


def _rows(group: Sequence[TextLine]) -> list[TextLine]:
    """The group's printed lines from top to bottom, the fragments of each merged."""
    rows: list[list[TextLine]] = []
    for item in sorted(group, key=lambda item: (item.baseline, item.x0)):
        mates = next((row for row in reversed(rows) if not row[0].is_field), [])
        if mates and not item.is_placeholder and not mates[0].is_placeholder and _same_row(mates, item):
            mates.append(item)
        else:
            rows.append([item])
    return [_without_leaders(merged(sorted(row, key=lambda item: item.x0))) for row in rows]


def _without_leaders(line: TextLine) -> TextLine:
    """The line with the dots before a page number reduced to three, to save tokens."""
    if "...." not in line.text and ". . ." not in line.text:
        return line
    return replace(line, text=_LEADERS.sub(" ... ", line.text).strip())


def _same_row(mates: Sequence[TextLine], item: TextLine) -> bool:
    """Whether ``item`` is on the printed line of ``mates``; superscripts and subscripts are."""
    largest = max(mates, key=lambda mate: mate.size)
    overlap = min(largest.y1, item.y1) - max(largest.y0, item.y0)
    if any(min(mate.x1, item.x1) - max(mate.x0, item.x0) > 0.5 * min(mate.width, item.width) for mate in mates):
        return False
    larger, smaller = max(largest.size, item.size), min(largest.size, item.size)
    gap = min(max(mate.x0 - item.x1, item.x0 - mate.x1) for mate in mates)
    if larger > 1.5 * smaller and gap > 1.5 * larger:  # a banner beside small print
        return False
    near = abs(largest.baseline - item.baseline) < 0.45 * max(largest.size, item.size)
    return near and overlap > 0.4 * min(largest.height, item.height)
