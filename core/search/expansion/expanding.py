"""Every strategy by its name, and the one way to grow a ranking: no extent holds what the question leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core.search.expansion.companions import with_companions
from core.search.expansion.growth import (
    Extent,
    Growth,
    Sizes,
    flat,
    gated_parent,
    leaves_of,
    needed,
    parent,
)
from core.search.expansion.linking import neighbours
from core.search.expansion.merging import auto_merge
from core.search.expansion.relevance import Values, confidences, relevances
from core.search.expansion.windows import anchored, window
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.stage_scores import Ranking
from core.settings import ExpansionSettings
from core.storage.catalogue.conditions import Condition, ExcludedText, Passing
from core.storage.index.leaves import LeafTable
from core.types import Span

Expander = Callable[[Growth], list[Extent]]

EXPANDERS: dict[str, Expander] = {
    "flat": flat,
    "parent": parent,
    "needed": needed,
    "window": window,
    "gated-parent": gated_parent,
    "auto-merge": auto_merge,
    "anchored": anchored,
    "neighbours": neighbours,
}


def expand(
    ranking: Ranking,
    settings: ExpansionSettings,
    sizes: Sizes,
    budget: int,
    reads: CatalogueReads,
    *,
    confidence: Values | None = None,
    first: int | None = None,
) -> list[Extent]:
    """One extent for each kept leaf, and those a strategy adds, in relevance order; equals in the ranking's order.

    None of them holds what the question leaves out.
    ``sizes``: of each leaf of the snapshot, in the budget's unit. ``budget``: the reader's whole room.
    ``confidence``: for each kept leaf, best first, from 0 to 1; ``None`` takes what the ranking itself says
    (``core.search.expansion.relevance.confidences``). ``first``: where texts decide, those of so many of the best are
    read; ``None``: all. A context that ends there is the same.
    """
    growth = Growth(
        ranking=ranking,
        settings=settings,
        sizes=sizes,
        budget=budget,
        reads=reads,
        children=ranking.pool[ranking.kept].tolist(),
        relevances=relevances(ranking),
        confidences=confidences(ranking) if confidence is None else confidence,
        first=first,
    )
    grown = cleared(ranking.leaves, ranking.passing, with_companions(growth, EXPANDERS[settings.strategy](growth)))
    return sorted(grown, key=lambda extent: -extent.relevance)


def cleared(leaves: LeafTable, passing: Passing | None, extents: Sequence[Extent]) -> list[Extent]:
    """The extents, in their order, cut so that none holds excluded text; an extent whose child is excluded is dropped.

    Text that merely lacks what the question asks for is not excluded, and stays. ``passing`` ``None`` excludes nothing.
    """
    if passing is None or passing.excluded is None:
        return list(extents)
    made: list[Extent] = []
    for extent in extents:
        if left_out(leaves, passing, extent.child):
            continue
        span, ends = _clipped(leaves, passing.excluded, extent.child, Span(extent.start, extent.end))
        cut = span != Span(extent.start, extent.end)
        reason = f"{extent.reason}; it {ends}" if cut else extent.reason
        made.append(replace(extent, start=span.start, end=span.end, reason=reason))
    return made


def clear_span(leaves: LeafTable, passing: Passing | None, child: int, span: Span) -> Span:
    """The longest part of ``span`` around ``child`` that holds no excluded text; cuts fall on the bounds of leaves."""
    if passing is None or passing.excluded is None:
        return span
    return _clipped(leaves, passing.excluded, child, span)[0]


def _clipped(leaves: LeafTable, excluded: ExcludedText, child: int, span: Span) -> tuple[Span, str]:
    """The span without excluded text, and words that say where it was cut; "" where it was not."""
    own = Span(int(leaves.starts[child]), int(leaves.ends[child]))
    document = int(leaves.documents[child])
    starts, ends, whose = excluded.within(document, span.start, span.end)
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
    words = " or ".join(f"“{one.value}”" for one in excluded.named(whose[cutting]))
    return Span(start, end), f"{' and '.join(said)} text with {words}, which the question leaves out"


def left_out(leaves: LeafTable, passing: Passing, leaf: int) -> Sequence[Condition]:
    """The "not" conditions that exclude a leaf; () for a leaf that passes, or fails other conditions alone."""
    if passing.excluded is None or passing.mask[leaf]:
        return ()
    excluded, place = passing.excluded, (int(leaves.documents[leaf]), int(leaves.starts[leaf]), int(leaves.ends[leaf]))
    return excluded.named(excluded.within(*place)[2])
