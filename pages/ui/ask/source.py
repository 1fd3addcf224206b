"""Where a text stands, as Ask's components are told it, and the way from there to Chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.types import Citation, Hit, Passage
from pages.ui.shared.words import page_word, place_name

KindOf = Callable[[str], str]  # a version's kind: slides are not pages


def source_of(place: Hit | Passage | Citation, kind_of: KindOf) -> dict[str, Any]:
    """Where a text stands, in words and as a span."""
    return {
        "document": place.document,
        "file": place_name(place.source),
        "page": f"{page_word(kind_of(place.version_id))} {place.page}" if place.page else "",
        "version": place.version_id,
        "start": place.start,
        "end": place.end,
    }


def opened_at(target: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The place a person asked a component to open in Chunks, as query parameters; ``None`` where none was."""
    return {"document": str(target["document"]), "span": str(target["span"])} if target else None
