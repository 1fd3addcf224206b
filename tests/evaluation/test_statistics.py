"""The bootstrap: fixed by its seed, symmetric, and right as often as it claims."""

import numpy as np
import pytest

from core.evaluation.statistics import BETTER, NO_DIFFERENCE, WORSE, compare, intervals, percentile, resampled_means


def test_the_same_scores_give_the_same_interval():
    scores = np.random.default_rng(1).random((50, 3))
    assert intervals(scores) == intervals(scores.copy())


def test_an_interval_holds_its_mean_and_narrows_with_more_questions():
    scores = np.random.default_rng(2).random((900, 1))
    (few,), (many,) = intervals(scores[:100]), intervals(scores)
    assert few.low < few.mean < few.high
    assert many.high - many.low < 0.6 * (few.high - few.low)


def test_the_interval_is_near_the_normal_one_where_that_holds():
    scores = np.random.default_rng(3).normal(5, 2, (400, 1))
    (found,) = intervals(scores)
    error = float(scores.std()) / 400**0.5
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.1 * error)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # Each column is an experiment of its own with true mean 0.5, skewed as recall is.
    scores = np.random.default_rng(4).beta(0.5, 0.5, (120, 400))
    covered = sum(item.low <= 0.5 <= item.high for item in intervals(scores, resamples=2000))
    assert 0.91 <= covered / 400 <= 0.98


def test_question_order_moves_an_interval_by_no_more_than_chance():
    scores = np.random.default_rng(5).random((200, 1))
    (one,), (other,) = intervals(scores), intervals(scores[::-1])
    assert one.mean == pytest.approx(other.mean)
    width = one.high - one.low
    assert abs(one.low - other.low) < 0.05 * width
    assert abs(one.high - other.high) < 0.05 * width


def test_a_metric_has_the_same_interval_alone_and_among_others():
    scores = np.random.default_rng(6).random((40, 5))
    together = intervals(scores)
    for column, expected in enumerate(together):
        (alone,) = intervals(scores[:, [column]])
        assert (alone.low, alone.high) == pytest.approx((expected.low, expected.high))


def test_blocks_change_nothing(monkeypatch):
    table = np.random.default_rng(7).random((30, 2))
    whole = resampled_means(table, resamples=100, seed=1)
    monkeypatch.setattr("core.evaluation.statistics._DRAWS_AT_ONCE", 90)
    assert resampled_means(table, resamples=100, seed=1) == pytest.approx(whole)


def test_comparing_the_other_way_round_mirrors_the_interval():
    one, other = np.random.default_rng(8).random((2, 60, 1))
    (there,), (back,) = compare(one, other), compare(other, one)
    assert (there.difference, there.low, there.high) == pytest.approx((-back.difference, -back.high, -back.low))


def test_pairing_sees_a_small_steady_gain_that_two_intervals_would_hide():
    generator = np.random.default_rng(9)
    baseline = generator.random((150, 1))
    better = baseline + 0.02 + generator.normal(0, 0.02, (150, 1))
    (first,), (second,) = intervals(better), intervals(baseline)
    assert first.low < second.high, "the two intervals overlap"
    assert compare(better, baseline)[0].verdict == BETTER
    assert compare(baseline, better)[0].verdict == WORSE


def test_noise_is_no_difference():
    one, other = np.random.default_rng(10).random((2, 100, 1))
    found = compare(one, one)[0]
    assert (found.difference, found.low, found.high, found.verdict) == (0.0, 0.0, 0.0, NO_DIFFERENCE)
    assert compare(one, other)[0].verdict == NO_DIFFERENCE


def test_no_difference_is_claimed_wrongly_about_one_time_in_twenty():
    one, other = np.random.default_rng(11).random((2, 100, 400))
    wrong = sum(item.verdict != NO_DIFFERENCE for item in compare(one, other, resamples=2000))
    assert 0.02 <= wrong / 400 <= 0.09


def test_scores_that_cannot_be_paired_are_refused():
    with pytest.raises(ValueError, match="same questions"):
        compare([[1.0]], [[1.0], [0.0]])
    with pytest.raises(ValueError, match="at least one question"):
        intervals(np.zeros((0, 2)))


def test_percentile_of_nothing_is_zero():
    assert percentile([], 0.5) == 0.0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
