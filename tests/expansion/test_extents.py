"""How far a child grows: never past its parent, never past its share, and toward the better side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.expansion import EXPANDERS, expand
from core.retrieval import Ranking
from core.settings import EXPANSIONS, ExpansionSettings, RetrievalSettings
from core.storage.leaves import LeafTable
from tests.assembly.worlds import worlds


def family(leaves, child):
    if leaves.parent_rows[child] < 0:
        return [child]
    first = last = child
    while first > 0 and leaves.parent_rows[first - 1] == leaves.parent_rows[child]:
        first -= 1
    while last + 1 < len(leaves) and leaves.parent_rows[last + 1] == leaves.parent_rows[child]:
        last += 1
    return list(range(first, last + 1))


def test_every_setting_has_its_expander():
    assert tuple(EXPANDERS) == EXPANSIONS


@given(worlds(), st.integers(1, 150), st.sampled_from([0.1, 0.3, 0.5, 0.9, 1.0]))
def test_flat_leaves_the_child_alone(world, budget, share):
    extents = expand(world.ranking, ExpansionSettings("flat", share), world.ranking.leaves.tokens, budget)
    assert [(extent.first, extent.child, extent.last) for extent in extents] == [
        (child, child, child) for child in world.ranking.pool[world.ranking.kept].tolist()
    ]


@given(worlds(), st.integers(1, 150), st.sampled_from([0.1, 0.3, 0.5, 0.9, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_parent_is_never_left_and_the_share_holds(world, budget, share, decay):
    leaves = world.ranking.leaves
    extents = expand(world.ranking, ExpansionSettings("parent", share, decay), leaves.tokens, budget)
    assert [extent.child for extent in extents] == world.ranking.pool[world.ranking.kept].tolist()
    for rank, extent in enumerate(extents, start=1):
        siblings = family(leaves, extent.child)
        assert extent.first <= extent.child <= extent.last
        assert set(range(extent.first, extent.last + 1)) <= set(siblings)
        assert len(set(leaves.documents[extent.first : extent.last + 1].tolist())) == 1
        size = int(leaves.tokens[extent.first : extent.last + 1].sum())
        limit = int(budget * share / rank**decay)
        assert size <= limit or extent.first == extent.last, "only a child too large by itself passes its share"
        if extent.first > siblings[0] or extent.last < siblings[-1]:
            beside = [place for place in (extent.first - 1, extent.last + 1) if place in siblings]
            assert all(size + leaves.tokens[place] > limit for place in beside), "it grew as far as it could"
        elif len(siblings) > 1:
            assert "whole parent" in extent.reason or "of the parent's" in extent.reason
        assert extent.reason


def ranking_of(scores, kept):
    count = len(scores)
    table = LeafTable(
        1, 1, 1, np.arange(count), np.zeros(count, np.int32), np.arange(count) * 10, np.arange(count) * 10 + 9,
        np.full(count, 10), np.zeros(count, np.int64), np.zeros((count, 1), np.float32), ("v",), ("t",), ("n",),
    )  # fmt: skip
    final = np.array(scores, float)
    pool = np.arange(count)
    kept = np.array(kept)
    return Ranking("q", table, RetrievalSettings(), pool, {"neighbours": final}, kept, {}, {})


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, (0, 4)), (0.5, (2, 3)), (0.6, (2, 4)), (0.3, (2, 2)), (0.8, (1, 4))],
)
def test_growth_takes_the_better_side_first(share, expected):
    ranking = ranking_of([0.1, 0.2, 1.0, 0.9, 0.8], [2])
    (extent,) = expand(ranking, ExpansionSettings("parent", share), ranking.leaves.tokens, 50)
    assert (extent.first, extent.last) == expected


def test_equal_sides_grow_to_the_left_first():
    ranking = ranking_of([0.5, 0.5, 1.0, 0.5, 0.5], [2])
    (extent,) = expand(ranking, ExpansionSettings("parent", 0.4), ranking.leaves.tokens, 50)
    assert (extent.first, extent.last) == (1, 2)
