"""The table of presets: metrics with intervals, marks for the comparison with the baseline, and a selected row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.evaluation.metrics import LOWER_IS_BETTER
from core.evaluation.reporting.metric_words import metric_meaning, metric_title
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.evaluation.statistics import Comparison
from pages.ui.shared import assets, words

USUAL = (
    "recall@1000",
    "recall@4000",
    "iou@1000",
    "ndcg@10",
    "prompt_tokens@4000",
    "p50",
)

MARKS = {"better": "▲", "worse": "▼", "no difference seen": "="}

_table = st.components.v2.component(
    "lectern.bench_table",
    html='<div class="lectern bench-table"></div>',
    css=assets.text(__file__, "palette.css", "bench_table.css"),
    js=assets.text(__file__, "offsets.js", "bench_table.js"),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """A column that is no metric. ``value``: of a preset, ``None`` if not measured. ``said``: a value as text."""

    title: str
    meaning: str
    value: Callable[[PresetReport], float | None]
    said: Callable[[float], str]


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _costs(report: BenchReport) -> dict[str, Cost]:
    costs = {
        "p50": Cost(
            "ms p50",
            "Median milliseconds of one question, search to context of 4,000 characters; its encoding apart.",
            lambda item: item.latency_ms.get("total", {}).get("p50"),
            lambda value: f"{value:.1f}" if value < 10 else f"{value:.0f}",
        ),
        "p95": Cost(
            "ms p95",
            "Milliseconds in which 95 of 100 questions were done.",
            lambda item: item.latency_ms.get("total", {}).get("p95"),
            lambda value: f"{value:.1f}" if value < 10 else f"{value:.0f}",
        ),
        "encoded": Cost(
            "encoded", "Texts this run sent to the encoder. Presets share them.", lambda item: item.encoded, _number
        ),
        "texts": Cost("texts", "Distinct inputs of the encoder: what it costs from nothing.", _cost("texts"), _number),
        "chunks": Cost("chunks", "Leaves in the index.", _cost("chunks"), _number),
        "index_bytes": Cost(
            "index", "Vectors and tokens on disk.", _cost("index_bytes"), lambda value: words.size(int(value))
        ),
        "total": Cost(
            "time",
            "What this run spent on the preset; presets that share a search or a reading divide its time.",
            lambda item: item.seconds.get("total"),
            lambda value: words.duration(1000 * value),
        ),
    }
    for budget in report.budgets:
        scope = f"in a context of {budget:,} characters, mean over the questions."
        costs[f"prompt_tokens@{budget}"] = Cost(
            f"tokens@{budget}", f"Tokens of the prompt {scope}", _cost(f"prompt_tokens@{budget}"), _number
        )
        costs[f"characters@{budget}"] = Cost(
            f"characters@{budget}", f"Characters handed over {scope}", _cost(f"characters@{budget}"), _number
        )
    return {name: cost for name, cost in costs.items() if any(cost.value(item) is not None for item in report.presets)}


def _cost(name: str) -> Callable[[PresetReport], float | None]:
    return lambda item: item.costs.get(name)


def columns(report: BenchReport) -> dict[str, str]:
    """All columns that a report can have, as name -> title, metrics first."""
    measured = dict.fromkeys(name for item in report.presets for name in item.metrics)
    costs = {name: cost.title for name, cost in _costs(report).items()}
    return {name: metric_title(name) for name in measured} | costs


def table(
    report: BenchReport,
    baseline: str,
    against: Mapping[str, Mapping[str, Comparison]],
    shown: Sequence[str],
    common: frozenset[str] = frozenset(),
    applied: str | None = None,
) -> dict[str, Any]:
    """The table as data for its component.

    ``against``: the comparisons with ``baseline`` by preset and metric. ``shown``: the columns. ``common``: the presets
    to label as common practice. ``applied``: the preset that the library has.
    """
    costs = _costs(report)
    heads = [
        {"name": name, "title": costs[name].title, "help": costs[name].meaning, "measured": False}
        if name in costs
        else {
            "name": name,
            "title": metric_title(name),
            "help": metric_meaning(name),
            "measured": True,
            "falls": name in LOWER_IS_BETTER,
        }
        for name in shown
    ]
    rows = [
        {
            "preset": item.preset,
            "notes": [
                note
                for note, holds in (
                    ("in use", item.preset == applied),
                    ("baseline", item.preset == baseline),
                    ("common practice", item.preset in common and item.preset != baseline),
                )
                if holds
            ],
            "cells": [
                _cost_cell(item, costs[name])
                if name in costs
                else _metric_cell(item, name, against.get(item.preset, {}).get(name), baseline)
                for name in shown
            ],
        }
        for item in report.presets
    ]
    return {"columns": heads, "rows": rows}


def _cost_cell(item: PresetReport, cost: Cost) -> dict[str, Any]:
    value = cost.value(item)
    return {"value": value, "text": "–" if value is None else cost.said(value), "half": "", "mark": "", "say": ""}


def _metric_cell(item: PresetReport, name: str, found: Comparison | None, baseline: str) -> dict[str, Any]:
    if name not in item.metrics:
        return {"value": None, "text": "–", "half": "", "mark": "", "say": "Does not apply to this suite."}
    low, high = item.intervals[name]
    value = item.metrics[name]
    sentence = f"{item.preset}: {metric_title(name)} {value:.1f} %, 95 % interval {low:.1f} to {high:.1f}."
    if found:
        sentence += f" Against {baseline}: {compared(found)}."
    return {
        "value": value,
        "text": f"{value:.1f}",
        "half": f"±{(high - low) / 2:.1f}",
        "mark": MARKS[found.verdict] if found else "",
        "verdict": found.verdict if found else "",
        "say": sentence,
    }


def compared(found: Comparison) -> str:
    """A comparison in words.

    >>> compared(Comparison(4.1, 1.2, 7.0, "better", 90, 0.001, 0.003))
    'better by 4.1 points (1.2 to 7.0), p = 0.003'
    >>> compared(Comparison(-4.1, -7.0, -1.2, "worse", 90, 0.0001, 0.0001))
    'worse by 4.1 points (1.2 to 7.0), p < 0.001'
    >>> compared(Comparison(0.04, -1.2, 1.0, "no difference seen", 90, 0.4, 0.4))
    'no difference seen (between −1.2 and 1.0 points), p = 0.400'
    >>> compared(Comparison(24.0, 8.0, 40.0, "no difference seen", 25, 0.032, 0.064))
    'not sure (24.0 points, 8.0 to 40.0), p = 0.064 over all presets'
    """
    p_value = "p < 0.001" if found.adjusted < 0.001 else f"p = {found.adjusted:.3f}"
    if found.verdict == "worse":
        return f"worse by {-found.difference:.1f} points ({_points(-found.high)} to {_points(-found.low)}), {p_value}"
    if found.verdict == "better":
        return f"better by {found.difference:.1f} points ({_points(found.low)} to {_points(found.high)}), {p_value}"
    if found.low > 0 or found.high < 0:  # its own interval is sure of it, and the test of so many is not
        low, high = _points(found.low), _points(found.high)
        return f"not sure ({_points(found.difference)} points, {low} to {high}), {p_value} over all presets"
    return f"no difference seen (between {_points(found.low)} and {_points(found.high)} points), {p_value}"


def _points(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")


def show_table(data: Mapping[str, Any], selected: str, on_pick: Callable[[], None], key: str) -> None:
    """Draw the table. ``on_pick``: called when a row is chosen; its preset is ``st.session_state[key].picked``."""
    _table(key=key, data={**data, "selected": selected}, on_picked_change=on_pick)
