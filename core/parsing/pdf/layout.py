"""Reading order of one page: columns found by their gutters, read one after the other, rows within them.

A gutter is an x that many pairs of side-by-side runs leave free. Runs that cross it part the page into bands; a band
with prose on both sides is read column by column, any other row by row, and every column is looked at again for
gutters of its own. It is a recursive XY cut (Nagy and Seth, 1984) that lets titles and wide figures cross columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from core.parsing.pdf.aligned import aligned_tables, set_apart
from core.parsing.pdf.lines import TextLine, merged

_MAX_DEPTH = 6
_MAX_CANDIDATES = 4
_MAX_ROW_MATES = 60
_EDGE_ZONE = 0.1
_PROSE_LETTERS = 12  # mean letters of a row in a column of prose; a table's cells have fewer
_STRONG_ROWS = 3
_LONG_LETTERS = 30  # mean letters of a line of running text that notes stand beside
_NOTE_LETTERS = 4  # mean letters of a row of such notes
_MAX_NOTE_WHITE = 3.0  # of a note's height: what stands higher is none of the notes
_LEADERS = re.compile(r"\s*(?:\.\s?){5,}\s*")  # from a title to its page number, in a table of contents


def reading_order(fragments: Sequence[TextLine], height: float) -> list[TextLine]:
    """The page's lines in the order a person reads them, ``region`` set; fragments of one line are merged.

    ``fragments``: text runs and stand-ins of one page, in any order; ``height``: the page's. Columns of cells that no
    rule marks become tables. Runs written across the page's direction come last, and comments behind them.
    """
    comments = [item for item in fragments if item.comment]
    upright = [item for item in fragments if not item.aside and not item.comment]
    right_to_left = _is_right_to_left(upright)
    if right_to_left:
        upright = [replace(item, x0=-item.x1, x1=-item.x0) for item in upright]
    else:
        upright = aligned_tables(upright)
    top, body, bottom = _without_edges(upright, height)
    groups = [*([top] if top else []), *_columns(body, 0), *([bottom] if bottom else [])]
    if not right_to_left and len(groups) > 1:
        groups = [aligned_tables(group) for group in groups]
    lines = [replace(line, region=region) for region, group in enumerate(groups) for line in _rows(group)]
    if right_to_left:
        lines = [replace(item, x0=-item.x1, x1=-item.x0) for item in lines]
    aside = [replace(item, text=item.text.strip(), region=len(groups)) for item in fragments if item.aside]
    last = [replace(item, region=len(groups) + 1) for item in comments]
    return [*lines, *sorted(aside, key=lambda item: (item.x0, item.y0)), *last]


def _is_right_to_left(fragments: Sequence[TextLine]) -> bool:
    """Whether most letters are Hebrew or Arabic."""
    letters = [char for item in fragments for char in item.text if char.isalpha()]
    there = sum("\u0590" <= char <= "\u08ff" or "\ufb1d" <= char <= "\ufefc" for char in letters)
    return 2 * there > len(letters)


def _without_edges(
    fragments: Sequence[TextLine], height: float
) -> tuple[list[TextLine], list[TextLine], list[TextLine]]:
    """Rows alone at the top and the bottom edge (running headers, page numbers) parted from the body.

    Rows of columns are none, though white parts them from the body: they are read with their columns.
    """
    ordered = sorted(fragments, key=lambda item: item.y0)
    cuts = _cuts([(item.y0, item.y1, item.size) for item in ordered], height)
    first = max((cut for cut in cuts if not _in_columns(ordered[:cut])), default=0)
    body = sorted(ordered[first:], key=lambda item: -item.y1)
    cuts = _cuts([(height - item.y1, height - item.y0, item.size) for item in body], height)
    last = min((cut for cut in cuts if not _in_columns(body[:cut])), default=0)
    return ordered[:first], sorted(body[last:], key=lambda item: item.y0), body[:last]


def _in_columns(edge: Sequence[TextLine]) -> bool:
    """Whether the rows of an edge are running text beside running text: two of it on both sides of a gutter."""
    return any(
        _is_prose(edge, gutter, 2, _LONG_LETTERS) and not any(_crosses(item, gutter) for item in edge)
        for gutter in _gutters(edge)
    )


def _cuts(items: Sequence[tuple[float, float, float]], height: float) -> Iterator[int]:
    """Where white parts the items at a page's edge from all behind them. ``items``: near and far side, type size."""
    reach = float("-inf")
    for index, (near, far, size) in enumerate(items):
        if index and near > reach + 0.5 * size and reach < _EDGE_ZONE * height:
            yield index
        reach = max(reach, far)
        if reach > 2 * _EDGE_ZONE * height:
            return


def _columns(fragments: Sequence[TextLine], depth: int) -> list[list[TextLine]]:
    """Groups of fragments to be read one after the other, each row by row."""
    if depth >= _MAX_DEPTH or len(fragments) < 2 * _STRONG_ROWS:
        return [list(fragments)] if fragments else []
    for gutter in _gutters(fragments):
        bands = _bands(fragments, gutter)
        if any(is_columnar for is_columnar, _ in bands):
            groups: list[list[TextLine]] = []
            for is_columnar, band in bands:
                if is_columnar and (table := set_apart(band)):
                    groups.append([table])
                elif is_columnar:
                    left = [item for item in band if (item.x0 + item.x1) / 2 <= gutter]
                    right = [item for item in band if (item.x0 + item.x1) / 2 > gutter]
                    groups += [*_columns(left, depth + 1), *_columns(right, depth + 1)]
                else:
                    groups += _columns(band, depth + 1)
            return groups
    return [list(fragments)]


