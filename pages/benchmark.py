"""Benchmark: presets measured on gold spans, with intervals, in the background."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.evaluation.report import BenchReport
from core.settings import PRESETS
from pages.ui import background, benches, samples, services, state, words
from pages.ui.entry import enter
from pages.ui.figures import METRIC_COLUMNS, recall_figure, results_table, unanswerable_table
from pages.ui.guard import guarded
from pages.ui.queue import show_bench_job

SAMPLES, FOLDER = "The samples", "A suite folder"
USUAL = ["default", "flat", "meaning-only", "words-only"]


def main() -> None:
    """Choose, run, read."""
    st.title("Benchmark")
    st.caption(
        "Every figure is measured on gold spans: the exact places that answer a question. A suite is a folder with "
        "documents and a questions.jsonl; nothing in your library is touched."
    )
    if services.library().writable:
        choices()
        show_bench_job()
    runs = benches.finished()
    if runs:
        results(runs)
    elif not background.active_jobs("bench"):
        st.info("No run yet. The samples with four presets take about half a minute.", icon=":material/bar_chart:")


def choices() -> None:
    """The suite, the presets, and the button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        suite = st.segmented_control("Suite", [SAMPLES, FOLDER], key=state.SUITE, default=SAMPLES, required=True)
        if suite == FOLDER:
            st.text_input(
                "Folder on this machine",
                key=state.SUITE_FOLDER,
                placeholder="/path/to/suite",
                persist_state="session",
                width=320,
            )
        chosen = st.multiselect(
            "Presets", list(PRESETS), default=USUAL, key=state.PRESETS_CHOSEN, persist_state="session"
        )
        busy = bool(background.active_jobs("bench"))
        pressed = st.button("Run", type="primary", icon=":material/play_arrow:", disabled=busy or not chosen)
    if not pressed:
        return
    named = st.session_state.get(state.SUITE_FOLDER, "").strip()
    if suite == FOLDER and not named:
        st.warning("Name the suite's folder first.", icon=":material/folder_open:")
        return
    folder = samples.FOLDER if suite == SAMPLES else Path(named).expanduser()
    with guarded():  # a suite that cannot be read must not hide the runs below
        with st.spinner("Reading the suite …"):
            benches.start(folder, "Samples" if suite == SAMPLES else folder.name, chosen)
        st.rerun()


def results(runs: list[benches.BenchRun]) -> None:
    """The newest run, or the one chosen from the history."""
    labels = {run.job: run.label for run in runs}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = f"{state.RUN_SHOWN}.{runs[0].job}"
        job = st.selectbox("Run", list(labels), format_func=lambda key: labels[key], key=shown, width=440)
        report = next(run.report for run in runs if run.job == (job or runs[0].job))
        names = [item.preset for item in report.presets]
        state.keep_known(state.BASELINE, names)
        baseline = st.selectbox("Compared with", names, key=state.BASELINE, width=220) or names[0]
    for source, reason in report.failures:
        st.warning(
            f"{words.escaped(source)}: {words.escaped(reason)} Its gold counts as missed.", icon=":material/error:"
        )
    for note in report.notes:
        st.caption(words.escaped(note))
    show_table(report, baseline)
    st.subheader("Recall by budget")
    st.plotly_chart(
        recall_figure(report),
        key="benchmark.recall",
        config={"displaylogo": False, "displayModeBar": False},
        alt="Recall by budget",
    )
    missing = unanswerable_table(report)
    if missing:
        st.subheader("Questions the documents do not answer")
        st.caption(
            "Scored apart: the mean of the best score either kind of question reached. The further apart, the better."
        )
        st.dataframe(missing, hide_index=True, width="content")


def show_table(report: BenchReport, baseline: str) -> None:
    """Every preset's figures, and what they mean."""
    st.dataframe(results_table(report, baseline), hide_index=True, column_config=METRIC_COLUMNS)
    questions = report.presets[0].unanswerable["answerable"]
    st.caption(
        f"Percent, mean ± half the 95 % interval over {words.count(questions, 'question')} (paired bootstrap). "
        f"▲ better than {baseline}, ▼ worse, no mark: no difference seen. @ is the room in characters; time is the "
        "median of one question, its encoding apart."
    )


enter()
main()
