"""Rank metrics against trec_eval's own code (by ir_measures), on rankings and judgments made at random."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.metrics import RANK_METRICS

THEIRS = {"chunk_recall": ir_measures.R, "mrr": ir_measures.RR, "ndcg": ir_measures.nDCG, "map": ir_measures.AP}

chunks = st.integers(0, 40)
rankings = st.lists(chunks, unique=True, max_size=40)
judgments = st.dictionaries(chunks, st.booleans(), min_size=1, max_size=30).filter(lambda judged: any(judged.values()))


@given(rankings, judgments, st.sampled_from([1, 2, 5, 10, 100]))
def test_rank_metrics_equal_trec_eval(ranked, judged, k):
    qrels = [ir_measures.Qrel("q", str(name), int(relevant)) for name, relevant in judged.items()]
    run = [ir_measures.ScoredDoc("q", str(name), 1000.0 - rank) for rank, name in enumerate(ranked)]
    measures = {name: measure @ k for name, measure in THEIRS.items()}
    expected = ir_measures.calc_aggregate(measures.values(), qrels, run)
    relevant = {name for name, is_relevant in judged.items() if is_relevant}
    for name, measure in measures.items():
        assert RANK_METRICS[name](ranked, relevant, k) == pytest.approx(expected[measure], abs=1e-9), name
