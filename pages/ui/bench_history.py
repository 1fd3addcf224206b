"""Runs of the past: open one, go on with one that was stopped, remove one; and what a run can be taken away as."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import streamlit as st

from core.evaluation import history
from core.evaluation.exports import html_report, presets_csv, questions_csv, report_json
from core.evaluation.records import Measured
from core.evaluation.report import BenchReport
from core.library import Library
from pages.ui import background, benches, services, state, words

COLUMNS = {
    "Suite": st.column_config.TextColumn(width=150),
    "Begun": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width=150),
    "Presets": st.column_config.TextColumn(width="large"),
    "Revision": st.column_config.NumberColumn(
        width=80, help="Of the library whose judgments were asked; empty for another suite."
    ),
    "State": st.column_config.TextColumn(width=90),
}


def shown_key(runs: list[benches.Run]) -> str:
    """Of the choice of a run: with the newest in its name, so that a new run is shown when it comes."""
    return f"{state.RUN_SHOWN}.{runs[0].head.folder}"


def show_stopped(runs: list[benches.Run]) -> None:
    """The newest run, where it was stopped and nothing runs now."""
    if not runs or runs[0].head.finished or background.active_jobs("bench"):
        return
    run = runs[0]
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f":material/pause_circle: **Stopped before its end**: {words.escaped(run.label)}")
        with st.container(horizontal=True, width="content"):
            _go_on(run, "stopped")
            st.button("Remove", key="benchmark.stopped.remove", on_click=benches.remove, args=[run])


def show_history(runs: list[benches.Run]) -> None:
    """All runs, and what can be done with one."""
    if not runs:
        return
    with st.expander(f"History · {words.count(len(runs), 'run')}", icon=":material/history:"):
        rows = {
            "Suite": [run.name for run in runs],
            "Begun": [datetime.fromisoformat(run.head.made_at).astimezone() for run in runs],
            "Presets": [", ".join(run.head.presets) for run in runs],
            "Revision": [run.head.revision for run in runs],
            "State": ["finished" if run.head.finished else "stopped" for run in runs],
        }
        if not any(run.head.revision for run in runs):
            del rows["Revision"]
        event = st.dataframe(
            rows,
            key=f"benchmark.history.{hash(tuple(run.head.folder for run in runs))}",
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            column_config=COLUMNS,
            height="auto" if len(runs) < 9 else 320,
            alt="Runs, the newest first",
        )
        chosen = [runs[row] for row in event.selection.rows if row < len(runs)]
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
        _go_on(run, "history")
    st.button(
        "Remove",
        icon=":material/delete:",
        key="benchmark.remove",
        on_click=benches.remove,
        args=[run],
        disabled=not services.library().writable or bool(background.active_jobs("bench")),
        help="Forgets its figures. What was encoded stays, so measuring again is quick.",
    )


def _go_on(run: benches.Run, where: str) -> None:
    st.button(
        "Continue",
        icon=":material/play_arrow:",
        key=f"benchmark.{where}.continue",
        on_click=benches.go_on,
        args=[run],
        disabled=run.job is None or bool(background.active_jobs("bench")),
        help="It goes on where it stopped." if run.job else "Its order is no longer known: choose the same and Run.",
    )


def _open(run: benches.Run, finished: list[benches.Run]) -> None:
    st.session_state[shown_key(finished)] = run.head.folder


def show_exports(report: BenchReport, folder: str, baseline: str) -> None:
    """Four files. Each is made when it is asked for, by a thread that must not ask the session for anything."""
    place, name = benches.workspace(), f"{report.suite}-{report.made_at[:10]}"

    def measured() -> Mapping[str, Mapping[str, Measured]]:
        return {item.preset: history.load_measured(place, folder, item.preset) for item in report.presets}

    def page() -> str:
        with Library.open(place / Path(report.library), write=False) as library:
            return html_report(report, baseline, measured(), lambda version: library.document(version).text)

    files = {
        "Report (HTML, one file)": (page, "html", "text/html"),
        "Presets (CSV)": (lambda: presets_csv(report), "csv", "text/csv"),
        "Every question (CSV)": (lambda: questions_csv(report, measured()), "questions.csv", "text/csv"),
        "Everything (JSON)": (lambda: report_json(report), "json", "application/json"),
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
