"""Merging: parents in the place of their children, level by level, and never a chunk beside its own parent."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import expand
from core.search.expansion.relevance import merged_relevance
from core.settings import ExpansionSettings
from core.types import Span
from tests.search.expansion.worlds import World, ranking_of, table, worlds

MERGE = st.builds(
    ExpansionSettings,
    st.just("auto-merge"),
    st.sampled_from([0.3, 1.0]),
    st.sampled_from([0.0, 0.5]),
    merge_share=st.sampled_from([0.05, 0.2, 0.5, 0.9]),
)


def spans(extents):
    return {(extent.document, extent.start, extent.end) for extent in extents}


@given(worlds(), MERGE, st.integers(1, 900))
def test_never_a_parent_and_its_own_child(world, settings, budget):
    leaves = world.ranking.leaves
    extents = expand(world.ranking, settings, leaves.tokens, budget, world)
    distinct = sorted(spans(extents))
    for before, after in pairwise(distinct):
        assert before[0] < after[0] or before[2] <= after[1], "chunks that were merged lie side by side"
    for extent in extents:
        own = Span(int(leaves.starts[extent.child]), int(leaves.ends[extent.child]))
        chunks = {own} | {span for _, span in world.chains[extent.child]}
        assert Span(extent.start, extent.end) in chunks, "the child, or a chunk it stands in"


@given(worlds(), MERGE, st.integers(1, 900))
def test_a_merged_chunk_has_enough_of_its_own(world, settings, budget):
    ranking, leaves = world.ranking, world.ranking.leaves
    kept = ranking.pool[ranking.kept].tolist()
    best = max(ranking.final[ranking.kept], default=0.0)
    for extent in expand(ranking, settings, leaves.tokens, budget, world):
        inside = [
            child
            for child in kept
            if leaves.documents[child] == extent.document and extent.start <= leaves.starts[child] < extent.end
        ]
        own = float(ranking.final[ranking.kept[kept.index(extent.child)]])
        of_the_best = float(ranking.final[ranking.kept[kept.index(inside[0])]])
        if (extent.start, extent.end) == (leaves.starts[extent.child], leaves.ends[extent.child]):
            assert extent.relevance == own or len(inside) > 1
        else:
            assert len(inside) > 1, "one child says nothing of its parent"
            assert own <= of_the_best <= extent.relevance <= best, "never below its best child, never above all"


@given(worlds(), MERGE, st.integers(1, 300))
def test_a_merged_chunk_fits_the_shares_of_its_retrieved_leaves(world, settings, budget):
    leaves, kept = world.ranking.leaves, world.ranking.pool[world.ranking.kept].tolist()
    for extent in expand(world.ranking, settings, leaves.tokens, budget, world):
        inside = (leaves.documents == extent.document) & (extent.start <= leaves.starts) & (leaves.ends <= extent.end)
        size = int(leaves.tokens[inside].sum())
        if inside.sum() > 1:
            ranks = [rank for rank, child in enumerate(kept, start=1) if inside[child]]
            assert size <= sum(budget * settings.max_share / rank**settings.share_decay for rank in ranks)
            assert size <= budget


@given(worlds(), st.integers(1, 900), st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from([(1.0, 0.0), (0.25, 0.5)]))
def test_a_lower_share_never_merges_less(world, budget, share, room):
    leaves = world.ranking.leaves
    low, high = (
        {extent.child: extent for extent in expand(world.ranking, settings, leaves.tokens, budget, world)}
        for settings in (ExpansionSettings("auto-merge", *room, merge_share=to) for to in (share, share * 2))
    )
    for child, extent in high.items():
        assert low[child].start <= extent.start
        assert extent.end <= low[child].end


def tree(scores, kept, groups, above=()):
    """Leaves of ten characters under parents (groups of leaf ranges), these under chunks of ``above``, by leaves."""
    rows = [
        (0, at * 10, at * 10 + 9, next(place for place, (first, last) in enumerate(groups) if first <= at <= last))
        for at in range(len(scores))
    ]
    leaves = table(rows)
    chains = []
    for at in range(len(scores)):
        levels = [next((first, last) for first, last in level if first <= at <= last) for level in (groups, *above)]
        chains.append(tuple((level, Span(first * 10, last * 10 + 9)) for level, (first, last) in enumerate(levels, 1)))
    return World(("123456789 " * len(scores),), ranking_of(leaves, scores, kept), tuple(chains), {})


def read(world, share=0.5, budget=1000):
    leaves = world.ranking.leaves
    settings = ExpansionSettings("auto-merge", 1.0, 0.0, merge_share=share)
    extents = expand(world.ranking, settings, leaves.ends - leaves.starts, budget, world)
    return [(extent.child, extent.start // 10, extent.end // 10, extent.relevance) for extent in extents]


def test_enough_children_bring_their_parent():
    """Two of three, both as good as can be: support 2/3. The mean is below both, so their strength is 1."""
    world = tree([3, 3, 0, 0, 0, 0], [0, 1], [(0, 2), (3, 5)])
    assert read(world, 0.66) == [(0, 0, 2, 3.0), (1, 0, 2, 3.0)]
    assert read(world, 0.67) == [(0, 0, 0, 3.0), (1, 1, 1, 3.0)]
    assert world.asked == {"ancestors"}


def reasons(world, budget, **dials):
    leaves = world.ranking.leaves
    extents = expand(
        world.ranking, ExpansionSettings("auto-merge", **dials), leaves.ends - leaves.starts, budget, world
    )
    return [extent.reason for extent in extents]


@pytest.mark.parametrize(("share", "merges"), [(0.05, True), (0.3, True), (0.5, True), (0.6, False)])
def test_by_default_the_share_decides_what_is_merged(share, merges):
    """A parent of 36 with half of it retrieved; of a budget of 100 its leaves may fill 25 and 17, together 42."""
    found = reasons(tree([3, 3, 0, 0, 0, 0], [0, 1], [(0, 3), (4, 5)]), 100, merge_share=share)
    merged_parent = "its parent: 2 of its 4 leaves were retrieved, support 0.50"
    alone = "the child alone: too little of its parent was retrieved, support 0.50"
    assert found == [merged_parent if merges else alone] * 2


def test_a_child_that_is_not_merged_says_what_held_it_back():
    half = tree([3, 3, 0, 0, 0, 0], [0, 1], [(0, 3), (4, 5)])
    held = "its parent, support 0.50, is larger than the share of the budget of its 2 retrieved leaves"
    assert reasons(half, 80) == [f"the child alone: {held}"] * 2
    assert reasons(half, 80, max_share=0.5) == ["its parent: 2 of its 4 leaves were retrieved, support 0.50"] * 2
    assert reasons(half, 30) == ["the child alone: its parent is larger than the whole budget"] * 2
    lone = tree([3, 0, 0, 3], [0, 3], [(0, 2), (3, 3)])
    assert reasons(lone, 100) == [
        "the child alone: no other leaf of its parent was retrieved",
        "the child alone: it is its whole parent",
    ]
    orphan = tree([3, 0], [0], [(0, 1)])
    orphan.ranking.leaves.parent_rows[:] = -1
    assert reasons(orphan, 100) == ["the child alone: it has no parent"]


def test_merging_goes_up_as_many_levels_as_are_won():
    """Both parents of the first half are merged, so their own parent is, and the root is not."""
    above = ([(0, 3), (4, 7)], [(0, 7)])
    world = tree([3, 3, 3, 3, 0, 0, 0, 0], [0, 1, 2, 3], [(0, 1), (2, 3), (4, 5), (6, 7)], above)
    assert [item[1:3] for item in read(world, 0.6)] == [(0, 3)] * 4
    assert [item[1:3] for item in read(world, 0.5)] == [(0, 7)] * 4
    assert [item[1:3] for item in read(world, 0.5, budget=40)] == [(0, 3)] * 4, "the root passes the share"
    assert [item[1:3] for item in read(world, 0.5, budget=20)] == [(0, 1), (0, 1), (2, 3), (2, 3)]


def test_a_parent_whose_children_are_apart_may_be_skipped_over_by_none():
    """A chunk of the second level is judged only over a merged parent: two lone hits in two parents bring nothing."""
    world = tree([3, 0, 3, 0], [0, 2], [(0, 1), (2, 3)], ([(0, 3)],))
    assert [item[1:3] for item in read(world, 0.05)] == [(0, 0), (2, 2)]
    assert world.asked == set()


def test_a_merged_parent_passes_single_children():
    world = tree([5, 0, 4, 4, 0, 4.2], [0, 5, 2, 3], [(0, 1), (2, 3), (4, 5)])
    assert [item[0] for item in read(world, 0.4)] == [0, 2, 3, 5], "two that agree come before a single better one"


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (3.5, 0.0), (1.0, -20.0), (0.01, 7.0)])
def test_the_unit_of_the_scores_does_not_matter(scale, shift):
    scores = np.array([5, 0, 4, 4, 0, 4.2])
    plain, other = (
        read(tree(values, [0, 5, 2, 3], [(0, 1), (2, 3), (4, 5)]), 0.4) for values in (scores, scores * scale + shift)
    )
    assert [item[:3] for item in plain] == [item[:3] for item in other]
    assert np.allclose([item[3] * scale + shift for item in plain], [item[3] for item in other])


@given(st.floats(-9, 9), st.floats(0, 9), st.floats(0, 1), st.floats(0, 1))
def test_relevance_is_monotone_and_bounded(best, above, support, more):
    top = best + above
    assert best <= merged_relevance(best, support, top) <= top or np.isclose(merged_relevance(best, support, top), top)
    assert merged_relevance(best, min(support, more), top) <= merged_relevance(best, max(support, more), top)
