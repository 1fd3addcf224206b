"""The lower part of the Benchmark page: one run as a table with a conclusion, and its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.evaluation.exchange.judged import by_origin
from core.evaluation.making.making import ORIGIN, TRUST
from core.evaluation.reporting.metric_words import metric_title
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import Comparison
from core.settings import BASELINES
from pages.ui.benchmark import apply as bench_apply
from pages.ui.benchmark import benches, place
from pages.ui.benchmark import history as bench_history
from pages.ui.benchmark.questions import show_failures, show_questions
from pages.ui.benchmark.ready import Spoken, spoken_for
from pages.ui.benchmark.table import USUAL, columns, compared, show_table, table
from pages.ui.benchmark.views import (
    show_breakdown,
    show_lost,
    show_pareto,
    show_positions,
    show_recall,
    show_settings,
    show_unanswerable,
)
from pages.ui.shared import state, words
from pages.ui.shared.guard import guarded

RECALL, PARETO, BREAKDOWN, LOST, PLACE, FAILURES, QUESTIONS, SETTINGS, UNANSWERABLE = (
    "Recall by budget",
    "Cost and recall",
    "By document and kind",
    "Where answers were lost",
    "Place in the context",
    "Why it was missed",
    "Questions",
    "Settings and costs",
    "Unanswerable",
)
METRICS_NAMED = 3  # metrics in the sentence about the selected preset


def show_results(runs: list[benches.Run]) -> None:
    """Draw the chosen run, at first the newest finished one. A fragment: a click in it does not redraw the page."""
    finished = [run for run in runs if run.head.finished]
    if finished:
        st.fragment(_results)(finished)


def _results(runs: list[benches.Run]) -> None:
    with guarded():
        labels = {run.head.folder: run.label for run in runs}
        bar = st.container(horizontal=True, vertical_alignment="bottom")
        with bar:
            folder = st.selectbox(
                "Run", list(labels), format_func=labels.__getitem__, key=bench_history.shown_key(runs), width=400
            )
        report = benches.report(folder or runs[0].head.folder)
        folder = folder or runs[0].head.folder
        presets = [item.preset for item in report.presets]
        with bar:
            baseline = _baseline(presets)
            shown = _columns(report)
            bench_history.show_exports(report, folder, baseline)
        _remarks(report)
        against = benches.compared(folder, baseline)
        spoken = spoken_for(report, baseline, against)
        best = spoken[0].winners if spoken else ()
        selected = _selected(presets, baseline, best)
        applied = bench_apply.applied_of(report)
        data = table(report, baseline, against, shown, frozenset(BASELINES), applied)
        show_table(data, selected, _pick, state.BENCH_TABLE)
        text, button = st.columns([5, 1], vertical_alignment="center")
        with text.container(gap="xsmall"):
            st.markdown(conclusion(spoken, applied=applied in best[:1]))
            st.caption(_verdicts(selected, baseline, against.get(selected, {}), shown))
        with button:
            bench_apply.show_apply(report, selected)
        bench_apply.show_applied(report)
        st.caption(_legend(report, baseline))
        if spoken and any(question.kind == ORIGIN for question in report.questions):
            st.caption(TRUST)
        _views(report, folder, selected, baseline, runs[0].head.folder)


def _baseline(presets: list[str]) -> str:
    usual = usual_baseline(presets)
    state.choose(state.BASELINE, presets, usual)
    return st.selectbox("Against", presets, key=state.BASELINE, width=210) or usual


def usual_baseline(presets: list[str]) -> str:
    """The first preset that is a common practice; without one, the first preset.

    >>> usual_baseline(["default", "fixed-1000"]), usual_baseline(["default", "flat"])
    ('fixed-1000', 'default')
    """
    return next((name for name in presets if name in BASELINES), presets[0])


def _selected(presets: list[str], baseline: str, best: Sequence[str]) -> str:
    state.forget_unoffered(state.BENCH_SELECTED, presets)
    usual = next((name for name in (*best, *presets) if name != baseline), baseline)
    return str(st.session_state.get(state.BENCH_SELECTED, usual))


def _pick() -> None:
    picked = st.session_state[state.BENCH_TABLE].picked
    if picked:
        st.session_state[state.BENCH_SELECTED] = picked


def _columns(report: BenchReport) -> list[str]:
    titles = columns(report)
    with st.popover("Columns", icon=":material/view_column:"):
        key = state.BENCH_COLUMNS
        if key not in st.session_state:
            st.session_state[key] = [name for name in USUAL if name in titles]
        st.session_state[key] = [name for name in st.session_state[key] if name in titles]
        chosen = st.multiselect(
            "Columns of the table", list(titles), format_func=titles.__getitem__, key=key, select_all=True
        )
    return list(chosen)


def _remarks(report: BenchReport) -> None:
    """A warning about documents that could not be read, and the other remarks on the run, folded."""
    failed = [f"{words.escaped(source)}: {words.escaped(reason)}" for source, reason in report.failures]
    if failed:
        st.warning(
            f"{words.count(len(failed), 'document')} could not be read; answers in them count as missed. {failed[0]}",
            icon=":material/error:",
        )
    rest = [*failed[1:], *map(words.escaped, report.notes)]
    rest += [f"Left out {words.escaped(name)}: {words.escaped(reason)}" for name, reason in report.skipped]
    if rest:
        with st.expander(f"{words.count(len(rest), 'remark')} on this run"):
            for line in rest[:100]:
                st.caption(line)


def _verdicts(preset: str, baseline: str, found: Mapping[str, Comparison], shown: list[str]) -> str:
    """A sentence that compares the selected preset with the baseline, for the first metrics of the table."""
    verdicts = [f"{metric_title(name)} {compared(found[name])}" for name in shown if name in found][:METRICS_NAMED]
    if not verdicts:
        return f"**{words.escaped(preset)}** is the baseline." if preset == baseline else ""
    return f"**{words.escaped(preset)}** against {words.escaped(baseline)}: {words.escaped('; '.join(verdicts))}."


def conclusion(spoken: Sequence[Spoken], *, applied: bool) -> str:
    """A sentence on which preset the run supports (``spoken_for``), and what to do; "" if nothing is compared.

    >>> conclusion([Spoken("recall@4000", ("a", "b"))], applied=False)
    '**These questions speak for a by recall@4000**, before b: choose it in the table and apply it.'
    >>> conclusion([Spoken("recall@4000"), Spoken("recall@1000", ("a",))], applied=False).partition(", and ")[2]
    'speak for a by recall@1000: choose by the room that your reader has.'
    """
    if not spoken:
        return ""
    first, decided = spoken[0], next((item for item in spoken if item.winners), None)
    if first.winners:
        way = "the library has it" if applied else "choose it in the table and apply it"
        return f"**These questions speak for {_winners(first, '**')}: {way}."
    undecided = f"**These questions do not tell which is better by {metric_title(first.metric)}**"
    if decided:
        return f"{undecided}, and speak for {_winners(decided)}: choose by the room that your reader has."
    return f"{undecided}: keep what costs less, or judge more of them."


def _winners(spoken: Spoken, end: str = "") -> str:
    """The first winner and the metric, then ``end``, then the other winners."""
    first, *others = map(words.escaped, spoken.winners)
    before = f", before {' and '.join(others)}" if others else ""
    return f"{first} by {metric_title(spoken.metric)}{end}{before}"


def _legend(report: BenchReport, baseline: str) -> str:
    kinds = [question.kind for question in report.questions if question.gold]
    over, mixed = words.count(len(kinds), "question"), by_origin(kinds)
    apart = f" ({mixed}; the breakdown by kind tells them apart)" if mixed else ""
    return words.escaped(
        f"Percent, mean ± half the 95 % interval over {over}{apart}. Against {baseline}: "
        "▲ better, ▼ worse, = no difference seen (paired randomisation test, Holm's correction over the presets). "
        "Point at a figure for its words."
    )


def _views(report: BenchReport, folder: str, selected: str, baseline: str, newest: str) -> None:
    """Draw the choice of a view and the view, and put the choices of this part into the address."""
    chosen = tuple(dict.fromkeys((selected, baseline)))
    measured = benches.measured(folder, selected).values()
    in_either = (*measured, *benches.measured(folder, baseline).values())
    views: dict[str, Callable[[], None]] = {
        RECALL: lambda: show_recall(report, chosen),
        PARETO: lambda: _pareto(report, selected),
        BREAKDOWN: lambda: show_breakdown(report, folder, chosen),
        LOST: lambda: show_lost(report),
        PLACE: lambda: show_positions(folder, selected),
        FAILURES: lambda: show_failures(report, folder, selected, baseline),
        QUESTIONS: lambda: show_questions(report, folder, selected, baseline),
        SETTINGS: lambda: show_settings(report),
        UNANSWERABLE: lambda: show_unanswerable(report),
    }
    has_data = {
        PLACE: any(outcome.gold_at is not None for outcome in measured),
        FAILURES: any(outcome.failure for outcome in in_either),  # stays when a row without a failure is chosen
        UNANSWERABLE: bool(report.presets[0].unanswerable.get("unanswerable")),
    }
    offered = [view for view in views if has_data.get(view, True)]
    state.choose(state.BENCH_VIEW, offered, RECALL)
    view = st.segmented_control("View", offered, key=state.BENCH_VIEW, required=True, label_visibility="collapsed")
    usual = [name for name in USUAL if name in columns(report)]
    place.say(
        "results",
        {
            "run": place.differing(folder, newest),
            "against": place.differing(baseline, usual_baseline([item.preset for item in report.presets])),
            "chosen": st.session_state.get(state.BENCH_SELECTED),
            "column": place.differing(st.session_state[state.BENCH_COLUMNS], usual),
            "view": place.differing(view, RECALL),
        },
    )
    views[view or RECALL]()


def _pareto(report: BenchReport, selected: str) -> None:
    """The figure of cost and recall; a click on a point selects its preset."""
    if picked := show_pareto(report, selected):
        st.session_state[state.BENCH_SELECTED] = picked
        state.bump(state.BENCH_PARETO_ROUND)
        st.rerun(scope="fragment")
