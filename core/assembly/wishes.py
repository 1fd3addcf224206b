"""What is asked to be read, best first: each wish a span of which a core must be in, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.assembly.gain import worths
from core.expansion import Extent
from core.storage.leaves import LeafTable
from core.types import Span


@dataclass(frozen=True, slots=True)
class Wish:
    """``wanted`` for the leaf ``child``; if it does not fit, ``core`` alone. ``worth``: see ``core.assembly.gain``.

    ``single``: a sentence by itself, passed over where it does not fit; any other wish is cut there.
    """

    child: int
    document: int
    core: Span
    wanted: Span
    relevance: float
    worth: float
    reason: str
    single: bool = False


def whole_wishes(leaves: LeafTable, extents: Sequence[Extent], floor: float = 0.0) -> list[Wish]:
    """Each extent as it is, its child the core. ``floor``: the relevance from which on a text is worth anything."""
    worth = worths([extent.relevance for extent in extents], floor)
    return [
        Wish(
            extent.child,
            extent.document,
            core,
            Span(extent.start, extent.end),
            extent.relevance,
            each,
            extent.reason,
        )
        for extent, core, each in zip(extents, cores(leaves, extents), worth, strict=True)
    ]


def cores(leaves: LeafTable, extents: Sequence[Extent]) -> list[Span]:
    """Each extent's child; of an extent that does not hold all of it, the extent."""
    children = np.array([extent.child for extent in extents], dtype=np.int64)
    spans = zip(extents, leaves.starts[children].tolist(), leaves.ends[children].tolist(), strict=True)
    return [
        Span(start, end) if extent.start <= start and end <= extent.end else Span(extent.start, extent.end)
        for extent, start, end in spans
    ]
