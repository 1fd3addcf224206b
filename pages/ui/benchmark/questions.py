"""The questions of a run, least recall first; what two presets read for each; failures by cause, and remedies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.evaluation.exchange.judged import ORIGIN_WORDS
from core.evaluation.failures.classes import CLASSES, counted
from core.evaluation.failures.remedies import REMEDIES, Remedies, other_chunker
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import STAGE_WORDS
from core.evaluation.reporting.report import AskedQuestion, BenchReport
from core.plain_values import from_values
from core.storage.store import settings_from
from pages.ui.benchmark import benches
from pages.ui.benchmark.drill import TextOf, show_drill, side
from pages.ui.benchmark.views import choose_budget
from pages.ui.settings.recipe_words import CHUNKER_WORDS
from pages.ui.shared import background, services, state, words
from pages.ui.shared.plots import CONFIG, lay_out, palette
from pages.ui.shared.queue import show_jobs
from pages.ui.shared.tables import select_rows
from pages.ui.shared.work import REMEDIES as JOB

if TYPE_CHECKING:
    import plotly.graph_objects

COLUMNS = {
    "Question": st.column_config.TextColumn(width="large"),
    "Kind": st.column_config.TextColumn(width=110),
    "Document": st.column_config.TextColumn(width=170),
    "Lost": st.column_config.TextColumn(
        "Most was lost", width=170, help="Where most of the marked answer (gold) that was not read was lost."
    ),
}


def show_questions(
    report: BenchReport, folder: str, preset: str, other: str, only: Collection[str] | None = None
) -> None:
    """Draw the filter, the table, and the question chosen in it. ``only``: ids to list, ``None`` for all."""
    presets = [item.preset for item in report.presets]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget = choose_budget(report)
        if len(presets) > 1:
            others = [name for name in presets if name != preset]
            state.forget_unoffered(state.BENCH_OTHER, others)
            usual = others.index(other) if other in others else 0
            other = st.selectbox("Beside", others, index=usual, key=state.BENCH_OTHER, width=220) or others[0]
        sought = st.text_input(
            "Filter",
            key=state.BENCH_SOUGHT,
            placeholder="Words of the question, its document or kind",
            type="search",
            live=True,
            width=320,
        )
    sides = list(dict.fromkeys([preset, other])) if len(presets) > 1 else [preset]
    outcomes = {name: benches.measured(folder, name) for name in sides}
    asked = [question for question in report.questions if only is None or question.id in only]
    rows = listed(asked, outcomes[preset], budget, sought or "")
    if not rows:
        st.caption("No question matches the filter.")
        return
    st.caption(
        f"{words.count(len(rows), 'question')}, those of which {words.escaped(preset)} read least first. "
        "Choose a row to see what each preset read."
    )
    chosen = select_rows(
        rows,
        [row.id for row in rows],
        table(rows, outcomes, budget),
        f"{state.BENCH_QUESTION}.{folder}.{preset}.{budget}",
        "Questions, those read least first",
        {**COLUMNS, **_shares(sides)},
        several=False,
        first=True,
        height=280 if len(rows) > 6 else None,
    )
    if chosen:
        _open(report, chosen[0], outcomes, budget)


def _open(
    report: BenchReport, question: AskedQuestion, outcomes: Mapping[str, Mapping[str, QuestionOutcome]], budget: int
) -> None:
    text_of = _texts(report)
    halves = [
        side(name, question, items[question.id], budget, text_of, _stages(items))
        for name, items in outcomes.items()
        if question.id in items
    ]
    show_drill(question, halves)


def _stages(items: Mapping[str, QuestionOutcome]) -> set[str]:
    """The stages that ranked the gold of any question under a preset."""
    return {stage for item in items.values() for stage in item.ranks}


def _texts(report: BenchReport) -> TextOf:
    versions = {document.name: document.version_id for document in report.documents}
    return lambda name: benches.text(report, versions[name])


def listed(
    questions: Sequence[AskedQuestion], measured: Mapping[str, QuestionOutcome], budget: int, sought: str
) -> list[AskedQuestion]:
    """The questions that contain every word of ``sought``, by rising recall; questions without gold come last."""

    def matches(question: AskedQuestion) -> bool:
        texts = [question.question, question.kind, question.id, *(span.document for span in question.gold)]
        return words.holds_all(" ".join(texts), sought)

    def recall(question: AskedQuestion) -> float:
        item = measured.get(question.id)
        share = item.scores.get(f"recall@{budget}") if item else None
        return 2.0 if share is None else share

    return sorted(filter(matches, questions), key=recall)


def table(
    questions: Sequence[AskedQuestion], outcomes: Mapping[str, Mapping[str, QuestionOutcome]], budget: int
) -> dict[str, list[Any]]:
    """The table's columns, with the recall in percent of each preset in ``outcomes``."""
    first = next(iter(outcomes.values()))
    columns: dict[str, list[Any]] = {"Question": [question.question for question in questions]}
    for name, items in outcomes.items():
        columns[f"recall.{name}"] = [_percent(items.get(question.id), budget) for question in questions]
    columns["Lost"] = [_lost(first.get(question.id), budget) for question in questions]
    columns["Document"] = [", ".join(dict.fromkeys(span.document for span in item.gold)) for item in questions]
    if any(question.kind for question in questions):
        columns["Kind"] = [ORIGIN_WORDS.get(question.kind, question.kind) for question in questions]
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
    """The stage that lost most of the gold, in words; "" if all of it was read."""
    parts = {name: count for name, count in (item.lost.get(budget, {}) if item else {}).items() if name != "read"}
    return STAGE_WORDS.get(max(parts, key=lambda name: parts[name]), "") if any(parts.values()) else ""


