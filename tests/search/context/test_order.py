"""Orders are permutations; "edges" puts the two best at the two ends, "blend" reads together what lies near."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.evidence import Passage
from core.search.context.prompt import arrange, blend
from core.settings import ORDERS

PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 500)), unique=True, max_size=30)


def passages(places):
    """In relevance order: the n-th place (document, start) has rank n."""
    return [
        Passage(f"v{document}", f"D{document % 2}", "", start, start + 1, "x", 1, (), (), rank, 1.0, "")
        for rank, (document, start) in enumerate(places, start=1)
    ]


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
