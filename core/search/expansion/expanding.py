"""``expand``: grows the kept leaves of a ranking to extents by the strategy of the settings, without excluded text."""

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
from core.storage.catalogue.filing.conditions import Condition, ExcludedText, Passing
from core.storage.index.leaves import LeafTable
from core.types import Span

Expander = Callable[[Growth], list[Extent]]

EXPANDERS: dict[str, Expander] = {
    "flat": flat,
    "parent": parent,
    "needed": needed,
    "window": window,
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
    """One extent for each kept leaf, and those that the strategy adds, in order of relevance; ties as in the ranking.

    No extent contains text that the question excludes.
    ``sizes``: of every leaf of the snapshot, in the budget's unit. ``budget``: the size of the whole context.
    ``confidence``: for each kept leaf, best first, in [0, 1]; ``None`` for
    ``core.search.expansion.relevance.confidences``. ``first``: strategies that decide by text expand only this many
    leaves; a context that ends within them is the same. ``None``: all.
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
    extents = with_companions(growth, EXPANDERS[settings.strategy](growth))
    return sorted(clear_extents(ranking.leaves, ranking.passing, extents), key=lambda extent: -extent.relevance)


def clear_extents(leaves: LeafTable, passing: Passing | None, extents: Sequence[Extent]) -> list[Extent]:
    """The extents in their order, cut so that none contains excluded text; one with an excluded child is dropped.

    Only text that matches a "not" condition is excluded, not text that lacks a required phrase. ``passing``: ``None``
    excludes nothing.
    """
    if passing is None or passing.excluded is None:
        return list(extents)
    clear: list[Extent] = []
    for extent in extents:
        if excluding_conditions(leaves, passing, extent.child):
            continue
        whole = Span(extent.start, extent.end)
        span, words = _clipped(leaves, passing.excluded, extent.child, whole)
        reason = f"{extent.reason}; it {words}" if span != whole else extent.reason
        clear.append(replace(extent, start=span.start, end=span.end, reason=reason))
    return clear


def clear_span(leaves: LeafTable, passing: Passing | None, child: int, span: Span) -> Span:
    """The longest part of ``span`` around ``child`` without excluded text; it is cut at the bounds of leaves."""
    if passing is None or passing.excluded is None:
        return span
    return _clipped(leaves, passing.excluded, child, span)[0]


def _clipped(leaves: LeafTable, excluded: ExcludedText, child: int, span: Span) -> tuple[Span, str]:
    """The span without excluded text, and words for the user that say where it was cut; "" if it was not."""
    child_span = Span(int(leaves.starts[child]), int(leaves.ends[child]))
    document = int(leaves.documents[child])
    starts, ends, condition_ids = excluded.within(document, span.start, span.end)
    if not len(starts):
        return span, ""
    low, high = leaves_of(leaves, document)
    before, after = starts < child_span.start, ends > child_span.end
    start, end, cuts = span.start, span.end, list[str]()
    decisive = np.zeros(len(starts), bool)  # the excluded texts at which the span is cut
    if before.any():
        # Start at the next leaf: between leaves there are only running headers and blanks.
        edge = int(ends[before].max())
        start = int(leaves.starts[low + np.searchsorted(leaves.starts[low:high], min(edge, child_span.start))])
        decisive |= before & (ends == edge)
        cuts.append("begins behind")
    if after.any():
        edge = int(starts[after].min())
        leaf_ends = leaves.ends[child:high]
        end = int(leaf_ends[leaf_ends <= max(edge, child_span.end)].max())
        decisive |= after & (starts == edge)
        cuts.append("ends before")
    words = " or ".join(f"“{condition.value}”" for condition in excluded.named(condition_ids[decisive]))
    return Span(start, end), f"{' and '.join(cuts)} text with {words}, which the question leaves out"


def excluding_conditions(leaves: LeafTable, passing: Passing, leaf: int) -> Sequence[Condition]:
    """The "not" conditions that exclude a leaf; () for a leaf that passes or fails only other conditions."""
    if passing.excluded is None or passing.mask[leaf]:
        return ()
    document, start, end = int(leaves.documents[leaf]), int(leaves.starts[leaf]), int(leaves.ends[leaf])
    _, _, condition_ids = passing.excluded.within(document, start, end)
    return passing.excluded.named(condition_ids)
