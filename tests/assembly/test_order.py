"""Orders are permutations; "edges" puts the two best at the two ends, "blend" reads together what lies near."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.assembly.order import REACH, arrange, blend, edges
from core.errors import SettingsError
from core.settings import ORDERS, AssemblySettings, Settings
from core.types import Passage

PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 500)), unique=True, max_size=30)


def passages(places):
    """In relevance order: the n-th place (document, start) has rank n."""
    return [
        Passage(f"v{document}", f"D{document % 2}", "", start, start + 1, "x", 1, (), (), rank, 1.0, "")
        for rank, (document, start) in enumerate(places, start=1)
    ]


@given(st.integers(0, 200))
def test_edges_is_a_permutation_with_the_best_first_and_the_second_best_last(count):
    order = edges(count)
    assert sorted(order) == list(range(count))
    if count >= 1:
        assert order[0] == 0
    if count >= 2:
        assert order[-1] == 1


@given(st.integers(3, 200))
def test_relevance_falls_from_both_edges_inward(count):
    order = edges(count)
    worst = order.index(count - 1)
    assert order[: worst + 1] == sorted(order[: worst + 1])
    assert order[worst:] == sorted(order[worst:], reverse=True)


@given(st.integers(2, 200))
def test_the_third_stands_after_the_first_and_the_fourth_before_the_last(count):
    order = edges(count)
    assert order[1:-1][:1] == [2] * (count > 2)
    assert order[1:-1][-1:] == [3 if count > 3 else 2] * (count > 2)
    assert [place for place in order if place > 1] == [place + 2 for place in edges(count - 2)], "and so on inward"


@given(PLACES, st.sampled_from(ORDERS))
def test_every_order_is_a_permutation_that_depends_on_the_passages_alone(places, order):
    given_passages = passages(places)
    arranged = arrange(given_passages, order)
    assert sorted(arranged, key=lambda passage: passage.rank) == given_passages
    assert arrange(given_passages, order) == arranged
    if order == "relevance":
        assert arranged == given_passages
    if order == "document":
        for document in {passage.version_id for passage in arranged}:
            starts = [passage.start for passage in arranged if passage.version_id == document]
            assert starts == sorted(starts), "a document is read as it was written"
        blocks = [passage.version_id for passage in arranged]
        changes = sum(one != other for one, other in pairwise(blocks))
        assert changes == max(0, len(set(blocks)) - 1), "and in one go"


def between(one, other):
    """Characters between two passages; more than any reach where they are of two documents."""
    apart = max(0, one.start - other.end, other.start - one.end)
    return apart if one.version_id == other.version_id else float("inf")


@given(PLACES, st.integers(0, 200))
def test_blend_reads_each_group_in_text_order_and_groups_by_the_rank_of_their_best(places, reach):
    given_passages = passages(places)
    arranged = blend(given_passages, reach)
    assert sorted(arranged, key=lambda passage: passage.rank) == given_passages
    anchors = []
    for passage in given_passages:  # as the contract says it: whoever is near no better anchor is one
        if all(between(passage, anchor) > reach for anchor in anchors):
            anchors.append(passage)
    groups = {anchor.rank: [] for anchor in anchors}
    for passage in given_passages:
        near = min(anchors, key=lambda anchor: (between(passage, anchor), anchor.rank))
        better = [anchor for anchor in anchors if anchor.rank <= passage.rank]
        groups[min(better, key=lambda anchor: (between(passage, anchor), anchor.rank)).rank].append(passage)
        assert passage in anchors or between(passage, near) <= reach
    assert arranged == [
        passage for group in groups.values() for passage in sorted(group, key=lambda passage: passage.start)
    ]
    assert list(groups) == sorted(groups)


@given(PLACES)
def test_blend_is_relevance_where_nothing_is_near_and_whole_documents_where_all_is(places):
    apart = [(document, start * (REACH + 2)) for document, start in places]
    assert arrange(passages(apart), "blend") == passages(apart), "no two are within reach"
    arranged = arrange(passages(places), "blend")  # all of a document lie within 500 characters
    for document in {passage.version_id for passage in arranged}:
        starts = [passage.start for passage in arranged if passage.version_id == document]
        assert starts == sorted(starts), "a document is read as it was written"
    blocks = [passage.version_id for passage in arranged]
    assert sum(one != other for one, other in pairwise(blocks)) == max(0, len(set(blocks)) - 1), "and in one go"
    best = [min(one.rank for one in arranged if one.version_id == name) for name in dict.fromkeys(blocks)]
    assert best == sorted(best)


def test_distance_decides_what_is_read_beside_the_best():
    places = [(0, 10_000), (1, 0), (0, 9_000), (0, 90_000), (1, 500)]
    assert [passage.rank for passage in blend(passages(places))] == [3, 1, 2, 5, 4]
    assert [passage.rank for passage in blend(passages(places), reach=100_000)] == [3, 1, 4, 2, 5]
    assert [passage.rank for passage in blend(passages(places), reach=0)] == [1, 2, 3, 4, 5]


def test_a_passage_between_two_anchors_goes_to_the_nearer_and_of_two_equally_near_to_the_better():
    two = [(0, 101), (0, 0)]
    assert [passage.rank for passage in blend(passages([*two, (0, 70)]), reach=75)] == [3, 1, 2]
    assert [passage.rank for passage in blend(passages([*two, (0, 30)]), reach=75)] == [1, 2, 3]
    far = [(0, 200), (0, 0), (0, 100)]  # 99 characters to each
    assert [passage.rank for passage in blend(passages(far), reach=100)] == [3, 1, 2]


@pytest.mark.parametrize(
    ("dial", "value"),
    [("order", "best"), ("unit", "words"), ("least_gain", 1.5), ("least_gain", -0.1), ("budget_tokens", 10)],
)
def test_dials_out_of_range_are_named(dial, value):
    with pytest.raises(SettingsError, match=f"assembly.{dial}"):
        Settings().with_value(f"assembly.{dial}", value)


def test_a_dial_that_is_off_names_nothing():
    off = {"drop_repeats": "off", "least_gain": "0", "unit": "passages"}
    settings = Settings().with_values({f"assembly.{name}": value for name, value in off.items()})
    assert settings.assembly == AssemblySettings()
    assert settings.assembly.telling() == {"budget_tokens": 2000, "order": "relevance"}
    assert AssemblySettings(unit="auto").telling()["unit"] == "auto"