def _gutters(fragments: Sequence[TextLine]) -> list[float]:
    """The x with the most gaps between side-by-side fragments over it, best first."""
    ordered = sorted(fragments, key=lambda item: item.y0)
    nearest: dict[int, tuple[float, float]] = {}
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
    """The stretch of x that lies in the most gaps.

    >>> _most_covered([(0, 9), (4, 12), (6, 20)])
    (6, 9)
    """
    events = sorted([(start, 0) for start, _ in gaps] + [(end, 1) for _, end in gaps])
    depth, best, stretch = 0, 0, gaps[0]
    for index, (position, closing) in enumerate(events):
        depth += -1 if closing else 1
        if depth > best:
            best, stretch = depth, (position, events[index + 1][0])
    return stretch


def _crosses(item: TextLine, gutter: float) -> bool:
    return item.x0 < gutter - 1 and item.x1 > gutter + 1


def _bands(fragments: Sequence[TextLine], gutter: float) -> list[tuple[bool, list[TextLine]]]:
    """The fragments from top to bottom in bands: (whether it is two columns, its fragments)."""
    runs: list[tuple[bool, list[TextLine]]] = []
    for item in sorted(fragments, key=lambda item: (item.y0 + item.y1, item.x0)):
        crossing = _crosses(item, gutter)
        if runs and runs[-1][0] == crossing:
            runs[-1][1].append(item)
        else:
            runs.append((crossing, [item]))
    strong = any(not crossing and _is_prose(run, gutter, _STRONG_ROWS) for crossing, run in runs)
    bands: list[tuple[bool, list[TextLine]]] = []
    for crossing, run in runs:
        columnar = not crossing and strong and _is_prose(run, gutter, 1)
        top = None if crossing or columnar else _margin_top(run, gutter)
        above = [item for item in run if top is not None and item.y1 <= top]
        below = [item for item in run if top is None or item.y1 > top]
        for is_columnar, band in ((False, above), (columnar or top is not None, below)):
            if bands and not is_columnar and not bands[-1][0]:
                bands[-1][1].extend(band)
            elif band:
                bands.append((is_columnar, band))
    return bands


def _is_prose(run: Sequence[TextLine], gutter: float, least_rows: int, least_letters: int = _PROSE_LETTERS) -> bool:
    """Whether both sides of the gutter hold rows of running text, and not of a listing.

    ``least_letters``: of a row, in the mean.
    """
    if 2 * sum(item.mono for item in run) > len(run):
        return False
    for side in (True, False):
        items = [item for item in run if ((item.x0 + item.x1) / 2 <= gutter) is side]
        rows = len({round(item.baseline / 3) for item in items if not item.stands_in})
        tables = sum(item.stands_in for item in items)
        letters = sum(char.isalpha() for item in items for char in item.text)
        if rows + 3 * tables < least_rows or (not tables and letters < least_letters * rows):
            return False
    return True


def _margin_top(run: Sequence[TextLine], gutter: float) -> float | None:
    """Where the notes begin if on one side of the gutter stand lines of running text, and small print on the other.

    In a table both sides are of one size. Small print has two rows close together at least: one may be a raised mark.
    Notes of words may have a larger title; single signs may stand before the items of a list.
    """
    sides = [[item for item in run if ((item.x0 + item.x1) / 2 <= gutter) is side] for side in (True, False)]
    for text, notes in (sides, sides[::-1]):
        rows = {round(item.baseline / 3) for item in text if not item.stands_in}
        letters = sum(char.isalpha() for item in text for char in item.text)
        if len(rows) < _STRONG_ROWS or letters < _LONG_LETTERS * len(rows) or any(item.stands_in for item in run):
            continue
        note_rows = len({round(item.baseline / 3) for item in notes})
        if note_rows < 2:
            continue
        words = sum(char.isalpha() for item in notes for char in item.text) >= _NOTE_LETTERS * note_rows
        if (median if words else max)(item.size for item in notes) >= 0.9 * median(item.size for item in text):
            continue
        if not words:
            return run[0].y0
        ordered = sorted(notes, key=lambda item: item.y0)
        close = (one.y0 for one, other in pairwise(ordered) if other.y0 - one.y1 < _MAX_NOTE_WHITE * one.height)
        return next(close, ordered[0].y0)
    return None


def _rows(group: Sequence[TextLine]) -> list[TextLine]:
    """Fragments that share a printed line merged, from top to bottom."""
    rows: list[list[TextLine]] = []
    for item in sorted(group, key=lambda item: (item.baseline, item.x0)):
        mates = rows[-1] if rows else []
        if mates and not item.stands_in and not mates[0].stands_in and _same_row(mates, item):
            mates.append(item)
        else:
            rows.append([item])
    return [_without_leaders(merged(sorted(row, key=lambda item: item.x0))) for row in rows]


def _without_leaders(line: TextLine) -> TextLine:
    """The dots that lead to a page number, as three: sixty of them say no more, and cost a reader as many tokens."""
    if "...." not in line.text and ". . ." not in line.text:
        return line
    return replace(line, text=_LEADERS.sub(" ... ", line.text).strip())


def _same_row(mates: Sequence[TextLine], item: TextLine) -> bool:
    """Whether ``item`` stands on the printed line of ``mates``, raised and lowered marks included."""
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
