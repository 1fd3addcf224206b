"""The bootstrap and the randomisation test: fixed by their seed, symmetric, and right as often as they claim."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.statistics import (
    BETTER,
    MAX_ENUMERATED,
    NO_DIFFERENCE,
    SIGNIFICANT,
    WORSE,
    compare,
    holm,
    intervals,
)


def alone(scores, baseline, **options):
    """One preset against the baseline."""
    return compare({"one": scores}, baseline, **options)["one"]


def test_an_interval_holds_its_mean_and_narrows_with_more_questions():
    scores = np.random.default_rng(2).random((900, 1))
    (few,), (many,) = intervals(scores[:100]), intervals(scores)
    assert few.low < few.mean < few.high
    assert many.high - many.low < 0.6 * (few.high - few.low)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # Each column is an experiment of its own with true mean 0.5, skewed as recall is.
    scores = np.random.default_rng(4).beta(0.5, 0.5, (120, 400))
    covered = sum(item.low <= 0.5 <= item.high for item in intervals(scores, resamples=2000))
    assert 0.91 <= covered / 400 <= 0.98


def test_pairing_sees_a_small_steady_gain_that_two_intervals_would_hide():
    generator = np.random.default_rng(9)
    baseline = generator.random((150, 1))
    better = baseline + 0.02 + generator.normal(0, 0.02, (150, 1))
    (first,), (second,) = intervals(better), intervals(baseline)
    assert first.low < second.high, "the two intervals overlap"
    assert alone(better, baseline)[0].verdict == BETTER
    assert alone(baseline, better)[0].verdict == WORSE


def test_no_difference_is_claimed_wrongly_about_one_time_in_twenty():
    one, other = np.random.default_rng(11).random((2, 100, 400))
    wrong = sum(item.verdict != NO_DIFFERENCE for item in alone(one, other, resamples=2000))
    assert 0.02 <= wrong / 400 <= 0.09


# The paired randomisation test


def randomisation(one, other, **options):
    return tuple(item.p_value for item in alone(one, other, resamples=1, **options))


def exact_p(differences):
    """The definition: of all ways to give signs, the share with a mean at least as far from 0."""
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(flips, differences, strict=True))) for flips in signs]
    return Fraction(sum(value >= abs(sum(differences)) for value in sums), len(sums))


whole = st.integers(-8, 8)  # eighths, so that sums and shifts are exact
tables = st.integers(1, 7).flatmap(
    lambda questions: st.tuples(
        *[st.lists(st.tuples(whole, whole), min_size=questions, max_size=questions) for _ in range(2)]
    )
)


def eighths(rows):
    return np.array(rows, dtype=float) / 8


@given(tables)
def test_few_questions_are_enumerated(pair):
    one, other = pair
    for column, p in enumerate(randomisation(eighths(one), eighths(other))):
        assert p == exact_p([left[column] - right[column] for left, right in zip(one, other, strict=True)])


def test_many_questions_come_near_to_the_enumeration():
    differences = np.random.default_rng(12).integers(-3, 5, (15, 3))
    signs = 1 - 2 * (np.arange(2**15)[:, None] >> np.arange(15) & 1)
    expected = (np.abs(signs @ differences) >= np.abs(differences.sum(axis=0))).mean(axis=0)
    assert randomisation(differences, np.zeros((15, 3))) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("questions", [1, MAX_ENUMERATED, MAX_ENUMERATED + 1, 80])
@pytest.mark.parametrize("rounding", [0.0, 1e-14])
def test_the_same_scores_but_for_rounding_differ_with_p_one(questions, rounding):
    scores = np.random.default_rng(13).random((questions, 3))
    assert randomisation(scores + rounding, scores) == (1.0, 1.0, 1.0)
    assert {item.verdict for item in alone(scores + rounding, scores, resamples=50)} == {NO_DIFFERENCE}


@given(tables)
def test_the_other_way_round_p_is_the_same_and_the_verdict_mirrored(pair):
    one, other = eighths(pair[0]), eighths(pair[1])
    mirrored = {BETTER: WORSE, WORSE: BETTER, NO_DIFFERENCE: NO_DIFFERENCE}
    for there, back in zip(alone(one, other, resamples=20), alone(other, one, resamples=20), strict=True):
        assert there.p_value == back.p_value
        assert there.difference == -back.difference
        assert there.verdict == mirrored[back.verdict]


def test_p_is_never_zero_and_no_smaller_than_the_permutations_tell():
    scores = np.ones((200, 1))
    assert randomisation(scores, scores - 1, permutations=999) == (0.001,)


def test_five_questions_can_tell_nothing_and_six_can():
    for questions, verdict in ((5, NO_DIFFERENCE), (6, BETTER)):
        (found,) = alone(np.ones((questions, 1)), np.zeros((questions, 1)))
        assert (found.p_value, found.verdict) == (2 / 2**questions, verdict)


# Holm's correction


def rejected(values, level):
    """Holm's procedure as he wrote it: from the smallest up, until one is above its share of the level."""
    found = set()
    for done, position in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if Fraction(values[position]) * (len(values) - done) > level:
            break
        found.add(position)
    return found


