"""The places in a document that links lead to."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from core.enriching.references import References
from core.enriching.targets import slug, targets
from core.text.outline import Outline
from core.types import Document, Span


def anchors(document: Document) -> Mapping[str, Span]:
    """The places that a fragment may name, by ``slug``: sections, what bears an id, and pages ("page=3")."""
    pages: dict[str, Span] = {}
    for box in document.boxes:
        pages.setdefault(slug(f"page={box.page}"), Span(box.start, box.end))
    return {**pages, **targets(Outline(document)).anchors}


def inner_links(document: Document) -> Mapping[str, Span]:
    """Where links lead within their document, by their targets as written; those that lead nowhere are not there."""
    known = anchors(document)
    own = {link.target for link in document.links if link.target.startswith("#")}
    noted = {one.target_url: one.target for one in References(Outline(document)).found() if one.target_url}
    return {target: place for target in own if (place := noted.get(target) or known.get(slug(unquote(target))))}
