"""Links of a chunk to other documents of the library, looked up whenever its card is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from core.enriching.features import Reference
from core.inspecting.pointing import anchors, document_named, place_named
from core.types import Span
from pages.ui import readings, services

Elsewhere = tuple[str, int, int]  # a version, and the span in it


def linked(version: str, references: Iterable[Reference]) -> dict[str, Elsewhere]:
    """Where the links of a document lead that name a document of the library, by their targets as written."""
    targets = {one.target_url for one in references if one.kind == "link" and one.target is None and one.target_url}
    rows = services.library().sources() if targets else []
    origins = [row for row in rows if row.version_id == version]
    found: dict[str, Elsewhere] = {}
    for target in targets:
        if (named := document_named(target, origins, rows)) is not None:
            other, fragment = named
            place = place_named(fragment, _anchors(str(services.home()), other) if fragment else {})
            found[target] = (other, place.start, place.end)
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _anchors(place: str, version: str) -> Mapping[str, Span]:
    return anchors(readings.document(version))
