"""Laws of the evidence beside a leaf: it stays in its document, never lowers the better, and counts words once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.search.ranking.fusion import add_group_share, continues_document, coverage, group_starts, idf, parent_groups


@st.composite
def worlds(draw):
    """``(documents, parents, holders)`` of a few leaves and words."""
    count = draw(st.integers(1, 40))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    documents = np.sort(seed.integers(0, 4, count)).astype(np.int32)
    runs = 100 * documents + np.arange(count) // 3  # a parent's leaves stand side by side
    parents = np.where(runs % 5 == 0, -1, runs).astype(np.int64)
    holders = [
        np.flatnonzero(seed.random(count) < seed.choice([0.05, 0.3, 0.8])) for _ in range(draw(st.integers(0, 12)))
    ]
    return documents, parents, holders


@given(worlds())
def test_groups_are_the_parents(world):
    documents, parents, _ = world
    groups = parent_groups(documents, parents)
    assert set(np.diff(groups).tolist()) <= {0, 1}, "rising in text order"
    for one in range(len(groups)):
        for other in range(one):
            assert (groups[one] == groups[other]) == (parents[one] >= 0 and parents[one] == parents[other])


@given(worlds(), st.floats(0, 2), st.integers(0, 1000))
def test_a_share_of_the_best_keeps_the_order_within_a_group_and_never_harms_its_best(world, share, seed):
    documents, parents, _ = world
    groups = parent_groups(documents, parents)
    scores = np.random.default_rng(seed).standard_normal(len(groups))
    shared = add_group_share(scores, scores, groups, share)
    for group in np.unique(groups):
        inside = groups == group
        np.testing.assert_allclose(shared[inside] - scores[inside], share * scores[inside].max(), atol=1e-9)
    heads = [int(np.flatnonzero(groups == group)[scores[groups == group].argmax()]) for group in np.unique(groups)]
    order = sorted(heads, key=lambda head: scores[head])
    assert [*np.diff(shared[order])] == [*np.maximum(np.diff(shared[order]), 0)], "the bests stay in their order"


@given(worlds(), st.randoms(use_true_random=False))
def test_coverage_counts_each_word_once_whatever_their_order(world, random):
    documents, parents, holders = world
    groups = parent_groups(documents, parents)
    told = continues_document(documents), group_starts(groups)
    found = coverage(holders, *told)
    shuffled = list(holders)
    random.shuffle(shuffled)
    np.testing.assert_allclose(coverage(shuffled, *told), found, atol=1e-12)
    ranked = found[~np.isnan(found)]
    assert np.all((ranked > 0) & (ranked <= 1 + 1e-12))
    telling = [held for held in holders if idf(len(held), len(documents))]
    for leaf in range(len(documents)):
        beside = [i for i in (leaf - 1, leaf, leaf + 1) if 0 <= i < len(documents) and documents[i] == documents[leaf]]
        near = [bool(np.isin(beside, held).any()) for held in telling]
        inside = [bool((groups[held] == groups[leaf]).any()) for held in telling]
        weights = [idf(len(held), len(documents)) for held in telling]
        held = np.dot(weights, near) + np.dot(weights, inside) if telling else 0.0
        expected = held / (2 * sum(weights)) if held else np.nan
        np.testing.assert_allclose(found[leaf], expected)


def test_an_empty_library_and_an_unknown_question_cover_nothing():
    none = np.zeros(0, np.int32)
    assert len(coverage([], continues_document(none), group_starts(parent_groups(none, none.astype(np.int64))))) == 0
    some = continues_document(np.zeros(3, np.int32))
    assert np.isnan(coverage([], some, np.arange(3))).all()
    assert np.isnan(coverage([np.arange(3)], some, np.arange(3))).all(), "a word that all hold tells nothing"
