"""What the address of Ask says, and how it is taken up: the question, where it looks, and the turned dials."""

from __future__ import annotations

from secrets import token_hex

import streamlit as st

from core.errors import SettingsError
from core.library import Library
from core.search.explaining.dial_changes import value_of
from core.settings import Settings
from pages.ui.ask import conversation
from pages.ui.ask import question as asked
from pages.ui.ask.dials import sidebar
from pages.ui.settings import rerankers
from pages.ui.shared import address, state

_NAMES = tuple(sidebar.BY_NAME)


def arrive(library: Library) -> None:
    """Take up the address once: what it does not say stands as usual."""
    led = address.take()
    if led is None:
        return
    question = address.last(led, "question")
    st.session_state[state.QUESTION] = question
    if question != st.session_state.get(state.ASKED):
        st.session_state[state.ASKED] = question
        st.session_state[state.ASKING] = token_hex(8)
    st.session_state[state.TURNS] = led.get("turn", [])
    conversation.remember(question, address.last(led, "typed"))
    known = sidebar.profiles(library.settings, rerankers.chosen())
    profile = address.last(led, "profile")
    st.session_state[state.PROFILE] = profile if profile in known else sidebar.QUICK
    base = known[st.session_state[state.PROFILE]]
    turned = address.parse_dials(led.get("dial", ()), _values(base))
    try:
        base.with_values(turned)
    except SettingsError:  # a link that somebody wrote by hand
        turned = {}
    sidebar.turn_to(base)
    sidebar.turn(turned)
    numbers = {held.name: held.id for held in library.labels.collections()}
    places = [("collection", numbers[name]) for name in led.get("collection", ()) if name in numbers]
    st.session_state[state.SCOPE] = [*places, *(("tag", name) for name in led.get("tag", ()))]


def say(library: Library, question: str, settings: Settings, base: Settings) -> None:
    """Put what is asked into the address. ``base``: what the dials were turned from."""
    profile = st.session_state.get(state.PROFILE)
    scope, turns = st.session_state.get(state.SCOPE) or (), asked.turns()
    names = {held.id: held.name for held in library.labels.collections()} if scope else {}
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
    return {name: value_of(settings, name) for name in _NAMES}
