"""Benchmark's "Fit to my judgments": settings fitted to one half of them, tested on the other, applied or discarded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import LecternError
from core.evaluation.exchange.judged import by_origin, judged_questions
from core.evaluation.planning import EarlierBenches
from core.library import Library
from core.refitting.costs import fit_seconds
from core.refitting.fitting import LEAST_QUESTIONS, cut_otherwise, cuts, fittable, refit
from core.refitting.gains import GAIN, LOSS, Refitted
from core.settings import Settings
from pages.ui.ask.dials.sidebar import CAREFUL, profiles
from pages.ui.ask.judging_gold import judgments_mark
from pages.ui.benchmark import benches
from pages.ui.benchmark.apply import changes_table
from pages.ui.benchmark.tune import show_tune
from pages.ui.settings import rerankers
from pages.ui.shared import background, services, tasks, words
from pages.ui.shared.guard import guarded
from pages.ui.shared.queue import show_jobs
from pages.ui.shared.tasks import Task

TASK = "refit"
_SPLIT_WORDS = {
    "document": "no document has answers in both halves",
    "question": "they share documents, since most of your answers lie in few",
}


@dataclass(frozen=True, slots=True)
class FitRequest:
    """A request for a fit, with the state of the library it is valid for.

    ``mark``: identifies the judgments. ``settings``: those the fit starts from. ``model``: Careful's re-ranker.
    ``cuts``: how each document was cut, from ``core.refitting.fitting.cuts``.
    """

    mark: str
    settings: Settings
    model: str
    cuts: frozenset[tuple[str, str]]


@dataclass(slots=True)
class Fitting:
    """The fit of a library that was asked for last; shared by all windows, so that a reload finds it again."""

    asked: FitRequest | None = None
    task: Task[Refitted] | None = None


def fitting() -> Fitting:
    """The state for this window's library."""
    return _fitting(str(services.home()))


@st.cache_resource(show_spinner=False)
def _fitting(home: str) -> Fitting:
    return Fitting()


def show_refit() -> None:
    """Draw the frames for fitting settings and for teaching the re-ranker."""
    with guarded():
        mark = judgments_mark(services.library().judgments())
        questions, mixed = _fittable(str(services.home()), mark)
        with st.container(border=True, gap="small"):
            _show_fit(mark, questions)
        with st.container(border=True, gap="small"):
            show_tune(questions)
        if mixed:
            st.caption(f"The judged questions, for both: {mixed}. They learn from all of them alike.")


def _show_fit(mark: str, questions: int) -> None:
    """The fit, for judgments identified by ``mark``. ``questions``: how many of them have gold."""
    now = fitting()
    if now.asked is not None and now.asked.mark != mark:  # the judgments have changed, so the fit is not valid any more
        _forget()
    asked, task = now.asked, now.task
    head = st.container(gap="small")
    over = True
    if asked is not None and task is not None:
        over = tasks.finished_or_progress(TASK, task, f"Fitting to your judgments, {_takes(questions)} in all", _forget)
        if over:
            _outcome(task, asked)
    with head:
        label = "Fit" if asked is None else "Fit again"
        _head(mark, questions, label=label, ready=over and questions >= LEAST_QUESTIONS)


def _head(mark: str, judged: int, *, label: str, ready: bool) -> None:
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.markdown("**Fit to my judgments**")
    text.caption(
        "Turns weights and shares of the search, and then the re-ranker's share under *Careful*, until more of your "
        "marked answers (gold) is read. It learns from one half of your judgments and is tried on the other, which it "
        "has not seen; nothing changes unless it gains there and you apply it."
    )
    if judged < LEAST_QUESTIONS:
        st.caption(
            f":material/fact_check: You have {words.count(judged, 'judged question')} with an answer; this takes "
            f"{LEAST_QUESTIONS}: **{LEAST_QUESTIONS - judged} more**. Mark the words that answer a question, on Chunks "
            "or on Ask, press **g** and type the question; import some under *Judgments*; or have some made, above."
        )
    button.button(
        label,
        key="benchmark.refit",
        icon=":material/tune:",
        width="stretch",
        disabled=not ready,
        help=f"On {words.count(judged, 'judged question')}: {_takes(judged)}; longer where Careful's share promises a "
        "gain, as its re-ranker then reads for the other half, too.",
        on_click=_ask,
        args=[mark],
    )


def _takes(questions: int) -> str:
    """The estimated time of a fit, in words."""
    settings, speeds = services.library().settings, EarlierBenches.of(benches.workspace() / "any")
    careful = profiles(settings, rerankers.chosen())[CAREFUL]
    return words.about(fit_seconds(questions, settings, careful, speeds))


