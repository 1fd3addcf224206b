"""Span metrics against sets of characters."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.evaluation.metrics import SPAN_METRICS
from core.evaluation.metrics.spans import before_gold
from core.evaluation.regions import Region, cut_to_budget, region
from core.types import Span
from tests.evaluation import rescore

spans = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 40), st.integers(0, 25)).map(
    lambda item: (item[0], item[1], item[1] + item[2])
)
contexts = st.lists(spans, max_size=8)


def characters_of(found: Region) -> set[tuple[str, int]]:
    return {(name, i) for name, parts in found.spans.items() for part in parts for i in range(part.start, part.end)}


@given(contexts)
def test_region_is_the_set_of_its_characters(items):
    assert characters_of(region(items)) == rescore.characters(items)
    assert region(items).size == len(rescore.characters(items))


@given(contexts, contexts)
def test_common_is_the_size_of_the_intersection(left, right):
    expected = len(rescore.characters(left) & rescore.characters(right))
    assert region(left).common(region(right)) == region(right).common(region(left)) == expected


@given(contexts, st.integers(0, 120))
def test_take_reads_new_characters_in_order_until_the_budget(context, budget):
    assert characters_of(cut_to_budget(context, budget)) == rescore.first_characters(context, budget)


@given(contexts, contexts, st.integers(1, 120))
def test_span_metrics_equal_their_definitions_on_sets(context, gold, budget):
    gold_characters = rescore.characters(gold)
    assume(gold_characters)
    expected = rescore.span_scores(context, gold_characters, budget)
    taken = cut_to_budget(context, budget)
    assert {f"{name}@{budget}": metric(taken, region(gold), budget) for name, metric in SPAN_METRICS.items()} == (
        pytest.approx(expected, abs=1e-12)
    )


@given(contexts, st.integers(1, 120))
def test_reading_the_gold_first_attains_everything(gold, budget):
    assume(region(gold).size)
    taken = cut_to_budget([*gold, ("other", 0, 500)], budget)
    assert SPAN_METRICS["attained"](taken, region(gold), budget) == 1.0


@given(contexts, contexts)
def test_before_gold_is_what_is_read_until_its_first_character(context, gold):
    context = [item for at, item in enumerate(context) if not region(context[:at]).common(region([item]))]
    wanted, read = rescore.characters(gold), []
    for name, start, end in context:
        read += [(name, at) for at in range(start, end)]
    first = next((at for at, one in enumerate(read) if one in wanted), None)
    found = before_gold(context, region(gold))
    assert (None if found is None else sum(end - start for _, start, end in found)) == first


def test_full_forgives_one_character_in_a_thousand_and_no_more():
    full = SPAN_METRICS["full"]
    assert full(region([("a", 0, 999)]), region([("a", 0, 1000)]), 1000) == 1.0
    assert full(region([("a", 0, 998)]), region([("a", 0, 1000)]), 1000) == 0.0


def test_a_region_with_spans_that_touch_is_refused():
    with pytest.raises(ValueError, match="apart"):
        Region({"a": (Span(0, 2), Span(2, 3))})