def show_failures(report: BenchReport, folder: str, preset: str, other: str) -> None:
    """Draw a preset's failures by cause, the remedies that were tried, and the questions of the chosen causes."""
    outcomes = benches.measured(folder, preset)
    counts = counted(outcomes.values())
    names = [name for name in CLASSES if counts[name]]
    if not names:
        st.caption(f"{words.escaped(preset)} missed no question.")
        return
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
        "A question is missed where less than half of its marked answer (gold) is read in 4,000 characters, or where "
        "the documents do not answer it and an answer is quoted. Click a bar to see its questions; choose one to see "
        "its place."
    )
    _show_remedies(report, folder, preset)
    show_questions(report, folder, preset, other, {item.id for item in outcomes.values() if item.failure in chosen})


def classes_figure(counts: Mapping[str, int]) -> plotly.graph_objects.Figure:
    """The number of failures by class, a bar each. ``customdata`` of a bar: the letter of its class."""
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
    across = {"title": "Questions", "gridcolor": palette().grid, "tickformat": ",d", "nticks": 6}
    across |= {"range": [0, 1.08 * max(4, *counts.values())]}
    return lay_out(figure, height=220, xaxis=across, yaxis={"autorange": "reversed", "automargin": True})


def _show_remedies(report: BenchReport, folder: str, preset: str) -> None:
    library = services.library()
    measured = {"run": folder, "preset": preset}
    if result := background.last_result(JOB, measured):
        remedies = from_values(Remedies, result)
        chunker = other_chunker(settings_from(dict(report.preset(preset).settings)))
        for remedy in sorted(remedies.tried, key=lambda remedy: -remedy.share):
            sentence = remedy_words(remedy.name, len(remedy.mended), remedies.failures, remedy.tokens, chunker)
            st.markdown(f"- {words.escaped(sentence)}")
        return
    run = next((run for run in benches.runs() if run.head.folder == folder), None)
    if library.writable and run and run.job:
        payload = {**measured, "folder": run.job.payload["folder"], "library": report.library}
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


def remedy_words(name: str, mended: int, failures: int, tokens: float, chunker: str = "") -> str:
    """A sentence on how many failures a remedy mends, and at what cost. ``chunker``: the one tried (``other_chunker``).

    >>> remedy_words("parent", 3, 12, 140.2)
    'Its whole parent is read: mends 3 of 12 (25%), with 140 tokens more a prompt.'
    >>> remedy_words("chunker", 1, 4, -20, "recursive")
    'Documents are cut by paragraphs, recursively: mends 1 of 4 (25%), with 20 tokens less a prompt.'
    """
    change = REMEDIES[name].format(CHUNKER_WORDS[chunker].lower() if chunker else "otherwise")
    cost = f"{abs(tokens):,.0f} tokens {'more' if tokens >= 0 else 'less'} a prompt"
    return f"{change[0].upper()}{change[1:]}: mends {mended} of {failures} ({mended / failures:.0%}), with {cost}."
