"""Benchmark's "Make questions": questions made from the documents in the background, then reviewed one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import streamlit as st

from core.errors import LecternError
from core.evaluation.making.making import (
    KINDS,
    MadeQuestion,
    keep,
    leave_out,
    make_questions,
    remember_review,
    remembered_review,
    take_back,
)
from pages.ui.benchmark.suites import JUDGED
from pages.ui.shared import language, services, state, tasks, words
from pages.ui.shared.guard import attempt_or_toast, guarded
from pages.ui.shared.tasks import Task

TASK = "making"
LEAST, USUAL, MOST = 5, 40, 300
QUOTE_SHOWN = 1500  # characters
MAKING = ":material/auto_awesome:"
NONE_WRITTEN = "The model wrote no question that its passage answers and nothing else does."
TOKENS_A_QUESTION = 1_600  # two prompts with a passage each; a third of the questions is discarded


@dataclass(frozen=True, slots=True)
class MakeRequest:
    """A request for ``count`` questions. ``written``: a language model writes them; else rules make them."""

    count: int
    written: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """The state of a review.

    ``decided``: for each question decided so far, in order, the ids of its judgments; () if it was dropped.
    ``worded``: another wording chosen for the present question, "" for the original one. ``editing``: its text field
    is open. ``told``: the whole page was run after the last decision, so that it counts what was kept.
    """

    decided: tuple[tuple[int, ...], ...] = ()
    worded: str = ""
    editing: bool = False
    told: bool = False

    @property
    def kept(self) -> int:
        return sum(bool(ids) for ids in self.decided)


@dataclass(slots=True)
class Making:
    """Questions of a library that are being made or reviewed; shared by all windows."""

    asked: MakeRequest | None = None
    task: Task[list[MadeQuestion]] | None = None
    review: Review = field(default_factory=Review)


def making() -> Making:
    """The state for this window's library. It does not depend on the window; made questions survive a restart."""
    return _making(str(services.home()))


@st.cache_resource(show_spinner=False)
def _making(place: str) -> Making:
    questions, decided = remembered_review(services.library())
    if not questions:
        return Making()
    asked = MakeRequest(len(questions))
    return Making(asked, Task(asked, lambda _task: questions), Review(tuple(decided)))


def under_way() -> bool:
    """Whether questions are being made or reviewed."""
    return making().asked is not None


def show_making() -> None:
    """Draw the offer to make questions, the progress, or the review."""
    with guarded(), st.container(border=True, gap="small"):
        now = making()
        st.markdown("**Make questions from my documents**")
        if now.asked is None:
            _offer()
            return
        task = now.task = now.task or _start(now.asked)
        if tasks.finished_or_progress(TASK, task, "Question {done} of {total}", _forget, "Reading your documents …"):
            st.fragment(_review)(task)


def _start(asked: MakeRequest) -> Task[list[MadeQuestion]]:
    library = services.library()  # not in the thread, which belongs to no window
    writer = language.client(urgent=False) if asked.written else None
    ask = writer.complete if writer else None

    def work(task: Task[list[MadeQuestion]]) -> list[MadeQuestion]:
        def watch(done: int, total: int) -> None:
            task.tell(done, done and total)  # no total while documents are read, before the first question

        questions = make_questions(library, asked.count, watch=watch, ask=ask)
        remember_review(library, questions)
        return questions

    return Task(asked, work)


def begin(count: int = USUAL, *, written: bool = False) -> None:
    """Request questions; a callback. The page starts the work at its next run."""
    _forget()
    making().asked = MakeRequest(count, written)


def _offer() -> None:
    text, count, button = st.columns([6, 2, 2], vertical_alignment="bottom")
    text.caption(
        "Definitions, amounts, dates, reasons, steps, cells of tables, defaults of functions: asked by rules, with "
        "the place that answers each, without a language model. You keep or drop each with one key. They repeat words "
        "of your documents, so they are easier than what people ask, and are counted as judged by a program."
    )
    wanted = count.number_input("Questions", LEAST, MOST, USUAL, 5, key=state.MAKING_COUNT)
    offered = partial(button.button, icon=MAKING, on_click=begin, args=[int(wanted)], width="stretch")
    offered("Make", key="making.begin")
    if (now := language.settings()).is_usable:
        offered(
            "Have them written",
            key="making.written",
            kwargs={"written": True},
            help=words.escaped(
                f"By {now.model} at {language.place(now)}, which is sent passages of your documents, two prompts a "
                f"question: about {TOKENS_A_QUESTION * int(wanted):,} tokens. Each is asked again of its passage and "
                "held against the library; one in four is one that your documents do not answer."
            ),
        )


