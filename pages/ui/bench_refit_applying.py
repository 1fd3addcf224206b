"""What came of "Fit to my judgments" taken, left or undone, and why it can no longer be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import streamlit as st

from core.refitting import GAIN, Refitted, cut_otherwise, cuts
from core.settings import Settings
from pages.ui import background, rerankers, services
from pages.ui.queue import show_recut


@dataclass(frozen=True, slots=True)
class Asked:
    """A fit that was asked for: of these judgments, ``mark``, beginning from these settings.

    ``model``: what Careful reads with. ``cuts``: how each document was cut, as ``core.refitting.cuts`` says.
    """

    mark: str
    settings: Settings
    model: str
    cuts: frozenset[tuple[str, str]]


def show_decision(found: Refitted, asked: Asked, forget: Callable[[], None]) -> None:
    """Apply it, or leave it, which is to ``forget``; undo it where it is applied."""
    library = services.library()
    show_recut()
    busy = bool(background.active_jobs("apply"))
    applied = bool(found.gains) and _turned(library.settings, found, 1) == library.settings
    stale = ""
    if found.gains and not applied:
        stale = outdated(found, asked, library.settings, rerankers.chosen(), cuts(library))
    if stale:
        st.info(f"{stale} What was fitted before cannot be applied: fit again.", icon=":material/update:")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if applied:
            st.markdown(":material/check: These are the library's settings now; they hold from the next question on.")
            before = _turned(library.settings, found, 0)
            _button("Undo", "benchmark.refit.undo", ":material/undo:", before, busy=busy)
        elif found.gains and not stale:
            _button("Apply", "benchmark.refit.apply", ":material/check:", found.onto(library.settings), busy=busy)
        st.button(
            "Discard" if found.gains and not applied else "Close",
            key="benchmark.refit.discard",
            on_click=forget,
        )


def outdated(found: Refitted, asked: Asked, settings: Settings, model: str, now: Mapping[str, str]) -> str:
    """Why what a fit gained says nothing of the library any more, as a sentence; "" while it does.

    What is done with a context once it is filled took no part in the fit, and may be turned.
    """
    if replace(settings, answering=asked.settings.answering) != asked.settings:
        return "The library's settings have been changed since."
    if cut_otherwise(dict(asked.cuts), now):
        return "Documents have been cut otherwise since, or are gone."
    if found.careful is not None and found.careful.verdict == GAIN and model != asked.model:
        return "*Careful* reads with another re-ranker now."
    return ""


def _button(label: str, key: str, icon: str, wanted: Settings, *, busy: bool) -> None:
    """Makes settings the library's, as the winner of a benchmark is applied."""
    st.button(
        label,
        key=key,
        icon=icon,
        type="primary" if label == "Apply" else "secondary",
        disabled=busy,
        on_click=background.start_apply,
        args=[wanted],
    )


def _turned(settings: Settings, found: Refitted, side: int) -> Settings:
    """Settings with the dials that may be applied as they stood before, 0, or as they were fitted, 1."""
    return settings.with_values({name: values[side] for name, values in found.gains.items()})
