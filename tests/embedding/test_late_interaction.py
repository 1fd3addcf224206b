"""Late interaction: the mean of the best cosines, token by token, special tokens left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import load_model
from core.embedding.encoder import TokenStates
from core.embedding.late_interaction import LateInteraction, max_similarity, unit_states
from core.errors import ModelError
from core.settings import EmbeddingSettings
from core.text.pooling import Pooled
from tests.fast_encoder import FastEncoder


class Letters:
    """A ``TokenEncoder`` in which a letter's state is a direction of its own, twice as long as a unit.

    Each text is read between two special tokens, as long as nothing else. ``read`` notes what was asked.
    """

    max_tokens = 10

    def __init__(self):
        self.read: list[str] = []

    def token_states(self, texts):
        self.read.extend(texts)
        found = []
        for text in texts:
            states = np.zeros((len(text) + 2, 130), np.float32)
            states[[0, -1], 129] = 50.0
            offsets = [(0, 0), *((at, at + 1) for at in range(len(text))), (0, 0)]
            for at, letter in enumerate(text, start=1):
                states[at, ord(letter)] = 2.0
            found.append(TokenStates(states, np.array(offsets)))
        return found


@st.composite
def unit_rows(draw, most=6):
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = seed.standard_normal((draw(st.integers(0, most)), 4)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(unit_rows(), st.lists(unit_rows(), max_size=6))
def test_it_is_the_mean_of_the_best_cosines(question, passages):
    found = max_similarity(question, passages)
    assert (found.shape, found.dtype) == ((len(passages),), np.float32)
    for score, rows in zip(found.tolist(), passages, strict=True):
        if not len(question):
            assert score == 0
        elif not len(rows):
            assert score == -1
        else:
            expected = np.mean([max(float(one @ other) for other in rows) for one in question])
            assert score == pytest.approx(expected, abs=1e-5)
            assert -1 <= score <= 1


@given(unit_rows(), unit_rows(), unit_rows())
def test_more_to_read_never_lowers_it_and_no_passage_sees_another(question, first, second):
    alone, whole = max_similarity(question, [first, np.concatenate([first, second])])
    assert whole >= alone - 1e-6
    together = max_similarity(question, [second, first, second])
    np.testing.assert_allclose(together[1], max_similarity(question, [first])[0], atol=1e-6)


@given(st.text("abc", max_size=6), st.lists(st.text("abcd", max_size=6), max_size=5))
def test_special_tokens_take_no_part(question, passages):
    model = LateInteraction(Letters())
    for score, passage in zip(model.score(question, passages), passages, strict=True):
        if question and passage:
            assert score == pytest.approx(np.mean([letter in passage for letter in question]))
        else:
            assert score == (-1 if question else 0)


def test_the_question_is_read_once_for_all_its_batches():
    encoder = Letters()
    model = LateInteraction(encoder)
    for part in (["ab"], ["c"], []):
        model.score("abc", part)
    assert encoder.read == ["abc", "ab", "c"]
    model.score("b", ["ab"])
    assert encoder.read[3:] == ["b", "ab"]
    assert model.max_tokens == 10


def test_an_embedder_without_token_states_says_so():
    with pytest.raises(ModelError, match=r"shows no states of single tokens.*reranking\.model"):
        LateInteraction(FastEncoder())


@pytest.mark.model
def test_the_states_are_those_that_are_pooled_and_stand_at_their_words():
    encoder = load_model(EmbeddingSettings(precision="float32")).encoder
    texts = ["Tokens expire after 3600 seconds.", "", "Das Größenverhältnis 🌊", "long " * 400]
    for text, read in zip(texts, encoder.token_states(texts), strict=True):
        assert len(read.states) == len(read.offsets) <= encoder.max_tokens
        assert np.flatnonzero(~read.real).tolist() == [0, len(read.states) - 1]
        assert all(text[start:end].strip() for start, end in read.offsets[read.real].tolist())
        if text:
            mean = read.states[read.real].mean(axis=0)
            pooled = encoder.encode_pooled([Pooled(text, 0, len(text))])[0]
            np.testing.assert_allclose(mean / np.linalg.norm(mean), pooled, atol=1e-5)
            np.testing.assert_allclose(np.linalg.norm(unit_states(read), axis=1), 1, atol=1e-5)


@pytest.mark.model
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_passage_that_answers_is_scored_above_one_that_does_not(precision):
    model = LateInteraction(load_model(EmbeddingSettings(precision=precision)).encoder)
    passages = ["The cat sleeps on the warm roof.", "Tokens expire after 3600 seconds.", ""]
    scores = model.score("How long does a token live?", passages)
    assert scores[1] > scores[0] + 0.1
    assert scores[2] == -1
    alone = [float(model.score("How long does a token live?", [passage])[0]) for passage in passages]
    np.testing.assert_allclose(scores, alone, atol=1e-2)
