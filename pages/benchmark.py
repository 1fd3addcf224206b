"""Benchmark: presets measured on gold spans, with intervals, in the background."""

from __future__ import annotations

import streamlit as st

from pages.ui.benchmark import benches
from pages.ui.benchmark.choices import show_choices
from pages.ui.benchmark.history import show_history, show_stopped
from pages.ui.benchmark.making import show_making
from pages.ui.benchmark.needles import show_needles
from pages.ui.benchmark.over_time import show_over_time
from pages.ui.benchmark.refit import show_refit
from pages.ui.benchmark.results import arrive, show_results
from pages.ui.library import judging_list
from pages.ui.shared import address, background, services
from pages.ui.shared.empty_states import show_lessons
from pages.ui.shared.entry import enter
from pages.ui.shared.queue import show_jobs

LESSONS = (
    (
        "format_underlined",
        "Gold, not opinion",
        "What is counted is the exact places that answer a question: did the reader get them, and how much besides?",
    ),
    (
        "compare_arrows",
        "Against a baseline",
        "Every figure has an interval, and a mark says better, worse, or that no difference is seen.",
    ),
    (
        "troubleshoot",
        "Down to one question",
        "Where gold was lost, stage by stage, and what two presets read, drawn on the document.",
    ),
)


def main() -> None:
    """Choose, run, read."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.title("Benchmark", width="content")
        listed = st.button("Judgments", key="benchmark.judgments", type="tertiary", icon=":material/verified:")
    if listed:
        judging_list.show_list()
    st.caption("Which way of cutting and searching finds more, measured on questions whose answers are known by place.")
    runs = benches.runs()
    arrive(runs)
    if services.library().writable:
        show_choices()
        show_jobs("bench")
        show_stopped(runs)
    if any(run.head.finished for run in runs):
        show_results(runs)
    else:
        address.say({})
        if not background.active_jobs("bench"):
            nothing_yet()
    if services.library().writable:
        show_making()
        show_refit()
        show_needles()
    show_over_time(runs)
    show_history(runs)


def nothing_yet() -> None:
    """What will stand here, and how to come by it."""
    st.info(
        "No run yet. Choose what to compare and press Run; what it takes stands beside the button.",
        icon=":material/bar_chart:",
    )
    show_lessons(LESSONS)


enter("benchmark")
main()
