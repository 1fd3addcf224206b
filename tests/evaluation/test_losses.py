"""Where gold was lost: every character once, by the best leaf that holds it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.lost_gold import EXCLUDED, GoldLeaf, best_ranks, fates, gold_leaves, lost
from core.evaluation.regions import region
from core.evaluation.reporting.report import LOST, READ
from core.search.ranking.finding import SearchScores
from core.search.ranking.stage_scores import order_leaves
from core.settings import RetrievalSettings
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.leaves import LeafTable

NAMES = ("a", "b")


def table(count, document=0, size=10):
    """``count`` leaves of ``size`` characters, one after the other, all of document ``document``."""
    places = np.full(count, document, np.int32)
    starts = np.arange(count, dtype=np.int64) * size
    ones = np.ones(count, np.int64)
    return LeafTable(
        1, 1, 2, starts + 1, places, starts, starts + size, ones, -ones,
        LeafVectors.from_matrix(np.ones((count, 2), np.float32)), ("v0", "v1"), ("A", "B"), ("a.md", "b.md"),
    )  # fmt: skip


def ranked(dense, words, **settings):
    leaves = table(len(dense))
    pool = np.arange(len(dense), dtype=np.int64)
    found = SearchScores("?", leaves, pool, np.array(dense, float), np.array(words, float), {})
    alone = {"neighbour_share": 0.0, "parent_share": 0.0, "document_share": 0.0}
    return order_leaves(found, RetrievalSettings(**alone, **settings))


def leaf(index, start, end):
    return GoldLeaf(index, (("a", start, end),))


def test_each_leaf_is_followed_to_where_it_stopped():
    nan = np.nan
    # Leaf 0 leads both; 1 leads the words alone and 2 the meaning alone; 3 is far down in both.
    ranking = ranked([0.9, 0.1, 0.8, 0.2], [9.0, 8.0, nan, nan], k=1)
    leaves = [leaf(index, 10 * index, 10 * index + 10) for index in range(4)]
    assert fates(ranking, leaves) == ("budget", "search", "search", "search")
    ranking = ranked([0.9, 0.1, 0.8, 0.2], [9.0, 8.0, nan, nan], k=2, lexical_weight=0.9, dense_weight=0.1)
    assert fates(ranking, leaves) == ("budget", "budget", "ranking", "search")
    assert best_ranks(ranking, leaves[2:]) == {"dense": 2, "fused": 3, "neighbours": 3}
    assert best_ranks(ranking, leaves)["kept"] == 1
    ranking = ranked([0.9, 0.1, 0.8, 0.2], [9.0, 8.0, nan, nan], k=4, min_similarity=0.5)
    assert fates(ranking, leaves) == ("budget", "threshold", "budget", "threshold")


def test_a_document_that_was_not_read_and_gold_beyond_its_end():
    gold = region([("a", 0, 10), ("gone", 0, 7)])
    readable = region([("a", 0, 8)])
    found = lost(gold, readable, region([]), [leaf(0, 0, 4)], ["search"])
    assert found == {"search": 4, "cutting": 4, "reading": 9}


def test_what_the_question_itself_leaves_out_is_not_blamed_on_the_cutting():
    gold = region([("a", 0, 30)])
    leaves, came = [leaf(0, 0, 10), leaf(1, 5, 20)], ["search", EXCLUDED]
    assert lost(gold, gold, region([("a", 0, 2)]), leaves, came) == {
        "read": 2,
        "search": 8,
        EXCLUDED: 10,
        "cutting": 10,
    }


@pytest.mark.parametrize(("start", "end", "expected"), [(0, 10, [0]), (9, 11, [0, 1]), (10, 10, []), (35, 99, [3])])
def test_the_leaves_that_share_a_character_with_gold(start, end, expected):
    leaves = table(4)
    found = gold_leaves([("a", start, end)], {"a": 0}, leaves.documents, leaves.starts, leaves.ends)
    assert [item.index for item in found] == expected
    assert all(item.held == (("a", max(start, 10 * item.index), min(end, 10 * item.index + 10)),) for item in found)
    other = replace(leaves, documents=leaves.documents + 1)
    assert not gold_leaves([("a", start, end)], {"a": 0}, other.documents, other.starts, other.ends)
    assert not gold_leaves([("unread", start, end)], {"a": 0}, leaves.documents, leaves.starts, leaves.ends)


spans = st.tuples(st.sampled_from(NAMES), st.integers(0, 40), st.integers(1, 20)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)


@given(
    gold=st.lists(spans, min_size=1, max_size=4),
    taken=st.lists(spans, max_size=4),
    held=st.lists(st.tuples(spans, st.sampled_from(LOST[:5])), max_size=6),
    missing=st.sets(st.sampled_from(NAMES)),
)
def test_the_parts_are_the_whole_gold(gold, taken, held, missing):
    whole, read = region(gold), region(taken)
    readable = region([span for span in gold if span[0] not in missing])
    inside = [
        (GoldLeaf(number, ((name, max(a, start), min(b, end)),)), fate)
        for number, ((name, a, b), fate) in enumerate(held)
        for other, start, end in gold
        if other == name and max(a, start) < min(b, end)
    ]
    found = lost(whole, readable, read, [item for item, _ in inside], [fate for _, fate in inside])
    assert sum(found.values()) == whole.size
    assert found.get(READ, 0) == read.common(whole)
    assert set(found) <= {READ, *LOST}
    assert min(found.values()) > 0
