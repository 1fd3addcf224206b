"""The address of a page says what the page shows: reload, back, a bookmark and a link in a note all return there.

A page asks ``taken`` once before it draws, and tells ``say`` what it shows when that is known. Values are those of the
query behind the question mark: names and places, never a folder of this machine. ``address.js`` decides which of them
makes a step of its own in the browser's history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.storage import shelf
from core.storage.catalogue.labels import fold
from core.text.addresses import LIBRARY
from pages.ui.shared import services, shelves, state
from pages.ui.shared.words import escaped

Query = dict[str, list[str]]  # a name may stand there more than once
Said = Mapping[str, str | Sequence[str] | None]

MISSING = "The link leads into the library “{name}”, which is not among the libraries of this machine (any more)."


def follow(page: str) -> None:
    """Before a page runs: find out whether it is to show what the address says, or what it showed last.

    ``page``: its name. The address decides in a new window, after back and forward, and where a link led to another
    page; in between it merely repeats what was said, maybe late. A library it names is opened first.
    """
    st.session_state.setdefault(state.LIBRARY, str(services.home()))  # another window may open another one
    query = said()
    before: tuple[str, Query] | None = st.session_state.get(state.ADDRESS)
    if before and before[0] != page:
        st.session_state[state.ADDRESS_LED] = None
        st.session_state[state.ADDRESS_MISSING] = ""
    if query and (before is None or before[0] != page or _by_history()):
        st.session_state[state.ADDRESS_LED] = query
        st.session_state[state.ADDRESS_MISSING] = _open(last(query, LIBRARY))
        if st.session_state[state.ADDRESS_MISSING]:
            st.session_state[state.ADDRESS_LED] = None
    st.session_state[state.ADDRESS] = (page, query)
    missing = st.session_state.get(state.ADDRESS_MISSING)
    if missing:
        st.warning(escaped(MISSING.format(name=missing)), icon=":material/link_off:")


def taken() -> Query | None:
    """What the page is to show, handed out once; ``None``: what it showed last."""
    led: Query | None = st.session_state.get(state.ADDRESS_LED)
    st.session_state[state.ADDRESS_LED] = None
    return led


def say(shown: Said) -> None:
    """Put what the page shows into the address; what is empty is left out."""
    query = {LIBRARY: [shelves.current().name]}
    for name, value in shown.items():
        values = [value] if isinstance(value, str) else list(value or ())
        query |= {name: values} if any(values) else {}
    if query != said():
        st.query_params.from_dict(query)
    page = (st.session_state.get(state.ADDRESS) or ("", {}))[0]
    st.session_state[state.ADDRESS] = (page, query)


def said() -> Query:
    """What the address says now."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def go(page: str, shown: Mapping[str, str]) -> None:
    """Open a page, given by its file, at a place; also the page one is on."""
    st.session_state[state.ADDRESS] = None
    st.switch_page(page, query_params=dict(shown))


def last(query: Query, name: str) -> str:
    """A value that an address has once; "" where it has none.

    >>> last({"span": ["3-9"]}, "span"), last({}, "span")
    ('3-9', '')
    """
    return (query.get(name) or [""])[-1]


def turned(values: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """The dials that stand elsewhere than in ``base``, as an address has them.

    >>> turned({"k": 9, "kinds": ("prose",), "model": ""}, {"k": 50, "kinds": (), "model": ""})
    ['k:9', 'kinds:["prose"]']
    """
    return [f"{name}:{json.dumps(value)}" for name, value in values.items() if name in base and value != base[name]]


def turns(dials: Iterable[str], base: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an address's dials, by name; one that ``base`` does not know, or of another type, is passed over.

    >>> turns(["k:9", "share:1", "kinds:[\\"prose\\"]", "k", "x:1"], {"k": 50, "share": 0.5, "kinds": ()})
    {'k': 9, 'share': 1.0, 'kinds': ('prose',)}
    """
    found: dict[str, Any] = {}
    for dial in dials:
        name, _, told = dial.partition(":")
        try:
            value = json.loads(told)
        except ValueError:
            continue
        usual = base.get(name)
        if isinstance(usual, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
            found[name] = tuple(value)
        elif isinstance(usual, float) and type(value) is int:
            found[name] = float(value)
        elif usual is not None and type(value) is type(usual):
            found[name] = value
    return found


def _by_history() -> bool:
    """Whether back or forward asked for this run, which Streamlit tells nowhere else."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def _open(name: str) -> str:
    """Open the library of a name; returns the name where there is none such."""
    if not name or fold(name) == fold(shelves.current().name):
        return ""
    place = next((held.path for held in shelf.shelf(shelf.shelf_file()) if fold(held.name) == fold(name)), None)
    if place is None:
        return name
    shelves.switch(place)
    return ""
