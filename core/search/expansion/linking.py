"""What a child that is not trusted by itself leads to: the places it refers to, and the leaves beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.enriching.features import Reference
from core.search.expansion.growth import Extent, Growth, family, leaf_at
from core.search.expansion.relevance import added

# A citation leads to an entry in a list of sources, which answers nothing.
_NOT_FOLLOWED = frozenset({"citation"})
_SHOWN = 60  # characters of the words that refer


def neighbours(growth: Growth) -> list[Extent]:
    """Every child as it is, and what those of low confidence lead to, of lower relevance than they.

    One hop: the leaf at each place that the child refers to, in its own document or another, in text order, then the
    next and the previous leaf of its parent. Such a leaf is added where it fits the child's share; one that was
    retrieved itself takes nothing of that, and is raised to the relevance it would be added with, where its own is
    less. Each only once, by the best child that leads to it. Reads the references of the children of low confidence,
    all at once.
    """
    made = [growth.alone(place, "its evidence is enough") for place in range(len(growth.children))]
    unsure = [place for place, value in enumerate(growth.confidences.tolist()) if value < growth.settings.confidence]
    if not unsure:
        return made
    references = growth.reads.references([growth.children[place] for place in unsure])
    place_of = {child: place for place, child in enumerate(growth.children)}
    least = float(growth.relevances.min())
    for place in unsure:
        made[place] = growth.alone(place, "its confidence is low, so what it leads to is read with it")
    led: set[int] = set()
    beside: list[Extent] = []
    for place in unsure:
        child = growth.children[place]
        relevance = added(float(growth.relevances[place]), least)
        used, limit = int(growth.sizes[child]), growth.limit(place)
        for leaf, reason in _led_to(growth, child, references.get(child, ())):
            own = place_of.get(leaf)
            if leaf in led:
                continue
            if own is None and used + growth.sizes[leaf] <= limit:
                led.add(leaf)
                used += int(growth.sizes[leaf])
                beside.append(_extra(growth, leaf, reason, relevance))
            elif own is not None and growth.relevances[own] < relevance:
                led.add(leaf)
                made[own] = replace(made[own], reason=f"the child alone, moved up: {reason}", relevance=relevance)
    return [*made, *beside]


def _led_to(growth: Growth, child: int, references: Sequence[Reference]) -> Iterator[tuple[int, str]]:
    leaves = growth.leaves
    document = int(leaves.documents[child])
    for reference in references:
        place = (document, reference.target.start) if reference.target is not None else None
        if place is None and reference.target_url:
            place = growth.reads.linked(document, reference.target_url)
        if place is not None and reference.kind not in _NOT_FOLLOWED:
            words = " ".join(reference.text.split())[:_SHOWN]
            yield leaf_at(leaves, *place), f"linked from “{words}” in a retrieved child"
    first, last = family(leaves, child)
    if child < last:
        yield child + 1, "it follows a retrieved child in the same parent"
    if child > first:
        yield child - 1, "it stands before a retrieved child in the same parent"


def _extra(growth: Growth, leaf: int, reason: str, relevance: float) -> Extent:
    span = growth.span(leaf, leaf)
    return Extent(leaf, int(growth.leaves.documents[leaf]), span.start, span.end, reason, relevance)
