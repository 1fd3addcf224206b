"""Late chunking: vectors pooled from the states of a window, not of a text by itself."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import CachedEncoder, encode_cached, load_model, packaged_counter, vector_key
from core.errors import ModelError
from core.settings import EmbeddingSettings
from core.text.pooling import Pooled, pooled
from core.text.spans import trim
from core.types import Span
from tests.embedding.test_cached import Kept
from tests.fast_encoder import FastEncoder

CITY = (
    "Berlin is the capital of Germany. " + "It has long winters and many lakes. " * 4 + "Its population is 3.8 million."
)


@given(
    text=st.text(alphabet="ab é日 \n", min_size=1, max_size=400),
    cuts=st.lists(st.integers(0, 400), min_size=2, max_size=12),
    room=st.integers(1, 60),
)
def test_every_stretch_is_its_own_text_in_some_window(text, cuts, room):
    edges = sorted({min(cut, len(text)) for cut in cuts})
    spans = [span for low, high in pairwise(edges) if (span := trim(text, low, high))]
    found = pooled(text, spans, packaged_counter(), room)
    for span, item in zip(spans, found, strict=True):
        assert item.window[item.start : item.end] == text[span.start : span.end]
        assert item.window in text
    assert found == pooled(text, spans, packaged_counter(), room)


def test_windows_keep_to_the_room_and_give_context_on_both_sides():
    text = " ".join(f"word{number}" for number in range(600))
    starts = [at for at in range(len(text)) if at == 0 or text[at - 1] == " "]
    spans = [Span(starts[at], starts[at + 10] - 1) for at in range(0, 590, 10)]
    counter = packaged_counter()
    found = pooled(text, spans, counter, 120)
    assert max(counter.count([item.window for item in found])) <= 120 + 3  # a window begins at a word
    inner = found[5:-5]
    assert all(item.start > 0 and item.end < len(item.window) for item in inner)
    assert len({item.window for item in found}) < len(found) / 2


def test_what_is_pooled_has_a_key_of_its_own_and_is_encoded_once():
    encoder, cache = FastEncoder(), Kept()
    items = [Pooled("a b c d", 0, 3), Pooled("a b c d", 4, 7), "a b", Pooled("a b c d", 0, 3)]
    first = encode_cached(encoder, cache, items)
    assert (first.encoded, first.reused, len(set(first.keys))) == (3, 0, 3)
    assert encode_cached(encoder, cache, items).encoded == 0
    assert vector_key("e", Pooled("ab", 0, 1)) != vector_key("e", Pooled("ab", 1, 2))


def test_an_encoder_that_cannot_pool_says_so():
    class Plain:
        fingerprint, dimension, max_tokens, encode = "plain", 256, 256, FastEncoder().encode

    with pytest.raises(ModelError, match="cannot pool"):
        encode_cached(Plain(), Kept(), [Pooled("ab", 0, 1)])
    with pytest.raises(ModelError, match="cannot pool"):
        CachedEncoder(Plain(), Kept()).encode_pooled([Pooled("ab", 0, 1)])


def test_what_another_library_pooled_is_borrowed():
    encoder, cache, items = FastEncoder(), Kept(), [Pooled("a b c d", 0, 3), Pooled("a b c d", 4, 7)]
    encode_cached(encoder, cache, items[:1])
    borrowing = CachedEncoder(encoder, cache)
    assert borrowing.encode_pooled(items).tolist() == FastEncoder().encode_pooled(items).tolist()
    assert (borrowing.borrowed, len(encoder.texts)) == (1, 2)


@pytest.mark.model
def test_the_mean_over_a_whole_window_is_the_vector_of_its_text():
    encoder = load_model(EmbeddingSettings(precision="float32")).encoder
    whole = encoder.encode_pooled([Pooled(CITY, 0, len(CITY))])[0]
    special = encoder.encode([CITY])[0]
    assert whole @ special > 0.98  # the model's own mean counts its two special tokens too
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)


@pytest.mark.model
def test_a_sentence_read_late_knows_what_it_is_about():
    """The example of the paper: "its population" says Berlin only to who has read the sentence before."""
    encoder = load_model(EmbeddingSettings()).encoder
    start = CITY.index("Its population")
    late = encoder.encode_pooled([Pooled(CITY, start, len(CITY))])[0]
    alone, question = encoder.encode([CITY[start:], "How many people live in Berlin?"])
    assert late @ question > alone @ question + 0.05
