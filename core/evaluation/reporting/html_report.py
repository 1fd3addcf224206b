"""A bench report as one HTML file that works offline: tables in HTML, figures by Plotly, whose script it contains.

Every text is escaped by the template, or is JSON in a script element. As a second defence the content security policy
allows only the report's two scripts and its style, by their hashes, and no forms and no addresses.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

from core.errors import LecternError
from core.evaluation.exchange.judged import by_origin
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import (
    COST_WORDS,
    By,
    breakdowns,
    cost_table,
    headline_budget,
    headline_measure,
    latency_table,
    leading,
    points,
    settings_table,
)
from core.evaluation.reporting.charts import (
    BOLD,
    LIGHT,
    SYMBOLS,
    breakdown_figure,
    lost_figure,
    pareto_figure,
    recall_figure,
)
from core.evaluation.reporting.html_parts import (
    fate_words,
    figure_json,
    gold_quote,
    palette_style,
    policy,
    worst_questions,
)
from core.evaluation.reporting.metric_words import metric_meaning, metric_words
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.evaluation.statistics import BETTER, NO_DIFFERENCE, PERMUTATIONS, RESAMPLES, WORSE, Comparison
from core.text.normalise import storable
from core.text.values.numerals import counted

MISSED = 20
"""How many of the worst questions are quoted."""

MARKS = {BETTER: "▲", WORSE: "▼", NO_DIFFERENCE: "≈"}
SIGNS = dict(zip(SYMBOLS, "●■◆▲✚✖★", strict=True))
"""The figures' symbols as characters, to precede a preset's name."""

TextOf = Callable[[str], str]

_TEMPLATE, _STYLE, _SCRIPT = "report.html.jinja", "report.css", "report.js"
_SPANS = 3  # gold spans quoted of a question


def html_report(
    report: BenchReport,
    baseline: str | None,
    measured: Mapping[str, Mapping[str, QuestionOutcome]] | None = None,
    text_of: TextOf | None = None,
) -> str:
    """The report as one self-contained HTML document, to be written as UTF-8.

    ``baseline``: the preset to compare the others with, ``None`` for no comparison. ``measured``: outcomes by preset
    and question id, for the stages at which gold was lost. ``text_of``: a document's text by its version, for quotes of
    the gold; where it raises a ``LecternError``, only the gold's place is given. Raises ``NotFoundError`` for an
    unknown baseline.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    folder = Path(__file__).parent
    sheet = f"{palette_style()}\n{(folder / _STYLE).read_text(encoding='utf-8')}"
    plotly, drawing = get_plotlyjs(), (folder / _SCRIPT).read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: f"{value:.1f}"
    page = environment.get_template(_TEMPLATE).render(
        _View(report, baseline, measured or {}, text_of).page(),
        style=sheet,
        plotly=plotly,
        drawing=drawing,
        policy=policy((plotly, drawing), sheet),
    )
    # File names may contain surrogates, which UTF-8 cannot encode, and HTML does not allow U+0000.
    return storable(page).replace("\0", "\N{REPLACEMENT CHARACTER}")


