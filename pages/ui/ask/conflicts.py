"""Where what is read disagrees: each side word for word with its source, and whose word counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.search.context.conflicts import ConflictSide, ContextConflict
from core.search.context.conflicts_authority import deciding, higher
from core.search.context.conflicts_values import NEGATION
from pages.ui.ask.source import opened_at
from pages.ui.settings import authority
from pages.ui.shared import assets
from pages.ui.shared.words import place_name

KEY = "ask.conflicts"
_conflicts = st.components.v2.component(
    "lectern.conflicts",
    html='<section class="lectern conflicts" aria-label="Where the sources disagree"></section>',
    css=assets.text(__file__, "palette.css", "ask_conflicts.css"),
    js=assets.text(__file__, "offsets.js", "ask_conflicts.js"),
)


def show_conflicts(
    found: Sequence[ContextConflict],
    entries: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    off: str = "",
) -> dict[str, str] | None:
    """Draw them where there are any; returns the place in Chunks a person asked to open, as query parameters.

    ``entries``: of ``answering.authority``, by which they were settled. ``kinds``: of documents, by version. ``off``:
    why no source can be ranked now, "" where it can.
    """
    if not found:
        return None
    rows = [_row(conflict, entries, kinds or {}, off) for conflict in found]
    drawn = _conflicts(
        key=KEY,
        data={"rows": rows},
        on_open_change=lambda: None,
        on_rank_change=lambda: rank(rows, st.session_state[KEY].rank),
    )
    return opened_at(drawn.open)


def rank(rows: Sequence[Mapping[str, Any]], request: Mapping[str, Any] | None) -> None:
    """Do what was asked for: an entry that a row offers, added or taken back; for a callback."""
    asked = str(request["entry"]) if request else ""
    if asked in {side["higher"] for row in rows for side in row["sides"]} - {""}:
        authority.put_first(asked)
    elif asked in {row["by"] for row in rows} - {""}:
        authority.take_out(asked)


def _row(conflict: ContextConflict, entries: Sequence[str], kinds: Mapping[str, str], off: str) -> dict[str, Any]:
    """A conflict as it is drawn, its preferred side first."""
    places = sorted(range(len(conflict.sides)), key=lambda place: place != conflict.preferred)
    agreed = conflict.sides[conflict.preferred].normal if conflict.preferred is not None else None
    offered = {
        place: "" if off or conflict.sides[place].normal == agreed else higher(conflict, place, entries, kinds)
        for place in places
    }
    sides = [
        {**_side(conflict, conflict.sides[place], place == conflict.preferred), "higher": offered[place]}
        for place in places
    ]
    first = conflict.sides[0]
    return {
        "name": f"{first.version_id}:{first.span.start}",
        "about": conflict.about,
        "reason": conflict.reason,
        "by": deciding(conflict, entries, kinds) if conflict.preferred is not None else "",
        "off": off,
        "sides": sides,
    }


def _side(conflict: ContextConflict, side: ConflictSide, preferred: bool) -> dict[str, Any]:
    first, last = side.span.start - side.sentence_span.start, side.span.end - side.sentence_span.start
    denied = conflict.kind == NEGATION
    if denied and side.normal == "yes":
        first = last = len(side.sentence)  # what is not denied has no word to point at
    return {
        "value": side.normal if denied else side.value,
        "pieces": [side.sentence[:first], side.sentence[first:last], side.sentence[last:]],
        "document": side.document,
        "file": place_name(side.source),
        "version": side.version_id,
        "start": side.sentence_span.start,
        "end": side.sentence_span.end,
        "preferred": preferred,
    }
