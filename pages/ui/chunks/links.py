"""Links that stay in the library: which of a document's do, and the place that one of them means."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.enriching.targets import slug
from core.errors import NotFoundError
from core.inspecting.link_places import anchors, inner_links
from core.storage.catalogue.linked import Linked
from core.types import Span
from pages.ui.chunks import arrivals
from pages.ui.reader import readings
from pages.ui.shared import services, state
from pages.ui.shared.guard import attempt_or_toast

Elsewhere = tuple[str, int, int]  # a version, and the span in it


def leading(version: str) -> list[int]:
    """The links of a document that name itself or another of the library, by their numbers in the reader."""
    return [place for place, link in enumerate(readings.text(version).links) if _is_known(link.target, version)]


def meant(target: str, version: str) -> Elsewhere | None:
    """Where a link of a document leads in the library; ``None``: nowhere. What a document lacks is its beginning."""
    home, read = str(services.home()), services.library().parse_fingerprint
    if target.startswith("#"):
        place = _inner(home, version, read(version)).get(target)
        return (version, place.start, place.end) if place else None
    found = _named().find(target, version)
    if found is None:
        return None
    other, fragment = found
    place = _anchors(home, other, read(other)).get(slug(fragment.rpartition("#")[2])) if fragment else None
    return (other, place.start, place.end) if place else (other, 0, 0)


def follow(key: str) -> None:
    """A link was clicked in the reader of this key: show what it means, or say that there is nothing."""
    attempt_or_toast(lambda: _follow(*st.session_state[key].follow[:2]))


def _follow(version: str, number: int) -> None:
    link = readings.text(version).links[number]
    target, place = link.target, meant(link.target, version)
    if place is None:
        if target.startswith("#"):
            raise NotFoundError(f"Nothing in this document is called “{target[1:]}”.", "Look for its words with f.")
        raise NotFoundError(f"“{target.removeprefix('wiki:')}” is not in the library any more.", "Put it in again.")
    arrivals.leave(version, Span(link.start, link.end))
    arrivals.land(*place)
    st.session_state[state.CHUNKS_WANTED] = True


def _is_known(target: str, version: str) -> bool:
    return len(target) > 1 if target.startswith("#") else _named().find(target, version) is not None


def _named() -> Linked:
    return _linked(str(services.home()), services.library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _linked(place: str, revision: int) -> Linked:
    return services.library().linked()


@st.cache_resource(max_entries=64, show_spinner=False)
def _anchors(place: str, version: str, read: str) -> Mapping[str, Span]:
    return anchors(readings.document(version))


@st.cache_resource(max_entries=16, show_spinner=False)
def _inner(place: str, version: str, read: str) -> Mapping[str, Span]:
    return inner_links(readings.document(version))
