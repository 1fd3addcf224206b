"""Deep links: ``?document=VERSION&span=START-END`` shows that place, and can do nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection

import streamlit as st

from core.types import Span
from pages.ui import services, state
from pages.ui.reader import Arrival

_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")


def arrive(versions: Collection[str]) -> bool:
    """Take up a link once. Returns whether it names an unknown document."""
    link = (st.query_params.get("document", ""), st.query_params.get("span", ""))
    if not link[0] or link == st.session_state.get(state.LINK_TAKEN):
        return False
    st.session_state[state.LINK_TAKEN] = link
    if link[0] not in versions:
        return True
    span = read_span(link[1])
    chunk = services.chunk_at(link[0], span) if span else None
    st.session_state[state.CHUNKS_VERSION] = link[0]
    st.session_state[state.CHUNKS_CHOSEN] = chunk
    st.session_state[state.CHUNKS_PAGE] = None
    state.bump(state.ARRIVALS)
    st.session_state[state.CHUNKS_ARRIVAL] = Arrival(chunk, span if chunk else None, state.counter(state.ARRIVALS))
    return False


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
