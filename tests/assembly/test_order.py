"""Orders are permutations; "edges" puts the two best at the two ends, "blend" keeps every document's text in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.assembly.order import arrange, edges
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
    if order in ("blend", "document"):
        for document in {passage.version_id for passage in arranged}:
            starts = [passage.start for passage in arranged if passage.version_id == document]
            assert starts == sorted(starts), "a document is read as it was written"
        blocks = [passage.version_id for passage in arranged]
        changes = sum(one != other for one, other in pairwise(blocks))
        assert changes == max(0, len(set(blocks)) - 1), "and in one go"


@given(PLACES)
def test_blend_takes_the_document_of_the_best_passage_first(places):
    arranged = arrange(passages(places), "blend")
    best = {}
    for passage in arranged:
        best[passage.version_id] = min(passage.rank, best.get(passage.version_id, passage.rank))
    assert list(best.values()) == sorted(best.values())


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
