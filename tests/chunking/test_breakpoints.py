"""Similarity curves and their thresholds: what is cut, by definition, by law, and where nothing can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking.signals.breakpoints import breakpoints, cutoff, lowest, similarities
from core.errors import SettingsError
from core.settings import THRESHOLDS

CURVES = st.lists(st.floats(-1, 1, width=32), max_size=40).map(lambda values: np.array(values, dtype=np.float64))
RANGES = {
    "percentile": (0, 100),
    "absolute": (-1, 1),
    "zscore": (-3, 3),
    "interquartile": (-3, 3),
    "gradient": (0, 100),
}


@st.composite
def rows_of_vectors(draw):
    count, seed = draw(st.integers(0, 14)), draw(st.integers(0, 1000))
    vectors = np.random.default_rng(seed).normal(size=(count, 5)).astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@given(rows_of_vectors(), st.integers(0, 6))
def test_similarities_are_cosines_of_means(vectors, buffer):
    found = similarities(vectors, buffer)
    assert found.shape == (max(0, len(vectors) - 1),)
    for gap, value in enumerate(found):
        left = vectors[max(0, gap - buffer) : gap + 1].mean(axis=0)
        right = vectors[gap + 1 : gap + 2 + buffer].mean(axis=0)
        assert value == pytest.approx(left @ right / np.linalg.norm(left) / np.linalg.norm(right), abs=1e-4)


def test_similarities_leave_the_vectors_alone():
    vectors = np.eye(4, dtype=np.float32)
    similarities(vectors, 2)
    assert np.array_equal(vectors, np.eye(4, dtype=np.float32))


def test_a_side_that_cancels_out_is_like_nothing():
    vectors = np.array([[1, 0], [-1, 0], [1, 0], [1, 0]], dtype=np.float32)
    assert similarities(vectors, 1).tolist() == [0.0, 0.0, 0.0]


@given(CURVES, st.data())
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_cuts_are_monotone_in_the_value(threshold, curve, data):
    low, high = sorted(data.draw(st.floats(*RANGES[threshold])) for _ in range(2))
    fewer, more = (low, high) if threshold == "absolute" else (high, low)
    one, other = breakpoints(curve, threshold, fewer).tolist(), breakpoints(curve, threshold, more).tolist()
    assert set(one) <= set(other)
    assert other == sorted(set(other))
    assert all(0 <= gap < len(curve) for gap in other)


@given(CURVES, st.data())
@pytest.mark.parametrize("threshold", [name for name in THRESHOLDS if name != "gradient"])
def test_every_gap_below_the_cutoff_is_cut_and_no_other(threshold, curve, data):
    value = data.draw(st.floats(*RANGES[threshold]))
    assert breakpoints(curve, threshold, value).tolist() == [
        gap for gap, height in enumerate(curve) if height < cutoff(curve, threshold, value)
    ]


@pytest.mark.parametrize("threshold", [name for name in THRESHOLDS if name != "absolute"])
@pytest.mark.parametrize("curve", [[], [0.1], [0.3] * 7])
def test_where_nothing_differs_nothing_is_cut(threshold, curve):
    assert not len(breakpoints(np.array(curve), threshold, 0.0))
    assert cutoff(np.array(curve), threshold, 0.0) == -np.inf


def test_thresholds_by_hand():
    curve = np.array([0.9, 0.8, 0.1, 0.7, 0.9, 0.4])
    assert breakpoints(curve, "absolute", 0.5).tolist() == [2, 5]
    assert breakpoints(curve, "percentile", 80).tolist() == [2]
    deviations = (curve.mean() - curve) / curve.std()
    assert breakpoints(curve, "zscore", 0.5).tolist() == np.flatnonzero(deviations > 0.5).tolist() == [2, 5]
    assert cutoff(curve, "interquartile", 1.0) == pytest.approx(curve.mean() - (0.875 - 0.475))


def test_the_gradient_cuts_at_the_foot_of_the_fall():
    curve = np.array([0.9, 0.9, 0.6, 0.1, 0.8, 0.9, 0.85, 0.9])
    assert breakpoints(curve, "gradient", 80).tolist() == [3]


def test_an_unknown_threshold_names_the_known():
    with pytest.raises(SettingsError, match=r"no threshold 'median'.*percentile, absolute"):
        breakpoints(np.zeros(3), "median", 1.0)


@given(CURVES, st.integers(0, 4), st.floats(-1, 1))
def test_one_seam_is_cut_once(curve, buffer, value):
    gaps = breakpoints(curve, "absolute", value)
    kept = lowest(gaps, curve, buffer)
    assert set(kept.tolist()) <= set(gaps.tolist())
    assert (len(kept) > 0) == (len(gaps) > 0)  # the lowest of all is among them
    for gap in kept.tolist():
        assert curve[gap] == curve[max(0, gap - buffer) : gap + buffer + 1].min()
