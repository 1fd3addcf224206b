"""Laws of fusion: the order of its inputs does not matter, better never ranks lower, neighbours stay in a document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.search.ranking import fusion
from core.settings import FUSIONS

SCORES = arrays.arrays(
    np.float64,
    st.shared(st.integers(1, 30), key="n"),
    elements=st.one_of(st.just(float("nan")), st.floats(-50, 50).map(lambda value: round(value, 3))),
)
DENSE = arrays.arrays(
    np.float64, st.shared(st.integers(1, 30), key="n"), elements=st.floats(-1, 1).map(lambda value: round(value, 3))
)
WEIGHTS = st.tuples(st.floats(0.05, 1), st.floats(0.05, 1))


def _fuse(kind: str, searches: list[tuple[fusion.Scores, float]]) -> fusion.Scores:
    if kind == "rrf":
        return fusion.fuse_reciprocal(searches, 60)
    return fusion.fuse_standardised(searches)


@pytest.mark.parametrize("kind", FUSIONS)
@given(dense=DENSE, words=SCORES, weights=WEIGHTS)
def test_fusion_does_not_depend_on_the_order_of_its_searches(kind, dense, words, weights):
    one = _fuse(kind, [(dense, weights[0]), (words, weights[1])])
    other = _fuse(kind, [(words, weights[1]), (dense, weights[0])])
    np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("kind", FUSIONS)
@given(dense=DENSE, words=SCORES, weights=WEIGHTS, seed=st.integers(0, 1000))
def test_fusion_does_not_depend_on_the_order_of_the_leaves(kind, dense, words, weights, seed):
    # Ties in one search fall to the earlier leaf, so leaves are made distinct before they are shuffled.
    dense = dense + np.arange(len(dense)) * 1e-6
    words = words + np.arange(len(words)) * 1e-6
    shuffle = np.random.default_rng(seed).permutation(len(dense))
    plain = _fuse(kind, [(dense, weights[0]), (words, weights[1])])
    shuffled = _fuse(kind, [(dense[shuffle], weights[0]), (words[shuffle], weights[1])])
    np.testing.assert_allclose(plain[shuffle], shuffled, atol=1e-9)


@pytest.mark.parametrize("kind", FUSIONS)
@given(dense=DENSE, words=SCORES, weights=WEIGHTS)
def test_a_leaf_better_in_every_search_is_better_fused(kind, dense, words, weights):
    fused = _fuse(kind, [(dense, weights[0]), (words, weights[1])])
    filled = np.nan_to_num(words, nan=0.0)
    for one in range(len(dense)):
        for other in range(len(dense)):
            ranked_both = not np.isnan(words[one]) and not np.isnan(words[other])
            if dense[one] > dense[other] and ranked_both and filled[one] > filled[other]:
                assert fused[one] >= fused[other] - 1e-12


WILD = arrays.arrays(
    np.float64,
    st.integers(0, 60),
    elements=st.one_of(
        st.just(float("nan")), st.sampled_from([-1.0, 0.0, 0.5, 0.5000000001]), st.floats(allow_nan=False, width=64)
    ),
)


@given(scores=st.one_of(SCORES, WILD), limit=st.integers(0, 70))
def test_what_is_asked_of_an_order_is_what_sorting_all_of_it_says(scores, limit):
    ranked = np.flatnonzero(~np.isnan(scores))
    expected = ranked[np.argsort(-scores[ranked], kind="stable")]
    ranks = np.zeros(len(scores), np.int64)
    ranks[expected] = np.arange(1, len(expected) + 1)
    assert fusion.best_first(scores, limit).tolist() == expected[:limit].tolist()
    assert fusion.best_first(scores).tolist() == expected.tolist()
    assert fusion.ranks(scores).tolist() == ranks.tolist()


@given(scores=DENSE, share=st.floats(0.01, 1), documents=st.data())
def test_a_neighbours_share_comes_from_the_same_document_only(scores, share, documents):
    owners = np.sort(
        np.array(
            documents.draw(st.lists(st.integers(0, 3), min_size=len(scores), max_size=len(scores))), dtype=np.int32
        )
    )
    gained = fusion.add_neighbour_share(scores, owners, np.arange(len(scores)), share)
    for place in range(len(scores)):
        expected = scores[place]
        for near in (place - 1, place + 1):
            if 0 <= near < len(scores) and owners[near] == owners[place]:
                expected += share * scores[near]
        assert gained[place] == pytest.approx(expected)
