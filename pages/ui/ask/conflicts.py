"""Contradictions between passages of the context: each side quoted, with its source and date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.search.context.conflicts import ConflictSide, ContextConflict
from core.search.context.conflicts_values import NEGATION
from pages.ui.ask.source import open_in_chunks
from pages.ui.shared import assets
from pages.ui.shared.words import place_name

_conflicts = st.components.v2.component(
    "lectern.conflicts",
    html='<section class="lectern conflicts" aria-label="Where the sources disagree"></section>',
    css=assets.text(__file__, "palette.css", "ask_conflicts.css"),
    js=assets.text(__file__, "offsets.js", "ask_conflicts.js"),
)


def show_conflicts(found: Sequence[ContextConflict]) -> None:
    """Draw the conflicts, if there are any, with a link from each side to its place."""
    if found:
        rows = [_row(conflict) for conflict in found]
        drawn = _conflicts(key="ask.conflicts", data={"rows": rows}, on_open_change=lambda: None)
        open_in_chunks(drawn.open, cited=True)


def _row(conflict: ContextConflict) -> dict[str, Any]:
    first = conflict.sides[0]
    return {
        "name": f"{first.version_id}:{first.span.start}",
        "about": conflict.about,
        "sides": [_side(conflict, side) for side in conflict.sides],
    }


def _side(conflict: ContextConflict, side: ConflictSide) -> dict[str, Any]:
    first, last = side.span.start - side.sentence_span.start, side.span.end - side.sentence_span.start
    denied = conflict.kind == NEGATION
    if denied and side.normal == "yes":
        first = last = len(side.sentence)  # a statement without a negation has no word to highlight
    return {
        "value": side.normal if denied else side.value,
        "pieces": [side.sentence[:first], side.sentence[first:last], side.sentence[last:]],
        "document": side.document,
        "date": side.date,
        "file": place_name(side.source),
        "version": side.version_id,
        "start": side.sentence_span.start,
        "end": side.sentence_span.end,
    }