@given(st.lists(st.integers(0, 1024).map(lambda count: count / 1024), min_size=1, max_size=12), st.integers(0, 1023))
def test_adjusted_p_rejects_what_holms_procedure_rejects(values, level):
    level = level / 1024
    adjusted = holm(values)
    assert {position for position, p in enumerate(adjusted) if p <= level} == rejected(values, level)


# Several presets against one baseline

SHIFTS = {"high": 0.2, "low": -0.2, "same": 0.0}


def test_many_presets_are_compared_as_one_is_and_then_corrected():
    generator = np.random.default_rng(18)
    baseline = generator.random((40, 3))
    presets = {name: baseline + generator.normal(shift, 0.1, (40, 3)) for name, shift in SHIFTS.items()}
    found = compare(presets, baseline)
    assert list(found) == list(SHIFTS)
    for name, scores in presets.items():
        for item, single in zip(found[name], alone(scores, baseline), strict=True):
            assert (item.p_value, item.questions) == (single.p_value, 40)
            assert (item.difference, item.low, item.high) == pytest.approx((single.difference, single.low, single.high))
    for column in range(3):
        raw = [items[column].p_value for items in found.values()]
        assert tuple(items[column].adjusted for items in found.values()) == holm(raw)
    for items in found.values():
        for item in items:
            assert (item.verdict == NO_DIFFERENCE) == (item.adjusted > SIGNIFICANT)
    assert [found[name][0].verdict for name in SHIFTS] == [BETTER, WORSE, NO_DIFFERENCE]


def test_among_twenty_equal_presets_chance_finds_one_only_without_correction():
    # Each column is an experiment of its own: twenty presets that differ from the baseline by noise alone.
    generator = np.random.default_rng(20)
    baseline = generator.random((60, 60))
    presets = {str(number): baseline + generator.normal(0, 0.1, (60, 60)) for number in range(20)}
    found = compare(presets, baseline, resamples=10, permutations=2000)
    uncorrected = sum(any(items[column].p_value <= SIGNIFICANT for items in found.values()) for column in range(60))
    corrected = sum(any(items[column].verdict != NO_DIFFERENCE for items in found.values()) for column in range(60))
    assert uncorrected / 60 > 0.4
    assert corrected / 60 < 0.15


def test_presets_that_cannot_be_paired_are_refused():
    baseline = np.zeros((4, 3))
    # Two and four columns are six, as twice three are: each preset is looked at alone.
    with pytest.raises(ValueError, match="same questions and metrics"):
        compare({"two": np.zeros((4, 2)), "four": np.zeros((4, 4))}, baseline)
    with pytest.raises(ValueError, match="at least one question"):
        randomisation(np.zeros((0, 2)), np.zeros((0, 2)))
    with pytest.raises(ValueError, match="at least one question"):
        intervals(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="same questions"):
        randomisation([[1.0]], [[1.0], [0.0]])
