"""What presets cost, as rows of words: every figure with its unit, a dash where it was not measured."""

from __future__ import annotations

from dataclasses import dataclass

from core.evaluation.breakdown import STEP_WORDS
from core.evaluation.report import BenchReport

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
