"""Feedback without the question's vector is the cosine to the vector that was moved."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.feedback import moved


@given(st.integers(1, 30), st.floats(0.01, 2), st.integers(0, 10**6))
def test_it_is_the_cosine_to_the_moved_question(count, share, seed):
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = generator.standard_normal(8)
    query /= np.linalg.norm(query)
    first = generator.permutation(count)[: 1 + count // 3]
    towards = query + share * vectors[first].mean(axis=0)
    expected = vectors @ (towards / np.linalg.norm(towards))
    np.testing.assert_allclose(moved(vectors @ query, vectors, first, share), expected, atol=1e-4)


def test_without_a_share_or_a_leaf_nothing_moves():
    dense, vectors = np.array([0.3, 0.1]), np.eye(2, dtype=np.float32)
    assert moved(dense, vectors, np.array([0]), 0) is dense
    assert moved(dense, vectors, np.zeros(0, np.int64), 1.0) is dense
