"""The list of past runs (open, continue, remove), the notice of a stopped run, and the exports of a run."""

from __future__ import annotations

import json
from datetime import datetime

import streamlit as st

from core.errors import LecternError
from core.evaluation import history
from core.evaluation.reporting.exports import html_of, ragas_of
from core.evaluation.reporting.report import BenchReport
from pages.ui.benchmark import benches
from pages.ui.benchmark.suites import suite_in
from pages.ui.shared import background, services, state, words
from pages.ui.shared.tables import select_rows
from pages.ui.shared.work import Plan

COLUMNS = {
    "Questions": st.column_config.TextColumn(width=150),
    "Begun": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width=150),
    "Presets": st.column_config.TextColumn(width="large"),
    "Revision": st.column_config.NumberColumn(
        width=80, help="Of the library whose judgments were asked; empty for other questions."
    ),
    "State": st.column_config.TextColumn(width=90),
}


def shown_key(runs: list[benches.Run]) -> str:
    """The key of the choice of a run. It contains the newest run, so that a new run is selected when it comes."""
    return f"{state.RUN_SHOWN}.{runs[0].head.folder}"


def show_stopped(runs: list[benches.Run]) -> None:
    """Draw a notice if the newest run was stopped, or if another process is measuring it."""
    if not runs or runs[0].head.finished or background.active_jobs("bench"):
        return
    run, why = runs[0], hindrance(runs[0])
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            if run.writer:
                st.markdown(f":material/hourglass_top: **Measured by another program**: {words.escaped(run.label)}")
            else:
                st.markdown(f":material/pause_circle: **Stopped before its end**: {words.escaped(run.label)}")
                with st.container(horizontal=True, width="content"):
                    _go_on(run, why, "stopped")
                    st.button("Remove", key="benchmark.stopped.remove", on_click=benches.remove, args=[run])
        if why:
            st.caption(words.escaped(why))


def show_history(runs: list[benches.Run]) -> None:
    """Draw the list of all runs, and the actions for the chosen one."""
    if not runs:
        return
    with st.expander(f"History · {words.count(len(runs), 'run')}", icon=":material/history:"):
        rows: dict[str, list[object]] = {
            "Questions": [run.name for run in runs],
            "Begun": [datetime.fromisoformat(run.head.made_at).astimezone() for run in runs],
            "Presets": [", ".join(run.head.presets) for run in runs],
            "Revision": [run.head.revision for run in runs],
            "State": [run.standing for run in runs],
        }
        if not any(run.head.revision for run in runs):
            del rows["Revision"]
        names, height = [run.head.folder for run in runs], None if len(runs) < 9 else 320
        alt = "Runs, the newest first"
        chosen = select_rows(runs, names, rows, "benchmark.history", alt, COLUMNS, several=False, height=height)
        with st.container(horizontal=True, vertical_alignment="center"):
            if not chosen:
                st.caption("Choose a run to open it, to go on with it, or to remove it.")
                return
            _acts(chosen[0], runs)


def _acts(run: benches.Run, runs: list[benches.Run]) -> None:
    finished = [item for item in runs if item.head.finished]
    if run.head.finished:
        st.button("Open", icon=":material/open_in_full:", on_click=_open, args=[run, finished], key="benchmark.open")
    else:
        why = hindrance(run)
        _go_on(run, why, "history")
        if why:
            st.caption(words.escaped(why))
    st.button(
        "Remove",
        icon=":material/delete:",
        key="benchmark.remove",
        on_click=benches.remove,
        args=[run],
        disabled=not services.library().writable or bool(run.writer or background.active_jobs("bench")),
        help="Forgets its figures. What was encoded stays, so measuring again is quick.",
    )


def hindrance(run: benches.Run) -> str:
    """Why an unfinished run cannot be continued and what to do instead, as sentences; "" if it can."""
    if run.writer:
        return f"It is being measured by {run.writer}. Its figures are here when that is done: load the page again."
    if run.job is None:
        return "Its order is no longer known: choose the same and Run, or remove it."
    try:
        plan = Plan.from_payload(run.job.payload)
        suite = suite_in(plan.folder)
    except LecternError as error:
        return str(error)
    ordered = plan.of(suite).run_plan
    if ordered.fingerprint != run.head.fingerprint:
        return "Its questions or documents have changed since, so it cannot be finished: run it anew, or remove it."
    stopped = history.Recording.stopped(benches.workspace(), ordered)
    if stopped is None or stopped.head.folder != run.head.folder:
        return "Another version of Lectern began it, and figures of two versions do not mix: run it anew, or remove it."
    return ""


def _go_on(run: benches.Run, why: str, where: str) -> None:
    st.button(
        "Continue",
        icon=":material/play_arrow:",
        key=f"benchmark.{where}.continue",
        on_click=benches.go_on,
        args=[run],
        disabled=bool(why or background.active_jobs("bench")),
        help=why or "It goes on where it stopped.",
    )


def _open(run: benches.Run, finished: list[benches.Run]) -> None:
    st.session_state[shown_key(finished)] = run.head.folder


def show_exports(report: BenchReport, folder: str, baseline: str) -> None:
    """Draw the menu of exports. Each file is made at the click, in a thread without access to the session."""
    workspace, name = benches.workspace(), f"{report.suite}-{report.made_at[:10]}"
    files = {
        "Report (HTML, one file)": (lambda: html_of(report, workspace, folder, baseline), "html", "text/html"),
        "Everything (JSON)": (lambda: json.dumps(report.to_dict(scores=True)), "json", "application/json"),
        f"What {report.presets[0].preset} read, for Ragas (JSONL)": (
            lambda: ragas_of(report, workspace, folder),
            "ragas.jsonl",
            "application/jsonl",
        ),
    }
    with st.popover("Export", icon=":material/download:"):
        for label, (make, ending, mime) in files.items():
            st.download_button(
                label,
                make,
                f"{name}.{ending}",
                mime,
                key=f"benchmark.export.{ending}",
                on_click="ignore",
                width="stretch",
            )
