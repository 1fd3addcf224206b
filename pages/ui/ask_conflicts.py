"""Where what is read disagrees: each side word for word with its source, and whose word counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.assembly.conflicts import ConflictSide, ContextConflict
from pages.ui.ask_source import opened_at
from pages.ui.assets import joined
from pages.ui.words import file_name

_conflicts = st.components.v2.component(
    "lectern.conflicts",
    html='<section class="lectern conflicts" aria-label="Where the sources disagree"></section>',
    css=joined("palette.css", "ask_conflicts.css"),
    js=joined("offsets.js", "ask_conflicts.js"),
)


def show_conflicts(found: Sequence[ContextConflict]) -> dict[str, str] | None:
    """Draw them where there are any; returns the place in Chunks a person asked to open, as query parameters."""
    if not found:
        return None
    rows = [
        {
            "about": conflict.about,
            "reason": conflict.reason,
            "sides": [_side(side, place == conflict.preferred) for place, side in enumerate(conflict.sides)],
        }
        for conflict in found
    ]
    return opened_at(_conflicts(key="ask.conflicts", data={"rows": rows}, on_open_change=lambda: None).open)


def _side(side: ConflictSide, preferred: bool) -> dict[str, Any]:
    first, last = side.span.start - side.sentence_span.start, side.span.end - side.sentence_span.start
    return {
        "value": side.value,
        "pieces": [side.sentence[:first], side.sentence[first:last], side.sentence[last:]],
        "document": side.document,
        "file": file_name(side.source),
        "version": side.version_id,
        "start": side.sentence_span.start,
        "end": side.sentence_span.end,
        "preferred": preferred,
    }
