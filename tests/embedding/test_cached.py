"""Encoding through a cache: each distinct text once, and what was encoded before a stop is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import CachedEncoder, encode_cached, vector_key
from core.embedding.cached import SLICE
from core.errors import CancelledError
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store
from core.text.pooling import Pooled
from tests.fast_encoder import FastEncoder


class Kept:
    """A ``VectorCache`` in a dictionary."""

    def __init__(self):
        self.vectors = {}

    def known(self, keys):
        return {key for key in keys if key in self.vectors}

    def get(self, keys):
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def put(self, items):
        self.vectors.update(items)


@given(st.lists(st.text(max_size=8), max_size=30), st.lists(st.text(max_size=8), max_size=30))
def test_each_distinct_text_is_encoded_once(first, second):
    encoder, cache = FastEncoder(), Kept()
    one = encode_cached(encoder, cache, first)
    two = encode_cached(encoder, cache, second)
    assert sorted(encoder.texts) == sorted(set(first) | set(second))
    assert (one.encoded, one.reused) == (len(set(first)), 0)
    assert (two.encoded, two.reused) == (len(set(second) - set(first)), len(set(second) & set(first)))
    for done, texts in ((one, first), (two, second)):
        assert len(done.keys) == len(texts)
        for key, text in zip(done.keys, texts, strict=True):
            np.testing.assert_array_equal(cache.vectors[key], FastEncoder().encode([text])[0])


def test_another_fingerprint_is_another_key():
    encoder, cache = FastEncoder(), Kept()
    encode_cached(encoder, cache, ["a text"])
    encoder.fingerprint = "another"
    assert encode_cached(encoder, cache, ["a text"]).encoded == 1
    assert len(cache.vectors) == 2
    assert vector_key("a", "b c") != vector_key("a b", "c")


def test_stopping_keeps_what_was_encoded(tmp_path):
    texts = [f"text number {number}" for number in range(3 * SLICE)]
    encoder = FastEncoder()
    told = []

    def stop(done, total):
        told.append((done, total))
        if done >= SLICE:
            raise CancelledError("Stopped.")

    with Store.open(tmp_path / "home", write=True) as store:
        cache = CatalogueVectors(store)
        with pytest.raises(CancelledError):
            encode_cached(encoder, cache, texts, stop)
        assert told == [(done, 3 * SLICE) for done in range(SLICE + 1)], "as often as the encoder tells"
        assert cache.count() == len(encoder.texts) == SLICE
    with Store.open(tmp_path / "home", write=True) as store:
        told = []
        done = encode_cached(encoder, CatalogueVectors(store), texts, lambda *figures: told.append(figures))
        assert (done.encoded, done.reused) == (2 * SLICE, SLICE)
        assert told[-1] == (2 * SLICE, 2 * SLICE)
        assert sorted(encoder.texts) == sorted(texts)


def test_a_stop_within_a_slice_is_heard_at_once_and_keeps_the_slices_before():
    texts = [f"text number {number}" for number in range(2 * SLICE)]
    encoder, cache = FastEncoder(), Kept()

    def stop(done, total):
        if done > SLICE + 3:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        encode_cached(encoder, cache, texts, stop)
    assert (len(encoder.texts), len(cache.vectors)) == (SLICE + 4, SLICE)


def test_pooled_inputs_are_told_of_beside_the_others():
    window = "the weir and the lock"
    items = [Pooled(window, at, at + 3) for at in range(9)] + ["a text", "another"]
    told = []
    encode_cached(FastEncoder(), Kept(), items, lambda *figures: told.append(figures))
    assert told == [(done, 11) for done in range(12)]


def test_nothing_to_encode_asks_nobody():
    told = []
    done = encode_cached(FastEncoder(), Kept(), [], lambda *figures: told.append(figures))
    assert (done.keys, done.encoded, done.reused, told) == ((), 0, 0, [])


@pytest.mark.parametrize("writable", [True, False])
def test_whoever_waits_for_an_encoder_over_a_cache_is_told_and_can_stop_it(writable):
    texts, told = [f"text number {number}" for number in range(9)], []

    def stop(done, total):
        told.append((done, total))
        if done == 3:
            raise CancelledError("Stopped.")

    encoder = FastEncoder()
    with pytest.raises(CancelledError):
        CachedEncoder(encoder, Kept(), writable=writable, progress=stop).encode(texts)
    assert (told, len(encoder.texts)) == ([(done, 9) for done in range(4)], 3)
