"""Breaks a report down by document, format or kind of question, and compares presets by their cost.

The labels of stages and costs are defined here, for the page and the HTML report alike.
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
"""Labels of the stages at which gold is lost, in the order they are drawn."""

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
"""Labels of the stages whose latency is measured."""

COST_WORDS: Mapping[CostAxis, str] = {
    "characters": "Characters read, mean",
    "prompt_tokens": "Prompt tokens, mean",
    "milliseconds": "Milliseconds of one question, median",
}


@dataclass(frozen=True, slots=True)
class Point:
    """A preset's cost and its metric in percent, with a 95 % interval. ``front``: whether no preset dominates it."""

    preset: str
    cost: float
    value: float
    low: float
    high: float
    front: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A preset's mean in percent over a group of ``questions`` questions, with its 95 % interval."""

    name: str
    questions: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Decile:
    """The questions whose first gold is in one tenth of the context.

    ``start``: of the tenth, in percent of the context. ``right``: their mean answer score in percent, ``None`` where
    no answer was scored.
    """

    start: int
    questions: int
    right: float | None


def by_position(outcomes: Collection[QuestionOutcome]) -> tuple[Decile, ...]:
    """The ten deciles in reading order; () where no context has gold. Scored by ``claim_recall``, else ``token_f1``."""
    tenths: list[list[QuestionOutcome]] = [[] for _ in range(10)]
    for outcome in outcomes:
        if outcome.gold_at is not None:
            tenths[min(9, int(10 * outcome.gold_at))].append(outcome)
    if not any(tenths):
        return ()
    deciles = []
    for number, tenth in enumerate(tenths):
        scores = [score for outcome in tenth if (score := _answer_score(outcome)) is not None]
        deciles.append(Decile(10 * number, len(tenth), 100 * sum(scores) / len(scores) if scores else None))
    return tuple(deciles)


def _answer_score(outcome: QuestionOutcome) -> float | None:
    return next(
        (score for name in ("claim_recall", "token_f1") if (score := outcome.scores.get(name)) is not None), None
    )


def breakdowns(
    report: BenchReport, by: By, metric: str, presets: Sequence[str] | None = None
) -> dict[str, tuple[Group, ...]]:
    """The mean of ``metric`` for each document, format or kind, by preset (``None``: all), the largest group first.

    A question with gold in two documents counts in both. Questions without a document, format or kind are in no group,
    nor are those to which the metric does not apply. All presets have the same groups in the same order. Raises
    ``NotFoundError`` for a preset that was not run.
    """
    names = [item.preset for item in report.presets] if presets is None else list(presets)
    scores = {name: report.preset(name).scores.get(metric, (None,) * len(report.questions)) for name in names}
    groups: dict[str, list[Group]] = {name: [] for name in names}
    members: dict[str, list[int]] = {}
    for row, question in enumerate(report.questions):
        if all(scores[name][row] is not None for name in names):
            for group_name in _group_names(question, by):
                members.setdefault(group_name, []).append(row)
    for group_name, rows in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        table = [[100 * (scores[name][row] or 0.0) for name in names] for row in rows]
        for name, item in zip(names, intervals(table), strict=True):
            groups[name].append(Group(group_name, len(rows), item.mean, item.low, item.high))
    return {name: tuple(items) for name, items in groups.items()}


def pareto(points: Sequence[tuple[float, float]]) -> tuple[bool, ...]:
    """Which of the ``(cost, value)`` points are on the Pareto front: no other point is as cheap and as good.

    >>> pareto([(1.0, 50.0), (2.0, 60.0), (3.0, 60.0), (2.0, 60.0)])
    (True, True, False, True)
    """
    return tuple(
        not any(other != point and other[0] <= point[0] and other[1] >= point[1] for other in points)
        for point in points
    )


def points(report: BenchReport, x: CostAxis, budget: int, measure: str = "recall") -> tuple[Point, ...]:
    """A point for every preset with a cost ``x`` and a ``measure`` at ``budget``, in the report's order."""
    metric = f"{measure}@{budget}"
    costs: list[tuple[PresetReport, float]] = []
    for item in report.presets:
        cost = item.latency_ms.get("total", {}).get("p50") if x == "milliseconds" else item.costs.get(f"{x}@{budget}")
        if cost is not None and metric in item.metrics:
            costs.append((item, cost))
    front = pareto([(cost, item.metrics[metric]) for item, cost in costs])
    return tuple(
        Point(item.preset, cost, item.metrics[metric], *item.intervals[metric], on_front)
        for (item, cost), on_front in zip(costs, front, strict=True)
    )


def leading(report: BenchReport, measure: str, count: int, chosen: Collection[str] = ()) -> frozenset[str]:
    """The presets to emphasise: ``chosen`` and, up to ``count`` in all, the best by mean ``measure``."""
    best = sorted(report.presets, key=lambda item: -_mean([item.metrics.get(f"{measure}@{b}") for b in report.budgets]))
    present = [item.preset for item in report.presets if item.preset in chosen]
    others = [item.preset for item in best if item.preset not in chosen]
    return frozenset([*present, *others[: max(0, count - len(present))]])


