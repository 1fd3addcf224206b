"""The second half of "Fit to my judgments": the re-ranker taught by them, in the background, and taken or left."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.refitting import taught_rerankers
from core.refitting.gains import GAIN
from core.refitting.tuning import KIND, LEAST_JUDGMENTS
from pages.ui.ask.dials.sidebar import CAREFUL, profiles
from pages.ui.settings import rerankers
from pages.ui.shared import background, services, words
from pages.ui.shared.queue import show_jobs


def show_tune(held: int) -> None:
    """What it takes, the button, the work, and what came of it. ``held``: judged questions with gold."""
    busy = background.active_jobs(KIND)
    said, button = st.columns([6, 1], vertical_alignment="center")
    said.markdown("**Teach the re-ranker**")
    said.caption(
        "The model that *Careful* reads the best chunks with learns from half of your judgments, in the background, "
        f"for minutes, and is tried on the other half. {_enough(held)}"
    )
    button.button(
        "Teach",
        key="benchmark.tune",
        icon=":material/school:",
        width="stretch",
        disabled=held < LEAST_JUDGMENTS or bool(busy),
        on_click=_start,
    )
    show_jobs(KIND)
    if not busy:
        _outcome()


def _enough(held: int) -> str:
    if held >= LEAST_JUDGMENTS:
        return f"You have {words.count(held, 'judged question')} with an answer."
    return f"It takes {LEAST_JUDGMENTS} judged questions with an answer: **{LEAST_JUDGMENTS - held} more**."


def _start() -> None:
    library, found = services.library(), background.last_result(KIND)
    if not (found and _used(found)):  # else it could not be undone any more if nothing better comes of this
        _discard()
    careful = profiles(library.settings, rerankers.chosen())[CAREFUL]
    background.start(KIND, {"settings": careful.to_dict()}, "Your judgments")


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
    """Forget what came of it, and what was used before; the weights go too, unless they are in use."""
    library = services.library()
    library.set_preference(taught_rerankers.BEFORE, "")
    taught_rerankers.drop(library, taught_rerankers.results(library))
    for job in library.queue.jobs(-1, kinds=(KIND,)):
        if job.finished:
            library.queue.dismiss(job.id)
