"""A report taken apart: its figures by document, format or kind of question, and which presets are worth their cost.

The words for stages and costs stand here, so that the page and the report to pass on say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
    found: dict[str, dict[str, Group]] = {name: {} for name in names}
    for mark, members in _members(report.questions, by).items():
        tables: dict[tuple[int, ...], list[str]] = {}  # a metric applies to the same questions under every preset
        for name in names:
            rows = tuple(row for row in members if scores[name][row] is not None)
            tables.setdefault(rows, []).append(name)
        for rows, alike in tables.items():
            if not rows:
                continue
            table = [[100 * (scores[name][row] or 0.0) for name in alike] for row in rows]
            for name, item in zip(alike, intervals(table), strict=True):
                found[name][mark] = Group(mark, len(rows), item.mean, item.low, item.high)
    return {
        name: tuple(sorted(groups.values(), key=lambda group: (-group.questions, group.name)))
        for name, groups in found.items()
    }


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


def _members(questions: Sequence[AskedQuestion], by: By) -> dict[str, list[int]]:
    """Positions of the questions of each group."""
    members: dict[str, list[int]] = {}
    for row, question in enumerate(questions):
        for mark in _marks(question, by):
            members.setdefault(mark, []).append(row)
    return members


def _marks(question: AskedQuestion, by: By) -> tuple[str, ...]:
    if by == "document":
        return tuple(dict.fromkeys(span.document for span in question.gold))
    if by == "format":
        return tuple(dict.fromkeys(question.formats))
    return (question.kind,) if question.kind else ()


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """``rows``: by preset, a cell for each of ``columns``."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]


def cost_table(report: BenchReport, budget: int) -> Table:
    """The index, the prompt at ``budget`` characters, and time."""
    columns = (
        "Chunks",
        "Texts to encode",
        "Encoded in this run",
        "Index",
        f"Prompt tokens, {budget:,} characters",
        "Characters read",
        "Ingest",
        "Question, p50",
        "Question, p95",
    )
    rows: dict[str, tuple[str, ...]] = {}
    for item in report.presets:
        costs, index = item.costs, item.costs.get("index_bytes")
        rows[item.preset] = (
            _count(costs.get("chunks")),
            _count(costs.get("texts")),
            _count(item.encoded),
            UNKNOWN if index is None else f"{index / 1e6:,.1f} MB",
            _count(costs.get(f"prompt_tokens@{budget}")),
            _count(costs.get(f"characters@{budget}")),
            _seconds(item.seconds.get("ingest")),
            _seconds(item.seconds.get("search_p50")),
            _seconds(item.seconds.get("search_p95")),
        )
    return Table(columns, rows)


def latency_table(report: BenchReport) -> Table:
    """Milliseconds of a question by stage, median and 95th percentile, all of them together last."""
    steps = list(dict.fromkeys(step for item in report.presets for step in item.latency_ms))
    steps.sort(key=lambda step: step == "total")
    rows = {}
    for item in report.presets:
        found = [item.latency_ms.get(step) for step in steps]
        rows[item.preset] = tuple(UNKNOWN if f is None else f"{_ms(f['p50'])} / {_ms(f['p95'])}" for f in found)
    return Table(tuple(STEP_WORDS.get(step, step) for step in steps), rows)


def _count(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"


def _seconds(value: float | None) -> str:
    """
    >>> _seconds(0.0062), _seconds(75), _seconds(None)
    ('6.2 ms', '75.0 s', '–')
    """
    if value is None:
        return UNKNOWN
    return f"{value:,.1f} s" if value >= 1 else f"{_ms(1000 * value)} ms"


def _ms(value: float) -> str:
    if value < 0.01:
        return "0"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
