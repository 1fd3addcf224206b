"""Reports: percent, intervals, comparisons, and the way through JSON."""

import json
from dataclasses import replace

import pytest

from core.errors import NotFoundError
from core.evaluation.reporting.report import (
    AskedQuestion,
    BenchDocument,
    BenchReport,
    PresetReport,
    best_scores,
    summarise,
)
from core.evaluation.statistics import BETTER, NO_DIFFERENCE, WORSE
from core.evaluation.suites import GoldSpan

WEAK = {
    "recall@1000": (0.0, 0.2, None, 0.1, 0.3, 0.1, 0.2, 0.0, 0.3),
    "ndcg@10": (1.0, None, None, None, None, None, None, None, None),
}
STRONG = {
    "recall@1000": (0.5, 0.9, None, 0.8, 1.0, 0.9, 0.9, 0.8, 1.0),
    "ndcg@10": (1.0, None, None, None, None, None, None, None, None),
}


def preset_report(name, scores):
    metrics, intervals = summarise(scores)
    return PresetReport(
        preset=name,
        settings={"retrieval": {"k": 5}},
        metrics=metrics,
        intervals=intervals,
        seconds={"total": 1.5},
        unanswerable={"answerable": 4},
        encoded=3,
        scores=scores,
        costs={"texts": 7, "characters@1000": 990.5},
        latency_ms={"total": {"p50": 1.5, "p95": 3.0}},
        lost={"1000": {"read": 60.0, "budget": 40.0}},
    )


@pytest.fixture
def report():
    presets = (preset_report("weak", WEAK), preset_report("strong", STRONG))
    asked = tuple(
        AskedQuestion(name, f"What is {name}?", (GoldSpan("a.md", 3, 9),), ("markdown",), "table")
        for name in "abcdefghi"
    )
    return BenchReport(
        suite="tiny",
        fingerprint="f" * 64,
        questions=asked,
        presets=presets,
        budgets=(1000,),
        documents=(BenchDocument("a.md", "0" * 64, "markdown", 200), BenchDocument("x.png", "1" * 64, "", 0)),
        failures=(("x.png", "A picture."),),
        notes=("A note.",),
        skipped=(("max_tokens=900", "It is too large."),),
        made_at="2026-01-02T03:04:05+00:00",
        revision=17,
        library="tiny-0123/library",
        run="0123456789ab-1",
    )


def test_means_are_over_the_questions_a_metric_applies_to():
    metrics, intervals = summarise(WEAK)
    assert metrics == {"recall@1000": pytest.approx(15.0), "ndcg@10": 100.0}
    assert intervals["recall@1000"][0] < 15.0 < intervals["recall@1000"][1]
    assert intervals["ndcg@10"] == (100.0, 100.0)


def test_presets_are_compared_in_percent_points(report):
    found = report.compare_all("weak", ["strong"])["strong"]
    assert found["recall@1000"].difference == pytest.approx(70.0)
    assert (found["recall@1000"].verdict, found["recall@1000"].questions) == (BETTER, 8)
    assert report.compare_all("strong", ["weak"])["weak"]["recall@1000"].verdict == WORSE
    assert found["ndcg@10"].verdict == NO_DIFFERENCE
    with pytest.raises(NotFoundError, match="'other'"):
        report.compare_all("weak", ["other"])["other"]


def test_two_runs_are_compared_by_the_questions_that_both_asked(report):
    """In whatever order, and only by what both measured."""
    asked = report.questions
    turned = (*reversed(asked[1:]), AskedQuestion("z", "What is new?", (GoldSpan("a.md", 0, 1),)))
    scores = {"recall@1000": (*reversed(STRONG["recall@1000"][1:]), 0.0), "full@1000": (1.0,) * 9}
    later = replace(report, questions=turned, presets=(preset_report("weak", scores), preset_report("other", scores)))
    found = later.compare_with(report)
    assert list(found) == ["weak"]
    assert list(found["weak"]) == ["recall@1000"]
    compared = found["weak"]["recall@1000"]
    pairs = [(a, b) for a, b in zip(STRONG["recall@1000"][1:], WEAK["recall@1000"][1:], strict=True) if a is not None]
    assert compared.difference == pytest.approx(100 * sum(a - b for a, b in pairs) / len(pairs))
    assert (compared.verdict, compared.questions) == (BETTER, len(pairs))
    with pytest.raises(NotFoundError, match="in common"):
        replace(report, questions=tuple(replace(item, question="?") for item in asked)).compare_with(report)


def test_many_presets_are_judged_together(report):
    alone = report.compare_all("weak", ["strong"])["strong"]["recall@1000"]
    many = (*report.presets, *(preset_report(f"chance {number}", WEAK) for number in range(40)))
    together = replace(report, presets=many).compare_all("weak")
    assert list(together) == ["strong", *(f"chance {number}" for number in range(40))]
    found = together["strong"]["recall@1000"]
    assert (found.p_value, found.difference) == (alone.p_value, alone.difference)
    assert found.verdict == NO_DIFFERENCE, "one of 41 comparisons of eight questions each proves nothing"
    assert found.adjusted > alone.adjusted


def test_a_report_survives_json(report):
    assert BenchReport.from_dict(json.loads(json.dumps(report.to_dict(scores=True)))) == report


def test_the_contract_carries_no_scores_of_single_questions(report):
    row = report.to_dict()
    assert set(row["presets"][0]) >= {"preset", "settings", "metrics", "intervals", "seconds"}
    assert "scores" not in row["presets"][0]
    low, high = row["presets"][0]["intervals"]["recall@1000"]
    assert low < high


def test_unanswerable_questions_are_scored_apart():
    found = best_scores([{"dense": 0.5, "lexical": 4.0}, {"dense": 0.25}, {"dense": 0.75}], [True, False, True])
    assert found == {
        "answerable": 2,
        "unanswerable": 1,
        "best_score": {
            "dense": {"answerable": 0.625, "unanswerable": 0.25},
            "lexical": {"answerable": 4.0, "unanswerable": None},
        },
    }
