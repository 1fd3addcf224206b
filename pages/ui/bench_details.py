"""What the presets of a run are made of and what they cost, and how well they know what the documents do not say."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.evaluation.breakdown import STEP_WORDS, changed_settings
from core.evaluation.planning import recipe_groups
from core.evaluation.report import BenchReport
from core.storage.store import settings_from
from pages.ui import words

STAGE_WORDS = {"dense": "meaning", "lexical": "words"}


def show_settings(report: BenchReport) -> None:
    """The settings in which a preset differs from the default, and its milliseconds by stage."""
    settings = settings_table(report)
    if len(settings) > 1:
        st.markdown("**Settings that differ from the default**")
        st.dataframe(settings, hide_index=True, width="content", alt="Settings that differ from the default")
    else:
        st.caption("Every preset has the default settings.")
    st.markdown("**Milliseconds of one question, by stage, median**")
    st.dataframe(latency_table(report), hide_index=True, width="content", alt="Milliseconds by stage")
    st.caption("The encoding of the question is apart: it is done once for all presets.")


def settings_table(report: BenchReport) -> dict[str, list[str]]:
    """One row a preset, a column for each setting in which any of them differs from the default."""
    found = changed_settings(report)
    names = list(next(iter(found.values()), {}))
    table = {"Preset": list(found)}
    return table | {name: [_said(values[name]) for values in found.values()] for name in names}


def latency_table(report: BenchReport) -> dict[str, list[str]]:
    """One row a preset, a column for each stage, and the time its documents took, once for those cut alike."""
    stages = list(dict.fromkeys(stage for item in report.presets for stage in item.latency_ms))
    table = {"Preset": [item.preset for item in report.presets]}
    for stage in stages:
        spent = [item.latency_ms.get(stage, {}).get("p50") for item in report.presets]
        table[STEP_WORDS.get(stage, stage)] = ["–" if value is None else words.duration(value) for value in spent]
    groups = recipe_groups({item.preset: settings_from(dict(item.settings)) for item in report.presets})
    first = {name: names[0] for names in groups for name in names}
    table["cut and encoded in"] = [
        words.duration(1000 * item.seconds.get("ingest", 0))
        if first[item.preset] == item.preset
        else f"as {first[item.preset]}"
        for item in report.presets
    ]
    return table


def _said(value: Any) -> str:
    return "–" if value is None else "none" if value == "" else str(value)


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
        (item.preset, stage, best["answerable"], best["unanswerable"])
        for item in report.presets
        for stage, best in item.unanswerable["best_score"].items()
        if stage in STAGE_WORDS
    ]
    return {
        "Preset": [row[0] for row in rows],
        "Search by": [STAGE_WORDS[row[1]] for row in rows],
        "Answerable": [_two(row[2]) for row in rows],
        "Unanswerable": [_two(row[3]) for row in rows],
    }


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
