"""Why questions were missed: a bar a class, the questions of the one that was clicked, and what would have had them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from core.evaluation.failures.classes import CLASSES, counted
from core.evaluation.failures.remedies import REMEDIES, Remedies
from core.evaluation.reporting.report import BenchReport
from core.plain_values import from_values
from pages.ui.benchmark import benches
from pages.ui.benchmark.questions import show_questions
from pages.ui.shared import background, services, words
from pages.ui.shared.plots import CONFIG, lay_out, palette
from pages.ui.shared.queue import show_jobs
from pages.ui.shared.work import REMEDIES as JOB

if TYPE_CHECKING:
    import plotly.graph_objects


def show_failures(report: BenchReport, folder: str, preset: str, other: str) -> None:
    """The classes of one preset's failures, what would have mended them, and the questions."""
    outcomes = benches.measured(folder, preset)
    counts = counted(outcomes.values())
    names = [name for name in CLASSES if counts[name]]
    event = st.plotly_chart(
        classes_figure(counts),
        key=f"benchmark.failures.{folder}.{preset}",
        on_select="rerun",
        selection_mode="points",
        config=CONFIG,
        alt=f"How many questions {preset} missed, by cause",
    )
    picked = [point.get("customdata") for point in event.selection.get("points", [])]
    chosen = [str(name[0] if isinstance(name, list | tuple) else name) for name in picked if name]
    chosen = [name for name in chosen if name in names] or names
    st.caption(
        "A question is missed where less than half of its gold is read in 4,000 characters, or where the documents do "
        "not answer it and an answer is quoted. Click a bar to see its questions; choose one to see its place."
    )
    _show_remedies(report, folder, preset)
    show_questions(report, folder, preset, other, {item.id for item in outcomes.values() if item.failure in chosen})


def classes_figure(counts: Mapping[str, int]) -> plotly.graph_objects.Figure:
    """A bar a class, all four; ``customdata``: its letter."""
    import plotly.graph_objects as plot

    names = list(CLASSES)
    figure = plot.Figure(
        plot.Bar(
            x=[counts[name] for name in names],
            y=[f"{name}: {CLASSES[name]}" for name in names],
            text=[f"{counts[name]:,}" for name in names],
            customdata=[[name] for name in names],
            orientation="h",
            marker={"color": palette().colours[0]},
            hovertemplate="%{y}: %{x}<extra></extra>",
        )
    )
    across = {"title": "Questions", "gridcolor": palette().grid}
    return lay_out(figure, height=220, xaxis=across, yaxis={"autorange": "reversed", "automargin": True})


def _show_remedies(report: BenchReport, folder: str, preset: str) -> None:
    library = services.library()
    of = {"run": folder, "preset": preset}
    if found := background.outcome(JOB, of):
        tried = from_values(Remedies, found)
        for one in sorted(tried.tried, key=lambda one: -one.share):
            st.markdown(f"- {words.escaped(remedy_words(one.name, len(one.mended), tried.failures, one.tokens))}")
        return
    run = next((run for run in benches.runs() if run.head.folder == folder), None)
    if library.writable and run and run.job:
        payload = {**of, "folder": run.job.payload["folder"], "library": report.library}
        payload |= {"fingerprint": report.fingerprint, "settings": dict(report.preset(preset).settings)}
        st.button(
            "Try what would have helped",
            key="benchmark.remedies",
            icon=":material/healing:",
            disabled=bool(background.active_jobs(JOB)),
            on_click=background.start,
            args=[JOB, payload, preset],
            help="The missed questions are asked again with one thing changed at a time; where another cut is tried, "
            "documents are cut and encoded anew, beside yours.",
        )
        show_jobs(JOB)


def remedy_words(name: str, mended: int, failures: int, tokens: float) -> str:
    """What a remedy did, in a sentence.

    >>> remedy_words("parent", 3, 12, 140.2)
    'Its whole parent is read: mends 3 of 12 (25%), with 140 tokens more a prompt.'
    """
    said = REMEDIES[name]
    cost = f"{abs(tokens):,.0f} tokens {'more' if tokens >= 0 else 'less'} a prompt"
    return f"{said[0].upper()}{said[1:]}: mends {mended} of {failures} ({mended / failures:.0%}), with {cost}."