def changed_settings(report: BenchReport) -> dict[str, dict[str, Value]]:
    """Preset -> ``stage.field`` -> value, for the settings in which any of the presets differs from the default."""
    default = _flat_settings(Settings().to_dict())
    settings = {item.preset: _flat_settings(item.settings) for item in report.presets}
    changed = [
        name for name in default if any(flat.get(name, default[name]) != default[name] for flat in settings.values())
    ]
    removed = dict.fromkeys(name for flat in settings.values() for name in flat if name not in default)
    return {
        preset: {name: _value(flat.get(name)) for name in [*changed, *removed]} for preset, flat in settings.items()
    }


def headline_measure(report: BenchReport) -> str:
    """ "recall", or "attained" where the median gold is longer than the smallest budget, which limits recall there."""
    sizes = sorted(
        sum(span.end - span.start for span in question.gold) for question in report.questions if question.gold
    )
    is_longer = bool(sizes) and sizes[len(sizes) // 2] > min(report.budgets)
    is_known = all(f"attained@{budget}" in item.metrics for item in report.presets for budget in report.budgets)
    return "attained" if is_longer and is_known else "recall"


def headline_budget(report: BenchReport) -> int:
    """The budget of a report's headline figures: 4,000 characters, or the median budget where that was not measured."""
    budgets = sorted(report.budgets)
    return 4000 if 4000 in budgets else budgets[len(budgets) // 2]


def _flat_settings(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """``stage.field`` -> value, with tuples for the lists that JSON has."""
    return {
        f"{stage}.{field}": tuple(value) if isinstance(value, list) else value
        for stage, fields in settings.items()
        for field, value in fields.items()
    }


def _value(value: Any) -> Value:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return value if value is None or isinstance(value, int | float) else str(value)


def _group_names(question: AskedQuestion, by: By) -> tuple[str, ...]:
    if by == "document":
        return tuple(dict.fromkeys(span.document for span in question.gold))
    if by == "format":
        return tuple(dict.fromkeys(question.formats))
    return (question.kind,) if question.kind else ()


def _mean(values: Sequence[float | None]) -> float:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else 0.0


def cost_table(report: BenchReport, budget: int) -> dict[str, list[str]]:
    """The costs as columns, with a row for each preset: index, prompt at ``budget`` characters, and time."""
    table: dict[str, list[str]] = {"Preset": [item.preset for item in report.presets]}
    for title, name, unit, digits in (
        ("Chunks", "chunks", 1.0, 0),
        ("Texts to encode", "texts", 1.0, 0),
        ("Index, MB", "index_bytes", 1e6, 1),
        (f"Prompt tokens, {budget:,} characters", f"prompt_tokens@{budget}", 1.0, 0),
        ("Characters read", f"characters@{budget}", 1.0, 0),
    ):
        table[title] = [_number(item.costs.get(name), unit, digits) for item in report.presets]
    table["Encoded in this run"] = [f"{item.encoded:,}" for item in report.presets]
    for title, name, unit in (
        ("Ingest, s", "ingest", 1.0),
        ("Question, ms p50", "search_p50", 0.001),
        ("Question, ms p95", "search_p95", 0.001),
    ):
        table[title] = [_number(item.seconds.get(name), unit, 1) for item in report.presets]
    return table


def latency_table(report: BenchReport) -> dict[str, list[str]]:
    """The latency of each stage as columns, with a row for each preset: p50 / p95 in milliseconds, the total last."""
    steps = sorted(
        dict.fromkeys(step for item in report.presets for step in item.latency_ms), key=lambda step: step == "total"
    )
    table: dict[str, list[str]] = {"Preset": [item.preset for item in report.presets]}
    for step in steps:
        latencies = [item.latency_ms.get(step, {}) for item in report.presets]
        table[STEP_WORDS.get(step, step)] = [
            f"{_number(latency.get('p50'), 1, 1)} / {_number(latency.get('p95'), 1, 1)}" for latency in latencies
        ]
    return table


def settings_table(report: BenchReport) -> dict[str, list[str]]:
    """``changed_settings`` as columns, with a row for each preset."""
    changed = changed_settings(report)
    names = list(next(iter(changed.values()), {}))
    columns = {
        name: ["–" if values[name] is None else str(values[name]) or "none" for values in changed.values()]
        for name in names
    }
    return {"Preset": list(changed), **columns}


def _number(value: float | None, unit: float, digits: int) -> str:
    """``value`` in multiples of ``unit``.

    >>> _number(1_230_000, 1e6, 1), _number(None, 1, 0)
    ('1.2', '–')
    """
    return "–" if value is None else f"{value / unit:,.{digits}f}"
