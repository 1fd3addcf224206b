"""From what a preset did with each question to its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.evaluation.measuring import BUDGETS, ENDED, SPENT, TOTAL
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import LOST, READ, PresetReport, best_scores, summarise
from core.evaluation.statistics import percentile
from core.evaluation.suites import Suite
from core.settings import Settings

UNANSWERABLE = "unanswerable"  # as ``ENDED``, of questions that the suite says nothing answers


def summed(
    name: str, settings: Settings, suite: Suite, measured: Sequence[QuestionOutcome], noted: Mapping[str, float]
) -> PresetReport:
    """The preset's report. ``measured``: in the suite's order. ``noted``: seconds, texts and bytes of its index."""
    names = list(dict.fromkeys(metric for item in measured for metric in item.scores))
    scores = {metric: tuple(item.scores.get(metric) for item in measured) for metric in names}
    # A metric that applies to no question of the suite (no answers, no judged documents) says nothing of it.
    scores = {metric: values for metric, values in scores.items() if any(value is not None for value in values)}
    metrics, intervals = summarise(scores)
    totals = [item.milliseconds[TOTAL] / 1000 for item in measured]
    asked = sum(item.milliseconds[SPENT] for item in measured) / 1000
    return PresetReport(
        preset=name,
        settings=json.loads(json.dumps(settings.to_dict())),  # as a file has them: tuples are lists there
        metrics=metrics,
        intervals=intervals,
        seconds={
            "ingest": noted.get("ingest", 0.0),
            "questions": noted.get("questions", 0.0),
            "search_p50": percentile(totals, 0.50),
            "search_p95": percentile(totals, 0.95),
            "total": noted.get("ingest", 0.0) + noted.get("questions", 0.0) + asked,
        },
        unanswerable=best_scores([item.best for item in measured], [bool(item.gold) for item in suite.questions]),
        encoded=int(noted.get("encoded", 0)),
        scores=scores,
        costs={**_costs(measured, noted), **_ended(suite, measured)},
        latency_ms=_latency(measured),
        lost={str(budget): _lost(measured, budget) for budget in BUDGETS},
    )


def _costs(measured: Sequence[QuestionOutcome], noted: Mapping[str, float]) -> dict[str, float]:
    costs = {key: noted[key] for key in ("chunks", "texts", "index_bytes") if key in noted}
    for budget in BUDGETS:
        costs[f"prompt_tokens@{budget}"] = _mean([item.prompt_tokens[budget] for item in measured])
        costs[f"characters@{budget}"] = _mean([item.characters[budget] for item in measured])
    return costs


def _ended(suite: Suite, measured: Sequence[QuestionOutcome]) -> dict[str, float]:
    """What contexts that end by themselves cost: of questions with gold, and of those without any."""
    answered = {question.id for question in suite.questions if question.gold}
    found = {
        f"{name}@{ENDED if answerable else UNANSWERABLE}": [
            item.ended[name] for item in measured if (item.id in answered) == answerable and name in item.ended
        ]
        for name in ("characters", "tokens", "tokens_to_gold")
        for answerable in (True, False)
    }
    return {name: _mean(values) for name, values in found.items() if values}


def _latency(measured: Sequence[QuestionOutcome]) -> dict[str, dict[str, float]]:
    """Of each stage over the questions that went through it: one for which nothing was found is not read again."""
    fullest = sorted(measured, key=lambda item: -len(item.milliseconds))  # the stages in their order come from it
    stages = dict.fromkeys(stage for item in fullest for stage in item.milliseconds if stage != SPENT)
    values = {stage: [item.milliseconds[stage] for item in measured if stage in item.milliseconds] for stage in stages}
    return {stage: {"p50": percentile(found, 0.50), "p95": percentile(found, 0.95)} for stage, found in values.items()}


def _lost(measured: Sequence[QuestionOutcome], budget: int) -> dict[str, float]:
    """Percent of each question's gold by where it went, averaged; {} without gold."""
    found = [item.lost[budget] for item in measured if budget in item.lost]
    if not found:
        return {}
    sizes = [sum(parts.values()) for parts in found]
    return {
        part: 100 * _mean([parts.get(part, 0) / size for parts, size in zip(found, sizes, strict=True)])
        for part in (READ, *LOST)
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
