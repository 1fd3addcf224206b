"""A bench report as a table and a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.evaluation.report import BenchReport, PresetReport
from pages.ui import words

if TYPE_CHECKING:
    import plotly.graph_objects

COLUMNS = ("recall@1000", "recall@4000", "full@4000", "precision@1000", "iou@1000", "ndcg@10")
METRIC_COLUMNS = {
    "recall@1000": st.column_config.TextColumn(help="Share of the gold characters in the first 1,000 characters read."),
    "recall@4000": st.column_config.TextColumn(help="Share of the gold characters in the first 4,000 characters read."),
    "full@4000": st.column_config.TextColumn(help="Share of the questions whose gold is read whole within 4,000."),
    "precision@1000": st.column_config.TextColumn(help="Share of the first 1,000 characters read that is gold."),
    "iou@1000": st.column_config.TextColumn("IoU@1000", help="Gold and read: what they share over what they cover."),
    "ndcg@10": st.column_config.TextColumn("nDCG@10", help="How high the right documents rank among ten."),
    "time": st.column_config.TextColumn("Time", help="Median of one question, its encoding apart."),
    "encoded": st.column_config.TextColumn("Encoded", help="Texts sent to the encoder. Presets share what is encoded."),
}
BUDGETS = (1000, 2000, 4000, 8000)
MARKS = {"better": " ▲", "worse": " ▼"}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def results_table(report: BenchReport, baseline: str) -> dict[str, list[str]]:
    """One row a preset; each figure with half its interval and the mark of its comparison with ``baseline``."""
    shown = [name for name in COLUMNS if any(name in item.metrics for item in report.presets)]
    table: dict[str, list[str]] = {"Preset": [item.preset for item in report.presets]}
    verdicts = {
        item.preset: {name: found.verdict for name, found in report.compare(item.preset, baseline).items()}
        for item in report.presets
        if item.preset != baseline
    }
    for name in shown:
        table[name] = [
            figure(item, name) + MARKS.get(verdicts.get(item.preset, {}).get(name, ""), "") for item in report.presets
        ]
    table["time"] = [words.duration(1000 * item.seconds["search_p50"]) for item in report.presets]
    table["encoded"] = [words.count(item.encoded, "text") for item in report.presets]
    return table


def figure(item: PresetReport, name: str) -> str:
    """ "92.0 ± 2.1", or a dash where the metric does not apply."""
    if name not in item.metrics:
        return "–"
    low, high = item.intervals[name]
    return f"{item.metrics[name]:.1f} ± {(high - low) / 2:.1f}"


def recall_figure(report: BenchReport) -> plotly.graph_objects.Figure:
    """Recall at each budget with its 95 % interval, a line a preset; told apart by colour, symbol and dash."""
    import plotly.graph_objects as plot

    drawn = plot.Figure()
    colours = st.get_option(f"theme.{st.context.theme.type or 'light'}.chartCategoricalColors") or COLOURS
    for number, item in enumerate(report.presets):
        names = [f"recall@{budget}" for budget in BUDGETS if f"recall@{budget}" in item.metrics]
        means = [item.metrics[name] for name in names]
        # A little aside of each other, or the error bars of equal presets would hide behind one another.
        places = [position + 0.05 * (number - (len(report.presets) - 1) / 2) for position in range(len(names))]
        drawn.add_scatter(
            x=places,
            y=means,
            name=item.preset,
            mode="lines+markers",
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9, "color": colours[number % len(colours)]},
            line={"dash": DASHES[number % len(DASHES)], "width": 2, "color": colours[number % len(colours)]},
            error_y={
                "type": "data",
                "array": [item.intervals[name][1] - mean for name, mean in zip(names, means, strict=True)],
                "arrayminus": [mean - item.intervals[name][0] for name, mean in zip(names, means, strict=True)],
                "thickness": 1.2,
                "width": 4,
            },
            customdata=names,
            hovertemplate=f"{item.preset}<br>%{{customdata}}: %{{y:.1f}} %<extra></extra>",
        )
    drawn.update_layout(
        height=420,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.08, "x": 0},
        xaxis={
            "title": "Room for the reader, characters",
            "tickvals": list(range(len(BUDGETS))),
            "ticktext": [f"{b:,}" for b in BUDGETS],
        },
        yaxis={"title": "Recall, %", "range": [0, 102]},
        hovermode="closest",
    )
    return drawn


def unanswerable_table(report: BenchReport) -> dict[str, list[Any]]:
    """Best scores of answerable and unanswerable questions by stage; empty when the suite has none of the latter."""
    if not report.presets or not report.presets[0].unanswerable["unanswerable"]:
        return {}
    rows = [
        (item.preset, stage, best["answerable"], best["unanswerable"])
        for item in report.presets
        for stage, best in item.unanswerable["best_score"].items()
        if stage in ("dense", "lexical")
    ]
    return {
        "Preset": [row[0] for row in rows],
        "Stage": ["meaning" if row[1] == "dense" else "words" for row in rows],
        "Answerable": [_two(row[2]) for row in rows],
        "Unanswerable": [_two(row[3]) for row in rows],
    }


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
