"""RAGAS's two: context precision against average precision, context recall against sets of characters."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.metrics.ranking import context_precision
from core.evaluation.metrics.spans import context_recall
from core.evaluation.regions import region
from tests.evaluation import rescore

spans = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 40), st.integers(1, 25)).map(
    lambda item: (item[0], item[1], item[1] + item[2])
)


@given(st.lists(st.booleans(), max_size=30))
def test_context_precision_is_average_precision_over_what_was_retrieved(relevances):
    qrels = [ir_measures.Qrel("q", str(rank), int(relevant)) for rank, relevant in enumerate(relevances)]
    run = [ir_measures.ScoredDoc("q", str(rank), 1000.0 - rank) for rank in range(len(relevances))]
    expected = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP] if any(relevances) else 0.0
    assert context_precision(relevances) == pytest.approx(expected, abs=1e-9)


@given(st.lists(spans, max_size=8), st.lists(spans, min_size=1, max_size=6))
def test_context_recall_counts_excerpts_read_at_least_by_half(context, gold):
    read = rescore.characters(context)
    halves = [len(rescore.characters([span]) & read) / len(rescore.characters([span])) >= 0.5 for span in gold]
    assert context_recall(region(context), gold) == sum(halves) / len(gold)


def test_half_is_enough_and_a_character_less_is_not():
    assert context_recall(region([("a", 0, 5)]), [("a", 0, 10)]) == 1.0
    assert context_recall(region([("a", 0, 4), ("b", 4, 10)]), [("a", 0, 10)]) == 0.0
    assert context_recall(region([]), [("a", 0, 1)]) == 0.0
