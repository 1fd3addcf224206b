"""Links of a document to itself or to other documents of the library, and the places they lead to."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.enriching.targets import slug
from core.errors import NotFoundError
from core.inspecting.link_places import anchors, inner_links
from core.storage.catalogue.filing.linked import Linked
from core.types import Span
from pages.ui.chunks import arrivals
from pages.ui.reader import readings
from pages.ui.shared import services, state
from pages.ui.shared.guard import attempt_or_toast

Elsewhere = tuple[str, int, int]  # a version, and the start and end of a span in it


def leading(version: str) -> list[int]:
    """The indices, among a document's links, of those to itself or to another document of the library."""
    return [index for index, link in enumerate(readings.text(version).links) if _is_known(link.target, version)]


def meant(target: str, version: str) -> Elsewhere | None:
    """The place in the library that a link's target means; ``None`` if it is not in the library.

    A fragment that another document does not have means that document's beginning, the span (0, 0).
    """
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
    """Show the target of the link clicked in the reader of this key, or say that it is missing; its callback."""
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
    """Whether a link's target is a fragment of its own document or names a document of the library."""
    return len(target) > 1 if target.startswith("#") else _named().find(target, version) is not None


def _named() -> Linked:
    """The names by which links find documents, cached for the library's present revision."""
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
