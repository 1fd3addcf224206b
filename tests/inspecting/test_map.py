"""The map: the same points every time, ordered by variance, with distances kept where two dimensions are enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.inspecting.curves import project


@given(st.integers(0, 30), st.integers(1, 12), st.integers(0, 5))
def test_principal_components_are_deterministic_and_ordered_by_variance(count, dimension, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    points = project(vectors)
    assert points.shape == (count, 2)
    assert points.dtype == np.float32
    assert np.array_equal(points, project(vectors.copy()))
    if count > 2:
        one, other = points.var(axis=0)
        assert one >= other - 1e-4
        assert np.abs(points.mean(axis=0)).max() < 1e-3


def test_two_dimensions_keep_their_distances():
    flat = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    found = project(flat)
    assert np.linalg.norm(found[3] - found[7]) == pytest.approx(np.linalg.norm(flat[3] - flat[7]), rel=1e-4)


def test_equal_vectors_lie_on_one_point():
    assert not project(np.ones((5, 3), dtype=np.float32)).any()
