"""A bench report as one HTML file that opens anywhere, offline: tables in HTML, figures by Plotly's script inside it.

Every text goes through a template that escapes, or into JSON that a script element holds. Were one to slip through, the
content security policy runs no script but the two whose hashes it names, and takes no style but the report's own, no
form and no address of any kind.
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
from core.evaluation.reporting.html_parts import drawn, fate_words, missed_most, palette_style, policy, quoted
from core.evaluation.reporting.metric_words import metric_meaning, metric_words
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.evaluation.statistics import BETTER, NO_DIFFERENCE, PERMUTATIONS, RESAMPLES, WORSE, Comparison
from core.text.normalise import storable

MISSED = 20
"""So many of the questions missed most are quoted."""

MARKS = {BETTER: "▲", WORSE: "▼", NO_DIFFERENCE: "≈"}
SIGNS = dict(zip(SYMBOLS, "●■◆▲✚✖★", strict=True))
"""The symbols of a figure as letters, to stand before a preset's name."""

TextOf = Callable[[str], str]

_TEMPLATE, _STYLE, _SCRIPT = "report.html.jinja", "report.css", "report.js"
_SPANS = 3  # of a question's gold are quoted


def html_report(
    report: BenchReport,
    baseline: str | None,
    measured: Mapping[str, Mapping[str, QuestionOutcome]] | None = None,
    text_of: TextOf | None = None,
) -> str:
    """The report as one self-contained HTML document, to be written as UTF-8.

    ``baseline``: the preset that the others are held against; ``None``: none. ``measured``: by preset and question's
    id; says at which stage missed gold was lost. ``text_of``: a document's text by its version, to quote gold from;
    where it raises a ``LecternError``, places are given instead. Raises ``NotFoundError`` for an unknown baseline.
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
    # A file's name may hold what UTF-8 cannot write, and HTML has no character 0.
    return storable(page).replace("\0", "\N{REPLACEMENT CHARACTER}")


@dataclass
class _View:
    """What the template shows, as plain values."""

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
            "made_at": _moment(report.made_at),
            "versions": _versions(),
            "answerable": sum(bool(question.gold) for question in report.questions),
            "mixed": by_origin(question.kind for question in report.questions),
            "summary": self.summary(),
            "table": self.table(),
            "thin": len(report.presets) - len(self.bold),
            "curves": drawn(lambda palette: recall_figure(report, palette, self.chosen, self.measure)),
            "pareto": [
                {"words": words, "drawing": drawn(partial(self.cost_figure, cost))}
                for cost, words in COST_WORDS.items()
                if points(report, cost, self.budget, self.measure)
            ],
            "lost": drawn(partial(lost_figure, report, self.budget)) if lost else "",
            "breakdowns": self.breakdowns(),
            "tables": {"Costs": cost_table(report, self.budget), "Milliseconds of one question": latency_table(report)},
            "settings": settings_table(report),
            "missed": [self.missed(row, mean) for row, mean in missed_most(report, self.metric, MISSED)],
            "meanings": self.meanings(),
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
        }

    def cost_figure(self, cost: Any, palette: Any) -> Any:
        return pareto_figure(self.report, cost, self.budget, palette, measure=self.measure)

    def summary(self) -> list[str]:
        """The outcome in a few sentences."""
        scored = [item for item in self.report.presets if self.metric in item.metrics]
        if not scored:
            return ["No question of this suite has gold that could be scored."]
        best = max(scored, key=lambda item: item.metrics[self.metric])
        low, high = best.intervals[self.metric]
        share = f"{best.metrics[self.metric]:.1f} % of the gold within {self.budget:,} characters"
        said = [f"{best.preset} reads most: {share} (95 % interval {low:.1f} to {high:.1f})."]
        verdicts = [found[self.metric].verdict for found in self.compared.values() if self.metric in found]
        if verdicts:
            counted = [f"{verdicts.count(word)} {word}" for word in (BETTER, WORSE) if word in verdicts]
            if NO_DIFFERENCE in verdicts:
                counted.append(f"no difference seen for {verdicts.count(NO_DIFFERENCE)}")
            said.append(f"Against {self.baseline}: {', '.join(counted)}.")
        return said

    def table(self) -> dict[str, Any]:
        """The headline figures: a row a preset, a column a metric."""
        budgets = self.report.budgets
        wanted = [f"{self.measure}@{budget}" for budget in budgets]
        wanted += [f"full@{self.budget}", f"precision@{budgets[0]}", f"iou@{budgets[0]}", "ndcg@10"]
        metrics = [metric for metric in wanted if any(metric in item.metrics for item in self.report.presets)]
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
        found = self.compared.get(item.preset, {}).get(metric)
        why = f"{low:.1f} to {high:.1f}"
        if found is not None:
            why = f"{found.difference:+.1f} points ({found.low:+.1f} to {found.high:+.1f})"
            why += f", adjusted p {found.adjusted:.4f}"
        return {
            "value": f"{item.metrics[metric]:.1f}",
            "half": f"± {(high - low) / 2:.1f}",
            "verdict": found.verdict if found else "",
            "mark": MARKS[found.verdict] if found else "",
            "why": why,
            "best": item.metrics[metric] == best,
        }

    def breakdowns(self) -> list[dict[str, Any]]:
        """By document, format and kind, where there is more than one of them."""
        shown = [item.preset for item in self.report.presets if item.preset in self.bold]
        found = []
        for by in get_args(By):
            groups = breakdowns(self.report, by, self.metric, shown)
            if len(next(iter(groups.values()), ())) > 1:
                drawing = drawn(partial(breakdown_figure, self.report, groups, self.metric))
                found.append({"title": f"By {by}", "drawing": drawing})
        return found

    def missed(self, row: int, mean: float) -> dict[str, Any]:
        """One of the questions of which least was read."""
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
            "gold": [quoted(span, self.text(span.document)) for span in question.gold[:_SPANS]],
            "more_gold": max(0, len(question.gold) - _SPANS),
            "presets": presets,
        }

    def text(self, name: str) -> str | None:
        if name not in self.texts:
            version = next((item.version_id for item in self.report.documents if item.name == name), None)
            try:
                self.texts[name] = None if self.text_of is None or version is None else self.text_of(version)
            except LecternError:  # it could not be read, or its library is gone: the report is made all the same
                self.texts[name] = None
        return self.texts[name]

    def meanings(self) -> list[tuple[str, str]]:
        known = {metric for item in self.report.presets for metric in item.metrics}
        wanted = [*(f"{name}@{self.budget}" for name in ("recall", "attained", "precision", "iou", "full")), "ndcg@10"]
        return [(metric_words(metric), metric_meaning(metric)) for metric in wanted if metric in known]


def _moment(made_at: str) -> str:
    """ISO 8601 as people write it; "" for none.

    >>> _moment("2026-11-21T14:02:11+00:00")
    '21 November 2026, 14:02 UTC'
    """
    if not made_at:
        return ""
    at = datetime.fromisoformat(made_at).astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def _versions() -> dict[str, str]:
    """Lectern's, Python's and those of the packages that figures depend on, by name."""
    declared = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    packages = ("numpy", "torch", "sentence-transformers", "tokenizers", "chromadb", "pymupdf")
    own = {"Lectern": str(declared["project"]["version"]), "Python": platform.python_version()}
    return own | {name: version(name) for name in packages}
