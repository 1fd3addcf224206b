"""The questions asked before: kept with the library, to be asked again or forgotten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from secrets import token_hex

import streamlit as st

from core.errors import LecternError
from pages.ui.shared import services, state
from pages.ui.shared.words import escaped, shortened

PAST = "ask.history"  # a preference: the questions as JSON, latest first
REMEMBERED = 50
_SHOWN = 90  # characters of a question in the list


def past() -> list[str]:
    """The questions asked before, latest first. A window that only reads has its own before the library's."""
    written = services.library().preference(PAST)
    held = json.loads(written) if written else []
    return with_latest([*held], st.session_state.get(state.PAST, ()))


def with_latest(held: Sequence[str], asked: Sequence[str]) -> list[str]:
    """The list with what was asked since, latest first, each question once.

    >>> with_latest(["b", "a"], ["a", "c"])
    ['a', 'c', 'b']
    """
    return list(dict.fromkeys([*asked, *held]))[:REMEMBERED]


def remember(question: str) -> None:
    """Put a question in front of the list. Where the library cannot keep it, this window does."""
    now = past()
    if not question or now[:1] == [question]:
        return
    later = with_latest(now, [question])
    try:
        if services.library().writable:
            services.library().set_preference(PAST, json.dumps(later, ensure_ascii=False))
            return
    except LecternError:
        pass  # a full disk costs the note, not the answer
    st.session_state[state.PAST] = later


def forget() -> None:
    """Empty the list; for a callback."""
    st.session_state[state.PAST] = []
    if services.library().writable:
        services.library().set_preference(PAST, "")


def ask(question: str) -> None:
    """Ask a question of a list; for a callback."""
    st.session_state[state.QUESTION] = question
    take(question)


def take(question: str) -> None:
    """Ask a question, and remember it."""
    st.session_state[state.ASKED] = question
    st.session_state[state.ASKING] = token_hex(8)
    remember(question)


def history_button() -> None:
    """The way to the questions asked before."""
    with st.popover("History", icon=":material/history:", help="Questions asked before", key="ask.history"):
        questions = past()
        if not questions:
            st.caption("Questions you ask are listed here, the latest first.")
            return
        with st.container(height=360 if len(questions) > 8 else "content", border=False, gap="xsmall"):
            for number, question in enumerate(questions):
                st.button(
                    escaped(shortened(question, _SHOWN)),
                    key=f"ask.past.{number}",
                    type="tertiary",
                    on_click=ask,
                    args=[question],
                )
        st.button("Forget them", key="ask.forget", icon=":material/delete:", on_click=forget)
