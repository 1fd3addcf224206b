"""Encoding through a cache: what has not changed is never encoded again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.types import Encoder, VectorCache

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
