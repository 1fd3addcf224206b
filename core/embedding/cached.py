"""Encoding through a cache: what has not changed is never encoded again."""

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

# Texts encoded before they are kept: enough for full batches, few enough that cancelling loses a few seconds of work.
SLICE = 256


@dataclass(frozen=True, slots=True)
class Encoded:
    """``keys``: one per text, in order. ``encoded``: distinct texts encoded now; ``reused``: found in the cache."""

    keys: tuple[str, ...]
    encoded: int
    reused: int


def vector_key(encoder_fingerprint: str, text: EncoderInput) -> str:
    """The cache key of one exact encoder input; of a pooled one: its window and its place there.

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
    """An encoder that can also tell how it read a part of a text."""

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(items), dimension)`` float32, unit norm; each distinct window is read once.

        ``progress`` gets items done; it may raise to stop.
        """


def encode_inputs(
    encoder: Encoder, items: Sequence[EncoderInput], progress: Callable[[int], None] | None = None
) -> Vectors:
    """``(len(items), dimension)`` float32, unit norm, whichever way each is read.

    ``progress`` gets items done; it may raise to stop. Raises ``ModelError`` where an input is pooled and the encoder
    cannot.
    """
    vectors = np.empty((len(items), encoder.dimension), dtype=np.float32)
    alone = [place for place, item in enumerate(items) if isinstance(item, str)]
    within = [place for place, item in enumerate(items) if not isinstance(item, str)]
    if alone:
        vectors[alone] = encoder.encode([item for item in items if isinstance(item, str)], progress)
    if within:
        if not isinstance(encoder, PoolingEncoder):
            raise ModelError("This embedder cannot pool tokens of a window.", "Set chunking.vectors to chunk.")
        beside = partial(_after, progress, len(alone)) if progress else None
        vectors[within] = encoder.encode_pooled([item for item in items if isinstance(item, Pooled)], beside)
    return vectors


def _after(progress: Callable[[int], None], before: int, done: int) -> None:
    """Tell of items that come after so many others."""
    progress(before + done)


class CachedEncoder:
    """An encoder over a cache as a library has it: what is there is not read again, and what is new is kept where the
    cache may be written (``writable``). ``encoded``: how many texts it encoded and kept; ``borrowed``: how many it read
    from the cache.

    ``progress(done, total)`` counts what is encoded in one call, and may raise to stop: what was kept stays.
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
        """``(len(texts), dimension)`` float32, unit norm. ``progress`` counts the texts that need encoding."""
        return self._read(texts, progress)

    def encode_pooled(self, items: Sequence[Pooled], progress: Callable[[int], None] | None = None) -> Vectors:
        """As ``encode``, of stretches of windows. Raises ``ModelError`` where the encoder cannot read them."""
        return self._read(items, progress)

    def _read(self, items: Sequence[EncoderInput], progress: Callable[[int], None] | None) -> Vectors:
        if self._writable:
            done = encode_cached(self._encoder, self._cache, items, self._progress)
            self.encoded += done.encoded
            keys = done.keys
            if progress:
                progress(len(items))
        else:
            keys = tuple(vector_key(self.fingerprint, item) for item in items)
        found = dict(self._cache.get(list(dict.fromkeys(keys))))
        missing = [place for place, key in enumerate(keys) if key not in found]
        vectors = np.empty((len(items), self.dimension), dtype=np.float32)
        if missing:
            self._tell(None, len(missing), 0)
            told = partial(self._tell, progress, len(missing))
            vectors[missing] = encode_inputs(self._encoder, [items[place] for place in missing], told)
        for place, key in enumerate(keys):
            if key in found:
                vectors[place] = found[key]
        self.borrowed += len(items) - len(missing)
        return vectors

    def _tell(self, progress: Callable[[int], None] | None, total: int, done: int) -> None:
        """Of what is encoded and not kept."""
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
    """Make sure the cache holds a vector for every text; each distinct unknown text is encoded once.

    ``progress(done, total)`` counts the texts that need encoding, as often as the encoder tells, and may raise to stop:
    what was encoded stays, save the begun part of a slice.
    """
    keys = tuple(vector_key(encoder.fingerprint, text) for text in texts)
    known = cache.known(keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    # Similar lengths together: a batch is padded to its longest text.
    order = sorted(missing, key=lambda key: (*_alike(missing[key]), key))
    for start in range(0, len(order), SLICE):
        part = order[start : start + SLICE]
        within = None
        if progress:
            progress(start, len(order))
            within = partial(_within, progress, range(start, start + len(part)), len(order))
        vectors = encode_inputs(encoder, [missing[key] for key in part], within)
        cache.put(dict(zip(part, vectors, strict=True)))
    if progress and order:
        progress(len(order), len(order))
    return Encoded(keys=keys, encoded=len(order), reused=len(set(keys)) - len(order))


def _within(progress: Callable[[int, int], None], places: range, total: int, done: int) -> None:
    """Tell how far a slice is; its end is told when it is kept, so that a stop there loses nothing."""
    if done < len(places):
        progress(places[done], total)


def _alike(item: EncoderInput) -> tuple[int, str]:
    """Inputs of similar length, and those of one window, together."""
    return (len(item.window), item.window) if isinstance(item, Pooled) else (len(item), "")


class MemoryVectors:
    """A ``VectorCache`` in memory of at most ``most`` vectors: the oldest go first. Any thread may ask.

    >>> held = MemoryVectors(1)
    >>> held.put({"a": np.zeros(2, np.float32)}), held.put({"b": np.ones(2, np.float32)})
    (None, None)
    >>> held.known(["a", "b"])
    {'b'}
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a vector."""
        return {key for key in keys if key in self._vectors}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Their vectors, as far as they are held."""
        with self._lock:
            return {key: self._vectors[key] for key in keys if key in self._vectors}

    def put(self, items: Mapping[str, Vectors]) -> None:
        """Hold vectors."""
        with self._lock:
            self._vectors.update(items)
            for key in list(self._vectors)[: max(0, len(self._vectors) - self._most)]:
                del self._vectors[key]
