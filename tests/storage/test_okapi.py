"""rank-bm25 over the library's tokens: the package's own scores, FTS5's order, and the differences that are named."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.lexical import FtsIndex
from core.storage.index.okapi import K1, B, OkapiIndex
from core.storage.schema.word_tables import add_rows
from core.storage.store import Store
from tests.storage.builders import DIMENSION, EMBEDDER

VOCABULARY = [f"w{number}" for number in range(12)]
FIELD = st.lists(st.sampled_from(VOCABULARY), max_size=12)
PASSAGES = st.lists(st.tuples(FIELD, FIELD, FIELD, FIELD), min_size=1, max_size=25)


def both(store, passages) -> tuple[FtsIndex, OkapiIndex]:
    """The two engines over the same passages, in a generation of their own."""
    with store.transaction() as connection:
        number = begin_generation(store, f"{EMBEDDER}-{np.random.default_rng().integers(1 << 60)}", DIMENSION).number
        add_rows(
            connection,
            number,
            [(10 * row, *(" ".join(field) for field in fields)) for row, fields in enumerate(passages, 1)],
        )
    return FtsIndex(store, number), OkapiIndex(store, number)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("okapi") / "library", write=True) as opened:
        yield opened


def assert_same_ranking(fts, okapi, question) -> None:
    held, expected_held = okapi.holding(question), fts.holding(question)
    assert {token: rows.tolist() for token, rows in held.items() if token in expected_held} == {
        token: rows.tolist() for token, rows in expected_held.items()
    }
    rows, scores = okapi.search(question)
    expected_rows, expected_scores = fts.search(question)
    assert (rows.dtype, scores.dtype) == (np.int64, np.float32)
    assert rows.tolist() == expected_rows.tolist() == sorted(set(rows.tolist()))
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-4, atol=1e-5)


@given(PASSAGES, st.data())
def test_both_engines_rank_alike_for_tokens_in_less_than_half_of_the_passages(store, passages, data) -> None:
    held = Counter(token for fields in passages for token in {token for field in fields for token in field})
    rare = sorted(token for token, count in held.items() if 2 * count < len(passages))
    if not rare:
        return
    question = data.draw(st.lists(st.sampled_from(rare), min_size=1, max_size=5))
    assert_same_ranking(*both(store, passages), question)


@given(st.lists(FIELD.filter(bool), min_size=1, max_size=25), st.lists(st.sampled_from(VOCABULARY), max_size=5))
def test_scores_are_those_of_the_package(store, texts, question) -> None:
    reference = BM25Okapi(texts, k1=K1, b=B)
    rows, scores = both(store, [([], [], [], tokens) for tokens in texts])[1].search(question)
    found = [at for at, tokens in enumerate(texts) if set(tokens) & set(question)]
    assert rows.tolist() == [10 * (at + 1) for at in found]
    if all(reference.idf[token] > 1e-6 for token in question if token in reference.idf):
        np.testing.assert_allclose(scores, reference.get_scores(question)[found], rtol=1e-5)
    assert (scores > 0).all()  # also in the smallest library: what is found is never worse than what is not


def test_a_token_in_most_passages_is_where_they_differ(store) -> None:
    passages = [([], [], [], ["the", "cat"]), ([], [], [], ["the", "dog"]), ([], [], [], ["the", "the", "bird"])]
    passages += [([], [], [], [f"x{number}", f"y{number}"]) for number in range(2)]
    fts, okapi = both(store, passages)
    assert fts.search(["the", "dog"])[0].tolist() == [20]
    assert okapi.search(["the", "dog"])[0].tolist() == [10, 20, 30]
    weights = {name: engine.search(["the"])[1].max() for name, engine in (("fts", fts), ("okapi", okapi))}
    assert weights["fts"] < 1e-5 < 0.1 < weights["okapi"]


def test_where_no_passage_has_a_word_nothing_is_found(store) -> None:
    rows, scores = both(store, [([], [], [], [])])[1].search(["word"])
    assert (rows.dtype, scores.dtype, rows.size) == (np.int64, np.float32, 0)
