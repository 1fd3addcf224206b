"""Orders are permutations; "edges" puts the two best at the two ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.assembly.order import edges


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
