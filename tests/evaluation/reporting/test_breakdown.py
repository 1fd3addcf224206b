"""Groups of questions, the Pareto front, and the words for what is shown."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFoundError
from core.evaluation.reporting.breakdown import (
    STAGE_WORDS,
    breakdowns,
    by_position,
    changed_settings,
    headline_budget,
    headline_measure,
    pareto,
    points,
)
from core.evaluation.reporting.metric_words import metric_words
from core.evaluation.reporting.report import LOST, READ, AskedQuestion
from core.evaluation.suites import GoldSpan
from core.settings import PRESETS, Settings
from tests.evaluation.made_reports import made_measured, made_report

# Few values, so that ties are common.
COSTS = st.one_of(st.integers(0, 4).map(float), st.floats(0, 1e6))
VALUES = st.one_of(st.integers(0, 4).map(float), st.floats(0, 100))
POINTS = st.lists(st.tuples(COSTS, VALUES), max_size=30)


def dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and (one[0] < other[0] or one[1] > other[1])


@given(POINTS)
def test_nothing_dominates_the_front_and_something_on_it_dominates_the_rest(given_points):
    front = [point for point, on in zip(given_points, pareto(given_points), strict=True) if on]
    rest = [point for point, on in zip(given_points, pareto(given_points), strict=True) if not on]
    assert not any(dominates(other, point) for point in front for other in given_points)
    assert all(any(dominates(other, point) for other in front) for point in rest)
    assert bool(front) == bool(given_points)


def test_a_question_with_gold_in_two_documents_counts_in_both():
    report = made_report(questions=40, unanswerable=3)
    groups = breakdowns(report, "document", "recall@4000", ["default"])["default"]
    twice = sum(len({span.document for span in question.gold}) == 2 for question in report.questions)
    assert twice > 0
    assert sum(group.questions for group in groups) == 37 + twice


def test_a_group_is_the_mean_of_its_own_questions():
    report = made_report(questions=40)
    scores = report.preset("flat").scores["recall@1000"]
    groups = breakdowns(report, "kind", "recall@1000", ["flat"])["flat"]
    assert [group.name for group in groups] == ["number", "name", "reason"]
    for group in groups:
        own = [
            100 * score
            for question, score in zip(report.questions, scores, strict=True)
            if question.kind == group.name and score is not None
        ]
        assert group.questions == len(own)
        assert group.mean == pytest.approx(sum(own) / len(own))
        assert group.low <= group.mean <= group.high


def test_what_cannot_be_grouped_is_in_no_group():
    report = made_report(questions=10)
    plain = replace(report, questions=tuple(replace(question, kind="") for question in report.questions))
    assert breakdowns(plain, "kind", "recall@4000", ["default"])["default"] == ()
    assert breakdowns(report, "format", "no such metric", ["default"])["default"] == ()
    with pytest.raises(NotFoundError, match="missing"):
        breakdowns(report, "kind", "recall@4000", ["missing"])["missing"]


def test_points_carry_what_a_preset_costs_and_leave_out_what_was_not_measured():
    report = made_report()
    by_name = {point.preset: point for point in points(report, "prompt_tokens", 4000)}
    item = report.preset("flat")
    assert by_name["flat"].cost == item.costs["prompt_tokens@4000"]
    assert (by_name["flat"].low, by_name["flat"].high) == item.intervals["recall@4000"]
    assert [point.cost for point in points(report, "milliseconds", 4000)] == [
        preset.latency_ms["total"]["p50"] for preset in report.presets
    ]
    bare = replace(report, presets=(report.presets[0], replace(item, costs={}, latency_ms={})))
    for axis in ("characters", "prompt_tokens", "milliseconds"):
        assert [point.preset for point in points(bare, axis, 4000)] == ["default"]


def test_the_headline_follows_budgets_and_gold():
    report = made_report()
    assert (headline_budget(report), headline_measure(report)) == (4000, "recall")
    long = tuple(AskedQuestion(f"q{n}", "?", (GoldSpan("handbook.md", 0, 3000),)) for n in range(40))
    assert headline_measure(replace(report, questions=long)) == "attained"
    assert headline_budget(replace(report, budgets=(500, 1500, 3000))) == 1500


def test_settings_show_only_where_presets_leave_the_default():
    report = made_report(("default", "flat", "fixed"))
    assert changed_settings(report) == {
        "default": {"chunking.chunker": "auto", "expansion.strategy": Settings().expansion.strategy},
        "flat": {"chunking.chunker": "auto", "expansion.strategy": "flat"},
        "fixed": {"chunking.chunker": "fixed", "expansion.strategy": PRESETS["fixed"].expansion.strategy},
    }


def test_every_stage_and_every_metric_has_its_words():
    assert tuple(STAGE_WORDS) == (READ, *LOST)
    assert len(set(STAGE_WORDS.values())) == len(STAGE_WORDS)
    assert metric_words("recall") == "Recall"
    assert metric_words("full@500t") == "Read whole in 500 tokens"
    assert metric_words("something_new@3") == "something_new in 3 characters"


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30))
def test_every_question_whose_gold_is_read_stands_in_one_tenth(places: list[float | None]) -> None:
    outcome = next(iter(made_measured(made_report(questions=9))["default"].values()))
    scored = [replace(outcome, gold_at=at, scores={"claim_recall": at}) for at in places]
    deciles = by_position(scored)
    assert sum(decile.questions for decile in deciles) == sum(at is not None for at in places)
    assert all(
        decile.right is None or decile.start <= decile.right + 1e-9 <= decile.start + 10 + 1e-6 for decile in deciles
    )
