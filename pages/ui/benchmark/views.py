"""The views of a report: recall by budget, cost, document or kind, where gold was lost, and what presets cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import streamlit as st

from core.evaluation.measuring import TIMED_BUDGET
from core.evaluation.reporting.breakdown import (
    COST_WORDS,
    By,
    breakdowns,
    by_position,
    cost_table,
    headline_budget,
    latency_table,
    settings_table,
)
from core.evaluation.reporting.charts import (
    BOLD,
    breakdown_figure,
    lost_figure,
    pareto_figure,
    position_figure,
    recall_figure,
)
from core.evaluation.reporting.metric_words import metric_title
from core.evaluation.reporting.report import BenchReport
from pages.ui.ask.stages import stage
from pages.ui.benchmark.benches import kept, measured
from pages.ui.settings.setting_words import setting_title
from pages.ui.shared import state, words
from pages.ui.shared.plots import CONFIG, palette

if TYPE_CHECKING:
    import plotly.graph_objects

BY_WORDS: dict[By, str] = {"document": "Document", "format": "Format", "kind": "Kind of question"}
SEARCHED_ALONE = ("dense", "lexical")
MOST = 6  # presets in one breakdown


def show_recall(report: BenchReport, chosen: tuple[str, ...]) -> None:
    """Draw a measure at every budget, one line for each preset."""
    measures = [name for name in ("recall", "attained", "precision", "iou", "full") if _measured(report, name)]
    measure = _choice("Measure", measures, state.BENCH_MEASURE, metric_title)
    _draw(recall_figure(report, palette(), chosen, measure), "recall", "The measure at each budget, a line a preset.")
    st.caption(
        "Bars are 95 % intervals (bootstrap over questions); click a name in the legend to hide its line."
        + (f" The best {BOLD} of {len(report.presets)} presets are drawn." if len(report.presets) > BOLD else "")
    )


def show_pareto(report: BenchReport, selected: str) -> str:
    """Draw recall against a cost; returns the preset whose point was clicked, "" for none."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cost = _choice("Against", list(COST_WORDS), state.BENCH_COST, COST_WORDS.__getitem__)
        budget = choose_budget(report)
    figure = pareto_figure(report, cost, budget, palette(), selected)
    # The caller resets the selection after a click: the table shows the selected preset, not the figure.
    event = st.plotly_chart(
        figure,
        key=f"benchmark.pareto.{state.counter(state.BENCH_PARETO_ROUND)}",
        on_select="rerun",
        selection_mode="points",
        config=CONFIG,
        alt="Recall of every preset against what it costs",
    )
    st.caption(
        "The line joins presets that nothing beats for less; the others are drawn hollow. "
        "Click a point to choose its preset."
    )
    points = event.selection.get("points", [])
    return _preset_of(points[0]) if points else ""


def _preset_of(point: Any) -> str:
    data = point.get("customdata") or [""]
    return str(list(data.values() if isinstance(data, dict) else data)[-1])


def show_breakdown(report: BenchReport, folder: str, chosen: tuple[str, ...]) -> None:
    """Draw a metric by document, by format or by the suite's kinds of questions."""
    offered = [by for by in get_args(By) if _groups(report, by) > 1] or ["document"]
    metrics = list(report.presets[0].metrics)
    usual = f"recall@{headline_budget(report)}"
    presets = [item.preset for item in report.presets]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = _choice("By", offered, state.BENCH_BY, BY_WORDS.__getitem__)
        state.forget_unoffered(state.BENCH_METRIC, metrics)
        name = st.selectbox(
            "Metric",
            metrics,
            index=metrics.index(usual) if usual in metrics else 0,
            format_func=metric_title,
            key=state.BENCH_METRIC,
            width=220,
        )
    drawn = list(dict.fromkeys([*chosen, *presets]))[: max(MOST, len(chosen))]
    drawn.sort(key=presets.index)
    groups = kept(folder, f"{by}.{name}.{drawn}", lambda: breakdowns(report, by, name or usual, drawn))
    figure = breakdown_figure(report, groups, name or usual, palette())
    _draw(figure, f"by.{by}", "The metric by group, a mark a preset.")
    left_out = (
        f" {len(presets) - len(drawn)} more presets are left out: choose one in the table to see it."
        if len(presets) > len(drawn)
        else ""
    )
    st.caption(f"Behind each name stands how many questions it has; bars are 95 % intervals.{left_out}")


