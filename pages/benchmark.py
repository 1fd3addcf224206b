"""The Benchmark page: presets measured on gold spans, with confidence intervals, in the background."""

from __future__ import annotations

import streamlit as st

from pages.ui.benchmark import benches, place
from pages.ui.benchmark.choices import show_choices
from pages.ui.benchmark.history import show_history, show_stopped
from pages.ui.benchmark.making import show_making, under_way
from pages.ui.benchmark.needles import show_needles
from pages.ui.benchmark.over_time import show_over_time
from pages.ui.benchmark.refit import show_refit
from pages.ui.benchmark.results import show_results
from pages.ui.library import judging_list
from pages.ui.shared import services
from pages.ui.shared.entry import enter
from pages.ui.shared.queue import show_jobs


def main() -> None:
    """Draw the choices, the running jobs, the results, and what can be done with judgments and old runs."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.title("Benchmark", width="content")
        listed = st.button("Judgments", key="benchmark.judgments", type="tertiary", icon=":material/verified:")
    if listed:
        judging_list.show_list()
    st.caption("Which way of cutting and searching finds more, measured on questions whose answers are known by place.")
    runs = benches.runs()
    place.arrive(runs)
    writable, finished = services.library().writable, any(run.head.finished for run in runs)
    making_first = writable and (under_way() or not finished)  # before a first run, questions are needed most
    if writable:
        show_choices()
        show_jobs("bench")
        show_stopped(runs)
    if making_first:
        show_making()
    if finished:
        show_results(runs)
    else:
        place.say("results", {})
    if writable:
        if not making_first:
            show_making()
        show_refit()
        show_needles()
    show_over_time(runs)
    show_history(runs)


enter("benchmark")
main()
