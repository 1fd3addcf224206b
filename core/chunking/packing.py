"""Where to cut a sequence of atoms so that the pieces are full, even, and end where the text does.

The cut with the least total cost, by dynamic programming over atoms (as Knuth and Plass break paragraphs into lines,
"Breaking Paragraphs into Lines", 1981, with tokens for widths). A piece costs 1, plus the square of the share of room
it leaves empty, plus the cost of the cut it begins with, plus what the section boundaries inside it cost. The square
makes even pieces cheaper than a full one and a crumb. Linear in atoms, since only a room's worth is looked back over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.cancellation import check_cancelled

NO_SECTION = 99
_LEAVES_SECTION = 4.0


@dataclass(slots=True)  # not frozen: thousands are made at every turn of a dial, in a third of the time
class Row:
    """One atom as the packer sees it; nothing changes it.

    ``begin``, ``finish``: first token and the one after the last. ``room``: tokens a piece beginning here may hold.
    ``cut``: cost of beginning a piece here. ``level``: of the section the atom is in, 0 outside any. ``opens``: level
    of the section that begins here, else ``NO_SECTION``. ``deeper``, ``sibling``: cost of holding that section's
    boundary inside a piece that began in an outer section, or in one of its own level.
    """

    begin: int
    finish: int
    room: int
    cut: float = 0.0
    level: int = 0
    opens: int = NO_SECTION
    deeper: float = 0.0
    sibling: float = 0.0


def pack(rows: Sequence[Row], counted: Sequence[bool] = (), most: int = 0) -> list[tuple[int, int]]:
    """The cheapest pieces as ``[first, last)`` ranges of rows. A row larger than its room is a piece of its own.

    ``counted``: which of the rows count, of which a piece holds ``most`` at most; () is off.

    >>> pack([Row(0, 40, 100), Row(40, 80, 100), Row(80, 120, 100), Row(120, 160, 100)])
    [(0, 2), (2, 4)]
    """
    total = len(rows)
    if not total:
        return []
    sections = any(row.opens < NO_SECTION for row in rows[1:])
    heads = [0, *accumulate(counted)] if counted else [0] * (total + 1)
    if rows[-1].finish - rows[0].begin <= rows[0].room and not sections and heads[-1] <= most:
        return [(0, total)]  # one piece costs at most 2 and its cut; any two cost that much and a cut more
    widest = max(row.room for row in rows)
    best = [0.0] * (total + 1)
    origin = [0] * (total + 1)
    for last in range(1, total + 1):
        check_cancelled()
        finish = rows[last - 1].finish
        lowest, inside, at_lowest = NO_SECTION, 0.0, 0.0
        cheapest = float("inf")
        for first in range(last - 1, -1, -1):
            row = rows[first]
            size, room = finish - row.begin, row.room
            if heads[last] - heads[first] > most and first < last - 1:
                break
            if size <= room or first == last - 1:
                slack = 1.0 - size / room if size < room else 0.0
                cost = best[first] + 1.0 + slack * slack + row.cut + inside
                if sections and row.level >= lowest:
                    cost += at_lowest if row.level == lowest else at_lowest + _LEAVES_SECTION
                if cost < cheapest:
                    cheapest, origin[last] = cost, first
            elif size > widest:
                break
            if sections and row.opens < NO_SECTION:
                inside += row.deeper
                if row.opens < lowest:
                    lowest, at_lowest = row.opens, row.sibling - row.deeper
                elif row.opens == lowest:
                    at_lowest += row.sibling - row.deeper
        best[last] = cheapest
    ranges: list[tuple[int, int]] = []
    last = total
    while last:
        ranges.append((origin[last], last))
        last = origin[last]
    return ranges[::-1]