def show_lost(report: BenchReport) -> None:
    """Draw which stages lost the gold that was not read."""
    budget = choose_budget(report)
    _draw(lost_figure(report, budget, palette()), "lost", "Where answers were lost, a bar a preset.")
    with st.expander("What the parts mean"):
        st.markdown(
            "- **budget ended**: its chunk was kept, and the context was full before it, or held another part of its "
            "parent.\n- **below the threshold**: its chunk was less similar than asked for.\n- **ranked too low**: one "
            "search had its chunk among its first, and the fused ranking did not keep it.\n- **not found by either "
            "search**: neither had its chunk among its first.\n- **in no chunk**, **file could not be read**: it never "
            "reached the index."
        )


def show_positions(folder: str, preset: str) -> None:
    """Draw where in the context the gold is and, if answers were scored, how many are right by that."""
    deciles = by_position(measured(folder, preset).values())
    _draw(
        position_figure(deciles, palette()), "positions", "Questions by where their first answer stands in the context."
    )
    st.caption(
        f"The context of {TIMED_BUDGET:,} characters, in the order it is read in. What stands in the middle is what "
        "models overlook most; *Settings* have an order that puts the best passages at both ends."
        + (
            ""
            if any(decile.right is not None for decile in deciles)
            else " Score answers, too, to see how many are right."
        )
    )


def show_settings(report: BenchReport) -> None:
    """Draw the settings that differ from the default, the costs, and the milliseconds by stage of each preset."""
    settings = settings_table(report)
    if len(settings) > 1:
        st.markdown("**Settings that differ from the default**")
        columns = {setting_title(name): column for name, column in settings.items()}
        st.dataframe(columns, hide_index=True, width="content", alt="Settings that differ from the default")
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
    """Draw the best scores of questions that the documents do not answer, against those of the others."""
    counts = report.presets[0].unanswerable
    st.markdown("**Questions the documents do not answer**")
    st.caption(
        f"{words.count(counts['unanswerable'], 'question')} without an answer, scored apart: the mean of the best "
        "score either kind of question reached. The further apart, the better a search knows what the documents do not "
        "say."
    )
    st.dataframe(unanswerable_table(report), hide_index=True, width="content", alt="Best scores by kind of question")


def unanswerable_table(report: BenchReport) -> dict[str, list[Any]]:
    """The mean best scores of answerable and unanswerable questions, by preset and search."""
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


def choose_budget(report: BenchReport) -> int:
    """Draw the choice of the budget, which all views share; returns it in characters."""
    chosen: int = _choice(
        "Budget, characters", list(report.budgets), state.BENCH_BUDGET, lambda b: f"{b:,}", headline_budget(report)
    )
    return chosen


def _choice(label: str, options: list[Any], key: str, format_func: Any, usual: Any = None) -> Any:
    state.choose(key, options, options[0] if usual is None else usual)
    return st.segmented_control(label, options, format_func=format_func, key=key, required=True)


def _draw(figure: plotly.graph_objects.Figure, name: str, alt: str) -> None:
    st.plotly_chart(figure, key=f"benchmark.{name}", config=CONFIG, alt=alt)


def _measured(report: BenchReport, name: str) -> bool:
    return any(f"{name}@{budget}" in item.metrics for item in report.presets for budget in report.budgets)


def _groups(report: BenchReport, by: By) -> int:
    """The number of groups that a breakdown would have."""
    if by == "document":
        return len({span.document for question in report.questions for span in question.gold})
    if by == "format":
        return len({name for question in report.questions for name in question.formats})
    return len({question.kind for question in report.questions if question.kind})
