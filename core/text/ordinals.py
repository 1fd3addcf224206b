"""Numbers as places in an order."""

from __future__ import annotations


def ordinal(rank: int) -> str:
    """
    >>> [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 112, 1123)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th', '1,123rd']
    """
    ending = "th" if rank % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"
