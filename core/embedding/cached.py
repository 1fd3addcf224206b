"""Encoding through a vector cache, so that unchanged texts are never encoded again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Protocol, runtime_checkable

import numpy as np

from core.errors import ModelError
from core.text.pooling import EncoderInput, Pooled
from core.types import Encoder, VectorCache, Vectors

# Texts encoded before they are stored: enough for full batches, few enough that cancelling loses only seconds of work.
SLICE = 256


@dataclass(frozen=True, slots=True)
class Encoded:
    """``keys``: one per text, in order. ``encoded``: distinct texts encoded now; ``reused``: found in the cache."""

    keys: tuple[str, ...]
    encoded: int
    reused: int


def vector_key(encoder_fingerprint: str, text: EncoderInput) -> str:
    """The cache key of an encoder input: a hash of the encoder and the exact text, or window and span if pooled.

    >>> vector_key("a", "text") == vector_key("a", "text"), vector_key("a", "text") == vector_key("b", "text")
    (True, False)
    >>> vector_key("a", Pooled("text", 0, 4)) == vector_key("a", "text")
    False
    """
    if isinstance(text, Pooled):
        return _hash(f"{encoder_fingerprint}\x00late {text.start} {text.end}\x00{text.window}")
    return _hash(f"{encoder_fingerprint}\x00{text}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@runtime_checkable
class PoolingEncoder(Protocol):
    """An encoder that can also pool the token states of a span."""

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(items), dimension)`` float32, unit norm; each distinct window is read once.

        ``progress`` gets the number of items done; it may raise to stop.
        """


def encode_inputs(
    encoder: Encoder, items: Sequence[EncoderInput], progress: Callable[[int], None] | None = None
) -> Vectors:
    """``(len(items), dimension)`` float32, unit norm, of plain and pooled inputs.

    ``progress`` gets the number of items done; it may raise to stop. Raises ``ModelError`` for a pooled input if the
    encoder cannot pool.
    """
    vectors = np.empty((len(items), encoder.dimension), dtype=np.float32)
    plain_rows = [row for row, item in enumerate(items) if isinstance(item, str)]
    pooled_rows = [row for row, item in enumerate(items) if not isinstance(item, str)]
    if plain_rows:
        vectors[plain_rows] = encoder.encode([item for item in items if isinstance(item, str)], progress)
    if pooled_rows:
        if not isinstance(encoder, PoolingEncoder):
            raise ModelError("This embedder cannot pool tokens of a window.", "Set chunking.vectors to chunk.")
        pooled_progress = partial(_report_after, progress, len(plain_rows)) if progress else None
        pooled_items = [item for item in items if isinstance(item, Pooled)]
        vectors[pooled_rows] = encoder.encode_pooled(pooled_items, pooled_progress)
    return vectors


def _report_after(progress: Callable[[int], None], before: int, done: int) -> None:
    """Reports items that are done after ``before`` others."""
    progress(before + done)


class CachedEncoder:
    """An ``Encoder`` that takes vectors from a cache where it can, and stores new ones if ``writable``.

    ``encoded``: how many texts it has encoded and stored; ``borrowed``: how many it took from the cache.
    ``progress(done, total)`` counts the texts encoded in one call; it may raise to stop, and stored vectors stay.
    """

    def __init__(
        self,
        encoder: Encoder,
        cache: VectorCache,
        *,
        writable: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._encoder, self._cache, self._writable, self._progress = encoder, cache, writable, progress
        self.fingerprint, self.dimension, self.max_tokens = encoder.fingerprint, encoder.dimension, encoder.max_tokens
        self.encoded = self.borrowed = 0

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(texts), dimension)`` float32, unit norm. ``progress`` counts only texts that need encoding."""
        return self._read(texts, progress)

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """As ``encode``, for spans of windows. Raises ``ModelError`` if the encoder cannot pool."""
        return self._read(items, progress)

    def _read(self, items: Sequence[EncoderInput], progress: Callable[[int], None] | None) -> Vectors:
        """The vectors of inputs, from the cache or the encoder."""
        if self._writable:
            result = encode_cached(self._encoder, self._cache, items, self._progress)
            self.encoded += result.encoded
            keys = result.keys
            if progress:
                progress(len(items))
        else:
            keys = tuple(vector_key(self.fingerprint, item) for item in items)
        cached = dict(self._cache.get(list(dict.fromkeys(keys))))
        missing = [row for row, key in enumerate(keys) if key not in cached]
        vectors = np.empty((len(items), self.dimension), dtype=np.float32)
        if missing:
            self._report(None, len(missing), 0)
            report = partial(self._report, progress, len(missing))
            vectors[missing] = encode_inputs(self._encoder, [items[row] for row in missing], report)
        for row, key in enumerate(keys):
            if key in cached:
                vectors[row] = cached[key]
        self.borrowed += len(items) - len(missing)
        return vectors

    def _report(self, progress: Callable[[int], None] | None, total: int, done: int) -> None:
        """Reports texts that are encoded but not stored."""
        if progress:
            progress(done)
        if self._progress:
            self._progress(done, total)


def encode_cached(
    encoder: Encoder,
    cache: VectorCache,
    texts: Sequence[EncoderInput],
    progress: Callable[[int, int], None] | None = None,
) -> Encoded:
    """Ensures that the cache has a vector for every text; each distinct missing text is encoded once.

    ``progress(done, total)`` counts the texts that need encoding. It may raise to stop; all completed slices of
    ``SLICE`` texts are stored then.
    """
    keys = tuple(vector_key(encoder.fingerprint, text) for text in texts)
    known = cache.known(keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    # Sorted by length, because a batch is padded to its longest text.
    order = sorted(missing, key=lambda key: (*_batch_order(missing[key]), key))
    for start in range(0, len(order), SLICE):
        part = order[start : start + SLICE]
        report = None
        if progress:
            progress(start, len(order))
            report = partial(_report_in_slice, progress, range(start, start + len(part)), len(order))
        vectors = encode_inputs(encoder, [missing[key] for key in part], report)
        cache.put(dict(zip(part, vectors, strict=True)))
    if progress and order:
        progress(len(order), len(order))
    return Encoded(keys=keys, encoded=len(order), reused=len(set(keys)) - len(order))


def _report_in_slice(progress: Callable[[int, int], None], numbers: range, total: int, done: int) -> None:
    """Reports progress inside a slice; its end is reported after it is stored, so that stopping there loses nothing."""
    if done < len(numbers):
        progress(numbers[done], total)


def _batch_order(item: EncoderInput) -> tuple[int, str]:
    """A sort key that puts inputs of similar length together, and those of one window."""
    return (len(item.window), item.window) if isinstance(item, Pooled) else (len(item), "")


class MemoryVectors:
    """A ``VectorCache`` in memory with at most ``most`` vectors; the oldest are evicted first. Thread-safe.

    >>> cache = MemoryVectors(1)
    >>> cache.put({"a": np.zeros(2, np.float32)}), cache.put({"b": np.ones(2, np.float32)})
    (None, None)
    >>> cache.known(["a", "b"])
    {'b'}
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def known(self, keys: Sequence[str]) -> set[str]:
        """The keys that have a vector."""
        return {key for key in keys if key in self._vectors}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those keys that have one."""
        with self._lock:
            return {key: self._vectors[key] for key in keys if key in self._vectors}

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Stores vectors by key."""
        with self._lock:
            self._vectors.update(items)
            for key in list(self._vectors)[: max(0, len(self._vectors) - self._most)]:
                del self._vectors[key]
