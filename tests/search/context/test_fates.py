"""The trace: every leaf that went on, and what nearly did, with ranks, scores and a fate."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.search.context import filling
from core.search.context.assembling import assemble
from core.search.context.candidate_outcomes import TRACED, build_trace
from core.search.expansion.expanding import expand
from core.search.ranking.stage_scores import STAGES, Ranking
from core.settings import ExpansionSettings
from tests.search.context.worlds import worlds


def trace_of(world, amount):
    budget = filling.character_budget(amount)
    leaves = world.ranking.leaves
    extents = expand(world.ranking, ExpansionSettings("parent", 0.5), leaves.ends - leaves.starts, amount, world)
    made = assemble(world.ranking, extents, budget, world)
    ids = lambda wanted: {leaf: f"chunk-{leaf}" for leaf in wanted}  # noqa: E731
    return made, build_trace(world.ranking, made.fates, ids, {"dense": 1.0})


@given(worlds(), st.integers(1, 900))
def test_every_leaf_has_ranks_scores_and_a_fate(world, amount):
    made, trace = trace_of(world, amount)
    ranking = world.ranking
    assert (trace.question, trace.stages, trace.timings_ms) == ("a question", STAGES, {"dense": 1.0})
    assert len(ranking.pool) <= TRACED
    assert sorted(candidate.row - 100 for candidate in trace.candidates) == ranking.pool.tolist(), "each leaf once"
    finals = [candidate.ranks["neighbours"] for candidate in trace.candidates]
    assert finals == list(range(1, len(finals) + 1)), "in final order, ranks from one"
    kept = {int(ranking.pool[place]) for place in ranking.kept}
    for candidate in trace.candidates:
        leaf = candidate.row - 100
        assert candidate.chunk_id == f"chunk-{leaf}"
        assert (candidate.start, candidate.end) == (ranking.leaves.starts[leaf], ranking.leaves.ends[leaf])
        assert set(candidate.ranks) == set(candidate.scores) == set(STAGES)
        if leaf in kept:
            assert candidate.fate == made.fates[leaf]
        else:
            assert candidate.fate.startswith(f"ranked {candidate.ranks['neighbours']}")
    shown = {chunk for passage in made.passages for chunk in passage.chunk_ids}
    assert {candidate.chunk_id for candidate in trace.candidates if candidate.fate == "kept"} == shown


@given(worlds(), st.data())
def test_unranked_and_dropped_leaves_say_so(world, data):
    whole = world.ranking
    count = len(whole.pool)
    lexical = whole.scores["lexical"].copy()
    missing = data.draw(st.sets(st.integers(0, count - 1)))
    lexical[list(missing)] = np.nan
    dropped = dict.fromkeys(data.draw(st.sets(st.integers(0, count - 1))), "too far")
    kept = np.array([place for place in whole.kept.tolist() if place not in dropped], dtype=np.int64)
    scores = {**whole.scores, "lexical": lexical}
    ranking = Ranking("q", whole.leaves, whole.settings, whole.pool, scores, kept, dropped, {})
    trace = build_trace(ranking, {}, lambda leaves: {leaf: str(leaf) for leaf in leaves}, {})
    for candidate in trace.candidates:
        place = candidate.row - 100
        assert ("lexical" in candidate.ranks) == ("lexical" in candidate.scores) == (place not in missing)
        assert (candidate.fate == "too far") == (place in dropped)
    fates = [candidate.fate == "too far" for candidate in trace.candidates]
    assert fates == sorted(fates), "what was dropped stands last"
    ranks = sorted(candidate.ranks["lexical"] for candidate in trace.candidates if "lexical" in candidate.ranks)
    assert ranks == list(range(1, count - len(missing) + 1))
