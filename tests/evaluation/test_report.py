"""Reports: percent, intervals, comparisons, and the way through JSON."""

import json

import pytest

from core.errors import NotFoundError
from core.evaluation.report import BenchReport, PresetReport, best_scores, summarise
from core.evaluation.statistics import BETTER, NO_DIFFERENCE, WORSE

WEAK = {"recall@1000": (0.0, 0.2, None, 0.1, 0.3), "ndcg@10": (1.0, None, None, None, None)}
STRONG = {"recall@1000": (0.5, 0.9, None, 0.8, 1.0), "ndcg@10": (1.0, None, None, None, None)}


def preset_report(name, scores):
    metrics, intervals = summarise(scores)
    return PresetReport(name, {"retrieval": {"k": 5}}, metrics, intervals, {"total": 1.5}, {"answerable": 4}, 3, scores)


@pytest.fixture
def report():
    presets = (preset_report("weak", WEAK), preset_report("strong", STRONG))
    return BenchReport("tiny", "f" * 64, ("a", "b", "c", "d", "e"), presets, (("x.png", "A picture."),), ("A note.",))


def test_means_are_over_the_questions_a_metric_applies_to():
    metrics, intervals = summarise(WEAK)
    assert metrics == {"recall@1000": pytest.approx(15.0), "ndcg@10": 100.0}
    assert intervals["recall@1000"][0] < 15.0 < intervals["recall@1000"][1]
    assert intervals["ndcg@10"] == (100.0, 100.0)


def test_presets_are_compared_in_percent_points(report):
    found = report.compare("strong", "weak")
    assert found["recall@1000"].difference == pytest.approx(65.0)
    assert (found["recall@1000"].verdict, found["recall@1000"].questions) == (BETTER, 4)
    assert report.compare("weak", "strong")["recall@1000"].verdict == WORSE
    assert found["ndcg@10"].verdict == NO_DIFFERENCE
    with pytest.raises(NotFoundError, match="'other'"):
        report.compare("other", "weak")


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
