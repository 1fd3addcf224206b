"""A report taken apart: its figures by document, format or kind of question, and which presets are worth their cost.

The words for stages and costs stand here, so that the page and the report to pass on say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import READ, AskedQuestion, BenchReport, PresetReport
from core.evaluation.statistics import intervals
from core.settings import Settings

By = Literal["document", "format", "kind"]
CostAxis = Literal["characters", "prompt_tokens", "milliseconds"]
Value = str | float | None

STAGE_WORDS: Mapping[str, str] = {
    READ: "read",
    "budget": "budget ended",
    "threshold": "below the threshold",
    "ranking": "ranked too low",
    "search": "not found by either search",
    "condition": "left out by the question's own condition",
    "cutting": "in no chunk",
    "reading": "file could not be read",
}
"""Where gold went, from the reader back to the file, in the order it is drawn."""

STEP_WORDS: Mapping[str, str] = {
    "encode": "encode the question",
    "dense": "search by meaning",
    "lexical": "search by words",
    "coverage": "look for words around",
    "fused": "fuse both",
    "neighbours": "add neighbours' scores",
    "analyse": "read the question",
    "diverse": "spread",
    "reranked": "read the best again",
    "expand": "grow to parents",
    "assemble": "fill the budget",
    "total": "together",
}
"""What a question's milliseconds go to."""

COST_WORDS: Mapping[CostAxis, str] = {
    "characters": "Characters read, mean",
    "prompt_tokens": "Prompt tokens, mean",
    "milliseconds": "Milliseconds of one question, median",
}


@dataclass(frozen=True, slots=True)
class Point:
    """What a preset costs and what it gives, in percent with its 95 % interval. ``front``: nothing dominates it."""

    preset: str
    cost: float
    value: float
    low: float
    high: float
    front: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that have something in common, and a preset's mean over them in percent, with its 95 % interval."""

    name: str
    questions: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Decile:
    """Questions whose first gold stands in one tenth of the context. ``right``: how well they were answered, the mean.

    ``start``: of the tenth, in percent of the context. ``right``: in percent, ``None`` where no answer was scored.
    """

    start: int
    questions: int
    right: float | None


def by_position(outcomes: Collection[QuestionOutcome]) -> tuple[Decile, ...]:
    """All ten, in the reader's order; () where no context holds gold. How well: ``claim_recall``, else ``token_f1``."""
    held: list[list[QuestionOutcome]] = [[] for _ in range(10)]
    for outcome in outcomes:
        if outcome.gold_at is not None:
            held[min(9, int(10 * outcome.gold_at))].append(outcome)
    if not any(held):
        return ()
    scored = [[score for one in part for score in [_answered(one)] if score is not None] for part in held]
    return tuple(
        Decile(10 * place, len(part), 100 * sum(scores) / len(scores) if scores else None)
        for place, (part, scores) in enumerate(zip(held, scored, strict=True))
    )


def _answered(outcome: QuestionOutcome) -> float | None:
    return next(
        (score for name in ("claim_recall", "token_f1") if (score := outcome.scores.get(name)) is not None), None
    )


def breakdowns(
    report: BenchReport, by: By, metric: str, presets: Sequence[str] | None = None
) -> dict[str, tuple[Group, ...]]:
    """The presets' (``None``: all) ``metric`` over the questions of each document, format or kind, the largest first.

    A question with gold in two documents counts in both. Questions that have no such mark, or to which the metric
    does not apply, are in no group, so a suite that names no kinds has none. The order is the same for every preset.
    Raises ``NotFoundError`` for a preset that was not run.
    """
    names = [item.preset for item in report.presets] if presets is None else list(presets)
    scores = {name: report.preset(name).scores.get(metric, (None,) * len(report.questions)) for name in names}
    found: dict[str, list[Group]] = {name: [] for name in names}
    members: dict[str, list[int]] = {}
    for row, question in enumerate(report.questions):
        if all(scores[name][row] is not None for name in names):
            for mark in _marks(question, by):
                members.setdefault(mark, []).append(row)
    for mark, rows in sorted(members.items(), key=lambda one: (-len(one[1]), one[0])):
        table = [[100 * (scores[name][row] or 0.0) for name in names] for row in rows]
        for name, item in zip(names, intervals(table), strict=True):
            found[name].append(Group(mark, len(rows), item.mean, item.low, item.high))
    return {name: tuple(groups) for name, groups in found.items()}


def pareto(points: Sequence[tuple[float, float]]) -> tuple[bool, ...]:
    """Which of ``(cost, value)`` are on the front: none costs no more and is worth no less, but for its equals.

    >>> pareto([(1.0, 50.0), (2.0, 60.0), (3.0, 60.0), (2.0, 60.0)])
    (True, True, False, True)
    """
    return tuple(
        not any(other != point and other[0] <= point[0] and other[1] >= point[1] for other in points)
        for point in points
    )


def points(report: BenchReport, x: CostAxis, budget: int, measure: str = "recall") -> tuple[Point, ...]:
    """Every preset whose ``x`` and ``measure`` at ``budget`` are known, in the report's order."""
    metric = f"{measure}@{budget}"
    found: list[tuple[PresetReport, float]] = []
    for item in report.presets:
        cost = item.latency_ms.get("total", {}).get("p50") if x == "milliseconds" else item.costs.get(f"{x}@{budget}")
        if cost is not None and metric in item.metrics:
            found.append((item, cost))
    front = pareto([(cost, item.metrics[metric]) for item, cost in found])
    return tuple(
        Point(item.preset, cost, item.metrics[metric], *item.intervals[metric], on_front)
        for (item, cost), on_front in zip(found, front, strict=True)
    )