@dataclass
class _View:
    """The template's variables, as plain values."""

    report: BenchReport
    baseline: str | None
    measured: Mapping[str, Mapping[str, QuestionOutcome]]
    text_of: TextOf | None

    def __post_init__(self) -> None:
        report, baseline = self.report, self.baseline
        self.chosen = () if baseline is None else (baseline,)
        self.measure, self.budget = headline_measure(report), headline_budget(report)
        self.metric = f"{self.measure}@{self.budget}"
        self.compared: dict[str, dict[str, Comparison]] = {} if baseline is None else report.compare_all(baseline)
        self.bold = leading(report, self.measure, BOLD, self.chosen)
        self.numbers = {item.preset: number for number, item in enumerate(report.presets)}
        self.texts: dict[str, str | None] = {}

    def page(self) -> dict[str, Any]:
        report, lost = self.report, any(item.lost.get(str(self.budget)) for item in self.report.presets)
        return {
            "report": report,
            "baseline": self.baseline,
            "budget": self.budget,
            "headline": metric_words(self.metric),
            "made_at": _date_words(report.made_at),
            "versions": _versions(),
            "answerable": sum(bool(question.gold) for question in report.questions),
            "mixed": by_origin(question.kind for question in report.questions),
            "summary": self.summary(),
            "table": self.table(),
            "thin": len(report.presets) - len(self.bold),
            "curves": figure_json(lambda palette: recall_figure(report, palette, self.chosen, self.measure)),
            "pareto": [
                {"words": words, "drawing": figure_json(partial(self.cost_figure, cost))}
                for cost, words in COST_WORDS.items()
                if points(report, cost, self.budget, self.measure)
            ],
            "lost": figure_json(partial(lost_figure, report, self.budget)) if lost else "",
            "breakdowns": self.breakdowns(),
            "tables": {"Costs": cost_table(report, self.budget), "Milliseconds of one question": latency_table(report)},
            "settings": settings_table(report),
            "missed": [self.missed(row, mean) for row, mean in worst_questions(report, self.metric, MISSED)],
            "meanings": self.meanings(),
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
        }

    def cost_figure(self, cost: Any, palette: Any) -> Any:
        return pareto_figure(self.report, cost, self.budget, palette, measure=self.measure)

    def summary(self) -> list[str]:
        """The result in a few sentences."""
        scored = [item for item in self.report.presets if self.metric in item.metrics]
        if not scored:
            return ["No question of this suite has gold that could be scored."]
        most = f"{max(item.metrics[self.metric] for item in scored):.1f}"
        first, *others = [item for item in scored if f"{item.metrics[self.metric]:.1f}" == most]
        low, high = first.intervals[self.metric]
        who = f"{first.preset} and {counted(len(others), 'other')} read" if others else f"{first.preset} reads"
        share = f"{most} % of the gold within {self.budget:,} characters"
        sentences = [f"{who} most: {share} (95 % interval {low:.1f} to {high:.1f})."]
        verdicts = [metrics[self.metric].verdict for metrics in self.compared.values() if self.metric in metrics]
        if verdicts:
            told = [f"{verdicts.count(word)} {word}" for word in (BETTER, WORSE) if word in verdicts]
            if NO_DIFFERENCE in verdicts:
                told.append(f"no difference seen for {verdicts.count(NO_DIFFERENCE)}")
            sentences.append(f"Against {self.baseline}: {', '.join(told)}.")
        return sentences

    def table(self) -> dict[str, Any]:
        """The headline figures, with a row for each preset and a column for each metric."""
        budgets = self.report.budgets
        columns = [f"{self.measure}@{budget}" for budget in budgets]
        columns += [f"full@{self.budget}", f"precision@{budgets[0]}", f"iou@{budgets[0]}", "ndcg@10"]
        metrics = [metric for metric in columns if any(metric in item.metrics for item in self.report.presets)]
        best = {metric: max(item.metrics.get(metric, -1.0) for item in self.report.presets) for metric in metrics}
        return {
            "columns": [metric_words(metric) for metric in metrics],
            "rows": [
                {**self.named(item), "cells": [self.cell(item, metric, best[metric]) for metric in metrics]}
                for item in self.report.presets
            ],
        }

    def named(self, item: PresetReport) -> dict[str, Any]:
        number = self.numbers[item.preset]
        return {
            "preset": item.preset,
            "sign": SIGNS[SYMBOLS[number % len(SYMBOLS)]],
            "colour": number % len(LIGHT.colours),
            "is_baseline": item.preset == self.baseline,
        }

    def cell(self, item: PresetReport, metric: str, best: float) -> dict[str, Any]:
        if metric not in item.metrics:
            return {"value": "–", "half": "", "verdict": "", "mark": "", "why": "does not apply", "best": False}
        low, high = item.intervals[metric]
        comparison = self.compared.get(item.preset, {}).get(metric)
        why = f"{low:.1f} to {high:.1f}"
        if comparison is not None:
            why = f"{comparison.difference:+.1f} points ({comparison.low:+.1f} to {comparison.high:+.1f})"
            why += f", adjusted p {comparison.adjusted:.4f}"
        return {
            "value": f"{item.metrics[metric]:.1f}",
            "half": f"± {(high - low) / 2:.1f}",
            "verdict": comparison.verdict if comparison else "",
            "mark": MARKS[comparison.verdict] if comparison else "",
            "why": why,
            "best": item.metrics[metric] == best,
        }

    def breakdowns(self) -> list[dict[str, Any]]:
        """The breakdowns by document, format and kind that have more than one group."""
        presets = [item.preset for item in self.report.presets if item.preset in self.bold]
        result = []
        for by in get_args(By):
            groups = breakdowns(self.report, by, self.metric, presets)
            if len(next(iter(groups.values()), ())) > 1:
                drawing = figure_json(partial(breakdown_figure, self.report, groups, self.metric))
                result.append({"title": f"By {by}", "drawing": drawing})
        return result

    def missed(self, row: int, mean: float) -> dict[str, Any]:
        """One of the worst questions. ``row``: its position. ``mean``: over the presets."""
        question = self.report.questions[row]
        presets = []
        for item in self.report.presets:
            share = item.scores[self.metric][row] if self.metric in item.scores else None
            if item.preset in self.bold and share is not None:
                fate = fate_words(self.measured.get(item.preset, {}).get(question.id), self.budget)
                presets.append({**self.named(item), "share": share, "fate": fate})
        return {
            "id": question.id,
            "question": question.question,
            "kind": question.kind,
            "mean": mean,
            "gold": [gold_quote(span, self.text(span.document)) for span in question.gold[:_SPANS]],
            "more_gold": max(0, len(question.gold) - _SPANS),
            "presets": presets,
        }

    def text(self, name: str) -> str | None:
        if name not in self.texts:
            version = next((item.version_id for item in self.report.documents if item.name == name), None)
            try:
                self.texts[name] = None if self.text_of is None or version is None else self.text_of(version)
            except LecternError:  # an unreadable document or a removed library must not prevent the report
                self.texts[name] = None
        return self.texts[name]

    def meanings(self) -> list[tuple[str, str]]:
        measured = {metric for item in self.report.presets for metric in item.metrics}
        names = ("recall", "attained", "precision", "iou", "full")
        explained = [*(f"{name}@{self.budget}" for name in names), "ndcg@10"]
        return [(metric_words(metric), metric_meaning(metric)) for metric in explained if metric in measured]


def _date_words(made_at: str) -> str:
    """An ISO 8601 time in words; "" for "".

    >>> _date_words("2026-11-21T14:02:11+00:00")
    '21 November 2026, 14:02 UTC'
    """
    if not made_at:
        return ""
    at = datetime.fromisoformat(made_at).astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def _versions() -> dict[str, str]:
    """Name -> version of Lectern, Python and the packages that figures depend on."""
    declared = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    packages = ("numpy", "torch", "sentence-transformers", "tokenizers", "chromadb", "pymupdf")
    own = {"Lectern": str(declared["project"]["version"]), "Python": platform.python_version()}
    return own | {name: version(name) for name in packages}
