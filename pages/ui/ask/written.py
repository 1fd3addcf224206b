"""The answer that a language model writes: streamed above the evidence, and checked against the passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from threading import Lock

import streamlit as st

from core.errors import CancelledError, LecternError
from core.evidence import Passage
from core.inspecting.as_markdown import written_answer
from core.language_model.client import Client
from core.language_model.replies import after_thoughts
from core.library import SearchResult
from core.lru_cache import LruCache
from core.search.checking.checking import Judge, Verdict
from core.search.checking.library_check import check_answer, packaged_judge
from core.search.context.written_prompt import as_read, written_prompt
from core.search.question.query import Query
from pages.ui.ask.written_text import show_text
from pages.ui.shared import language, services, tasks, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.tasks import Task

QUOTE, WRITTEN = "Quote", "Written"
CHOICE = "ask.answer"  # the key of the choice between the two
STOPPED = "It was stopped."
_ENDS = (".", "!", "?", "…", "]", ")", '"', "”", "。", "！", "？")
_WRITING, _DRAFTS = "writing", "ask.drafts"
_PATIENCE = 0.4  # seconds to wait for the whole answer before a part of it is drawn


@dataclass(slots=True)
class Draft:
    """An answer that may still be growing: one thread writes it, the page reads it.

    ``prompt``, ``passages``: what it is written from. ``model``: the model's name. ``pieces``: the text so far.
    ``fault``: an error as a sentence, "" for none. ``verdicts``: on its sentences, once they are checked by ``judge``.
    ``writing``: held by the thread that writes. ``asking``: the request it was first written for.
    """

    prompt: str
    passages: tuple[Passage, ...]
    model: str
    pieces: list[str] = field(default_factory=list)
    fault: str = ""
    verdicts: tuple[Verdict, ...] = ()
    checking: bool = False
    judge: Judge = packaged_judge
    writing: Lock = field(default_factory=Lock)
    asking: str = ""

    @property
    def text(self) -> str:
        return after_thoughts("".join(self.pieces))


def prompt_of(result: SearchResult) -> str:
    """The prompt for a result, by the present template."""
    template = language.settings().template
    return written_prompt(result.question, as_read(result.passages), template, result.conflicts)


def chosen() -> bool:
    """Whether a model writes the answer. Draws the choice, if a model is set up."""
    if not language.settings().is_usable:
        return False
    st.session_state.setdefault(CHOICE, WRITTEN)
    picked = st.segmented_control(
        "Answer", [QUOTE, WRITTEN], key=CHOICE, required=True, label_visibility="collapsed", persist_state="session"
    )
    return picked == WRITTEN


def show_written(query: Query, result: SearchResult) -> bool:
    """Draw the answer as far as it is written; an error is drawn as a sentence. Whether there is one, or still may be.

    The caller quotes where there is none.
    """
    try:
        client = language.client()
    except LecternError as error:
        _show_fault(str(error))
        return False
    if client is None:
        return False
    drafts: LruCache[Draft] = st.session_state.setdefault(_DRAFTS, LruCache[Draft](20))
    settings, prompt, key = client.settings, prompt_of(result), _key(query.question)

    def blank() -> Draft:
        return Draft(prompt, result.passages, settings.model, asking=query.asking)

    draft = drafts.get_or_create(key, blank)
    if draft.asking != query.asking and (draft.prompt != prompt or draft.fault):
        # It was asked anew, and documents have changed or the model failed.
        tasks.stop(_WRITING)
        draft = blank()
        drafts.put(key, draft)
    task = tasks.get_or_start(_WRITING, (key, draft.prompt), lambda task: write(task, client, draft))
    if not task.wait(_PATIENCE):
        st.fragment(_follow, run_every=0.4)(task, draft)
        return True
    if draft.fault:
        _show_fault(draft.fault)
    language.show_judge_fault(draft.judge)
    if draft.text.strip():
        show_text(draft.text, draft.verdicts, draft.passages, key="ask.written", by=draft.model)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if draft.prompt != prompt:
            st.caption("Passages or prompt are others by now than those it was written from.", width="content")
        again = partial(_again, drafts, key, blank())
        st.button("Write it again", key="ask.again", icon=":material/refresh:", type="tertiary", on_click=again)
    return bool(draft.text.strip())


def draft_of(question: str) -> Draft | None:
    """The answer that the present model wrote to a question in this window; ``None`` without one."""
    drafts: LruCache[Draft] | None = st.session_state.get(_DRAFTS)
    draft = drafts.get(_key(question)) if drafts and language.settings().is_usable else None
    return draft if draft and draft.text.strip() else None


def as_markdown(question: str) -> str | None:
    """The written answer as Markdown, with its verdicts and sources; ``None`` without one."""
    draft = draft_of(question)
    if draft is None:
        return None
    unchecked = "" if draft.verdicts else "Its sentences were not checked."
    remark = "It was still being written." if draft.writing.locked() else draft.fault or unchecked
    return written_answer(draft.text, draft.verdicts, draft.passages, draft.model, remark)


def _key(question: str) -> tuple[str, ...]:
    now = language.settings()
    return str(services.home()), question, now.address, now.model


def write(task: Task[None], client: Client, draft: Draft) -> None:
    """Write the answer and check it against its passages; errors go into ``draft.fault``."""
    with draft.writing:  # the thread of an earlier visit to this question may still be stopping
        if not (draft.text or draft.fault):
            _write(task, client, draft)


def _write(task: Task[None], client: Client, draft: Draft) -> None:
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
            draft.judge = packaged_judge if task.stopping.is_set() else language.judge(task.stopping)
            verdicts = check_answer(draft.text, draft.passages, draft.judge)
            # An unfinished last sentence gets no verdict.
            broken = bool(draft.fault) and not draft.text.rstrip().endswith(_ENDS)
            draft.verdicts = tuple(verdicts[:-1] if broken else verdicts)
    except LecternError as error:
        draft.fault = f"{draft.fault} The answer could not be checked: {error}".strip()
    finally:
        draft.checking = False


def _again(drafts: LruCache[Draft], key: object, fresh: Draft) -> None:
    tasks.stop(_WRITING)
    drafts.put(key, fresh)


def _follow(task: Task[None], draft: Draft) -> None:
    with guarded():
        if task.over:
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            busy = f"{words.escaped(draft.model)} {'writes' if draft.text else 'reads'}"
            text = "Every sentence is held against the passages" if draft.checking else busy
            st.caption(f":material/more_horiz: {text} …", width="content")
            if not draft.checking or draft.judge is not packaged_judge:
                st.button("Stop", key="ask.stop", icon=":material/stop_circle:", on_click=task.cancel)
        if draft.text:
            show_text(draft.text.rstrip(), (), draft.passages, key="ask.writing", busy=True)


def _show_fault(sentence: str) -> None:
    """Draw a fault above the evidence."""
    if sentence == STOPPED:
        st.caption(f":material/stop_circle: {STOPPED}")
    else:
        st.warning(words.escaped(sentence), icon=":material/error:")


def show_prompt(result: SearchResult) -> None:
    """Draw the exact prompt that a model was given for the answer, or would be given."""
    draft = draft_of(result.question)
    prompt = draft.prompt if draft else prompt_of(result)
    use = f"was given to {words.escaped(draft.model)} for its answer" if draft else "a language model is given"
    st.caption(
        f"Exactly what {use}: {words.count(len(prompt), 'character')}. Its words are a template on "
        "the Settings page, under Language model."
    )
    st.code(prompt, language=None, wrap_lines=True, height=420)
