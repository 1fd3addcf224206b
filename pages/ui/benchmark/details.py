"""What the presets of a run are made of and what they cost, and how well they know what the documents do not say."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.evaluation.reporting.breakdown import cost_table, headline_budget, latency_table, settings_table
from core.evaluation.reporting.report import BenchReport
from pages.ui.ask.stages import stage
from pages.ui.shared import words

SEARCHED_ALONE = ("dense", "lexical")


def show_settings(report: BenchReport) -> None:
    """The settings in which a preset differs from the default, what it costs, and its milliseconds by stage."""
    settings = settings_table(report)
    if len(settings) > 1:
        st.markdown("**Settings that differ from the default**")
        st.dataframe(settings, hide_index=True, width="content", alt="Settings that differ from the default")
    else:
        st.caption("Every preset has the default settings.")
    budget = headline_budget(report)
    st.markdown("**Costs**")
    st.dataframe(cost_table(report, budget), hide_index=True, width="content", alt="Costs")
    st.markdown("**Milliseconds of one question, by stage: median / 95th percentile**")
    st.dataframe(latency_table(report), hide_index=True, width="content", alt="Milliseconds by stage")
    st.caption(
        "The encoding of the question is apart: it is done once for all presets. Presets that cut alike share what is "
        "read and encoded; it is told of the first of them."
    )


def show_unanswerable(report: BenchReport) -> None:
    """Questions the documents do not answer, scored apart."""
    counts = report.presets[0].unanswerable
    st.markdown("**Questions the documents do not answer**")
    st.caption(
        f"{words.count(counts['unanswerable'], 'question')} without gold, scored apart: the mean of the best score "
        "either kind of question reached. The further apart, the better a search knows what the documents do not say."
    )
    st.dataframe(unanswerable_table(report), hide_index=True, width="content", alt="Best scores by kind of question")


def unanswerable_table(report: BenchReport) -> dict[str, list[Any]]:
    """Best scores of answerable and unanswerable questions by preset and search."""
    rows = [
        (item.preset, name, best["answerable"], best["unanswerable"])
        for item in report.presets
        for name, best in item.unanswerable["best_score"].items()
        if name in SEARCHED_ALONE
    ]
    return {
        "Preset": [row[0] for row in rows],
        "Search by": [stage(row[1]).word for row in rows],
        "Answerable": [_two(row[2]) for row in rows],
        "Unanswerable": [_two(row[3]) for row in rows],
    }


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
