"""The questions of a run, misses first; a row opens what two presets read for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import STAGE_WORDS
from core.evaluation.reporting.report import AskedQuestion, BenchReport
from pages.ui.benchmark import benches
from pages.ui.benchmark.drill import TextOf, show_drill, side
from pages.ui.benchmark.views import choose_budget
from pages.ui.shared import state, words
from pages.ui.shared.tables import ticked

COLUMNS = {
    "Question": st.column_config.TextColumn(width="large"),
    "Kind": st.column_config.TextColumn(width=110),
    "Document": st.column_config.TextColumn(width=170),
    "Lost": st.column_config.TextColumn(
        "Most was lost", width=170, help="Where most of the gold that was not read was lost."
    ),
}


def show_questions(
    report: BenchReport, folder: str, preset: str, other: str, only: Collection[str] | None = None
) -> None:
    """The table, its filter, and the question that was chosen in it. ``only``: ids of those listed, ``None``: all."""
    presets = [item.preset for item in report.presets]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget = choose_budget(report)
        if len(presets) > 1:
            beside = [name for name in presets if name != preset]
            state.keep_known(state.BENCH_OTHER, beside)
            usual = beside.index(other) if other in beside else 0
            other = st.selectbox("Beside", beside, index=usual, key=state.BENCH_OTHER, width=220) or beside[0]
        sought = st.text_input(
            "Filter",
            key=state.BENCH_SOUGHT,
            placeholder="Words of the question, its document or kind",
            type="search",
            live=True,
            width=320,
        )
    sides = list(dict.fromkeys([preset, other])) if len(presets) > 1 else [preset]
    found = {name: benches.measured(folder, name) for name in sides}
    asked = [question for question in report.questions if only is None or question.id in only]
    rows = listed(asked, found[preset], budget, sought or "")
    if not rows:
        st.caption("No question matches the filter.")
        return
    st.caption(
        f"{words.count(len(rows), 'question')}, those of which {words.escaped(preset)} read least first. "
        "Choose a row to see what each preset read."
    )
    chosen = ticked(
        rows,
        [row.id for row in rows],
        table(rows, found, budget),
        f"{state.BENCH_QUESTION}.{folder}.{preset}.{budget}",
        "Questions, those read least first",
        {**COLUMNS, **_shares(sides)},
        several=False,
        first=True,
        height=280,
    )
    if chosen:
        _open(report, chosen[0], found, budget)


def _open(
    report: BenchReport, question: AskedQuestion, found: Mapping[str, Mapping[str, QuestionOutcome]], budget: int
) -> None:
    text_of = _texts(report)
    halves = [
        side(name, question, items[question.id], budget, text_of, _stages(items))
        for name, items in found.items()
        if question.id in items
    ]
    show_drill(question, halves)


def _stages(items: Mapping[str, QuestionOutcome]) -> set[str]:
    """The stages of a preset: those that ranked the gold of any question."""
    return {stage for item in items.values() for stage in item.ranks}


def _texts(report: BenchReport) -> TextOf:
    versions = {document.name: document.version_id for document in report.documents}
    return lambda name: benches.text(report, versions[name])


def listed(
    questions: Sequence[AskedQuestion], measured: Mapping[str, QuestionOutcome], budget: int, sought: str
) -> list[AskedQuestion]:
    """Questions that hold every word sought, the least recall first; those without gold last, then in their order."""

    def matches(question: AskedQuestion) -> bool:
        held = [question.question, question.kind, question.id, *(span.document for span in question.gold)]
        return words.holds_all(" ".join(held), sought)

    def recall(question: AskedQuestion) -> float:
        item = measured.get(question.id)
        share = item.scores.get(f"recall@{budget}") if item else None
        return 2.0 if share is None else share

    return sorted(filter(matches, questions), key=recall)


def table(
    questions: Sequence[AskedQuestion], found: Mapping[str, Mapping[str, QuestionOutcome]], budget: int
) -> dict[str, list[Any]]:
    """The questions by column; recall in percent, a column for each of the presets."""
    first = next(iter(found.values()))
    columns: dict[str, list[Any]] = {"Question": [question.question for question in questions]}
    for name, items in found.items():
        columns[f"recall.{name}"] = [_percent(items.get(question.id), budget) for question in questions]
    columns["Lost"] = [_lost(first.get(question.id), budget) for question in questions]
    columns["Document"] = [", ".join(dict.fromkeys(span.document for span in item.gold)) for item in questions]
    if any(question.kind for question in questions):
        columns["Kind"] = [question.kind for question in questions]
    return columns


def _shares(presets: Sequence[str]) -> dict[str, Any]:
    return {
        f"recall.{name}": st.column_config.ProgressColumn(
            name, format="%.0f %%", min_value=0, max_value=100, width=130, help=f"Recall of {name}, in percent."
        )
        for name in presets
    }


def _percent(item: QuestionOutcome | None, budget: int) -> float | None:
    share = item.scores.get(f"recall@{budget}") if item else None
    return None if share is None else 100 * share


def _lost(item: QuestionOutcome | None, budget: int) -> str:
    """Where most of what was not read was lost, "" when nothing was."""
    parts = {name: count for name, count in (item.lost.get(budget, {}) if item else {}).items() if name != "read"}
    return STAGE_WORDS.get(max(parts, key=lambda name: parts[name]), "") if any(parts.values()) else ""
