"""Every strategy by its name, and the one way to grow a ranking."""

from __future__ import annotations

from collections.abc import Callable

from core.expansion.anchoring import anchored
from core.expansion.barring import cleared
from core.expansion.extents import Extent
from core.expansion.growth import Growth, Sizes
from core.expansion.linking import neighbours
from core.expansion.merging import auto_merge
from core.expansion.parents import flat, gated_parent, parent
from core.expansion.reads import ExpansionReads
from core.expansion.standing import Values, confidences, relevances
from core.expansion.windows import window
from core.retrieval import Ranking
from core.settings import ExpansionSettings

Expander = Callable[[Growth], list[Extent]]

EXPANDERS: dict[str, Expander] = {
    "flat": flat,
    "parent": parent,
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

    None of them holds what the question leaves out (``core.expansion.barring``).
    ``sizes``: of each leaf of the snapshot, in the budget's unit. ``budget``: the reader's whole room. ``intent``: what
    kind of answer the question wants, "" where it is not known. ``confidence``: for each kept leaf, best first, from 0
    to 1; ``None`` takes what the ranking itself says (``core.expansion.standing.confidences``).
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
    grown = cleared(ranking.leaves, ranking.passing, EXPANDERS[settings.strategy](growth))
    return sorted(grown, key=lambda extent: -extent.relevance)
