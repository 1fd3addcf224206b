"""Vectors of texts that are no documents: questions and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.embedding import MemoryVectors, encode_cached
from core.errors import ModelError
from core.storage.store import storable
from core.types import Encoder, VectorCache, Vectors


class AskedVectors:
    """Encodes them, and keeps them in memory alone. Any thread may ask."""

    def __init__(self, encoder: Encoder, held: MemoryVectors) -> None:
        self._encoder, self._held = encoder, held

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32. Raises ``ModelError``."""
        texts = [storable(text) for text in texts]  # half surrogate pairs, which tokenizers refuse
        keys = encode_cached(self._encoder, self._held, texts).keys
        found = self._held.get(keys)
        if len(found) < len(set(keys)):  # more texts at once than are kept: encode what was pushed out
            return self._encoder.encode(texts)
        return np.stack([found[key] for key in keys])

    def as_far_as_possible(self, texts: Sequence[str]) -> Vectors:
        """As ``encode``; zeros where the embedder cannot be asked, so that nothing is like anything."""
        try:
            return self.encode(texts)
        except ModelError:
            return np.zeros((len(texts), 1), dtype=np.float32)

    def alike(self, one: str, other: str) -> float:
        """Their cosine; 0 where the embedder cannot be asked."""
        vectors = self.as_far_as_possible([one, other])
        return float(vectors[0] @ vectors[1])

    def warm(self, texts: Sequence[str], cache: VectorCache) -> None:
        """Have their vectors in memory, from ``cache`` or encoded together and kept there.

        A vector differs in its last digits with what is encoded beside it: what is kept is the same every time.
        """
        keys = encode_cached(self._encoder, cache, [storable(text) for text in texts]).keys
        self._held.put(cache.get(keys))
