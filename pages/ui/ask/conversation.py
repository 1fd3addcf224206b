"""A conversation: the questions before this one, each a click away, and the one that goes on from it.

It is kept in the address, as a question is, and in no library: back, reload and a bookmark find it again. To ask on
from an earlier question leaves what came behind it to the way back.
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
    """How a further question came to be asked as it is. ``typed``: its own words. ``prompt``: that a model was given,
    "" where none was, or another window knows. ``fault``: why its reply was not used, a sentence, "" where it was.
    """

    typed: str
    prompt: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A further question that a model is rewriting. ``before``: the questions it goes on from, the latest last.

    ``asking``: what was asked when it was typed; once something else is, it is given up.
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
    """Before the page is drawn: ask what a model has rewritten meanwhile."""
    pending = _pending()
    task = tasks.get(_REWRITING, pending)
    if pending is None or task is None or not task.over:
        return
    request, (asked, fault) = task.result()
    _go_on(asked, pending.before, Wording(pending.typed, request.prompt, fault))


def show_turns() -> None:
    """The questions of the conversation, one line each; the one that is looked at stands out."""
    turns, asked = question.turns(), st.session_state.get(state.ASKED, "")
    if len(turns) < 2:
        return
    with st.container(gap="xxsmall", key="ask.turns"):
        for number, turn in enumerate(turns, 1):
            said = f"{number}\\. {escaped(shortened(turn, _SHOWN))}"
            if turn == asked:
                st.markdown(f"**{said}**")
            else:
                st.button(said, key=f"ask.turn.{number}", type="tertiary", on_click=_return_to, args=[turn])
        st.button(
            "New conversation", key="ask.turns.new", type="tertiary", icon=":material/edit_square:", on_click=_end
        )


def show_wording() -> None:
    """How the question came to its words, where they are not those that were typed."""
    asked = st.session_state.get(state.ASKED, "")
    wording = _wordings().get(asked)
    if wording is None or (wording.typed == asked and not wording.fault):
        return
    how = "takes the question before along" if asked.startswith(wording.typed) else "was put so that it stands alone"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = f"“{wording.typed}” {how}. {wording.fault}".strip()
        st.caption(f":material/forum: {escaped(said)}", width="content", help="Mend it in the field above.")
        st.button("Ask it as typed", key="ask.typed", type="tertiary", on_click=_as_typed, args=[wording.typed])
        if wording.prompt:
            with st.popover("Prompt", type="tertiary", key="ask.following.prompt"):
                st.code(wording.prompt, language=None, wrap_lines=True)


def show_further(answer: Callable[[], str]) -> None:
    """The field to ask further, or how far the rewriting is. ``answer()``: to the question that is asked, in words."""
    pending = _pending()
    client = _client()
    if pending is not None and client is not None:
        before = "" if tasks.get(_REWRITING, pending) else answer()
        task = tasks.get_or_start(_REWRITING, pending, lambda task: _rewritten(task, client, pending, before))
        said = f"“{escaped(pending.typed)}” is put so that it stands alone …".replace("{", "{{").replace("}", "}}")
        if tasks.finished_or_progress(_REWRITING, task, said, _forget, said):
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
    """Who asks the model; ``None`` where none is set up, or it cannot be asked."""
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


def _rewritten(
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
    """The words that the question was typed in, where it is asked in others; "" where it is not."""
    wording = _wordings().get(st.session_state.get(state.ASKED, ""))
    return wording.typed if wording else ""


def remember(asked: str, words: str) -> None:
    """That a question was typed in these words, as an address says; "" says nothing."""
    if words and asked not in _wordings():
        st.session_state[state.WORDINGS] = {**_wordings(), asked: Wording(words)}


def _wordings() -> dict[str, Wording]:
    held: dict[str, Wording] = st.session_state.get(state.WORDINGS) or {}
    return held


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
