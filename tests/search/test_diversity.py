"""Diversity: an order of all it was given, the best still first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.ranking.diversity import diversify, mmr
from core.search.ranking.fusion import best_first, descending_column
from core.settings.searching import DiversitySettings


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
    method=st.just("mmr"),
    relevance=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
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


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 10**6))
def test_a_column_falls_along_the_order_it_was_made_of(count, rest, seed):
    random = np.random.default_rng(seed)
    entries = random.permutation(count + rest)
    scores = random.choice([0.0, 1.0, 1e-300, -5.0, 3.0], count + rest)
    behind = entries[count:][np.argsort(-scores[entries[count:]], kind="stable")]
    values = -np.sort(-random.choice([0.0, 1e-300, 2.0], count))
    made = descending_column(entries[:count], values, behind, scores)
    assert best_first(made).tolist() == [*entries[:count].tolist(), *behind.tolist()]
