"""What a score says beside the others of its ranking, whatever its unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding.reranker_file import CALIBRATION
from core.search.expansion.relevance import USUAL, confidences, relative_scores, relevances, update_by_reranker
from core.settings import ExpansionSettings
from tests.search.expansion.worlds import ranking_of, table, worlds


def ranked(scores, kept):
    return ranking_of(table([(0, at * 10, at * 10 + 9, 0) for at in range(max(1, len(scores)))]), scores, kept)


@given(worlds())
def test_both_fall_with_the_rank_and_stay_in_bounds(world):
    for values in (relative_scores(world.ranking), confidences(world.ranking)):
        assert len(values) == len(world.ranking.kept)
        assert ((values >= 0) & (values <= 1)).all()
        assert (np.diff(values) <= 0).all(), "a better score never counts for less"
    if len(world.ranking.kept):
        assert relative_scores(world.ranking)[0] == 1.0


SCORES = st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=30)


@given(SCORES, st.floats(0.01, 100), st.floats(-100, 100))
def test_the_unit_of_the_scores_does_not_matter(scores, scale, shift):
    kept = np.argsort(scores)[::-1][:5]
    one, other = ranked(scores, kept), ranked(np.array(scores) * scale + shift, kept)
    assert np.allclose(relative_scores(one), relative_scores(other), atol=1e-6)
    assert np.allclose(confidences(one), confidences(other), atol=1e-6)


def test_a_leaf_that_stands_out_is_trusted():
    noise = np.random.default_rng(3).normal(size=1000)
    assert confidences(ranked([*noise, 9.0], [1000]))[0] > 0.98
    assert confidences(ranked([*noise, 1.0], [1000]))[0] < 0.1


@pytest.mark.parametrize(
    ("scores", "kept", "expected"),
    [
        ([], [], []),
        ([2.0], [0], [0.5]),
        ([1.0, 1.0, 1.0], [0, 1], [1 / (1 + np.exp(np.sqrt(2 * np.log(3))))] * 2),
    ],
)
def test_scores_that_say_nothing(scores, kept, expected):
    assert confidences(ranked(scores, kept)).tolist() == pytest.approx(expected)


def test_a_child_without_a_score_has_the_least_of_the_others():
    ranking = ranked([3.0, 1.0, np.nan], [0, 1, 2])
    assert relevances(ranking).tolist() == [3.0, 1.0, 1.0]
    assert relevances(ranked([np.nan], [0])).tolist() == [0.0]


def test_what_a_calibrated_reranker_says_beyond_the_usual_moves_a_child_on_the_same_scale():
    ranking = ranked([5.0, 1.0, 0.0, 4.0], [0, 3, 1])
    placed = confidences(ranking)
    read = replace(ranking, probabilities=np.array([0.05, np.nan, np.nan, 0.9]))
    made = confidences(read)
    assert made[0] < placed[0], "it says less than of a passage like any other"
    assert made[1] > placed[1], "it says more"
    assert made[2] == placed[2], "it was not read"
    assert relative_scores(read).tolist() == relative_scores(ranking).tolist()
    assert (ranking.likeliest, read.likeliest) == (None, 0.9)
    assert replace(ranking, probabilities=np.full(4, np.nan)).likeliest is None


PLACES = st.floats(0, 1)


@given(st.lists(PLACES, min_size=1, max_size=9), st.floats(0, 1), st.floats(0, 1))
def test_a_reading_keeps_the_order_and_the_bounds(places, likely, more):
    places, low, high = np.sort(places), min(likely, more), max(likely, more)
    made = update_by_reranker(places, np.full(len(places), low))
    assert ((made >= 0) & (made <= 1)).all()
    assert (np.diff(made) >= -1e-12).all(), "what stands higher stays higher if the same is said of it"
    better = update_by_reranker(places, np.full(len(places), high))
    inside = (places > 0) & (places < 1) if low in {0, 1} or high in {0, 1} else np.full(len(places), True)
    assert (better - made >= -1e-12)[inside].all(), "the more is said for it, the higher it stands"
    assert update_by_reranker(places, np.full(len(places), USUAL)) == pytest.approx(places), "the usual says nothing"


def test_what_the_shipped_reranker_thinks_well_of_is_trusted_at_the_default_threshold():
    """It seldom gives more than a third: the best leaf of an ordinary question must still be one that is trusted."""
    noise = np.random.default_rng(3).normal(size=300)
    ranking = ranked([*noise, 4.2, 3.6], [300, 301])
    likely = CALIBRATION.probabilities(np.array([3.0, -9.0]))
    assert USUAL < likely[0] < 0.4
    read = replace(ranking, probabilities=np.array([*np.full(300, np.nan), *likely]))
    trusted = confidences(read) >= ExpansionSettings().confidence
    assert trusted.tolist() == [True, False]
