"""The place in a document that a link's fragment names."""

from __future__ import annotations

from collections.abc import Mapping

from core.enriching.sections import Sections
from core.enriching.targets import slug, targets
from core.types import Document, Span


def anchors(document: Document) -> Mapping[str, Span]:
    """The places of a document that a fragment may name, by ``slug``: its sections, and what bears an id."""
    return targets(document, Sections(document)).anchors


def place_named(fragment: str, known: Mapping[str, Span]) -> Span:
    """The place a fragment names, else the beginning of the document. ``known``: its ``anchors``.

    >>> place_named("2-First_costs", {"2-first-costs": Span(40, 90)}), place_named("", {})
    (Span(start=40, end=90), Span(start=0, end=0))
    """
    return known.get(slug(fragment), Span(0, 0)) if fragment else Span(0, 0)
