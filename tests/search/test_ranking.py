"""Ranking over one snapshot: exact and approximate agree, thresholds drop what they say, weights of 0 are off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.ranking.finding import POOL, search_leaves
from core.search.ranking.fusion import idf
from core.search.ranking.snapshot import Snapshot
from core.search.ranking.stage_scores import STAGES, UNFOUND, order_leaves
from core.settings import FUSIONS, RetrievalSettings
from core.storage.catalogue.filing.conditions import Passing
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.leaves import LeafTable

EVERY = RetrievalSettings(k=1000)


class Matches:
    """A ``LexicalIndex`` that knows what it will answer."""

    def __init__(self, rows, scores):
        order = np.argsort(rows)
        self.rows, self.scores = np.array(rows, np.int64)[order], np.array(scores, np.float32)[order]

    def search(self, tokens):
        return self.rows, self.scores

    def holding(self, tokens):
        return {token: np.sort(self.rows) for token in tokens}


@st.composite
def cases(draw):
    count = draw(st.integers(1, 40))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    vectors = seed.standard_normal((count, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    documents = np.sort(seed.integers(0, 4, count)).astype(np.int32)
    rows = seed.permutation(count).astype(np.int64) + 7
    starts = np.arange(count) * 10
    runs = 100 * documents + np.arange(count) // 3  # a parent's leaves stand side by side
    parents = np.where(runs % 5 == 0, -1, runs).astype(np.int64)
    named = tuple("abcd")
    tokens = np.full(count, 2)
    table = LeafTable(
        1, 1, 6, rows, documents, starts, starts + 9, tokens, parents, LeafVectors.from_matrix(vectors), *3 * (named,)
    )
    query = seed.standard_normal(6).astype(np.float32)
    found = seed.permutation(rows)[: draw(st.integers(0, count))]
    matches = Matches(np.append(found, 9999), np.append(seed.random(len(found)) + 0.1, 5.0))  # one row too new
    return Snapshot.of(table), query / np.linalg.norm(query), matches


def found_of(case, searches, settings):
    """``searches``: (query, tokens). The nearest rows are those of all leaves that pass."""
    snapshot, _, matches = case

    def nearest(query, n):
        order = np.argsort(-(snapshot.leaves.vectors.of() @ query)[snapshot.searched], kind="stable")
        return snapshot.leaves.rows[snapshot.searched[order[:n]]]

    asked = [((lambda query=query: query), tokens) for query, tokens in searches]
    return search_leaves("q", asked, snapshot, matches, settings, nearest)


def rank(case, settings, nearest=None, tokens=("token",)):
    snapshot, query, matches = case
    if not settings.dense_weight:
        query = np.zeros(0, np.float32)
    return order_leaves(search_leaves("q", [(lambda: query, tokens)], snapshot, matches, settings, nearest), settings)


def by_chroma(case):
    snapshot, _, _ = case
    return lambda query, n: snapshot.leaves.rows[np.argsort(-(snapshot.leaves.vectors.of() @ query), kind="stable")[:n]]


WAYS = st.builds(
    replace,
    st.just(EVERY),
    dense_weight=st.sampled_from([0.0, 0.4, 1.0]),
    lexical_weight=st.sampled_from([0.3, 1.0]),
    fusion=st.sampled_from(FUSIONS),
    neighbour_share=st.sampled_from([0.0, 0.3, 1.0]),
    coverage_weight=st.sampled_from([0.0, 0.4]),
    parent_share=st.sampled_from([0.0, 0.5]),
    document_share=st.sampled_from([0.0, 0.3]),
    k=st.integers(1, 60),
)


@given(cases(), WAYS)
def test_exact_and_approximate_agree_where_the_pool_holds_all(case, settings):
    assert len(case[0].leaves) < POOL
    exact = rank(case, settings)
    near = rank(case, replace(settings, exact_below=0), by_chroma(case))
    if settings.dense_weight:
        assert near.pool[near.kept].tolist() == exact.pool[exact.kept].tolist()
        np.testing.assert_allclose(near.final[near.kept], exact.final[exact.kept])
    else:  # the pool is what words found and its neighbours: scores are standardised over fewer leaves
        found = set(case[0].index_of(case[2].rows).tolist()) - {-1}
        best = [leaf for leaf in exact.pool[exact.kept].tolist() if leaf in found]
        shares = settings.neighbour_share, settings.parent_share, settings.document_share, settings.coverage_weight
        if settings.k >= len(case[0].leaves) and not any(shares):
            assert [leaf for leaf in near.pool[near.kept].tolist() if leaf in found] == best


@given(st.sets(st.integers(0, 400), min_size=1, max_size=20), st.lists(st.integers(0, 500)), st.randoms())
def test_a_row_is_found_however_far_apart_the_numbers_are(known, wanted, random):
    rows = list(known)
    random.shuffle(rows)
    count = len(rows)
    number, place = np.arange(count), np.zeros(count, np.int32)
    table = LeafTable(
        1, 1, 1, np.array(rows), place, number, number + 1, number, np.full(count, -1),
        LeafVectors.from_matrix(np.ones((count, 1), np.float32)), ("a",), ("a",), ("a",),
    )  # fmt: skip
    found = Snapshot.of(table).index_of(np.array(wanted, np.int64))
    assert found.tolist() == [rows.index(row) if row in known else -1 for row in wanted]


@given(cases(), WAYS)
def test_laws_of_a_ranking(case, settings):
    ranking = rank(case, settings)
    leaves = case[0].leaves
    extra = {"coverage": settings.coverage_weight, "parent": settings.parent_share, "document": settings.document_share}
    assert set(ranking.scores) == {*STAGES, *(stage for stage, dial in extra.items() if dial)}
    assert list(ranking.scores)[-1] == "neighbours"
    assert all(len(scores) == len(ranking.pool) for scores in ranking.scores.values())
    assert len(ranking.kept) <= settings.k
    final = ranking.final[ranking.kept]
    assert np.all(final[1:] <= final[:-1]), "best first"
    assert len(set(ranking.kept.tolist())) == len(ranking.kept)
    assert np.isnan(ranking.scores["dense"]).all() == (not settings.dense_weight)
    if settings.dense_weight:
        np.testing.assert_allclose(ranking.scores["dense"], leaves.vectors.of() @ case[1], rtol=1e-5)
        assert len(ranking.kept) == min(settings.k, len(leaves))
    known = np.isin(leaves.rows, case[2].rows)
    assert (~np.isnan(ranking.scores["lexical"])).tolist() == known.tolist()
    again = rank(case, settings)
    assert again.kept.tolist() == ranking.kept.tolist()


@given(cases(), st.floats(-1, 1))
def test_the_threshold_drops_what_it_says(case, least):
    ranking = rank(case, replace(EVERY, min_similarity=least))
    similarity = ranking.scores["dense"]
    assert set(ranking.dropped) == set(np.flatnonzero(similarity < least).tolist())
    assert set(ranking.kept.tolist()) == set(np.flatnonzero(similarity >= least).tolist())
    assert all("similarity" in reason for reason in ranking.dropped.values())


@pytest.mark.parametrize("fusion", FUSIONS)
@given(cases())
def test_words_alone_find_only_what_holds_them(fusion, case):
    settings = replace(EVERY, dense_weight=0.0, lexical_weight=1.0, neighbour_share=0.0, fusion=fusion)
    settings = replace(settings, coverage_weight=0.0, parent_share=0.0, document_share=0.0)
    ranking = rank(case, settings)
    snapshot, _, matches = case
    found = set(snapshot.index_of(matches.rows).tolist()) - {-1}
    assert set(ranking.pool[ranking.kept].tolist()) == found
    assert set(ranking.dropped.values()) <= {UNFOUND}
    lexical = ranking.scores["lexical"][ranking.kept]
    assert np.all(lexical[1:] <= lexical[:-1])
    nothing = rank(case, settings, tokens=())
    assert len(nothing.kept) == 0
    assert len(rank(case, replace(settings, exact_below=0), by_chroma(case), tokens=()).kept) == 0


@given(cases(), st.integers(0, 39))
def test_no_lexical_weight_asks_no_index(case, place):
    alone = replace(EVERY, coverage_weight=0.0, parent_share=0.0, document_share=0.0, neighbour_share=0.0)
    ranking = rank(case, replace(alone, lexical_weight=0.0, dense_weight=1.0))
    assert np.isnan(ranking.scores["lexical"]).all()
    order = np.argsort(-(case[0].leaves.vectors.of() @ case[1]).astype(np.float64), kind="stable")
    assert ranking.pool[ranking.kept].tolist() == order.tolist()


@given(cases(), st.data(), WAYS, st.booleans())
def test_leaves_that_do_not_pass_are_in_no_score_but_keep_their_places(case, data, settings, near):
    """Of every leaf that passes the scores are those among the leaves that pass, its neighbours those of the whole."""
    snapshot, query, matches = case
    leaves, count = snapshot.leaves, len(snapshot.leaves)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    settings = replace(settings, dense_weight=1.0, exact_below=0 if near else 100)
    part = replace(snapshot, passing=Passing(mask, ()))
    found = found_of((part, query, matches), [(query, ("token",))], settings)
    ranking = order_leaves(found, settings)
    asked = np.flatnonzero(mask)
    assert ranking.leaves is leaves
    assert ranking.pool.tolist() == asked.tolist()
    assert len(ranking.kept) == min(settings.k, len(asked))
    assert ranking.passing is part.passing
    np.testing.assert_allclose(ranking.scores["dense"], (leaves.vectors.of() @ query)[asked], rtol=1e-5, atol=1e-6)
    holding = np.isin(leaves.rows, matches.rows) & mask
    assert (~np.isnan(ranking.scores["lexical"])).tolist() == holding[asked].tolist()
    if settings.fusion == "zscore" and len(asked):
        assert np.isclose(ranking.scores["fused"].mean(), 0, atol=1e-6), "standardised over what passes"
    documents, parents = leaves.documents, leaves.parent_rows
    place = {leaf: at for at, leaf in enumerate(asked.tolist())}
    alone = order_leaves(found, replace(settings, parent_share=0.0, document_share=0.0)).scores
    telling = settings.coverage_weight and idf(int(holding.sum()), len(asked))
    for leaf, at in place.items():
        beside = [one for one in (leaf - 1, leaf + 1) if 0 <= one < count and documents[one] == documents[leaf]]
        gained = settings.neighbour_share * sum(alone["fused"][place[one]] for one in beside if mask[one])
        assert np.isclose(alone["neighbours"][at], alone["fused"][at] + gained)
        if telling:
            family = (documents == documents[leaf]) & (parents == parents[leaf]) & (parents >= 0)
            share = np.mean([holding[[leaf, *beside]].any(), holding[leaf] or holding[family].any()])
            assert np.nan_to_num(ranking.scores["coverage"][at]) == share


@given(cases(), st.data(), WAYS)
def test_parts_are_heard_whatever_each_of_them_finds(case, data, settings):
    """Above the exact size the pools differ: all that any finds is scored by all, and none is passed over."""
    snapshot, query, matches = case
    seed = np.random.default_rng(data.draw(st.integers(0, 99)))
    other = seed.standard_normal(6).astype(np.float32)
    searches = [(query, ("token",)), (other / np.linalg.norm(other), ("token", "other"))]
    settings = replace(settings, dense_weight=1.0)
    if data.draw(st.booleans()):
        mask = np.array(
            data.draw(st.lists(st.booleans(), min_size=len(snapshot.leaves), max_size=len(snapshot.leaves)))
        )
        snapshot = replace(snapshot, passing=Passing(mask, ()))
    case = (snapshot, query, matches)
    exact = found_of(case, searches, settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.search.ranking.finding.POOL", data.draw(st.integers(1, 5)))
        near = found_of(case, searches, replace(settings, exact_below=0))
        pools = [found_of(case, [one], replace(settings, exact_below=0)).pool for one in searches]
    assert near.pool.tolist() == np.unique(np.concatenate(pools)).tolist()
    at = np.searchsorted(exact.pool, near.pool)
    for stage in ("dense", "lexical", "coverage"):
        one, all_of_them = getattr(near, stage), getattr(exact, stage)
        assert (one is None) == (all_of_them is None)
        if one is not None:
            np.testing.assert_allclose(one, all_of_them[at], rtol=1e-5, atol=1e-6)
    each = [found_of(case, [one], settings) for one in searches]
    np.testing.assert_array_equal(exact.dense, np.fmax(each[0].dense, each[1].dense))


def test_nothing_at_all_ranks_to_nothing():
    empty = np.zeros(0, np.int64)
    none = LeafVectors.from_matrix(np.zeros((0, 0), np.float32))
    leaves = LeafTable(0, 0, 0, empty, empty.astype(np.int32), empty, empty, empty, empty, none, (), (), ())
    case = (Snapshot.of(leaves), np.ones(384, np.float32), Matches([], []))
    assert rank(case, EVERY).kept.tolist() == []
    assert rank(case, replace(EVERY, exact_below=0, fusion="rrf"), by_chroma(case)).kept.tolist() == []