def _review(task: Task[list[MadeQuestion]]) -> None:
    with guarded():
        try:
            questions = task.result()
        except LecternError as error:
            st.error(words.escaped(str(error)), icon=":material/error:")
            questions = []
        now = making()
        review, at = now.review, len(now.review.decided)
        if at < len(questions):
            if now.asked and len(questions) < now.asked.count:
                st.caption(f"{now.asked.count:,} were asked for; your documents yield no more.")
            _card(questions, review, at)
            return
        if questions and not review.told:
            now.review = replace(review, told=True)
            st.rerun()
        st.caption(
            f"{words.count(review.kept, 'question')} kept, {at - review.kept:,} dropped. *My judgments* asks them."
            if questions
            else NONE_WRITTEN
            if now.asked and now.asked.written
            else "No question can be made of these documents: rules find them in English prose, in code, and in tables "
            "with a column that tells the rows apart."
        )
        if st.button("Close", key="making.close"):
            _forget()
            st.rerun()


def _card(questions: Sequence[MadeQuestion], review: Review, at: int) -> None:
    """The question at index ``at``, and the buttons that decide on it."""
    item, told = questions[at], "; this page counts them when you stop" if review.kept else ""
    # Unseen until its own buttons are there to hear a key. The next one's rule is sent as well: a style comes late.
    rules = ",".join(f"body:not(:has(.st-key-making-Keep-{n})) .st-key-making_seen_{n}" for n in (at - 1, at, at + 1))
    st.html(f"<style>{rules} {{ visibility: hidden; transition: none; }}</style>")
    with st.container(key=f"making_seen_{at}", gap="small"):
        st.progress(at / len(questions), text=f"{at + 1:,} of {len(questions):,}, {review.kept:,} kept{told}")
        if review.editing:
            st.text_input(
                "Question, Enter to take it",
                value=review.worded or item.question,
                key=_field(at),
                on_change=_take,
                args=[at],
            )
        else:
            st.markdown(f"#### {words.escaped(review.worded or item.question)}")
        st.code(words.shortened(item.quote, QUOTE_SHOWN), language=None, wrap_lines=True)
        answer = (
            f"the short answer: {words.shortened(item.answer, 160).rstrip('.')}"
            if item.gold
            else "this comes near and does not say"
        )
        places = f", in {words.count(len(item.gold), 'place')}" if len(item.gold) > 1 else ""
        st.caption(
            words.escaped(
                f"{words.place_name(item.document)}{places}. Asks {KINDS.get(item.kind, item.kind)}; {answer}. "
                f"{item.overlap:.0%} of its words stand in the passage."
            )
        )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        typing = review.editing  # the letters are no shortcuts then
        _button("Keep", "k", ":material/check:", _keep, item, at, off=typing)
        _button("Drop", "d", ":material/close:", _drop, item, at, off=typing)
        _button("Edit", "e", ":material/edit:", _edit, item, at, off=typing)
        _button("Other words", "o", ":material/sync_alt:", _reword, item, at, off=typing or not item.others)
        _button("Back", "b", ":material/undo:", _back, questions[at - 1], at, off=typing or not at)
        if st.button("Stop here", key="making.stop", type="tertiary", help="What was kept stays."):
            _forget()
            st.rerun()


def _button(
    label: str, shortcut: str, icon: str, act: Callable[[MadeQuestion], None], item: MadeQuestion, at: int, *, off: bool
) -> None:
    """A button of the card at index ``at``: a second press before the next card is seen decides nothing of that one."""

    def pressed() -> None:
        if len(_reviewed().decided) == at:
            attempt_or_toast(lambda: act(item))

    st.button(
        label,
        key=f"making.{label}.{at}",
        icon=icon,
        shortcut=shortcut,
        type="primary" if label == "Keep" else "secondary",
        disabled=off,
        on_click=pressed,
    )


def _reviewed() -> Review:
    return making().review


def _save_decisions(decided: Sequence[tuple[int, ...]]) -> None:
    now = making()
    now.review = Review(tuple(decided))
    if now.task:
        remember_review(services.library(), now.task.result(), decided)


def _keep(item: MadeQuestion) -> None:
    question = _reviewed().worded or item.question
    _save_decisions([*_reviewed().decided, tuple(keep(services.library(), [replace(item, question=question)]))])
    st.session_state[state.SUITE_NEXT] = JUDGED  # the next run measures on them


def _drop(item: MadeQuestion) -> None:
    leave_out(services.library(), item.question)
    _save_decisions([*_reviewed().decided, ()])


def _back(previous: MadeQuestion) -> None:
    """Undo the last decision, which was on the previous question."""
    *decided, ids = _reviewed().decided
    library = services.library()
    if ids:
        library.remove_judgments(ids)
    else:
        take_back(library, previous.question)
    _save_decisions(decided)


def _edit(item: MadeQuestion) -> None:
    making().review = replace(_reviewed(), editing=True)


def _reword(item: MadeQuestion) -> None:
    """Show the next wording of the question."""
    wordings = (item.question, *item.others)
    present = _reviewed().worded
    at = wordings.index(present) if present in wordings else 0
    making().review = replace(_reviewed(), worded=wordings[(at + 1) % len(wordings)])


def _field(at: int) -> str:
    return f"making.words.{at}"


def _take(at: int) -> None:
    typed = str(st.session_state.get(_field(at)) or "").strip()
    making().review = replace(_reviewed(), worded=typed, editing=False)


def _forget() -> None:
    now = making()
    if now.task:
        now.task.cancel()
    now.asked, now.task, now.review = None, None, Review()
    remember_review(services.library(), [])
