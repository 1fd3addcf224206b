"""What a child that is not trusted leads to: one hop, in its share, of lower relevance, nothing twice.

What it leads to is added, or raised where it was retrieved itself.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching.features import Reference
from core.search.context.assembling import assemble
from core.search.context.filling import character_budget
from core.search.expansion.expanding import expand
from core.search.expansion.growth import family, leaf_at
from core.search.expansion.relevance import linked_relevance
from core.settings import ExpansionSettings
from core.types import Span
from tests.search.context.worlds import World as Reading
from tests.search.expansion.worlds import World, ranking_of, table, worlds


@given(worlds(), st.integers(1, 900), st.floats(0, 1), st.data())
def test_what_is_added_is_led_to_by_an_unsure_child(world, budget, threshold, data):
    leaves, count = world.ranking.leaves, len(world.ranking.kept)
    sure = np.array(data.draw(st.lists(st.floats(0, 1), min_size=count, max_size=count)))
    settings = ExpansionSettings("neighbours", 1.0, 0.0, confidence=threshold)
    extents = expand(world.ranking, settings, leaves.tokens, budget, world, confidence=sure)
    kept = world.ranking.pool[world.ranking.kept].tolist()
    unsure = [child for child, value in zip(kept, sure.tolist(), strict=True) if value < threshold]
    relevance = dict(zip(kept, world.ranking.final[world.ranking.kept].tolist(), strict=True))
    for extent in extents:
        assert (extent.start, extent.end) == (leaves.starts[extent.child], leaves.ends[extent.child])
        own = relevance.get(extent.child)
        assert extent.reason.startswith("the child alone") == (own is not None)
        if own == extent.relevance:
            continue
        assert own is None or own < extent.relevance, "no child is worth less for being led to"
        leading = [child for child in unsure if extent.child in led_to(world, child)]
        assert leading, "an unsure child refers to it or stands beside it"
        assert min(relevance.values()) <= extent.relevance <= max(relevance[child] for child in leading)
    assert sorted(extent.child for extent in extents) == sorted({*kept, *(extent.child for extent in extents)}), "once"
    assert all(before.relevance >= after.relevance for before, after in pairwise(extents))
    if not unsure:
        assert world.asked == set(), "nothing is read where every child is trusted"


def led_to(world, child):
    leaves = world.ranking.leaves
    first, last = family(leaves, child)
    beside = {place for place in (child - 1, child + 1) if first <= place <= last}
    document = int(leaves.documents[child])
    pointed = [one for one in world.pointing.get(child, ()) if one.target is not None and one.kind != "citation"]
    return beside | {leaf_at(leaves, document, one.target.start) for one in pointed}


def document(scores, kept, pointing):
    leaves = table([(0, at * 10, at * 10 + 9, at // 4) for at in range(len(scores))])
    return World(("123456789 " * len(scores),), ranking_of(leaves, scores, kept), ((),) * len(scores), pointing)


def pointer(start, target, kind="section", text="see section 2"):
    return Reference(kind, start, start + 5, text, None if target is None else Span(target, target + 4))


def read(world, budget=1000, confidence=1.0):
    leaves = world.ranking.leaves
    settings = ExpansionSettings("neighbours", 1.0, 0.0, confidence=confidence)
    return [
        (extent.child, extent.relevance, extent.reason)
        for extent in expand(world.ranking, settings, leaves.ends - leaves.starts, budget, world)
    ]


def test_references_come_first_then_what_stands_beside():
    world = document([0, 6, 0, 0, 0, 2, 0, 0], [1, 5], {1: (pointer(12, 70), pointer(15, 75), pointer(17, None))})
    found = read(world)
    assert [(child, relevance) for child, relevance, _ in found] == [
        (1, 6.0),
        (7, 4.0),
        (2, 4.0),
        (0, 4.0),
        (5, 2.0),
        (6, 2.0),
        (4, 2.0),
    ]
    assert found[1][2] == "linked from “see section 2” in a retrieved child"
    assert "follows" in found[2][2]
    assert "before" in found[3][2]


def test_what_was_retrieved_is_not_added_again():
    world = document([5, 6, 4, 0, 0, 0, 0, 0], [1, 0, 2], {1: (pointer(12, 0),)})
    assert [child for child, _, _ in read(world)] == [1, 0, 2, 3]


def test_what_was_retrieved_far_down_moves_up_and_what_was_found_higher_stays():
    """Leaf 1 leads to leaf 11, the last that was kept, and to leaf 2, which is better than what is led to."""
    scores = [0.0, 6, 5, 0, 3.5, 3.4, 3.3, 3.2, 0, 0, 0, 1.0]
    world = document(scores, [1, 2, 4, 5, 6, 7, 11], {1: (pointer(12, 110, text="see  the appendix"), pointer(15, 20))})
    found = read(world)
    assert [child for child, _, _ in found] == [1, 2, 4, 11, 0, 5, 6, 7, 3, 10]
    assert found[1][1] == 5.0
    assert found[3][1:] == (3.5, "the child alone, moved up: linked from “see the appendix” in a retrieved child")


def test_what_moves_up_takes_nothing_of_the_share():
    """It would be read as it is by itself: only what is added needs room beside the child."""
    world = document([0, 6, 0, 0, 0, 0, 0, 2], [1, 7], {1: (pointer(12, 70), pointer(15, 40))})
    assert [item[:2] for item in read(world, budget=9)] == [(1, 6.0), (7, 4.0)]
    assert [item[:2] for item in read(world, budget=18)] == [(1, 6.0), (7, 4.0), (4, 4.0), (6, 2.0)]


@pytest.mark.parametrize(("strategy", "read_at_last"), [("flat", False), ("neighbours", True)])
def test_a_kept_leaf_far_down_that_is_referred_to_enters_the_context(strategy, read_at_last):
    """Forty were kept, the room holds 25; the second best says "see section 9", which is the last of them."""
    scores, budget = [10.0 - place / 5 for place in range(40)], 250
    world = document(scores, list(range(40)), {1: (pointer(12, 390, text="see section 9"),)})
    leaves = world.ranking.leaves
    # Only the second is not trusted, so what stands beside the others stays where it is.
    sure = np.where(np.arange(40) == 1, 0.2, 0.9)
    extents = expand(
        world.ranking, ExpansionSettings(strategy), leaves.ends - leaves.starts, budget, world, confidence=sure
    )
    assert sorted(extent.child for extent in extents) == list(range(40)), "each is one extent, once"
    read = assemble(world.ranking, extents, character_budget(budget), Reading(world.texts, world.ranking))
    assert (read.fates[39] == "kept") == read_at_last
    assert read.used <= budget


@pytest.mark.parametrize(("budget", "extra"), [(9, []), (18, [7]), (27, [7, 2]), (36, [7, 2, 0])])
def test_the_share_holds_for_the_child_and_what_it_leads_to(budget, extra):
    world = document([0, 6, 0, 0, 0, 0, 0, 0], [1], {1: (pointer(12, 70),)})
    assert [child for child, _, _ in read(world, budget)] == [1, *extra]


def test_a_citation_is_not_followed():
    world = document([6, 0, 0, 0, 0, 0, 0, 0], [0], {0: (pointer(2, 70, "citation"),)})
    assert [child for child, _, _ in read(world)] == [0, 1]


def test_one_hop_and_no_further():
    world = document([6] + [0] * 11, [0], {0: (pointer(2, 50),), 5: (pointer(52, 90),)})
    assert [child for child, _, _ in read(world)] == [0, 5, 1]


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_what_is_added_stands_between(relevance, least):
    low, high = sorted((relevance, least))
    assert low <= linked_relevance(high, low) <= high
