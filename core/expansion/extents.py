"""The span wanted for a child, and where leaves stand: index arithmetic over the leaf snapshot, which reads nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.storage.leaves import LeafTable
from core.types import Span

_STEPS = 8  # leaves looked at one by one for where a family ends: most are small
_GALLOP = 64  # then so many at once, then twice as many, and so on


@dataclass(frozen=True, slots=True)
class Extent:
    """Canonical text ``[start, end)`` of a document wanted for the leaf at index ``child``, which it contains.

    ``document``: the ordinal in the leaf table. ``reason``: why just this much, a sentence for people. ``relevance``:
    the child's final score where the extent holds one child alone; of a merged extent and of one that was added beside
    the ranking see ``core.expansion.standing``. Extents compete for the budget by it; its unit is the ranking's.
    """

    child: int
    document: int
    start: int
    end: int
    reason: str
    relevance: float


def family(leaves: LeafTable, child: int) -> tuple[int, int]:
    """First and last index of the child's siblings, itself included: a parent's leaves stand side by side.

    A child without a parent is its own family.
    """
    row = leaves.parent_rows[child]
    if row < 0:
        return child, child
    return child - _alike(leaves.parent_rows[:child][::-1], row), child + _alike(leaves.parent_rows[child + 1 :], row)


def _alike(rows: NDArray[np.int64], row: np.int64) -> int:
    """How many entries at the beginning are ``row``."""
    seen, step = 0, _GALLOP
    for near in range(min(_STEPS, len(rows))):
        if rows[near] != row:
            return near
    while seen < len(rows):
        other = np.flatnonzero(rows[seen : seen + step] != row)
        if len(other):
            return seen + int(other[0])
        seen, step = seen + step, 2 * step
    return len(rows)


def leaves_of(leaves: LeafTable, document: int) -> tuple[int, int]:
    """Where a document's leaves begin and end, as a half-open range of indices."""
    # Of the column's own type, or the whole column is converted at every call.
    own = leaves.documents.dtype.type
    first, end = (np.searchsorted(leaves.documents, own(place)) for place in (document, document + 1))
    return int(first), int(end)


def leaf_at(leaves: LeafTable, document: int, offset: int) -> int:
    """The leaf at an offset: the last one of the document that starts at or before it, else the document's first.

    The document must have leaves.
    """
    first, end = leaves_of(leaves, document)
    return max(first, first + int(np.searchsorted(leaves.starts[first:end], offset, side="right")) - 1)


def leaves_within(leaves: LeafTable, document: int, span: Span) -> tuple[int, int]:
    """First and last index of the leaves that lie in a span of a document; last < first where none do."""
    low, high = leaves_of(leaves, document)
    first, after = np.searchsorted(leaves.starts[low:high], [span.start, span.end])
    last = low + int(after) - 1
    while last >= low + first and leaves.ends[last] > span.end:  # it overlaps the span's end
        last -= 1
    return low + int(first), last
