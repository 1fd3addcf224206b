"""Diversity: whatever the method, an order of all it was given, the best still first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.ranking.diversity import clusters, diversify, in_turn, mmr
from core.search.ranking.fusion import best_first, column
from core.settings.searching import DIVERSITIES, DiversitySettings


@st.composite
def ranked(draw):
    """Scores that fall, with ties, and unit vectors, some of them equal."""
    count = draw(st.integers(0, 30))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    scores = -np.sort(-seed.choice([0.1, 0.5, 2.0, -1.0, *seed.standard_normal(20)], count))
    vectors = seed.standard_normal((max(1, count // 2), 5)).astype(np.float32)
    vectors = vectors[seed.integers(0, len(vectors), count)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return scores, vectors


settings_of = st.builds(
    DiversitySettings,
    method=st.sampled_from(DIVERSITIES),
    relevance=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    cluster_similarity=st.sampled_from([0.0, 0.5, 1.0]),
    candidates=st.integers(2, 40),
)


@given(ranked(), settings_of)
def test_everything_goes_on_once_the_best_first_and_those_behind_as_they_were(case, settings):
    order, scores = diversify(*case, settings)
    count = len(case[0])
    assert sorted(order.tolist()) == list(range(count))
    assert best_first(scores).tolist() == order.tolist()
    assert (np.diff(scores[order]) < 0).all()
    assert order[:1].tolist() == list(range(count))[:1]
    assert order[settings.candidates :].tolist() == list(range(settings.candidates, count))


def test_every_method_has_an_order_of_its_own():
    scores = np.array([1.0, 0.9, 0.8, 0.1])
    vectors = np.array([[1, 0, 0], [0.9, 0.43589, 0], [0.8, 0, 0.6], [0, 0, 1]], np.float32)
    settings = [DiversitySettings(name, relevance=0.3, cluster_similarity=0.85) for name in DIVERSITIES]
    assert len({tuple(diversify(scores, vectors, one)[0].tolist()) for one in settings}) == len(DIVERSITIES)


@given(ranked(), st.sampled_from([0.0, 0.2, 0.5, 0.8]))
def test_mmr_takes_the_greatest_marginal_relevance_each_time(case, relevance):
    """Against the definition, written out one candidate at a time."""
    scores, vectors = case
    order, values = mmr(scores, vectors, relevance)
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread else np.ones(len(scores))
    cosines = vectors @ vectors.T
    taken: list[int] = []
    for entry, value in zip(order.tolist(), values.tolist(), strict=True):
        gains = {
            other: relevance * scaled[other]
            - (1 - relevance) * max([0.0, *(float(cosines[other, one]) for one in taken)])
            for other in range(len(scores))
            if other not in taken
        }
        assert value == pytest.approx(max(gains.values()), abs=1e-6)
        assert gains[entry] == pytest.approx(max(gains.values()), abs=1e-6)
        taken.append(entry)
    assert (np.diff(values) <= 1e-12).all()


@given(ranked(), st.sampled_from([0.0, 0.4, 0.8, 1.0]))
def test_a_cluster_is_like_its_best_and_unlike_the_leaders_before(case, similarity):
    vectors = case[1]
    found = clusters(vectors, similarity)
    cosines = vectors @ vectors.T
    leaders = [int(np.flatnonzero(found == number)[0]) for number in range(found.max() + 1 if len(found) else 0)]
    assert leaders == sorted(leaders)
    for entry, number in enumerate(found.tolist()):
        before = [leader for leader in leaders if leader < entry]
        if entry in leaders:
            assert all(cosines[entry, leader] < similarity for leader in before)
        else:
            assert cosines[entry, leaders[number]] >= similarity
            assert cosines[entry, leaders[number]] == max(cosines[entry, leader] for leader in before)


@given(ranked(), st.data())
def test_every_group_has_its_turn(case, data):
    scores = case[0]
    groups = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(scores), max_size=len(scores))), np.int64)
    order, values = in_turn(scores, groups)
    count = len(set(groups.tolist()))
    assert len(set(groups[order[:count]].tolist())) == count
    for group in set(groups.tolist()):
        mine = [entry for entry in order.tolist() if groups[entry] == group]
        assert mine == sorted(mine)
    assert (np.diff(values) <= 0).all()


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 10**6))
def test_a_column_falls_along_the_order_it_was_made_of(count, rest, seed):
    random = np.random.default_rng(seed)
    entries = random.permutation(count + rest)
    scores = random.choice([0.0, 1.0, 1e-300, -5.0, 3.0], count + rest)
    behind = entries[count:][np.argsort(-scores[entries[count:]], kind="stable")]
    values = -np.sort(-random.choice([0.0, 1e-300, 2.0], count))
    made = column(entries[:count], values, behind, scores)
    assert best_first(made).tolist() == [*entries[:count].tolist(), *behind.tolist()]
