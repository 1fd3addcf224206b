"""The question field, the scope and profile of a question, the history, and suggested questions."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

import streamlit as st

from core.evaluation.making.suggesting import suggested_questions
from core.library import Library, Scope
from core.settings import Settings
from pages.ui.ask.dials import sidebar
from pages.ui.shared import background, samples, services, shelves, state
from pages.ui.shared.words import count, escaped, shortened

REMEMBERED = 50
_SHOWN = 90  # characters of a question in the list


def past() -> list[str]:
    """The questions asked before, latest first: in this window, then those of the library's log."""
    here: list[str] = st.session_state.get(state.PAST) or []
    return list(dict.fromkeys([*here, *services.library().log.latest(REMEMBERED)]))[:REMEMBERED]


def remember(question: str) -> None:
    """Put a question at the front of this window's history. The log gets it later, with its answer."""
    if question:
        here: list[str] = st.session_state.get(state.PAST) or []
        st.session_state[state.PAST] = list(dict.fromkeys([question, *here]))[:REMEMBERED]


def forget() -> None:
    """Clear the history and the log; a callback."""
    st.session_state[state.PAST] = []
    if services.library().writable:
        services.library().log.forget()


def ask(question: str) -> None:
    """Ask a listed question as a new conversation; a callback."""
    st.session_state[state.QUESTION] = question
    take(question, ())


def turns() -> list[str]:
    """The questions of the present conversation, in order; [] if the present question is not part of one."""
    questions: list[str] = st.session_state.get(state.TURNS) or []
    return questions if st.session_state.get(state.ASKED) in questions else []


def take(question: str, before: Sequence[str] | None = None) -> None:
    """Ask a question and add it to the history.

    ``before``: the previous questions of its conversation; ``None``: it replaces the present question in its.
    """
    conversation, asked = turns(), st.session_state.get(state.ASKED)
    if before is None:
        before = conversation[: conversation.index(asked)] if asked in conversation else ()
    if question != asked:
        st.session_state[state.TURNS] = list(dict.fromkeys([*before, question])) if question else []
    st.session_state[state.ASKED] = question
    st.session_state[state.ASKING] = token_hex(8)
    remember(question)


def history_button() -> None:
    """Draw the menu with the questions asked before."""
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


Choice = tuple[str, int | str]  # ("collection", its id) or ("tag", its name)
MOST_CHIPS = 12  # for more choices, a list with a text field is drawn
QUESTION = "Question"  # the label by which the shortcut "/" finds the field


def question_row(settings: Settings) -> Settings:
    """Draw the question field, the profile and the history; returns the profile's settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="ask_row"):
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
                take(st.session_state[state.QUESTION].strip())
        base = sidebar.profile_choice(settings)
        history_button()
    return base


def library_line(documents: int) -> None:
    """Draw the library's name, its number of documents, and whether more are being read."""
    line = f":material/library_books: **{escaped(shelves.current().name)}** · {count(documents, 'document')}"
    coming = " so far: more are being read, and each is found as soon as it is cut"
    st.caption(line + (coming if background.active_jobs("ingest") else ""))


def suggestions() -> None:
    """Draw what an answer consists of, and questions to begin with."""
    st.caption(
        "You get sentences quoted from your documents, each with its place; below them the chunks, the pieces of text "
        "that were found, and the passages around them."
    )
    library = services.library()
    of_samples, before = samples.questions(services.sources()), past()[:6]
    own = () if of_samples else suggested_questions(library)
    offered = (
        ("Asked before", before),
        ("Questions the samples are made for", of_samples),
        ("Your documents answer, for instance", own),
    )
    for title, questions in offered:
        if questions:
            st.markdown(f"**{title}**")
            with st.container(gap="xsmall"):
                for number, question in enumerate(questions):
                    st.button(
                        escaped(question),
                        key=f"ask.example.{title[:1]}{number}",
                        icon=":material/arrow_forward:",
                        type="tertiary",
                        on_click=ask,
                        args=[question],
                    )


def scope_row(library: Library) -> Scope:
    """Draw the choice of collections and tags, if there are any; returns the scope of the question."""
    collections = {row.id: row.name for row in library.labels.collections() if row.documents}
    choices: list[Choice] = [("collection", number) for number in collections]
    choices += [("tag", tag.name) for tag in library.labels.tags() if tag.documents]
    if not choices:
        return Scope()
    kept = [choice for choice in st.session_state.get(state.SCOPE) or () if choice in choices]
    if state.SCOPE in st.session_state:
        st.session_state[state.SCOPE] = kept

    def name(choice: Choice) -> str:
        kind, value = choice
        if kind == "tag":
            return f"# {escaped(str(value))}"
        return f":material/folder: {escaped(collections.get(int(value), 'gone'))}"

    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(":small[Search in]", width="content")
    alike: dict[str, Any] = {"format_func": name, "label_visibility": "collapsed", "persist_state": "session"}
    if len(choices) <= MOST_CHIPS:
        row.pills("Search in", choices, selection_mode="multi", key=state.SCOPE, **alike)
    else:
        row.multiselect("Search in", choices, placeholder="Everything", key=state.SCOPE, **alike)
    chosen: Sequence[Choice] = st.session_state.get(state.SCOPE) or ()
    if not chosen and len(choices) <= MOST_CHIPS:
        row.caption("everything", width="content")
    return Scope(
        collections=tuple(int(value) for kind, value in chosen if kind == "collection"),
        tags=tuple(str(value) for kind, value in chosen if kind == "tag"),
    )
