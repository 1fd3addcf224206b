"""Benchmark's "Teach the re-ranker": fine-tunes it on judgments in the background; the result is used or discarded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.evaluation.planning import EarlierBenches
from core.refitting import taught_rerankers
from core.refitting.costs import tune_seconds
from core.refitting.gains import GAIN
from core.refitting.taught_rerankers import KIND
from core.refitting.tuning import LEAST_JUDGMENTS
from core.settings import Settings
from pages.ui.ask.dials.sidebar import CAREFUL, profiles
from pages.ui.benchmark import benches
from pages.ui.settings import rerankers
from pages.ui.shared import background, services, words
from pages.ui.shared.queue import show_jobs


def show_tune(questions: int) -> None:
    """Draw the button, the running job, and the last result. ``questions``: the number of judged ones with gold."""
    busy = background.active_jobs(KIND)
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.markdown("**Teach the re-ranker**")
    text.caption(
        "The model that *Careful* reads the best chunks with learns from half of your judgments, in the background, "
        f"and is tried on the other half. {_enough(questions)}"
    )
    button.button(
        "Teach",
        key="benchmark.tune",
        icon=":material/school:",
        width="stretch",
        disabled=questions < LEAST_JUDGMENTS or bool(busy),
        on_click=_start,
    )
    show_jobs(KIND)
    if not busy:
        _outcome()


def _enough(questions: int) -> str:
    if questions >= LEAST_JUDGMENTS:
        careful, speeds = _careful(), EarlierBenches.of(benches.workspace() / "any")
        takes = words.about(tune_seconds(questions, careful, speeds))
        return f"By your {words.count(questions, 'judged question')} with an answer it takes {takes}."
    return f"It takes {LEAST_JUDGMENTS} judged questions with an answer: **{LEAST_JUDGMENTS - questions} more**."


def _start() -> None:
    found = background.last_result(KIND)
    if not (found and _used(found)):  # a model in use is kept, so that its use can still be undone
        _discard()
    background.start(KIND, {"settings": _careful().to_dict()}, "Your judgments")


def _careful() -> Settings:
    return profiles(services.library().settings, rerankers.chosen())[CAREFUL]


def _outcome() -> None:
    found = background.last_result(KIND)
    if found is None:
        return
    gained = found["verdict"] == GAIN
    show = st.success if gained else st.info
    show(words.escaped(found["sentence"]), icon=":material/trending_up:" if gained else ":material/drag_handle:")
    st.caption(
        f"Taught by {found['trained']} questions. Mean recall over four rooms for the reader: {found['before']:.1f} % "
        f"before, {found['after']:.1f} % after."
    )
    used = _used(found)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if used:
            st.markdown(":material/check: *Careful* reads with it from the next question on.")
            undo = partial(taught_rerankers.give_back, services.library())
            st.button("Undo", key="benchmark.tune.undo", icon=":material/undo:", on_click=undo)
        elif gained:
            use = partial(taught_rerankers.take, services.library(), _model(found))
            st.button("Use under Careful", key="benchmark.tune.use", type="primary", on_click=use)
        st.button("Close" if used or not gained else "Discard", key="benchmark.tune.discard", on_click=_discard)


def _model(found: Mapping[str, Any]) -> str:
    return taught_rerankers.model_of(services.library().home, found["folder"])


def _used(found: Mapping[str, Any]) -> bool:
    return bool(found["folder"]) and rerankers.chosen() == _model(found)


def _discard() -> None:
    """Forget the result, and the model used before it; delete the taught weights, unless they are in use."""
    library = services.library()
    library.set_preference(taught_rerankers.BEFORE, "")
    taught_rerankers.drop(library, taught_rerankers.results(library))
    for job in library.queue.jobs(-1, kinds=(KIND,)):
        if job.finished:
            library.queue.dismiss(job.id)
