"""Work in progress: what the worker does now, what waits, what failed. Redrawn every second while something runs."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import streamlit as st

from pages.ui.shared import background, services, words
from pages.ui.shared.background import STOPPING, Work
from pages.ui.shared.batches import Batch
from pages.ui.shared.batches import batches as batches_of
from pages.ui.shared.guard import guarded

SHOWN = 6
REDRAWN_SECONDS = 5.0  # the whole page while documents come in: each time it reads all of them anew


def show_queue(drawn_at: int) -> None:
    """The Library page's queue of files. ``drawn_at``: the library's revision before the page read what it shows."""
    busy = bool(background.active_jobs())
    st.fragment(_queue, run_every=1.0 if busy else None)(drawn_at, busy, monotonic())


def _queue(drawn_at: int, was_busy: bool, drawn: float) -> None:
    with guarded():
        batches = batches_of(services.library().queue)
        told = {batch.job for batch in batches}
        active = [work for work in background.active_jobs("ingest", "apply") if work.job not in told]
        busy = bool(background.active_jobs())
        changed = services.library().revision() != drawn_at
        # A retry makes an idle queue busy: only the whole page can set the fragment ticking, or end it.
        if was_busy != busy or (changed and (not busy or monotonic() - drawn > REDRAWN_SECONDS)):
            st.rerun()
        for batch in batches:
            _batch(batch)
        for work in active[:SHOWN]:
            _row(work)
        if len(active) > SHOWN:
            more, button = st.columns([6, 1], vertical_alignment="center")
            more.caption(f"and {len(active) - SHOWN:,} more")
            button.button("Cancel all", on_click=background.cancel_all, key="library.cancel_all", width="stretch")
        _failures()


def _batch(batch: Batch) -> None:
    """The batch's own bar, and below it that of the file that is being read."""
    name, bar, button = st.columns([3, 5, 1], vertical_alignment="center")
    name.markdown(f"**{words.escaped(batch.name)}**")
    bar.progress(batch.share, text=words.escaped(batch.words))
    button.button(
        "Cancel",
        key=f"library.cancel.{batch.job}",
        on_click=background.cancel,
        args=[Work(batch.job, None, batch.name, batch.state)],
        width="stretch",
        disabled=batch.state == STOPPING,
        help="What is done stays, and so does what is found by its words.",
    )
    if batch.state == "running" and batch.read is not None:
        _row(batch.read)


def _row(work: Work) -> None:
    name, bar, button = st.columns([3, 5, 1], vertical_alignment="center")
    name.markdown(f"**{words.escaped(work.name)}**")
    bar.progress(work.share, text=work.words)
    button.button(
        "Cancel",
        key=f"library.cancel.{work.key}",
        on_click=background.cancel,
        args=[work],
        width="stretch",
        disabled=work.state == STOPPING,
    )


def _failures() -> None:
    failed = background.failures("ingest", "apply")
    if not failed:
        return
    with st.container(border=True, gap="xsmall"):
        for work in failed[:20]:
            if work.problem == "password":
                _locked(work)
                continue
            text, retry = st.columns([8, 1], vertical_alignment="center")
            text.markdown(_reason(work))
            retry.button(
                "Retry", key=f"library.retry.{work.key}", on_click=background.retry, args=[work], width="stretch"
            )
        if len(failed) > 20:
            st.caption(f"and {len(failed) - 20:,} more")
        said = "Dismiss" if len(failed) == 1 else f"Dismiss all {len(failed):,} failures"
        st.button(
            said,
            key="library.dismiss",
            on_click=_dismiss,
            args=[{work.job for work in failed}],
            icon=":material/close:",
        )


def _locked(work: Work) -> None:
    """An encrypted file, with the field for its password beside it."""
    with st.form(f"library.password.{work.key}", border=False, clear_on_submit=True):
        text, field, unlock = st.columns([5, 3, 1], vertical_alignment="center")
        text.markdown(_reason(work).replace(":red[:material/error:", ":orange[:material/lock:"))
        password = field.text_input(
            f"Password of {work.name}",
            type="password",
            placeholder="Its password; kept in memory only",
            label_visibility="collapsed",
            autocomplete="off",
        )
        if unlock.form_submit_button("Unlock", width="stretch") and password:
            background.unlock(work, password)
            st.rerun()


def _dismiss(jobs: set[int]) -> None:
    for job in jobs:
        background.dismiss(job)


def _reason(work: Work) -> str:
    said = work.reason.removeprefix(f"{work.name} ")  # most sentences begin with the file's name: once is enough
    return f":red[:material/error: **{words.escaped(work.name)}**] &nbsp;{words.escaped(said)}"


def show_jobs(*kinds: str) -> None:
    """Work of these kinds in progress, and what of it failed; the page runs again when the work is over."""
    busy = bool(background.active_jobs(*kinds))
    st.fragment(_jobs, run_every=1.0 if busy else None)(kinds, busy)


def _jobs(kinds: Sequence[str], was_busy: bool) -> None:
    with guarded():
        active = background.active_jobs(*kinds)
        if was_busy and not active:
            st.rerun()
        for work in active:
            _row(work)
        for work in background.failures(*kinds):
            with st.container(border=True):
                text, dismiss = st.columns([8, 1.1], vertical_alignment="center")
                text.markdown(_reason(work))
                dismiss.button(
                    "Dismiss",
                    key=f"dismiss.{work.key}",
                    on_click=background.dismiss,
                    args=[work.job],
                    width="stretch",
                )
