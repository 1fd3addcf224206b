"""Encoding through a cache: what has not changed is never encoded again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.types import Encoder, VectorCache, Vectors

# Large enough to keep the encoder's batches full, small enough that cancelling loses under a few seconds of work.
SLICE = 256


@dataclass(frozen=True, slots=True)
class Encoded:
    """``keys``: one per text, in order. ``encoded``: distinct texts encoded now; ``reused``: found in the cache."""

    keys: tuple[str, ...]
    encoded: int
    reused: int


def vector_key(encoder_fingerprint: str, text: str) -> str:
    """The cache key of one exact encoder input.

    >>> vector_key("a", "text") == vector_key("a", "text"), vector_key("a", "text") == vector_key("b", "text")
    (True, False)
    """
    return hashlib.sha256(f"{encoder_fingerprint}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()


class BorrowingEncoder:
    """An encoder that reads from a cache what another library had encoded. ``borrowed``: how many texts that were."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self._encoder, self._cache = encoder, cache
        self.fingerprint, self.dimension, self.max_tokens = encoder.fingerprint, encoder.dimension, encoder.max_tokens
        self.borrowed = 0

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(texts), dimension)`` float32, unit norm. ``progress`` counts the texts that need encoding."""
        keys = [vector_key(self.fingerprint, text) for text in texts]
        found = self._cache.get(keys)
        missing = [place for place, key in enumerate(keys) if key not in found]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for place, key in enumerate(keys):
            if key in found:
                vectors[place] = found[key]
        if missing:
            vectors[missing] = self._encoder.encode([texts[place] for place in missing], progress)
        self.borrowed += len(texts) - len(missing)
        return vectors


def encode_cached(
    encoder: Encoder,
    cache: VectorCache,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> Encoded:
    """Make sure the cache holds a vector for every text; each distinct unknown text is encoded once.

    ``progress(done, total)`` counts the texts that need encoding, and may raise to stop: what was encoded stays.
    """
    keys = tuple(vector_key(encoder.fingerprint, text) for text in texts)
    known = cache.known(keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    # Similar lengths together: a batch is padded to its longest text.
    order = sorted(missing, key=lambda key: (len(missing[key]), key))
    for start in range(0, len(order), SLICE):
        part = order[start : start + SLICE]
        if progress:
            progress(start, len(order))
        vectors = encoder.encode([missing[key] for key in part])
        cache.put(dict(zip(part, vectors, strict=True)))
    if progress and order:
        progress(len(order), len(order))
    return Encoded(keys=keys, encoded=len(order), reused=len(set(keys)) - len(order))
