"""A bench report as one HTML file that opens anywhere, offline: tables in HTML, figures by Plotly's script inside it.

Every text goes through a template that escapes, or into JSON that a script element holds. Were one to slip through, the
content security policy runs no script but the two whose hashes it names, and takes no style but the report's own, no
form and no address of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import LecternError
from core.evaluation.exchange.judged import by_origin
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.breakdown import (
    COST_WORDS,
    STAGE_WORDS,
    Table,
    breakdowns,
    changed_settings,
    cost_table,
    headline_budget,
    headline_measure,
    latency_table,
    leading,
    points,
)
from core.evaluation.reporting.charts import (
    BOLD,
    GROUPS,
    SYMBOLS,
    breakdown_figure,
    lost_figure,
    pareto_figure,
    recall_figure,
    style,
)
from core.evaluation.reporting.html_parts import drawn, fate_words, missed_most, palette_style, policy, quoted
from core.evaluation.reporting.metric_words import metric_meaning, metric_words
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.evaluation.statistics import BETTER, NO_DIFFERENCE, PERMUTATIONS, RESAMPLES, WORSE, Comparison
from core.settings import Settings
from core.storage.diagnosis import versions

MISSED = 20
"""So many of the questions missed most are quoted."""

MARKS = {BETTER: "▲", WORSE: "▼", NO_DIFFERENCE: "≈"}
SIGNS = dict(zip(SYMBOLS, "●■◆▲✚✖", strict=True))
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
    view = _View(report, baseline, measured or {}, text_of)
    page = environment.get_template(_TEMPLATE).render(
        view.page(), style=sheet, plotly=plotly, drawing=drawing, policy=policy((plotly, drawing), sheet)
    )
    # A file's name may hold what UTF-8 cannot write, and HTML has no character 0.
    return page.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


class _View:
    """What the template shows, as plain values."""

    def __init__(
        self,
        report: BenchReport,
        baseline: str | None,
        measured: Mapping[str, Mapping[str, QuestionOutcome]],
        text_of: TextOf | None,
    ) -> None:
        self.report, self.baseline, self.measured, self.text_of = report, baseline, measured, text_of
        self.measure, self.budget = headline_measure(report), headline_budget(report)
        self.metric = f"{self.measure}@{self.budget}"
        self.compared: dict[str, dict[str, Comparison]] = {} if baseline is None else report.compare_all(baseline)
        self.bold = leading(report, self.measure, BOLD, () if baseline is None else (baseline,))
        self.numbers = {item.preset: number for number, item in enumerate(report.presets)}
        self.texts: dict[str, str | None] = {}

    def page(self) -> dict[str, Any]:
        report = self.report
        chosen = () if self.baseline is None else (self.baseline,)
        return {
            "report": report,
            "baseline": self.baseline,
            "budget": self.budget,
            "headline": metric_words(self.metric),
            "made_at": _moment(report.made_at),
            "versions": {name: number for name, number in versions().items() if number},
            "answerable": sum(bool(question.gold) for question in report.questions),
            "mixed": by_origin(question.kind for question in report.questions),
            "summary": self.summary(),
            "table": self.table(),
            "every_metric": self.every_metric(),
            "thin": len(report.presets) - len(self.bold),
            "curves": drawn(lambda palette: recall_figure(report, palette, chosen, self.measure)),
            "pareto": self.pareto(),
            "lost": drawn(lambda palette: lost_figure(report, self.budget, palette)) if self.lost() else "",
            "stages": self.stages(),
            "breakdowns": self.breakdowns(),
            "costs": self.tabled(cost_table(report, self.budget)),
            "latency": self.tabled(latency_table(report)),
            "settings": self.settings(),
            "missed": self.missed(),
            "unanswerable": self.unanswerable(),
            "meanings": self.meanings(),
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
        }

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
        looks = style(self.numbers[item.preset])
        return {
            "preset": item.preset,
            "sign": SIGNS[SYMBOLS[looks.symbol]],
            "colour": looks.colour,
            "is_baseline": item.preset == self.baseline,
        }

    def cell(self, item: PresetReport, metric: str, best: float | None = None) -> dict[str, Any]:
        if metric not in item.metrics:
            return {"value": "–", "half": "", "verdict": "", "mark": "", "why": "does not apply", "best": False}
        low, high = item.intervals[metric]
        cell = {
            "value": f"{item.metrics[metric]:.1f}",
            "half": f"± {(high - low) / 2:.1f}",
            "verdict": "",
            "mark": "",
            "why": f"{low:.1f} to {high:.1f}",
            "best": item.metrics[metric] == best,
        }
        found = self.compared.get(item.preset, {}).get(metric)
        if found is None:
            return cell
        p_value = found.p_value if found.adjusted is None else found.adjusted
        why = f"{found.difference:+.1f} points ({found.low:+.1f} to {found.high:+.1f}), adjusted p {p_value:.4f}"
        return cell | {"verdict": found.verdict, "mark": MARKS[found.verdict], "why": why}

    def every_metric(self) -> list[dict[str, Any]]:
        """All metrics: a row a metric, a column a preset."""
        names = dict.fromkeys(metric for item in self.report.presets for metric in item.metrics)
        return [
            {
                "name": name,
                "words": metric_words(name),
                "cells": [self.cell(item, name) for item in self.report.presets],
            }
            for name in names
        ]

    def pareto(self) -> list[dict[str, Any]]:
        """A figure for each cost that was measured, and who is on its front, the cheapest first."""
        figures = []
        for cost, words in COST_WORDS.items():
            found = sorted(points(self.report, cost, self.budget, self.measure), key=lambda point: point.cost)
            front = [self.named(self.report.preset(point.preset)) for point in found if point.front]
            if found:
                drawing = drawn(partial(pareto_figure, self.report, cost, self.budget, measure=self.measure))
                figures.append({"words": words, "drawing": drawing, "front": front})
        return figures

    def lost(self) -> bool:
        return any(item.lost.get(str(self.budget)) for item in self.report.presets)

    def stages(self) -> dict[str, Any]:
        """Where gold went at the headline budget: the stages there are, and a row of shares a preset."""
        held = [(item, item.lost.get(str(self.budget), {})) for item in self.report.presets]
        stages = [stage for stage in STAGE_WORDS if any(parts.get(stage) for _, parts in held)]
        return {
            "columns": [STAGE_WORDS[stage] for stage in stages],
            "rows": [
                {**self.named(item), "cells": [f"{parts.get(stage, 0.0):.1f}" for stage in stages]}
                for item, parts in held
                if parts
            ],
        }

    def breakdowns(self) -> list[dict[str, Any]]:
        """By document, format and kind, where there is more than one of them."""
        shown = [item.preset for item in self.report.presets if item.preset in self.bold]
        found = []
        for by, title in (("document", "By document"), ("format", "By format"), ("kind", "By kind of question")):
            groups = breakdowns(self.report, by, self.metric, shown)  # type: ignore[arg-type]
            names = list(dict.fromkeys(group.name for held in groups.values() for group in held))
            if len(names) < 2:
                continue
            cells = {preset: {group.name: group for group in held} for preset, held in groups.items()}
            sizes = {group.name: group.questions for held in groups.values() for group in held}
            found.append(
                {
                    "title": title,
                    "drawing": drawn(partial(breakdown_figure, groups, self.metric, numbers=self.numbers)),
                    "columns": [self.named(self.report.preset(preset)) for preset in shown],
                    "rows": [
                        {"name": name, "questions": sizes[name], "cells": [cells[preset].get(name) for preset in shown]}
                        for name in names[:GROUPS]
                    ],
                }
            )
        return found

    def tabled(self, table: Table) -> dict[str, Any]:
        rows = [{**self.named(item), "cells": table.rows[item.preset]} for item in self.report.presets]
        return {"columns": table.columns, "rows": rows}

    def settings(self) -> dict[str, Any]:
        """In what the presets differ from the default, and all of each one's settings."""
        changed = changed_settings(self.report)
        names = list(next(iter(changed.values()), {}))
        default = _flat(Settings().to_dict())
        return {
            "columns": names,
            "default": [default.get(name, "–") for name in names],
            "rows": [
                {
                    **self.named(item),
                    "cells": [
                        {
                            "value": _shown(changed[item.preset][n]),
                            "changed": _shown(changed[item.preset][n]) != default.get(n),
                        }
                        for n in names
                    ],
                    "all": _flat(item.settings),
                }
                for item in self.report.presets
            ],
        }

    def missed(self) -> list[dict[str, Any]]:
        """The questions of which least was read, over all presets, the worst first."""
        return [self.missed_question(row, mean) for row, mean in missed_most(self.report, self.metric, MISSED)]

    def missed_question(self, row: int, mean: float) -> dict[str, Any]:
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

    def unanswerable(self) -> list[dict[str, Any]]:
        """Best scores of questions with and without an answer, where the suite has the latter."""
        rows = []
        for item in self.report.presets:
            if not item.unanswerable.get("unanswerable"):
                continue
            for stage, words in (("dense", "meaning"), ("lexical", "words")):
                best = item.unanswerable["best_score"].get(stage)
                if best and None not in best.values():
                    cells = [words, f"{best['answerable']:.2f}", f"{best['unanswerable']:.2f}"]
                    rows.append({**self.named(item), "cells": cells})
        return rows

    def meanings(self) -> list[tuple[str, str]]:
        known = {metric for item in self.report.presets for metric in item.metrics}
        wanted = [*(f"{name}@{self.budget}" for name in ("recall", "attained", "precision", "iou", "full")), "ndcg@10"]
        return [(metric_words(metric), metric_meaning(metric)) for metric in wanted if metric in known]


def _flat(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {f"{stage}.{name}": _shown(value) for stage, fields in settings.items() for name, value in fields.items()}


def _shown(value: Any) -> str:
    """A setting's value as the command line takes it."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value)) or "none"
    return "–" if value is None else str(value) or "none"


def _moment(made_at: str) -> str:
    """ISO 8601 as people write it; "" for none.

    >>> _moment("2026-11-21T14:02:11+00:00")
    '21 November 2026, 14:02 UTC'
    """
    if not made_at:
        return ""
    at = datetime.fromisoformat(made_at).astimezone(UTC)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"
