"""The answer that a language model writes: streamed above the evidence, checked, and never in the way of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from core.errors import CancelledError, LecternError
from core.language_model.client import Client
from core.library import SearchResult
from core.lru_cache import LruCache
from core.search.checking.checking import Verdict
from core.search.checking.library_check import check_answer
from core.search.context.written_prompt import written_prompt
from core.types import Passage
from pages.ui.ask.results import Inquiry
from pages.ui.ask.written_text import show_text
from pages.ui.shared import language, services, tasks, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.tasks import Task

QUOTE, WRITTEN = "Quote", "Written"
CHOICE = "ask.answer"  # the key of the choice between the two
STOPPED = "It was stopped."
_WRITING, _DRAFTS = "writing", "ask.drafts"
_PATIENCE = 0.4  # seconds before an answer that is still being written is drawn


@dataclass(slots=True)
class Draft:
    """An answer as far as it is: one thread writes it, the page looks. ``fault``: a sentence, "" for none."""

    prompt: str
    passages: tuple[Passage, ...]
    pieces: list[str] = field(default_factory=list)
    fault: str = ""
    verdicts: tuple[Verdict, ...] = ()
    checking: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def prompt_of(result: SearchResult) -> str:
    """What a language model is given for a result, by the template that is set up."""
    return written_prompt(result.question, result.passages, language.settings().template, result.conflicts)


def chosen() -> bool:
    """Whether the answer is to be written; draws the choice, and where to it goes, where a model is set up."""
    now = language.settings()
    if not now.is_usable:
        return False
    st.session_state.setdefault(CHOICE, WRITTEN)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        picked = st.segmented_control(
            "Answer", [QUOTE, WRITTEN], key=CHOICE, required=True, label_visibility="collapsed", persist_state="session"
        )
        if not now.is_own:
            st.badge(f"Sent to {now.host}", icon=":material/cloud_upload:", color="orange", help=_left(now.host))
    return picked == WRITTEN


def _left(host: str) -> str:
    return f"The question, those before it and the passages below leave this machine and go to {words.escaped(host)}."


def show_written(inquiry: Inquiry, result: SearchResult) -> None:
    """The answer as far as it is written. Nothing in it hides the evidence."""
    try:
        client = language.client()
    except LecternError as error:
        _said(str(error))
        return
    if client is None:
        return
    drafts: LruCache[Draft] = st.session_state.setdefault(_DRAFTS, LruCache[Draft](20))
    settings, prompt = client.settings, prompt_of(result)
    key = _key(inquiry, settings.address, settings.model)
    draft = drafts.made(key, lambda: Draft(prompt, result.passages))
    task = tasks.begun(_WRITING, (key, draft.prompt), lambda task: write(task, client, draft))
    if not task.wait(_PATIENCE):
        st.fragment(_follow, run_every=0.4)(task, draft, settings.model)
        return
    if draft.fault:
        _said(draft.fault)
    if draft.text.strip():
        show_text(draft.text, draft.verdicts, draft.passages, key="ask.written", by=settings.model)
    if draft.prompt != prompt or draft.fault:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if draft.prompt != prompt:
                st.caption("The passages below are others by now than those it was written from.", width="content")
            again = partial(_again, drafts, key, Draft(prompt, result.passages))
            st.button("Write it again", key="ask.again", icon=":material/refresh:", type="tertiary", on_click=again)


def told(inquiry: Inquiry) -> str:
    """What was written for a question in this window, "" for nothing."""
    now = language.settings()
    drafts: LruCache[Draft] | None = st.session_state.get(_DRAFTS)
    draft = drafts.get(_key(inquiry, now.address, now.model)) if drafts and now.is_usable else None
    return draft.text if draft else ""


def _key(inquiry: Inquiry, address: str, model: str) -> tuple[str, ...]:
    return str(services.home()), inquiry.question, inquiry.asking, address, model


def write(task: Task[None], client: Client, draft: Draft) -> None:
    """Have the answer written and hold it against its passages; what goes wrong is a sentence in the draft."""
    if draft.text or draft.fault:  # another look at what was written before
        return
    try:
        for piece in client.stream(draft.prompt, task.stopping):
            draft.pieces.append(piece)
    except CancelledError:
        draft.fault = STOPPED
    except LecternError as error:
        draft.fault = str(error)
    draft.checking = True
    try:
        if draft.text.strip():
            draft.verdicts = tuple(check_answer(draft.text, draft.passages))
    except LecternError as error:
        draft.fault = f"{draft.fault} The answer could not be checked: {error}".strip()
    finally:
        draft.checking = False


def _again(drafts: LruCache[Draft], key: object, fresh: Draft) -> None:
    tasks.stop(_WRITING)
    drafts.put(key, fresh)


def _follow(task: Task[None], draft: Draft, model: str) -> None:
    with guarded():
        if task.over:
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if draft.checking:
                st.caption(":material/more_horiz: Every sentence is held against the passages …", width="content")
            else:
                busy = "writes" if draft.text else "reads"
                st.caption(f":material/more_horiz: {words.escaped(model)} {busy} …", width="content")
                st.button("Stop", key="ask.stop", icon=":material/stop_circle:", on_click=task.cancel)
        if draft.text:
            show_text(draft.text.rstrip(), (), draft.passages, key="ask.writing", busy=True)


def _said(sentence: str) -> None:
    """One sentence above the evidence."""
    if sentence == STOPPED:
        st.caption(f":material/stop_circle: {STOPPED}")
    else:
        st.warning(words.escaped(sentence), icon=":material/error:")


def show_prompt(result: SearchResult) -> None:
    """Exactly what a model is given, and the way to its words."""
    prompt = prompt_of(result)
    st.caption(
        f"Exactly what a language model is given: {words.count(len(prompt), 'character')}. Its words are a template on "
        "the Settings page, under Language model."
    )
    st.code(prompt, language=None, wrap_lines=True, height=420)
