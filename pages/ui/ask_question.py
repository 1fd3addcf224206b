"""The question, how it is asked, and what to ask first."""

from __future__ import annotations

import streamlit as st

from core.settings import Settings
from pages.ui import ask_history, dials, samples, services, state
from pages.ui.words import escaped

QUESTION = "Question"  # the label of the field, by which the key / finds it


def question_row(settings: Settings) -> Settings:
    """The question, the profile and what was asked before; returns the settings that dials are turned from."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.form("ask.form", border=False):
            row = st.container(horizontal=True, vertical_alignment="bottom")
            row.text_input(
                QUESTION,
                key=state.QUESTION,
                placeholder="Ask your documents, in whole sentences or a few words",
                label_visibility="collapsed",
                persist_state="session",
                max_chars=2000,
            )
            if row.form_submit_button("Ask", type="primary", width=84):
                ask_history.take(st.session_state[state.QUESTION].strip())
        base = dials.profile_choice(settings)
        ask_history.history_button()
    return base


def suggestions() -> None:
    """What to ask first, and what will come of it."""
    st.caption(
        "You get three things: sentences quoted from your documents, each with its place; the chunks that were found, "
        "with their scores; and what they grew into, which is what a language model would read."
    )
    made, past = samples.questions(services.library().sources()), ask_history.past()[:6]
    for title, questions in (("Asked before", past), ("Questions the samples are made for", made)):
        if questions:
            st.markdown(f"**{title}**")
            with st.container(gap="xsmall"):
                for number, question in enumerate(questions):
                    st.button(
                        escaped(question),
                        key=f"ask.example.{title[:1]}{number}",
                        icon=":material/arrow_forward:",
                        type="tertiary",
                        on_click=ask_history.ask,
                        args=[question],
                    )
