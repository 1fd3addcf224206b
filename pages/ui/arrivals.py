"""Deep links: ``?document=VERSION&span=START-END`` shows that place, and can do nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection

import streamlit as st

from core.types import Span
from pages.ui import readings, state
from pages.ui.reader import Arrival

_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")
UNKNOWN = "The link names a document that is not in this library (any more)."
NO_SPAN = (
    "The link's place is not one: it should read span=start-end, in characters. The document is shown from its top."
)
BEYOND = "The link's place lies beyond the end of this document's text. The document is shown from its top."


def arrive(versions: Collection[str]) -> str:
    """Take up a link once. Returns what is wrong with it as a sentence, "" for a good link and for none."""
    link = (st.query_params.get("document", ""), st.query_params.get("span", ""))
    if not link[0] or link == st.session_state.get(state.LINK_TAKEN):
        return ""
    st.session_state[state.LINK_TAKEN] = link
    version, place = link
    if version not in versions:
        return UNKNOWN
    span = read_span(place)
    wrong = NO_SPAN if place and not span else BEYOND if span and not readings.within(version, span) else ""
    leaf = readings.reading(version).leaf_at(span) if span and not wrong else None
    st.session_state[state.CHUNKS_VERSION] = version
    st.session_state[state.CHUNKS_CHOSEN] = leaf
    st.session_state[state.CHUNKS_PAGE] = None
    state.bump(state.ARRIVALS)
    shown = None if wrong else span
    st.session_state[state.CHUNKS_ARRIVAL] = Arrival(leaf, shown, state.counter(state.ARRIVALS))
    return wrong


def read_span(text: str) -> Span | None:
    """A span as a link writes it; ``None`` for anything else.

    >>> read_span("3-9"), read_span("9-3"), read_span("x")
    (Span(start=3, end=9), None, None)
    """
    found = _SPAN.fullmatch(text)
    if not found:
        return None
    start, end = int(found[1]), int(found[2])
    return Span(start, end) if start < end else None
