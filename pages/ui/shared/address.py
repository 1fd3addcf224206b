"""The URL of a page says what the page shows, so that reload, back, a bookmark and a link all return there.

A page calls ``take`` once before it draws, and ``say`` when it knows what it shows. The values are query parameters:
names and places in documents, never a folder of this machine. ``address.js`` decides which parameters make an entry of
their own in the browser's history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.storage import shelf
from core.storage.catalogue.filing.labels import fold
from core.text.markup.addresses import LIBRARY
from pages.ui.shared import services, shelves, state
from pages.ui.shared.words import escaped

Query = dict[str, list[str]]  # a parameter may be repeated
Shown = Mapping[str, str | Sequence[str] | None]

MISSING = "The link leads into the library “{name}”, which is not among the libraries of this machine (any more)."


def follow(page: str) -> None:
    """Before a page runs: decide whether it shows what the address says or what it showed last.

    ``page``: its name. The address decides in a new window, after back or forward, and when a link leads to another
    page. Otherwise it only repeats, maybe late, what ``say`` put there. The library it names is opened first.
    """
    st.session_state.setdefault(state.LIBRARY, str(services.home()))  # stays when another window opens another library
    query = current()
    previous: tuple[str, Query] | None = st.session_state.get(state.ADDRESS)
    if previous and previous[0] != page:
        st.session_state[state.ADDRESS_LED] = None
        st.session_state[state.ADDRESS_MISSING] = ""
        st.session_state[state.QUEUED] = ()
    if query and (previous is None or previous[0] != page or _by_history()):
        st.session_state[state.ADDRESS_LED] = query
        st.session_state[state.ADDRESS_MISSING] = _open(last(query, LIBRARY))
        if st.session_state[state.ADDRESS_MISSING]:
            st.session_state[state.ADDRESS_LED] = None
    st.session_state[state.ADDRESS] = (page, query)
    missing = st.session_state.get(state.ADDRESS_MISSING)
    if missing:
        st.warning(escaped(MISSING.format(name=missing)), icon=":material/link_off:")


def take() -> Query | None:
    """The query that the page has to follow, once; ``None`` if the page is to show what it showed last."""
    query: Query | None = st.session_state.get(state.ADDRESS_LED)
    st.session_state[state.ADDRESS_LED] = None
    return query


def say(shown: Shown) -> None:
    """Put what the page shows into the address, with the library's name; empty values are left out."""
    query = {LIBRARY: [shelves.current().name]}
    for name, value in shown.items():
        values = [value] if isinstance(value, str) else list(value or ())
        query |= {name: values} if any(values) else {}
    if query != current():
        st.query_params.from_dict(query)
    page = (st.session_state.get(state.ADDRESS) or ("", {}))[0]
    st.session_state[state.ADDRESS] = (page, query)


def current() -> Query:
    """The query of the present address."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def go(page: str, shown: Mapping[str, str]) -> None:
    """Open a page, named by its file, with these query parameters; it may be the present page."""
    st.session_state[state.ADDRESS] = None
    st.switch_page(page, query_params=dict(shown))


def last(query: Query, name: str) -> str:
    """The last value of a parameter; "" without one.

    >>> last({"span": ["3-9"]}, "span"), last({}, "span")
    ('3-9', '')
    """
    return (query.get(name) or [""])[-1]


def format_dials(values: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """The values that differ from ``base``, as "name:JSON" for an address.

    >>> format_dials({"k": 9, "kinds": ("prose",), "model": ""}, {"k": 50, "kinds": (), "model": ""})
    ['k:9', 'kinds:["prose"]']
    """
    return [f"{name}:{json.dumps(value)}" for name, value in values.items() if name in base and value != base[name]]


def parse_dials(dials: Iterable[str], base: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an address's "name:JSON" dials, by name; names not in ``base`` and other types are ignored.

    >>> parse_dials(["k:9", "share:1", "kinds:[\\"prose\\"]", "k", "x:1"], {"k": 50, "share": 0.5, "kinds": ()})
    {'k': 9, 'share': 1.0, 'kinds': ('prose',)}
    """
    values: dict[str, Any] = {}
    for dial in dials:
        name, _, written = dial.partition(":")
        try:
            value = json.loads(written)
        except ValueError:
            continue
        usual = base.get(name)
        if isinstance(usual, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[name] = tuple(value)
        elif isinstance(usual, float) and type(value) is int:
            values[name] = float(value)
        elif usual is not None and type(value) is type(usual):
            values[name] = value
    return values


def _by_history() -> bool:
    """Whether the browser's back or forward caused this run; only Streamlit's script context knows."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def _open(name: str) -> str:
    """Switch to the library of this name; returns "", or the name if no library has it."""
    if not name or fold(name) == fold(shelves.current().name):
        return ""
    known = shelf.shelf(shelf.shelf_file())
    folder = next((library.path for library in known if fold(library.name) == fold(name)), None)
    if folder is None:
        return name
    shelves.switch(folder)
    return ""
