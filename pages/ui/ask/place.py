"""The address of the Ask page: the question, the conversation, the scope, and the changed dials."""

from __future__ import annotations

from secrets import token_hex

import streamlit as st

from core.errors import SettingsError
from core.library import Library
from core.settings import Settings
from pages.ui.ask import conversation
from pages.ui.ask import question as asked
from pages.ui.ask.dials import sidebar
from pages.ui.settings import rerankers
from pages.ui.shared import address, state

_NAMES = tuple(sidebar.BY_NAME)


def arrive(library: Library) -> None:
    """Set the page's state from the address, if it has to be followed; what it does not name gets its default."""
    query = address.take()
    if query is None:
        return
    question = address.last(query, "question")
    st.session_state[state.QUESTION] = question
    if question != st.session_state.get(state.ASKED):
        st.session_state[state.ASKED] = question
        st.session_state[state.ASKING] = token_hex(8)
    st.session_state[state.TURNS] = query.get("turn", [])
    conversation.remember(question, address.last(query, "typed"))
    known = sidebar.profiles(library.settings, rerankers.chosen())
    profile = address.last(query, "profile")
    st.session_state[state.PROFILE] = profile if profile in known else sidebar.QUICK
    base = known[st.session_state[state.PROFILE]]
    changes = address.parse_dials(query.get("dial", ()), _values(base))
    try:
        base.with_values(changes)
    except SettingsError:  # a link edited by hand
        changes = {}
    sidebar.turn_to(base)
    sidebar.turn(changes)
    ids = {collection.name: collection.id for collection in library.labels.collections()}
    collections = [("collection", ids[name]) for name in query.get("collection", ()) if name in ids]
    st.session_state[state.SCOPE] = [*collections, *(("tag", name) for name in query.get("tag", ()))]


def say(library: Library, question: str, settings: Settings, base: Settings) -> None:
    """Put the question and the dials into the address. ``base``: the profile's settings, which the dials start from."""
    profile = st.session_state.get(state.PROFILE)
    scope, turns = st.session_state.get(state.SCOPE) or (), asked.turns()
    names = {collection.id: collection.name for collection in library.labels.collections()} if scope else {}
    address.say(
        {
            "question": question,
            "turn": turns if len(turns) > 1 else (),
            "typed": conversation.typed(),
            "profile": "" if profile == sidebar.QUICK else profile,
            "dial": address.format_dials(_values(settings), _values(base)),
            "collection": [names[value] for kind, value in scope if kind == "collection" and value in names],
            "tag": [str(value) for kind, value in scope if kind == "tag"],
        }
    )


def _values(settings: Settings) -> dict[str, object]:
    return {name: settings.value(name) for name in _NAMES}