def _ask(mark: str) -> None:
    _forget()
    library, now = services.library(), fitting()
    asked = FitRequest(mark, library.settings, rerankers.chosen(), frozenset(cuts(library).items()))
    now.asked, now.task = asked, Task(asked, lambda task: _work(task, library, asked))


def _forget() -> None:
    now = fitting()
    if now.task:
        now.task.cancel()
    now.asked, now.task = None, None


def _work(task: Task[Refitted], library: Library, asked: FitRequest) -> Refitted:
    def watch(what: str, share: float) -> None:
        task.tell(int(1000 * share), 1000)

    return refit(library, judged_questions(library), asked.settings, watch, asked.model)


def _outcome(task: Task[Refitted], asked: FitRequest) -> None:
    try:
        found = task.result()
    except LecternError as error:
        st.error(words.escaped(str(error)), icon=":material/error:")
        return
    _show_verdict(found.verdict, found.sentence)
    if found.gain is not None:
        st.table(changes_table(found.changes, ("Dial", "Before", "Fitted")), border="horizontal")
    st.caption(_how(found))
    if found.careful is not None:
        _show_verdict(found.careful.verdict, found.careful_sentence)
    show_decision(found, asked, _forget)


def _show_verdict(verdict: str, sentence: str) -> None:
    styles = {GAIN: (st.success, ":material/trending_up:"), LOSS: (st.warning, ":material/trending_down:")}
    show, icon = styles.get(verdict, (st.info, ":material/drag_handle:"))
    show(words.escaped(sentence), icon=icon)


def _how(found: Refitted) -> str:
    parts = [f"Fitted to {found.trained} questions, tried on {found.held_out} others; {_SPLIT_WORDS[found.by]}."]
    if found.gain is not None:
        parts.append(
            f"Mean recall over four rooms for the reader: {found.gain.before:.1f} % before, {found.gain.after:.1f} % "
            f"after. On the questions fitted to it is {found.fitted:+.1f} points, which says nothing of others."
        )
    if found.left_out:
        parts.append(f"{words.count(found.left_out, 'question')} more were not asked: these tell enough.")
    return words.escaped(" ".join(parts))


@st.cache_resource(max_entries=4, show_spinner=False)
def _fittable(home: str, mark: str) -> tuple[int, str]:
    """The number of judged questions with gold, and a phrase with the number by origin ("" for one origin)."""
    questions = fittable(judged_questions(services.library()))
    return len(questions), by_origin(question.kind for question in questions)


def show_decision(found: Refitted, asked: FitRequest, forget: Callable[[], None]) -> None:
    """Draw the buttons that apply, undo or discard a fit. ``forget``: the callback that discards it."""
    library = services.library()
    busy = bool(background.active_jobs("apply"))
    if busy:  # failures of this job are shown on the Library page
        show_jobs("apply")
    applied = bool(found.gains) and _with_fit(library.settings, found, 1) == library.settings
    stale = ""
    if found.gains and not applied:
        stale = outdated(found, asked, library.settings, rerankers.chosen(), cuts(library))
    if stale:
        st.info(f"{stale} What was fitted before cannot be applied: fit again.", icon=":material/update:")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if applied:
            st.markdown(":material/check: These are the library's settings now; they hold from the next question on.")
            before = _with_fit(library.settings, found, 0)
            _button("Undo", "benchmark.refit.undo", ":material/undo:", before, busy=busy)
        elif found.gains and not stale:
            _button("Apply", "benchmark.refit.apply", ":material/check:", found.onto(library.settings), busy=busy)
        st.button(
            "Discard" if found.gains and not applied else "Close",
            key="benchmark.refit.discard",
            on_click=forget,
        )


def outdated(found: Refitted, asked: FitRequest, settings: Settings, model: str, now: Mapping[str, str]) -> str:
    """Why a fit is not valid for the library any more, as a sentence; "" if it is.

    The answering settings may have changed: they apply after the context is filled, and the fit measures the context.
    """
    if replace(settings, answering=asked.settings.answering) != asked.settings:
        return "The library's settings have been changed since."
    if cut_otherwise(dict(asked.cuts), now):
        return "Documents have been cut otherwise since, or are gone."
    if found.careful is not None and found.careful.verdict == GAIN and model != asked.model:
        return "*Careful* reads with another re-ranker now."
    return ""


def _button(label: str, key: str, icon: str, wanted: Settings, *, busy: bool) -> None:
    """A button that applies settings to the library."""
    st.button(
        label,
        key=key,
        icon=icon,
        type="primary" if label == "Apply" else "secondary",
        disabled=busy,
        on_click=background.start_apply,
        args=[wanted],
    )


def _with_fit(settings: Settings, found: Refitted, side: int) -> Settings:
    """``settings`` with the values of a fit's changes: those before it (``side`` 0) or the fitted ones (1)."""
    return settings.with_values({name: values[side] for name, values in found.gains.items()})
