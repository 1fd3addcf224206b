"""How far a child grows to its parent: never past it, never past its share or ratio, and toward the better side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import expand
from core.search.expansion.growth import family, stands_alone
from core.settings import ExpansionSettings
from core.types import Span
from tests.search.expansion.worlds import GENRES, ranking_of, table, worlds

SHARES = st.sampled_from([0.1, 0.3, 0.5, 0.9, 1.0])


def leaves_read(leaves, extent):
    """First and last leaf of an extent that is made of whole leaves."""
    inside = np.flatnonzero(
        (leaves.documents == extent.document) & (leaves.starts >= extent.start) & (leaves.ends <= extent.end)
    )
    assert (leaves.starts[inside[0]], leaves.ends[inside[-1]]) == (extent.start, extent.end)
    return int(inside[0]), int(inside[-1])


def siblings_of(leaves, child):
    first, last = family(leaves, child)
    return range(first, last + 1)


@given(worlds(), st.integers(1, 900), SHARES)
def test_flat_leaves_the_child_alone(world, budget, share):
    leaves = world.ranking.leaves
    extents = expand(world.ranking, ExpansionSettings("flat", share), leaves.tokens, budget, world)
    assert [leaves_read(leaves, extent) for extent in extents] == [
        (child, child) for child in world.ranking.pool[world.ranking.kept].tolist()
    ]
    assert [extent.relevance for extent in extents] == world.ranking.final[world.ranking.kept].tolist()


@given(worlds(), st.integers(1, 300), SHARES, st.sampled_from([0.0, 0.5, 1.0]))
def test_a_parent_is_never_left_and_the_share_holds(world, budget, share, decay):
    leaves = world.ranking.leaves
    extents = expand(world.ranking, ExpansionSettings("parent", share, decay), leaves.tokens, budget, world)
    for rank, extent in enumerate(extents, start=1):
        siblings = siblings_of(leaves, extent.child)
        first, last = leaves_read(leaves, extent)
        assert set(range(first, last + 1)) <= set(siblings)
        size = int(leaves.tokens[first : last + 1].sum())
        limit = int(budget * share / rank**decay)
        assert size <= limit or first == last, "only a child too large by itself passes its share"
        if first > siblings[0] or last < siblings[-1]:
            beside = [place for place in (first - 1, last + 1) if place in siblings]
            assert all(size + leaves.tokens[place] > limit for place in beside), "it grew as far as it could"
        elif len(siblings) > 1:
            assert "whole parent" in extent.reason


@given(worlds(), st.integers(1, 900))
def test_only_chosen_genres_and_passages_take_parents(world, budget):
    leaves = world.ranking.leaves
    chosen = ExpansionSettings("parent", 1.0, 0.0, kinds=(GENRES[1], "steps"))
    whole = expand(world.ranking, ExpansionSettings("parent", 1.0, 0.0), leaves.tokens, budget, world)
    alone = expand(world.ranking, ExpansionSettings("flat"), leaves.tokens, budget, world)
    made = expand(world.ranking, chosen, leaves.tokens, budget, world)
    for extent, grown, flat in zip(made, whole, alone, strict=True):
        if extent.document % 2 or world.section_types([extent.child])[extent.child] == "steps":
            assert extent == grown
        else:
            assert (extent.start, extent.end) == (flat.start, flat.end)
            assert "'guide'" in extent.reason


@given(worlds(), st.integers(1, 900))
def test_prose_is_read_alone_and_code_with_its_parent(world, budget):
    ways = [ExpansionSettings(name) for name in ("needed", "parent", "flat")]
    leaves = world.ranking.leaves
    for extent, grown, flat in zip(
        *(expand(world.ranking, way, leaves.tokens, budget, world) for way in ways), strict=True
    ):
        span = Span(int(leaves.starts[extent.child]), int(leaves.ends[extent.child]))
        alone = stands_alone(world.texts[extent.document], span, world.kind(extent.document))
        assert (extent.start, extent.end) == ((flat.start, flat.end) if alone else (grown.start, grown.end))
        assert not (alone and world.kind(extent.document) == "code")


def test_what_stands_alone():
    said = "The mill grinds wheat in spring. Rye comes later, in the autumn."
    talk = "\n".join(
        f"{name}: I think that {what} comes first." for name, what in zip(["Ada", "Ben"] * 4, "abcdefgh", strict=True)
    )
    whole = [(said, "md", True), (said, "code", False), ("- wheat\n- rye\n- oats", "md", False), (talk, "md", False)]
    for text, kind, alone in whole:
        assert stands_alone(text, Span(0, len(text)), kind) == alone, text


def ranked(scores, kept):
    leaves = table([(0, at * 10, at * 10 + 9, 0) for at in range(len(scores))])
    leaves.tokens[:] = 10
    return ranking_of(leaves, scores, kept)


def only(ranking, settings, budget):
    (extent,) = expand(ranking, settings, ranking.leaves.tokens, budget, None)
    return leaves_read(ranking.leaves, extent)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, (0, 4)), (0.5, (2, 3)), (0.6, (2, 4)), (0.3, (2, 2)), (0.8, (1, 4))],
)
def test_growth_takes_the_better_side_first(share, expected):
    assert only(ranked([0.1, 0.2, 1.0, 0.9, 0.8], [2]), ExpansionSettings("parent", share), 50) == expected


def test_equal_sides_grow_to_the_left_first():
    assert only(ranked([0.5, 0.5, 1.0, 0.5, 0.5], [2]), ExpansionSettings("parent", 0.4), 50) == (1, 2)
