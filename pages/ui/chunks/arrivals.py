"""The URL of the Chunks page, read and written: document, span, selected chunk, view, and changed dials.

``?document=VERSION&span=START-END`` is the form of a citation's link. A URL only shows things; it changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

import streamlit as st

from core.settings import ChunkingSettings
from core.text.markup.addresses import parse_span, span_parameter
from core.types import Span
from pages.ui.chunks.cuts import applied_reading
from pages.ui.reader import readings
from pages.ui.reader.data import Reading
from pages.ui.reader.reader_messages import Arrival
from pages.ui.settings.recipe_values import Values, settings_or_reason
from pages.ui.settings.recipe_words import STARTS
from pages.ui.shared import address, services, state

TEXT, PAGE = "Text", "Page"  # labels of a PDF's two views
UNKNOWN = "The link names a document that is not in this library (any more)."
NO_SPAN = (
    "The link's place is not one: it should read span=start-end, in characters. The document is shown from its top."
)
BEYOND = "The link's place lies beyond the end of this document's text. The document is shown from its top."


def arrive(versions: Collection[str]) -> str:
    """Show what the URL names, once. Returns what is wrong with the URL as a sentence; "" if nothing is."""
    query = address.take()
    version = address.last(query or {}, "document")
    if query is None or not version:
        return ""
    if version not in versions:
        return UNKNOWN
    place, view = address.last(query, "span"), address.last(query, "view")
    cited, chosen = parse_span(place), parse_span(address.last(query, "chunk"))
    wrong = NO_SPAN if place and not cited else BEYOND if cited and not readings.within(version, cited) else ""
    shown = None if wrong else cited
    at = chosen or shown
    leaf = applied_reading(version).leaf_at(at) if at else None
    page = address.last(query, "page")
    show(version)
    st.session_state[state.CHUNKS_VIEW] = PAGE if view == "page" else TEXT
    _set_arrival(leaf, shown, int(page) if page.isdecimal() else _page_of(version, shown))
    _set_dials(query, version)
    return wrong


def leave(version: str, link: Span) -> None:
    """Put the place of a link into the URL before the link is followed, so that back returns to the link."""
    address.say({**address.current(), "document": version, "span": "", "chunk": span_parameter(link)})


def land(version: str, start: int, end: int) -> None:
    """Show the target of a link: a span of a document; an empty span, such as (0, 0), means its beginning."""
    cited = Span(start, end) if start < end else None
    if st.session_state.get(state.CHUNKS_VERSION) != version:
        show(version)
    _set_arrival(applied_reading(version).leaf_at(cited or Span(0, 1)), cited, _page_of(version, cited))


def _set_arrival(leaf: str | None, cited: Span | None, page: int | None) -> None:
    """Select a leaf and let the reader open at the cited span, on a 1-based page (``None``: not given)."""
    st.session_state[state.CHUNKS_CHOSEN] = leaf
    st.session_state[state.CHUNKS_PAGE] = page
    state.bump(state.ARRIVALS)
    st.session_state[state.CHUNKS_ARRIVAL] = Arrival(leaf, cited, state.counter(state.ARRIVALS))


def show(version: str) -> None:
    """Show a document that was not chosen in the picker.

    The picker gets a new key, so that a choice the browser sent before it knew of the change is ignored.
    """
    st.session_state[state.CHUNKS_VERSION] = version
    state.bump(state.CHUNKS_PICKER)


def picker_key() -> str:
    """The present key of the document picker."""
    return f"{state.CHUNKS_PICKER}.{state.counter(state.CHUNKS_PICKER)}"


def pick() -> None:
    """Show the document chosen in the picker; the picker's callback."""
    st.session_state[state.CHUNKS_VERSION] = st.session_state[picker_key()]
    forget_arrival()


def _page_of(version: str, span: Span | None) -> int | None:
    """The 1-based page on which a span begins; ``None`` without a span or pages."""
    page = readings.text(version).runs.pages_of(span.start, span.end)[0] if span else 0
    return page or None


def _set_dials(query: address.Query, version: str) -> None:
    """Set the dials of both sides to the URL's values; a side whose values make no valid recipe keeps its own."""
    against = address.last(query, "against")
    st.session_state[state.CHUNKS_OTHER] = against or None
    st.session_state[state.CHUNKS_SIDE] = "a"
    dials: dict[str, Values] = {}
    for side in ("a", "b"):
        base = base_of(side, version, against)
        changes = address.parse_dials(query.get(f"dial-{side}", ()), asdict(base))
        values = {**asdict(base), **changes}
        if changes and not settings_or_reason(values, base)[1]:
            dials[side] = values
        state.bump(f"{state.CHUNKS_DIALS}.{side}")
    st.session_state[state.CHUNKS_DIALS] = dials


def base_of(side: str, version: str, against: str | None) -> ChunkingSettings:
    """The settings that a side's dials start from: the document's own, or for "b" the recipe named by ``against``."""
    start = STARTS.get(against or "") if side == "b" else None
    return start or services.library().cutting.effective_chunking(version)[0]


def say(version: str, reading: Reading, chosen: str | None, *, paged: bool) -> None:
    """Put what the page shows into the URL.

    ``reading``: the cut that is drawn. ``chosen``: the id of its selected leaf. ``paged``: its pages are shown.
    """
    here, against = arrival(), st.session_state.get(state.CHUNKS_OTHER)
    dials: dict[str, Values] = st.session_state.get(state.CHUNKS_DIALS) or {}
    dial_parameters = {
        f"dial-{side}": address.format_dials(values, asdict(base_of(side, version, against)))
        for side, values in dials.items()
        if side == "a" or against
    }
    cited = here.focus if here.focus and chosen == here.selected else None
    leaf = reading.spans[reading.leaves.index(chosen)] if chosen in reading.leaves and not cited else None
    page = st.session_state.get(state.CHUNKS_PAGE)
    address.say(
        {
            "document": version,
            "span": span_parameter(cited),
            "chunk": span_parameter(leaf),
            "view": "page" if paged else "",
            "page": str(page) if paged and page else "",
            "against": against,
            **dial_parameters,
        }
    )


def arrival() -> Arrival:
    """Where the reader opens: at the place a link named, else at the top."""
    return st.session_state.get(state.CHUNKS_ARRIVAL) or Arrival()


def forget_arrival() -> None:
    """Forget the linked place, the page and the selected chunk of the document shown before."""
    for key in (state.CHUNKS_ARRIVAL, state.CHUNKS_PAGE, state.CHUNKS_CHOSEN):
        st.session_state[key] = None
