"""Groups a sequence of atoms into pieces that are full, even in size, and begin at cheap cuts.

Dynamic programming finds the grouping with the least total cost, as Knuth and Plass break paragraphs into lines
("Breaking Paragraphs into Lines", 1981), with tokens for widths. The cost of a piece is 1, plus the square of the share
of its room that stays empty, plus the cost of the cut it begins with, plus the costs of the section boundaries inside
it. The square makes two even pieces cheaper than a full one and a small rest. Time is linear in the atoms, because a
piece looks back over one room of tokens only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.cancellation import check_cancelled

NO_SECTION = 99
_LEAVES_SECTION = 4.0  # cost of a piece that begins inside a section and goes on past its end


@dataclass(slots=True)  # not frozen: thousands are made for each cut, and frozen ones take three times as long to make
class PackItem:
    """One atom as the packer sees it; never mutated.

    ``first_token``, ``end_token``: its token range, half open. ``room``: tokens a piece that begins here may hold.
    ``cut``: cost of beginning a piece here. ``level``: of the section the atom is in, 0 outside any. ``opens``: level
    of the section that begins here, else ``NO_SECTION``. ``deeper``, ``sibling``: cost of that section's boundary
    inside a piece that began in an outer section (``deeper``), or in a section of the same level (``sibling``).
    """

    first_token: int
    end_token: int
    room: int
    cut: float = 0.0
    level: int = 0
    opens: int = NO_SECTION
    deeper: float = 0.0
    sibling: float = 0.0


def pack(items: Sequence[PackItem], counted: Sequence[bool] = (), most: int = 0) -> list[tuple[int, int]]:
    """The cheapest grouping, as ``[first, last)`` ranges of items. An item larger than its room is a piece of its own.

    ``counted``: one flag per item; a piece may hold at most ``most`` flagged items. () is off.

    >>> pack([PackItem(0, 40, 100), PackItem(40, 80, 100), PackItem(80, 120, 100), PackItem(120, 160, 100)])
    [(0, 2), (2, 4)]
    """
    total = len(items)
    if not total:
        return []
    sections = any(item.opens < NO_SECTION for item in items[1:])
    count_before = [0, *accumulate(counted)] if counted else [0] * (total + 1)
    if items[-1].end_token - items[0].first_token <= items[0].room and not sections and count_before[-1] <= most:
        return [(0, total)]  # one piece costs at most 2 and its cut; two pieces cost that much and a second cut
    widest = max(item.room for item in items)
    best = [0.0] * (total + 1)  # at each boundary: cost of the best grouping of the items before it
    origin = [0] * (total + 1)  # at each boundary: where the last piece of that grouping begins
    for last in range(1, total + 1):
        check_cancelled()
        end_token = items[last - 1].end_token
        # Of the sections that begin inside the piece: the outermost level, the cost of all boundaries as ``deeper``,
        # and what is added where the piece began in a section of that outermost level.
        outermost, boundary_cost, sibling_surcharge = NO_SECTION, 0.0, 0.0
        cheapest = float("inf")
        for first in range(last - 1, -1, -1):
            item = items[first]
            size, room = end_token - item.first_token, item.room
            if count_before[last] - count_before[first] > most and first < last - 1:
                break
            if size <= room or first == last - 1:
                slack = 1.0 - size / room if size < room else 0.0
                cost = best[first] + 1.0 + slack * slack + item.cut + boundary_cost
                if sections and item.level >= outermost:
                    cost += sibling_surcharge if item.level == outermost else sibling_surcharge + _LEAVES_SECTION
                if cost < cheapest:
                    cheapest, origin[last] = cost, first
            elif size > widest:
                break
            if sections and item.opens < NO_SECTION:
                boundary_cost += item.deeper
                if item.opens < outermost:
                    outermost, sibling_surcharge = item.opens, item.sibling - item.deeper
                elif item.opens == outermost:
                    sibling_surcharge += item.sibling - item.deeper
        best[last] = cheapest
    ranges: list[tuple[int, int]] = []
    last = total
    while last:
        ranges.append((origin[last], last))
        last = origin[last]
    return ranges[::-1]
