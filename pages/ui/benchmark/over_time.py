"""Benchmark's "Over time": trends of the last half year, from the log of questions and from past runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

import streamlit as st

from core.evaluation.reporting.over_time import (
    DAYS,
    Week,
    alerts,
    read,
    regressions,
    standing,
    to_look_at,
    weeks,
)
from core.storage.catalogue.question_log import LoggedQuestion
from pages.ui.benchmark import benches
from pages.ui.shared import address, services, state, words
from pages.ui.shared.guard import attempt_or_toast, guarded
from pages.ui.shared.plots import CONFIG, lay_out, palette

if TYPE_CHECKING:
    import plotly.graph_objects

BACK = timedelta(weeks=26)  # the period that is shown
LISTED = 12  # rows of each list
LEAST_WEEKS = 8  # there is room for, so that the bars of the first weeks are no blocks
STANDINGS = {
    "answered": "answered",
    "doubtful": "doubtful answer",
    "unanswered": "no answer found",
    "written": "written by the model",
}
_LOG = "benchmark.log"
PATTERNS = ("", "/", "x", ".")


def show_over_time(runs: Sequence[benches.Run]) -> None:
    """Draw alerts, questions by week, and lists of questions and documents. Computed only when it is unfolded."""
    st.fragment(_folded)(runs)


def _folded(runs: Sequence[benches.Run]) -> None:
    title = "Over time: what your questions tell"
    folded = st.expander(title, icon=":material/timeline:", key=state.OVER_TIME, on_change="rerun")
    if folded.open:
        with folded, guarded():
            _show(runs)


def _show(runs: Sequence[benches.Run]) -> None:
    library = services.library()
    log = library.log.since((datetime.now(UTC) - BACK).isoformat("T", "seconds"))
    _switch(bool(log))
    if not log:
        st.caption("Nothing is noted yet. Questions that you ask on Ask are counted here, week by week.")
    collections: dict[str, set[str]] = {}
    for source in services.sources():
        for name in source.collections:
            collections.setdefault(name, set()).add(source.version_id)
    today = datetime.now().astimezone().date()
    lines = [words.escaped(line) for line in alerts(log, today, collections)] + _regressions(runs)
    for line in lines:
        st.markdown(f":material/trending_down: {line}")
    if not log:
        return
    if not lines:
        st.caption(f"Nothing is seen to be worse than it was, in the last {DAYS} days against as many before.")
    st.plotly_chart(
        figure(weeks(log)), key="benchmark.weeks", config=CONFIG, alt="Questions a week, by what came of them"
    )
    times = [asked.milliseconds for asked in log]
    st.caption(f"{words.count(len(log), 'question')} in half a year; {median(times):,.0f} ms each at the median.")
    left, right = st.columns(2)
    with left:
        _poor(log)
    with right:
        _documents(log)


def _switch(any_noted: bool) -> None:
    """The switch of the log, and the button that clears it."""
    log = services.library().log
    if not services.library().writable:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.session_state[_LOG] = log.on  # another window may have changed it
        st.toggle(
            "Keep a log of questions",
            key=_LOG,
            on_change=_turn,
            help="Question, time taken, how sure the answer was, and what was read, in the library's own folder. "
            "Nothing of it leaves this machine.",
        )
        if any_noted and st.button("Forget them", key="benchmark.log.forget", icon=":material/delete:"):
            attempt_or_toast(log.forget)
            st.session_state[state.PAST] = []
            st.rerun(scope="fragment")


def _turn() -> None:
    attempt_or_toast(lambda: services.library().log.switch(st.session_state[_LOG]))


def _regressions(runs: Sequence[benches.Run]) -> list[str]:
    """A sentence on each judged question that lost recall between the last two runs on the library's judgments."""
    own = [run.head.folder for run in runs if run.head.finished and run.head.revision is not None][:2]
    if len(own) < 2:
        return []
    return [
        words.escaped(
            f"“{item.question}” gets {item.after:.0%} of its answer, {item.before:.0%} before {item.document} changed."
        )
        for item in regressions(benches.report(own[1]), benches.report(own[0]))
    ][:LISTED]


def _poor(log: Sequence[LoggedQuestion]) -> None:
    """The list of questions without an answer, or with a doubtful one."""
    st.markdown("**Worth another look**")
    found = to_look_at(log, LISTED)
    if not found:
        st.caption("No question is without an answer, and none has a doubtful one.")
    for number, asked in enumerate(found):
        label = f"{words.escaped(words.shortened(asked.question, 80))} · {STANDINGS[standing(asked)]}"
        if st.button(label, key=f"benchmark.again.{number}", type="tertiary", icon=":material/arrow_forward:"):
            address.go("pages/ask.py", {"question": asked.question})


def _documents(log: Sequence[LoggedQuestion]) -> None:
    """The list of documents read most, and of those never read."""
    counts = read(log)
    sources = {source.version_id: source for source in services.sources()}
    most = [(version, count) for version, count in counts.most_common() if version in sources][:LISTED]
    never = [words.place_name(source.name) for version, source in sources.items() if version not in counts]
    st.markdown("**Read most, as they stand now**")
    st.dataframe(
        {
            "Document": [words.place_name(sources[version].name) for version, _ in most],
            "Questions": [count for _, count in most],
        },
        hide_index=True,
        alt="Documents by how many questions they were read for",
    )
    if never:
        with st.popover(f"{words.count(len(never), 'document')} never read", icon=":material/visibility_off:"):
            st.dataframe({"Document": never}, hide_index=True, alt="Documents that no question read")


def figure(counted: Sequence[Week]) -> plotly.graph_objects.Figure:
    """A stacked bar for each week, by outcome (colour and pattern)."""
    import plotly.graph_objects as plot

    outcomes = [field.name for field in fields(Week) if field.name in STANDINGS]
    bars = plot.Figure(
        [
            plot.Bar(
                x=[f"{week.monday:%d %b}" for week in counted],  # a date axis would show parts of a second of one week
                y=[getattr(week, name) for week in counted],
                name=STANDINGS[name],
                marker={"color": palette().colours[(0, 4, 1, 2)[at]], "pattern": {"shape": PATTERNS[at]}},
                hovertemplate=f"week of %{{x}}: %{{y}} {STANDINGS[name]}<extra></extra>",
            )
            for at, name in enumerate(outcomes)
            if any(getattr(week, name) for week in counted)
        ]
    )
    most = max(sum(getattr(week, name) for name in outcomes) for week in counted)
    up = {"title": "Questions", "gridcolor": palette().grid, "tickformat": ",d", "nticks": 5}
    up |= {"range": [0, 1.08 * max(4, most)]}
    across = {"title": "Week from", "type": "category", "range": [-0.5, max(len(counted), LEAST_WEEKS) - 0.5]}
    legend = {"orientation": "h", "y": 1.15}
    return lay_out(bars, barmode="stack", height=240, xaxis=across, yaxis=up, legend=legend, showlegend=True)
