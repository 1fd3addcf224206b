"""Benchmark's "Make questions": made from the documents in the background, then gone through one by one by a person."""

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
TOKENS_A_QUESTION = 1_600  # two prompts with a passage each, and a third of them in vain


@dataclass(frozen=True, slots=True)
class MakeRequest:
    """``written``: a language model writes them."""

    count: int
    written: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """What a person decided so far: for each question, in order, the numbers of its judgments, () where it was dropped.

    ``worded``: the present question in a person's own words or in its other ones, "" as it was made. ``editing``: its
    field is open.
    """

    decided: tuple[tuple[int, ...], ...] = ()
    worded: str = ""
    editing: bool = False
    told: bool = False  # that it is over: the whole page counts what was kept

    @property
    def kept(self) -> int:
        return sum(bool(ids) for ids in self.decided)


@dataclass(slots=True)
class Making:
    """The questions being made of a library and gone through, whichever window began it and whichever looks."""

    asked: MakeRequest | None = None
    task: Task[list[MadeQuestion]] | None = None
    review: Review = field(default_factory=Review)


def making() -> Making:
    """That of this window's library: it goes on without the window, and what was made outlives the process."""
    return _making(str(services.home()))


@st.cache_resource(show_spinner=False)
def _making(place: str) -> Making:
    made, decided = remembered_review(services.library())
    if not made:
        return Making()
    asked = MakeRequest(len(made))
    return Making(asked, Task(asked, lambda _task: made), Review(tuple(decided)))


def under_way() -> bool:
    """Whether questions are being made, or wait to be kept or dropped."""
    return making().asked is not None


def show_making() -> None:
    """What it is for and the button; the work; the questions, one by one."""
    with guarded(), st.container(border=True, gap="small"):
        now = making()
        st.markdown("**Make questions from my documents**")
        if now.asked is None:
            _offer()
            return
        task = now.task = now.task or _begun(now.asked)
        if tasks.finished_or_progress(TASK, task, "Question {done} of {total}", _forget, "Reading your documents …"):
            st.fragment(_review)(task)


def _begun(asked: MakeRequest) -> Task[list[MadeQuestion]]:
    library = services.library()  # here: the thread knows no window
    writer = language.client(urgent=False) if asked.written else None
    ask = writer.complete if writer else None

    def work(task: Task[list[MadeQuestion]]) -> list[MadeQuestion]:
        # Before the first question all documents are read: that is said, not "0 of 40".
        made = make_questions(library, asked.count, watch=lambda done, total: task.tell(done, done and total), ask=ask)
        remember_review(library, made)
        return made

    return Task(asked, work)


def begin(count: int = USUAL, *, written: bool = False) -> None:
    """Ask for questions; fit for a callback."""
    _forget()
    making().asked = MakeRequest(count, written)


def _offer() -> None:
    said, count, button = st.columns([6, 2, 2], vertical_alignment="bottom")
    said.caption(
        "Definitions, amounts, dates, reasons, steps, cells of tables, defaults of functions: asked by rules, with "
        "the place that answers each, without a language model. You keep or drop each with one key. They repeat "
        "words of your documents, so they are easier than what people ask, and stay apart from what you judge by hand."
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
            made = task.result()
        except LecternError as error:
            st.error(words.escaped(str(error)), icon=":material/error:")
            made = []
        now = making()
        review, at = now.review, len(now.review.decided)
        if at < len(made):
            _card(made, review, at)
            return
        if made and not review.told:
            now.review = replace(review, told=True)
            st.rerun()
        st.caption(
            f"{words.count(review.kept, 'question')} kept, {at - review.kept:,} dropped. *My judgments* asks them."
            if made
            else NONE_WRITTEN
            if now.asked and now.asked.written
            else "No question can be made of these documents: rules find them in English prose, in tables and in code."
        )
        if st.button("Close", key="making.close"):
            _forget()
            st.rerun()


def _card(made: Sequence[MadeQuestion], review: Review, at: int) -> None:
    item = made[at]
    left = f"{at + 1:,} of {len(made):,}, {review.kept:,} kept"
    st.progress(at / len(made), text=left)
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
            f"{words.place_name(item.document)}{places}. Asks {KINDS[item.kind]}; {answer}. "
            f"{item.overlap:.0%} of its words stand in the passage."
        )
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        typing = review.editing  # a letter is then a letter
        _button("Keep", "k", ":material/check:", _keep, item, off=typing)
        _button("Drop", "d", ":material/close:", _drop, item, off=typing)
        _button("Edit", "e", ":material/edit:", _edit, item, off=typing)
        _button("Other words", "o", ":material/sync_alt:", _reword, item, off=typing or not item.others)
        _button("Back", "b", ":material/undo:", _back, made[at - 1], off=typing or not at)
        if st.button("Stop here", key="making.stop", type="tertiary", help="What was kept stays."):
            _forget()
            st.rerun()


def _button(
    label: str, shortcut: str, icon: str, act: Callable[[MadeQuestion], None], item: MadeQuestion, *, off: bool
) -> None:
    def pressed() -> None:
        attempt_or_toast(lambda: act(item))

    st.button(
        label,
        key=f"making.{label}",
        icon=icon,
        shortcut=shortcut,
        type="primary" if label == "Keep" else "secondary",
        disabled=off,
        on_click=pressed,
    )


def _reviewed() -> Review:
    return making().review


def _decide(decided: Sequence[tuple[int, ...]]) -> None:
    now = making()
    now.review = Review(tuple(decided))
    if now.task:
        remember_review(services.library(), now.task.result(), decided)


def _keep(item: MadeQuestion) -> None:
    question = _reviewed().worded or item.question
    _decide([*_reviewed().decided, tuple(keep(services.library(), [replace(item, question=question)]))])
    st.session_state[state.SUITE_NEXT] = JUDGED  # they are what one measures on next


def _drop(item: MadeQuestion) -> None:
    leave_out(services.library(), item.question)
    _decide([*_reviewed().decided, ()])


def _back(before: MadeQuestion) -> None:
    """Take the last decision back."""
    *decided, ids = _reviewed().decided
    library = services.library()
    if ids:
        library.remove_judgments(ids)
    else:
        take_back(library, before.question)
    _decide(decided)


def _edit(item: MadeQuestion) -> None:
    making().review = replace(_reviewed(), editing=True)


def _reword(item: MadeQuestion) -> None:
    """The next of its wordings."""
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
