"""Expansion by links: children of low confidence bring the leaves they refer to and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.enriching.features import Reference
from core.search.expansion.growth import Extent, Growth, family, leaf_at
from core.search.expansion.relevance import linked_relevance

# A citation refers to an entry in a list of sources, which answers nothing.
_NOT_FOLLOWED = frozenset({"citation"})
_LONGEST_QUOTE = 60  # characters of the referring words in a reason


def neighbours(growth: Growth) -> list[Extent]:
    """Every child without expansion, and for those of low confidence the leaves they link to, with lower relevance.

    The links of a child, one hop: the leaf at each place it refers to, in any document, in text order; then the next
    and the previous leaf of its parent. A linked leaf is added if it fits the child's share of the budget. A linked
    leaf that was itself retrieved costs nothing, and gets the relevance of a linked one if that is higher. Each leaf is
    linked once, by the best child. Reads the references of the children of low confidence, all at once.
    """
    extents = [growth.alone(position, "its evidence is enough") for position in range(len(growth.children))]
    confidences, threshold = growth.confidences.tolist(), growth.settings.confidence
    uncertain = [position for position, confidence in enumerate(confidences) if confidence < threshold]
    if not uncertain:
        return extents
    references = growth.reads.references([growth.children[position] for position in uncertain])
    position_of = {child: position for position, child in enumerate(growth.children)}
    least = float(growth.relevances.min())
    for position in uncertain:
        extents[position] = growth.alone(position, "its confidence is low, so what it leads to is read with it")
    linked: set[int] = set()
    extra: list[Extent] = []
    for position in uncertain:
        child = growth.children[position]
        relevance = linked_relevance(float(growth.relevances[position]), least)
        used, limit = int(growth.sizes[child]), growth.limit(position)
        for leaf, reason in _links(growth, child, references.get(child, ())):
            if leaf in linked:
                continue
            retrieved = position_of.get(leaf)
            if retrieved is None and used + growth.sizes[leaf] <= limit:
                linked.add(leaf)
                used += int(growth.sizes[leaf])
                extra.append(_linked_extent(growth, leaf, reason, relevance))
            elif retrieved is not None and growth.relevances[retrieved] < relevance:
                linked.add(leaf)
                moved_up = f"the child alone, moved up: {reason}"
                extents[retrieved] = replace(extents[retrieved], reason=moved_up, relevance=relevance)
    return [*extents, *extra]


def _links(growth: Growth, child: int, references: Sequence[Reference]) -> Iterator[tuple[int, str]]:
    """Each linked leaf of a child, and the reason for the user: its references, then its neighbours in the parent."""
    leaves = growth.leaves
    document = int(leaves.documents[child])
    for reference in references:
        target = (document, reference.target.start) if reference.target is not None else None
        if target is None and reference.target_url:
            target = growth.reads.linked(document, reference.target_url)
        if target is not None and reference.kind not in _NOT_FOLLOWED:
            words = " ".join(reference.text.split())[:_LONGEST_QUOTE]
            yield leaf_at(leaves, *target), f"linked from “{words}” in a retrieved child"
    first, last = family(leaves, child)
    if child < last:
        yield child + 1, "it follows a retrieved child in the same parent"
    if child > first:
        yield child - 1, "it stands before a retrieved child in the same parent"


def _linked_extent(growth: Growth, leaf: int, reason: str, relevance: float) -> Extent:
    span = growth.span(leaf, leaf)
    return Extent(leaf, int(growth.leaves.documents[leaf]), span.start, span.end, reason, relevance)
