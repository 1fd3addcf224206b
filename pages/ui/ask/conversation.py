"""A conversation: the previous questions as a list, and the field for a follow-up question.

The conversation is stored in the page's address, not in the library, so that back, reload and bookmarks restore it. A
follow-up to an earlier question drops the questions after it; the browser's back button restores them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_hex

import streamlit as st

from core.errors import CancelledError, LecternError
from core.language_model.client import Client
from core.search.context.written_prompt import following_request, rewritten, with_question_before
from core.search.question.rewording import WritingRequest
from pages.ui.ask import question
from pages.ui.shared import language, state, tasks
from pages.ui.shared.words import escaped, shortened

FURTHER = "Ask further"
_REWRITING = "following"
_SHOWN = 110  # characters of a question on its line
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Wording:
    """How the wording of a follow-up question was made.

    ``typed``: the words the person typed. ``prompt``: what a model was given to rewrite them, "" if it was not asked or
    the address does not tell. ``fault``: why the model's reply was not used, as a sentence; "" if it was.
    """

    typed: str
    prompt: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A follow-up question that a model is rewriting.

    ``before``: the questions before it, latest last. ``asking``: the id of the question shown when it was typed; the
    rewriting is dropped when another one is asked. ``number``: a random id.
    """

    typed: str
    before: tuple[str, ...]
    asking: str
    number: str


def _pending() -> _Pending | None:
    pending: _Pending | None = st.session_state.get(state.FOLLOWING)
    if pending is not None and pending.asking != st.session_state.get(state.ASKING, ""):
        _forget()
        return None
    return pending


def arrive() -> None:
    """Before the page is drawn: if a rewriting is done, ask the rewritten question."""
    pending = _pending()
    task = tasks.get(_REWRITING, pending)
    if pending is None or task is None or not task.over:
        return
    request, (asked, fault) = task.result()
    _go_on(asked, pending.before, Wording(pending.typed, request.prompt, fault))


def show_turns() -> None:
    """Draw the questions of the conversation, one a line, with the present one in bold."""
    turns, asked = question.turns(), st.session_state.get(state.ASKED, "")
    if len(turns) < 2:
        return
    with st.container(gap="xxsmall", key="ask.turns"):
        for number, turn in enumerate(turns, 1):
            label = f"{number}\\. {escaped(shortened(turn, _SHOWN))}"
            if turn == asked:
                st.markdown(f"**{label}**")
            else:
                st.button(label, key=f"ask.turn.{number}", type="tertiary", on_click=_return_to, args=[turn])
        st.button(
            "New conversation", key="ask.turns.new", type="tertiary", icon=":material/edit_square:", on_click=_end
        )


def show_wording() -> None:
    """Draw how the question was reworded, if its words are not those that were typed."""
    asked = st.session_state.get(state.ASKED, "")
    wording = _wordings().get(asked)
    if wording is None or (wording.typed == asked and not wording.fault):
        return
    how = "takes the question before along" if asked.startswith(wording.typed) else "was put so that it stands alone"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        sentence = f"“{wording.typed}” {how}. {wording.fault}".strip()
        st.caption(f":material/forum: {escaped(sentence)}", width="content", help="Mend it in the field above.")
        st.button("Ask it as typed", key="ask.typed", type="tertiary", on_click=_as_typed, args=[wording.typed])
        if wording.prompt:
            with st.popover("Prompt", type="tertiary", key="ask.following.prompt"):
                st.code(wording.prompt, language=None, wrap_lines=True)


def show_further(answer: Callable[[], str]) -> None:
    """Draw the field for a follow-up, or the progress of rewriting one. ``answer()``: the present answer as text."""
    pending = _pending()
    client = _client()
    if pending is not None and client is not None:
        previous_answer = "" if tasks.get(_REWRITING, pending) else answer()
        task = tasks.get_or_start(_REWRITING, pending, lambda task: _rewritten(task, client, pending, previous_answer))
        text = f"“{escaped(pending.typed)}” is put so that it stands alone …".replace("{", "{{").replace("}", "}}")
        if tasks.finished_or_progress(_REWRITING, task, text, _forget, text):
            st.rerun()
        return
    with st.form("ask.further", border=False, clear_on_submit=True):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        row.text_input(
            FURTHER,
            key=state.FURTHER,
            placeholder="Ask further: “and for how long?”",
            label_visibility="collapsed",
            max_chars=_LONGEST,
        )
        row.form_submit_button(FURTHER, on_click=_further, width=110)


def _client() -> Client | None:
    """A client of the language model; ``None`` if none is set up or usable."""
    try:
        return language.client()
    except LecternError:
        return None


def _further() -> None:
    typed = " ".join(st.session_state[state.FURTHER].split())
    turns, asked = question.turns(), st.session_state.get(state.ASKED, "")
    before = tuple(turns[: turns.index(asked) + 1]) if asked in turns else (asked,)
    if not typed:
        return
    if _client() is not None:
        st.session_state[state.FOLLOWING] = _Pending(
            typed, before, st.session_state.get(state.ASKING, ""), token_hex(8)
        )
    else:
        _go_on(with_question_before(before, typed), before, Wording(typed))


def _rewritten(  # runs in the task's thread; returns the request, the question to ask, and a fault or ""
    task: tasks.Task[tuple[WritingRequest, tuple[str, str]]], client: Client, pending: _Pending, answer: str
) -> tuple[WritingRequest, tuple[str, str]]:
    request = following_request(pending.before, answer, pending.typed)
    try:
        reply = "".join(client.stream(request.prompt, task.stopping))
    except CancelledError:
        raise
    except LecternError as error:
        return request, (with_question_before(pending.before, pending.typed), str(error))
    return request, rewritten(reply, request, pending.before, pending.typed)


def _go_on(asked: str, before: tuple[str, ...], wording: Wording) -> None:
    _forget()
    st.session_state[state.WORDINGS] = {**_wordings(), asked: wording}
    st.session_state[state.QUESTION] = asked
    question.take(asked, before)


def typed() -> str:
    """The words that the present question was typed in, if it was reworded; "" if not."""
    wording = _wordings().get(st.session_state.get(state.ASKED, ""))
    return wording.typed if wording else ""


def remember(asked: str, words: str) -> None:
    """Note the typed words of a question, as an address has them; "" notes nothing."""
    if words and asked not in _wordings():
        st.session_state[state.WORDINGS] = {**_wordings(), asked: Wording(words)}


def _wordings() -> dict[str, Wording]:
    wordings: dict[str, Wording] = st.session_state.get(state.WORDINGS) or {}
    return wordings


def _forget() -> None:
    st.session_state[state.FOLLOWING] = None
    tasks.stop(_REWRITING)


def _return_to(turn: str) -> None:
    st.session_state[state.QUESTION] = st.session_state[state.ASKED] = turn
    st.session_state[state.ASKING] = token_hex(8)


def _as_typed(typed: str) -> None:
    st.session_state[state.QUESTION] = typed
    question.take(typed)


def _end() -> None:
    _forget()
    for key in (state.QUESTION, state.ASKED):
        st.session_state[key] = ""
    st.session_state[state.TURNS] = []
