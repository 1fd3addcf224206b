"""What the address of Chunks says, and how it is taken up: a document, a place in it, the chosen chunk, turned dials.

``?document=VERSION&span=START-END`` is the link that a citation leads by; it can show a place and do nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

import streamlit as st

from core.settings import ChunkingSettings
from core.text.addresses import parse_span, span_parameter
from core.types import Span
from pages.ui.chunks.cuts import applied_reading
from pages.ui.reader import readings
from pages.ui.reader.data import Reading
from pages.ui.reader.reader_messages import Arrival
from pages.ui.settings.recipe_values import Values, settings_or_reason
from pages.ui.settings.recipe_words import STARTS
from pages.ui.shared import address, services, state

TEXT, PAGE = "Text", "Page"  # what the switch of a PDF is called
UNKNOWN = "The link names a document that is not in this library (any more)."
NO_SPAN = (
    "The link's place is not one: it should read span=start-end, in characters. The document is shown from its top."
)
BEYOND = "The link's place lies beyond the end of this document's text. The document is shown from its top."


def arrive(versions: Collection[str]) -> str:
    """Take up the address once. Returns what is wrong with it as a sentence, "" where nothing is and for none."""
    led = address.take()
    version = address.last(led or {}, "document")
    if led is None or not version:
        return ""
    if version not in versions:
        return UNKNOWN
    place, view = address.last(led, "span"), address.last(led, "view")
    cited, chosen = parse_span(place), parse_span(address.last(led, "chunk"))
    wrong = NO_SPAN if place and not cited else BEYOND if cited and not readings.within(version, cited) else ""
    shown = None if wrong else cited
    at = chosen or shown
    leaf = applied_reading(version).leaf_at(at) if at else None
    turned = address.last(led, "page")
    show(version)
    st.session_state[state.CHUNKS_VIEW] = PAGE if view == "page" else TEXT
    _arrived(leaf, shown, int(turned) if turned.isdecimal() else _page_of(version, shown))
    _turn(led, version)
    return wrong


def leave(version: str, link: Span) -> None:
    """Before a link of the document shown is followed: its address says where the link stands, so that back leads
    there, wherever else was read or chosen before.
    """
    address.say({**address.current(), "document": version, "span": "", "chunk": span_parameter(link)})


def land(version: str, start: int, end: int) -> None:
    """Arrive at a place that a link of a document means; what is no span, such as (0, 0), is the beginning."""
    cited = Span(start, end) if start < end else None
    if st.session_state.get(state.CHUNKS_VERSION) != version:
        show(version)
    _arrived(applied_reading(version).leaf_at(cited or Span(0, 1)), cited, _page_of(version, cited))


def _arrived(leaf: str | None, cited: Span | None, page: int | None) -> None:
    st.session_state[state.CHUNKS_CHOSEN] = leaf
    st.session_state[state.CHUNKS_PAGE] = page
    state.bump(state.ARRIVALS)
    st.session_state[state.CHUNKS_ARRIVAL] = Arrival(leaf, cited, state.counter(state.ARRIVALS))


def show(version: str) -> None:
    """Show a document that was not chosen by the picker.

    The picker is anew from here on: what the window still tells of the old one, sent before it heard, chooses nothing.
    """
    st.session_state[state.CHUNKS_VERSION] = version
    state.bump(state.CHUNKS_PICKER)


def picker_key() -> str:
    """Of the picker as it is now."""
    return f"{state.CHUNKS_PICKER}.{state.counter(state.CHUNKS_PICKER)}"


def pick() -> None:
    """Another document was chosen by the picker."""
    st.session_state[state.CHUNKS_VERSION] = st.session_state[picker_key()]
    forget_arrival()


def _page_of(version: str, span: Span | None) -> int | None:
    page = readings.text(version).runs.pages_of(span.start, span.end)[0] if span else 0
    return page or None


def _turn(led: address.Query, version: str) -> None:
    """Turn the dials of both sides as the address says; those of which no recipe can be made stay as they are."""
    against = address.last(led, "against")
    st.session_state[state.CHUNKS_OTHER] = against or None
    st.session_state[state.CHUNKS_SIDE] = "a"
    held: dict[str, Values] = {}
    for side in ("a", "b"):
        base = base_of(side, version, against)
        turned = address.parse_dials(led.get(f"dial-{side}", ()), asdict(base))
        values = {**asdict(base), **turned}
        if turned and not settings_or_reason(values, base)[1]:
            held[side] = values
        state.bump(f"{state.CHUNKS_DIALS}.{side}")
    st.session_state[state.CHUNKS_DIALS] = held


def base_of(side: str, version: str, against: str | None) -> ChunkingSettings:
    """What the dials of a side are turned from."""
    start = STARTS.get(against or "") if side == "b" else None
    return start or services.library().cutting.effective_chunking(version)[0]


def say(version: str, reading: Reading, chosen: str | None, *, paged: bool) -> None:
    """Put what Chunks shows into the address. ``reading``: the cut that is drawn, ``chosen``: its chunk."""
    here, against = arrival(), st.session_state.get(state.CHUNKS_OTHER)
    held: dict[str, Values] = st.session_state.get(state.CHUNKS_DIALS) or {}
    turned = {
        f"dial-{side}": address.format_dials(values, asdict(base_of(side, version, against)))
        for side, values in held.items()
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
            **turned,
        }
    )


def arrival() -> Arrival:
    """Where the reader opens: as a link said, else at the top."""
    return st.session_state.get(state.CHUNKS_ARRIVAL) or Arrival()


def forget_arrival() -> None:
    """Another document was picked: its link, its page and the chosen chunk no longer hold."""
    for key in (state.CHUNKS_ARRIVAL, state.CHUNKS_PAGE, state.CHUNKS_CHOSEN):
        st.session_state[key] = None
