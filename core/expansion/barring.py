"""Extents without what the question leaves out: each ends where such text begins, whatever strategy made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.expansion.extents import Extent, leaves_of
from core.storage.conditions import Barred, Condition, Passing
from core.storage.leaves import LeafTable
from core.types import Span


def cleared(leaves: LeafTable, passing: Passing | None, extents: Sequence[Extent]) -> list[Extent]:
    """The extents, in their order, without text that is barred; one whose child itself is barred is gone.

    What no condition bars stays as it is: text that merely does not hold what is asked for may stand around a child.
    """
    if passing is None or passing.barred is None:
        return list(extents)
    made: list[Extent] = []
    for extent in extents:
        if left_out(leaves, passing, extent.child):
            continue
        span, ends = _clipped(leaves, passing.barred, extent.child, Span(extent.start, extent.end))
        cut = span != Span(extent.start, extent.end)
        reason = f"{extent.reason}; it {ends}" if cut else extent.reason
        made.append(replace(extent, start=span.start, end=span.end, reason=reason))
    return made


def clear_span(leaves: LeafTable, passing: Passing | None, child: int, span: Span) -> Span:
    """The part of a span around a child in which nothing is barred, from leaf to leaf where it had to be cut."""
    if passing is None or passing.barred is None:
        return span
    return _clipped(leaves, passing.barred, child, span)[0]


def _clipped(leaves: LeafTable, barred: Barred, child: int, span: Span) -> tuple[Span, str]:
    """The span, and where it ends because of what is barred, "" for nowhere."""
    own = Span(int(leaves.starts[child]), int(leaves.ends[child]))
    document = int(leaves.documents[child])
    starts, ends, whose = barred.within(document, span.start, span.end)
    if not len(starts):
        return span, ""
    low, high = leaves_of(leaves, document)
    before, after = starts < own.start, ends > own.end
    start, end, said = span.start, span.end, list[str]()
    cutting = np.zeros(len(starts), bool)
    if before.any():
        # From the first leaf behind it on: what lies between leaves is a running header or blank.
        edge = int(ends[before].max())
        start = int(leaves.starts[low + np.searchsorted(leaves.starts[low:high], min(edge, own.start))])
        cutting |= before & (ends == edge)
        said.append("begins behind")
    if after.any():
        edge = int(starts[after].min())
        within = leaves.ends[child:high]
        end = int(within[within <= max(edge, own.end)].max())
        cutting |= after & (starts == edge)
        said.append("ends before")
    words = " or ".join(f"“{one.value}”" for one in barred.named(whose[cutting]))
    return Span(start, end), f"{' and '.join(said)} text with {words}, which the question leaves out"


def left_out(leaves: LeafTable, passing: Passing, leaf: int) -> Sequence[Condition]:
    """The conditions by which a leaf that does not pass is barred, () where none of them bars it."""
    if passing.barred is None or passing.mask[leaf]:
        return ()
    barred, place = passing.barred, (int(leaves.documents[leaf]), int(leaves.starts[leaf]), int(leaves.ends[leaf]))
    return barred.named(barred.within(*place)[2])
