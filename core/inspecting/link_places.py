"""The targets of links within a document."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from core.enriching.references import References
from core.enriching.targets import slug, targets
from core.text.outline import Outline
from core.types import Document, Span


def anchors(document: Document) -> Mapping[str, Span]:
    """Slug of a fragment -> the span it refers to: sections, elements with an id, and pages ("page=3")."""
    pages: dict[str, Span] = {}
    for box in document.boxes:
        pages.setdefault(slug(f"page={box.page}"), Span(box.start, box.end))
    return {**pages, **targets(Outline(document)).anchors}


def inner_links(document: Document) -> Mapping[str, Span]:
    """Target of a link as written ("#notes") -> the span it refers to, without targets that do not exist."""
    spans = anchors(document)
    targets_used = {link.target for link in document.links if link.target.startswith("#")}
    notes = {item.target_url: item.target for item in References(Outline(document)).found() if item.target_url}
    return {target: span for target in targets_used if (span := notes.get(target) or spans.get(slug(unquote(target))))}
