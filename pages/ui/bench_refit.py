"""Benchmark's "Fit to my judgments": the dials fitted to half of them, tried on the other half, and taken or left."""

from __future__ import annotations

import streamlit as st

from core.errors import LecternError
from core.evaluation.judged import judged_questions
from core.library import Library
from core.refitting import GAIN, LEAST_QUESTIONS, LOSS, Refitted, cuts, fittable, refit
from core.refitting.drawing import gain_figure
from pages.ui import ask_tasks, rerankers, services, state, words
from pages.ui.bench_apply import changes_table
from pages.ui.bench_refit_applying import Asked, show_decision
from pages.ui.bench_tune import show_tune
from pages.ui.bench_views import QUIET, palette
from pages.ui.chunks_tasks import Task
from pages.ui.guard import guarded

TASK = "refit"
_PARTED = {
    "document": "no document has gold in both halves",
    "question": "they share documents, since most of your gold lies in few",
}


def show_refit() -> None:
    """Fitting and teaching, each in a frame: what it is for, the button, and what came of it."""
    with guarded():
        mark = _mark()
        held = _fittable(str(services.home()), mark)
        with st.container(border=True, gap="small"):
            _show_fit(mark, held)
        with st.container(border=True, gap="small"):
            show_tune(held)


def _show_fit(mark: str, held: int) -> None:
    asked: Asked | None = st.session_state.get(state.BENCH_REFIT)
    if asked is not None and asked.mark != mark:  # other judgments: what was fitted says nothing of them
        _forget()
        asked = None
    head = st.container(gap="small")
    over = True
    if asked is not None:
        library = services.library()  # here: the thread knows no window, and could take another library's
        task = ask_tasks.begun(TASK, asked, lambda task: _work(task, library, asked))
        over = ask_tasks.finished(TASK, task, "Fitting to your judgments", _forget)
        if over:
            _outcome(task, asked)
    with head:
        _head(mark, held, label="Fit" if asked is None else "Fit again", ready=over and held >= LEAST_QUESTIONS)


def _head(mark: str, held: int, *, label: str, ready: bool) -> None:
    said, button = st.columns([6, 1], vertical_alignment="center")
    said.markdown("**Fit to my judgments**")
    said.caption(
        "Turns weights and shares of the search, and then the re-ranker's share under *Careful*, until more of your "
        "gold is read. It learns from one half of your judgments and is tried on the other, which it has not seen; "
        "nothing changes unless it gains there and you apply it."
    )
    if held < LEAST_QUESTIONS:
        st.caption(
            f":material/fact_check: You have {words.count(held, 'judged question')} with gold; this takes "
            f"{LEAST_QUESTIONS}: **{LEAST_QUESTIONS - held} more**. Mark the words that answer a question, on Chunks "
            "or on Ask, press **g** and type the question; or import some under *Judgments*."
        )
    button.button(
        label,
        key="benchmark.refit",
        icon=":material/tune:",
        width="stretch",
        disabled=not ready,
        help=f"On {words.count(held, 'judged question')}: some seconds for the search, and as many for Careful, "
        "whose re-ranker reads for some questions; only where its share promises a gain it reads for all.",
        on_click=_ask,
        args=[mark],
    )


def _ask(mark: str) -> None:
    ask_tasks.give_up(TASK)
    library = services.library()
    held = frozenset(cuts(library).items())
    st.session_state[state.BENCH_REFIT] = Asked(mark, library.settings, rerankers.chosen(), held)


def _forget() -> None:
    ask_tasks.give_up(TASK)
    st.session_state[state.BENCH_REFIT] = None


def _work(task: Task[Refitted], library: Library, asked: Asked) -> Refitted:
    def watch(what: str, share: float) -> None:
        task.tell(int(1000 * share), 1000)

    return refit(library, judged_questions(library), asked.settings, watch, asked.model)


def _outcome(task: Task[Refitted], asked: Asked) -> None:
    try:
        found = task.result()
    except LecternError as error:
        st.error(words.escaped(str(error)), icon=":material/error:")
        return
    _say(found.verdict, found.sentence)
    if found.gain is not None:
        dials, picture = st.columns([5, 6], gap="medium")
        dials.table(changes_table(found.changes, ("Dial", "Before", "Fitted")), border="horizontal")
        picture.plotly_chart(
            gain_figure(found.gain, palette()), key="benchmark.refit.gain", config=QUIET, alt=found.sentence
        )
    st.caption(_how(found))
    if found.careful is not None:
        _say(found.careful.verdict, found.careful.sentence)
    show_decision(found, asked, _forget)


def _say(verdict: str, sentence: str) -> None:
    look = {GAIN: (st.success, ":material/trending_up:"), LOSS: (st.warning, ":material/trending_down:")}
    show, icon = look.get(verdict, (st.info, ":material/drag_handle:"))
    show(words.escaped(sentence), icon=icon)


def _how(found: Refitted) -> str:
    parts = [f"Fitted to {found.trained} questions, tried on {found.held_out} others; {_PARTED[found.by]}."]
    if found.gain is not None:
        parts.append(
            f"Mean recall over four rooms for the reader: {found.gain.before:.1f} % before, {found.gain.after:.1f} % "
            f"after. On the questions fitted to it is {found.fitted:+.1f} points, which says nothing of others."
        )
    if found.left_out:
        parts.append(f"{words.count(found.left_out, 'question')} more were not asked: these tell enough.")
    return words.escaped(" ".join(parts))


def _mark() -> str:
    """Differs whenever the judgments, or the places of their gold, do."""
    rows = [(row.id, row.version_id, row.start, row.end, row.lost) for row in services.library().judgments()]
    return f"{hash(tuple(rows))}"


@st.cache_resource(max_entries=4, show_spinner=False)
def _fittable(home: str, mark: str) -> int:
    return len(fittable(judged_questions(services.library())))
