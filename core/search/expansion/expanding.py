"""Every strategy by its name, and the one way to grow a ranking."""

from __future__ import annotations

from collections.abc import Callable

from core.search.expansion.anchoring import anchored
from core.search.expansion.exclusion import cleared
from core.search.expansion.growth import ExpansionReads, Extent, Growth, Sizes, flat, gated_parent, parent
from core.search.expansion.linking import neighbours
from core.search.expansion.merging import auto_merge
from core.search.expansion.needing import needed
from core.search.expansion.relevance import Values, confidences, relevances
from core.search.expansion.windows import window
from core.search.ranking import Ranking
from core.settings import ExpansionSettings

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
    reads: ExpansionReads,
    *,
    intent: str = "",
    confidence: Values | None = None,
) -> list[Extent]:
    """One extent for each kept leaf, and those a strategy adds, in relevance order; equals in the ranking's order.

    None of them holds what the question leaves out (``core.search.expansion.exclusion``).
    ``sizes``: of each leaf of the snapshot, in the budget's unit. ``budget``: the reader's whole room. ``intent``: what
    kind of answer the question wants, "" where it is not known. ``confidence``: for each kept leaf, best first, from 0
    to 1; ``None`` takes what the ranking itself says (``core.search.expansion.relevance.confidences``).
    """
    growth = Growth(
        ranking=ranking,
        settings=settings,
        sizes=sizes,
        budget=budget,
        reads=reads,
        intent=intent,
        children=ranking.pool[ranking.kept].tolist(),
        relevances=relevances(ranking),
        confidences=confidences(ranking) if confidence is None else confidence,
    )
    grown = EXPANDERS[settings.strategy](growth)
    if ranking.passing is not None and ranking.passing.excluded is not None:
        grown = cleared(ranking.leaves, ranking.passing, grown)
    return sorted(grown, key=lambda extent: -extent.relevance)
