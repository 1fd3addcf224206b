"""Aggregates a preset's outcomes over the questions of a suite into its report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.evaluation.measuring import BUDGETS, ENDED, SPENT, TOTAL
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import LOST, READ, PresetReport, best_scores, summarise
from core.evaluation.statistics import percentile
from core.evaluation.suites import Suite
from core.settings import Settings

UNANSWERABLE = "unanswerable"  # in place of ``ENDED`` for questions without gold


def preset_report(
    name: str, settings: Settings, suite: Suite, outcomes: Sequence[QuestionOutcome], noted: Mapping[str, float]
) -> PresetReport:
    """The preset's report. ``outcomes``: one a question, in the suite's order. ``noted``: costs of its index."""
    names = list(dict.fromkeys(metric for outcome in outcomes for metric in outcome.scores))
    scores = {metric: tuple(outcome.scores.get(metric) for outcome in outcomes) for metric in names}
    # A metric that applies to no question (no reference answers, no relevant documents) is left out.
    scores = {metric: values for metric, values in scores.items() if any(value is not None for value in values)}
    metrics, intervals = summarise(scores)
    latencies = [outcome.milliseconds[TOTAL] / 1000 for outcome in outcomes]
    asking = sum(outcome.milliseconds[SPENT] for outcome in outcomes) / 1000
    return PresetReport(
        preset=name,
        settings=json.loads(json.dumps(settings.to_dict())),  # as read from a file: tuples become lists
        metrics=metrics,
        intervals=intervals,
        seconds={
            "ingest": noted.get("ingest", 0.0),
            "questions": noted.get("questions", 0.0),
            "search_p50": percentile(latencies, 0.50),
            "search_p95": percentile(latencies, 0.95),
            "total": noted.get("ingest", 0.0) + noted.get("questions", 0.0) + asking,
        },
        unanswerable=best_scores([outcome.best for outcome in outcomes], [bool(item.gold) for item in suite.questions]),
        encoded=int(noted.get("encoded", 0)),
        scores=scores,
        costs={**_costs(outcomes, noted), **_early_end_costs(suite, outcomes)},
        latency_ms=_latency(outcomes),
        lost={str(budget): _lost(outcomes, budget) for budget in BUDGETS},
    )


def _costs(outcomes: Sequence[QuestionOutcome], noted: Mapping[str, float]) -> dict[str, float]:
    costs = {key: noted[key] for key in ("chunks", "texts", "index_bytes") if key in noted}
    for budget in BUDGETS:
        costs[f"prompt_tokens@{budget}"] = _mean([outcome.prompt_tokens[budget] for outcome in outcomes])
        costs[f"characters@{budget}"] = _mean([outcome.characters[budget] for outcome in outcomes])
    return costs


def _early_end_costs(suite: Suite, outcomes: Sequence[QuestionOutcome]) -> dict[str, float]:
    """Mean sizes of the contexts that may end early, separately for questions with gold and without."""
    answerable_ids = {question.id for question in suite.questions if question.gold}
    sizes = {
        f"{name}@{ENDED if answerable else UNANSWERABLE}": [
            outcome.ended[name]
            for outcome in outcomes
            if (outcome.id in answerable_ids) == answerable and name in outcome.ended
        ]
        for name in ("characters", "tokens", "tokens_to_gold")
        for answerable in (True, False)
    }
    return {name: _mean(values) for name, values in sizes.items() if values}


def _latency(outcomes: Sequence[QuestionOutcome]) -> dict[str, dict[str, float]]:
    """Percentiles in milliseconds of each stage, over the questions that ran it: without hits none is re-ranked."""
    most_stages_first = sorted(outcomes, key=lambda outcome: -len(outcome.milliseconds))  # so stages keep their order
    stages = dict.fromkeys(stage for outcome in most_stages_first for stage in outcome.milliseconds if stage != SPENT)
    times = {
        stage: [outcome.milliseconds[stage] for outcome in outcomes if stage in outcome.milliseconds]
        for stage in stages
    }
    return {stage: {"p50": percentile(ms, 0.50), "p95": percentile(ms, 0.95)} for stage, ms in times.items()}


def _lost(outcomes: Sequence[QuestionOutcome], budget: int) -> dict[str, float]:
    """Mean percentage of a question's gold by where it was lost; {} for a suite without gold."""
    counts = [outcome.lost[budget] for outcome in outcomes if budget in outcome.lost]
    if not counts:
        return {}
    sizes = [sum(parts.values()) for parts in counts]
    return {
        part: 100 * _mean([parts.get(part, 0) / size for parts, size in zip(counts, sizes, strict=True)])
        for part in (READ, *LOST)
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
