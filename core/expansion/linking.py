"""What a child that is not trusted by itself leads to: the places it refers to, and the leaves beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.enriching.features import Reference
from core.expansion.extents import Extent, family, leaf_at
from core.expansion.growth import Growth
from core.expansion.standing import added

# A citation leads to an entry in a list of sources, which answers nothing.
_NOT_FOLLOWED = frozenset({"citation"})
_SHOWN = 60  # characters of the words that refer


def neighbours(growth: Growth) -> list[Extent]:
    """Every child as it is, and beside those of low confidence further leaves, of lower relevance and in their share.

    One hop: the leaf at each place in the same document that the child refers to, in text order, then the next and the
    previous leaf of its parent. A leaf that was retrieved itself, or that a better child led to, is not added again.
    Reads the references of those children, all at once.
    """
    made = [growth.alone(place, "its evidence is enough") for place in range(len(growth.children))]
    unsure = [place for place, value in enumerate(growth.confidences.tolist()) if value < growth.settings.confidence]
    if not unsure:
        return made
    references = growth.reads.references([growth.children[place] for place in unsure])
    known = set(growth.children)
    least = float(growth.relevances.min())
    for place in unsure:
        child = growth.children[place]
        used, limit = int(growth.sizes[child]), growth.limit(place)
        made[place] = growth.alone(place, "its confidence is low, so what it leads to is added beside it")
        for leaf, reason in _led_to(growth, child, references.get(child, ())):
            size = int(growth.sizes[leaf])
            if leaf in known or used + size > limit:
                continue
            known.add(leaf)
            used += size
            made.append(_extra(growth, leaf, reason, added(float(growth.relevances[place]), least)))
    return made


def _led_to(growth: Growth, child: int, references: Sequence[Reference]) -> Iterator[tuple[int, str]]:
    leaves = growth.leaves
    document = int(leaves.documents[child])
    for reference in references:
        if reference.target is not None and reference.kind not in _NOT_FOLLOWED:
            words = " ".join(reference.text.split())[:_SHOWN]
            yield leaf_at(leaves, document, reference.target.start), f"linked from “{words}” in a retrieved child"
    first, last = family(leaves, child)
    if child < last:
        yield child + 1, "it follows a retrieved child in the same parent"
    if child > first:
        yield child - 1, "it stands before a retrieved child in the same parent"


def _extra(growth: Growth, leaf: int, reason: str, relevance: float) -> Extent:
    span = growth.span(leaf, leaf)
    return Extent(leaf, int(growth.leaves.documents[leaf]), span.start, span.end, reason, relevance)