def leading(report: BenchReport, measure: str, count: int, chosen: Collection[str] = ()) -> frozenset[str]:
    """Presets to draw boldly: all of ``chosen`` and, to ``count`` in all, the best by ``measure`` over the budgets."""
    best = sorted(report.presets, key=lambda item: -_mean([item.metrics.get(f"{measure}@{b}") for b in report.budgets]))
    wanted = [item.preset for item in report.presets if item.preset in chosen]
    others = [item.preset for item in best if item.preset not in chosen]
    return frozenset([*wanted, *others[: max(0, count - len(wanted))]])


def changed_settings(report: BenchReport) -> dict[str, dict[str, Value]]:
    """By preset, the value of each ``stage.field`` in which any preset of the report differs from the default."""
    default = _flat(Settings().to_dict())
    held = {item.preset: _flat(item.settings) for item in report.presets}
    names = [name for name in default if any(flat.get(name, default[name]) != default[name] for flat in held.values())]
    unknown = dict.fromkeys(name for flat in held.values() for name in flat if name not in default)
    return {preset: {name: _value(flat.get(name)) for name in [*names, *unknown]} for preset, flat in held.items()}


def headline_measure(report: BenchReport) -> str:
    """ "recall", or "attained" where most gold is longer than the smallest budget and cannot be read whole in it."""
    sizes = sorted(
        sum(span.end - span.start for span in question.gold) for question in report.questions if question.gold
    )
    longer = bool(sizes) and sizes[len(sizes) // 2] > min(report.budgets)
    known = all(f"attained@{budget}" in item.metrics for item in report.presets for budget in report.budgets)
    return "attained" if longer and known else "recall"


def headline_budget(report: BenchReport) -> int:
    """The budget a report is summed up at: 4,000 characters, or the middle one where it was not asked for."""
    budgets = sorted(report.budgets)
    return 4000 if 4000 in budgets else budgets[len(budgets) // 2]


def _flat(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """``stage.field`` -> value; sequences as tuples, since JSON makes lists of them."""
    return {
        f"{stage}.{field}": tuple(value) if isinstance(value, list) else value
        for stage, fields in settings.items()
        for field, value in fields.items()
    }


def _value(value: Any) -> Value:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return value if value is None or isinstance(value, int | float) else str(value)


def _marks(question: AskedQuestion, by: By) -> tuple[str, ...]:
    if by == "document":
        return tuple(dict.fromkeys(span.document for span in question.gold))
    if by == "format":
        return tuple(dict.fromkeys(question.formats))
    return (question.kind,) if question.kind else ()


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def cost_table(report: BenchReport, budget: int) -> dict[str, list[str]]:
    """By column, a row a preset: the index, the prompt at ``budget`` characters, and time."""
    table: dict[str, list[str]] = {"Preset": [item.preset for item in report.presets]}
    for title, name, part, digits in (
        ("Chunks", "chunks", 1.0, 0),
        ("Texts to encode", "texts", 1.0, 0),
        ("Index, MB", "index_bytes", 1e6, 1),
        (f"Prompt tokens, {budget:,} characters", f"prompt_tokens@{budget}", 1.0, 0),
        ("Characters read", f"characters@{budget}", 1.0, 0),
    ):
        table[title] = [_said(item.costs.get(name), part, digits) for item in report.presets]
    table["Encoded in this run"] = [f"{item.encoded:,}" for item in report.presets]
    for title, name, part in (
        ("Ingest, s", "ingest", 1.0),
        ("Question, ms p50", "search_p50", 0.001),
        ("Question, ms p95", "search_p95", 0.001),
    ):
        table[title] = [_said(item.seconds.get(name), part, 1) for item in report.presets]
    return table


def latency_table(report: BenchReport) -> dict[str, list[str]]:
    """By column, a row a preset: milliseconds of a question by stage, median and 95th percentile, the total last."""
    steps = sorted(
        dict.fromkeys(step for item in report.presets for step in item.latency_ms), key=lambda step: step == "total"
    )
    table: dict[str, list[str]] = {"Preset": [item.preset for item in report.presets]}
    for step in steps:
        found = [item.latency_ms.get(step, {}) for item in report.presets]
        table[STEP_WORDS.get(step, step)] = [
            f"{_said(f.get('p50'), 1, 1)} / {_said(f.get('p95'), 1, 1)}" for f in found
        ]
    return table


def settings_table(report: BenchReport) -> dict[str, list[str]]:
    """By column, a row a preset: the settings in which any of them differs from the default."""
    changed = changed_settings(report)
    names = list(next(iter(changed.values()), {}))
    said = {
        name: ["–" if one[name] is None else str(one[name]) or "none" for one in changed.values()] for name in names
    }
    return {"Preset": list(changed), **said}


def _said(value: float | None, part: float, digits: int) -> str:
    """
    >>> _said(1_230_000, 1e6, 1), _said(None, 1, 0)
    ('1.2', '–')
    """
    return "–" if value is None else f"{value / part:,.{digits}f}"
