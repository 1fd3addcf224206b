"""The caches of a ``Searcher``, which outlive a question.

The key of a cached value contains the state (revision) of the library it was made from. So nothing has to be
invalidated when the library changes: values of an older state are never looked up again, and leave when their place is
needed. Those that hold a leaf table leave at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.embedding import MemoryVectors, encode_cached
from core.errors import ModelError
from core.lru_cache import LruCache
from core.text.normalise import storable
from core.types import Encoder, VectorCache, Vectors

if TYPE_CHECKING:
    from core.search.answer.line import ScoredCandidates
    from core.search.ranking.finding import SearchScores
    from core.search.ranking.reranking import Readings
    from core.search.result import SearchResult
    from core.search.snapshots import LeafSelection, SourceNames
    from core.storage.catalogue.texts.symbols import SymbolTable
    from core.types import LexicalIndex


class SearchMemory:
    """The caches of a ``Searcher``.

    Keyed by the state of the library: ``texts`` of documents; ``parts``, selections of leaves, bounded by bytes (the
    bound follows the size of the library); the lexical ``indexes``; ``names`` of sources that operators may use;
    ``symbols`` of code. Keyed by question and settings too: ``scores`` of the searches (few, since each holds a leaf
    table), ``results``, and ``scored_candidates``, the scored sentences of their answer lines. Keyed by exact text
    alone: ``vectors`` of questions and sentences, ``readings`` of a re-ranker, ``replies`` of a language model.
    """

    def __init__(self) -> None:
        self.texts: LruCache[str] = LruCache(40_000_000, len)
        self.parts: LruCache[LeafSelection] = LruCache(0, lambda part: part.copied_bytes)
        self.indexes: LruCache[LexicalIndex] = LruCache(2)
        self.names: LruCache[SourceNames] = LruCache(1)
        self.symbols: LruCache[SymbolTable] = LruCache(1)
        self.scores: LruCache[SearchScores] = LruCache(8)
        self.results: LruCache[SearchResult] = LruCache(64)
        self.scored_candidates: LruCache[ScoredCandidates] = LruCache(64)
        self.vectors = MemoryVectors(4096)
        self.readings: LruCache[Readings] = LruCache(512)
        self.replies: LruCache[tuple[str, ...]] = LruCache(512)

    def drop_snapshots(self) -> None:
        """Drop the values that hold a leaf table: while documents are ingested, each would keep an outdated matrix of
        vectors in memory.
        """
        self.scores.clear()
        self.parts.clear()


class CachedEncoder:
    """Vectors of questions and sentences, cached in memory only. Thread-safe."""

    def __init__(self, encoder: Encoder, cache: MemoryVectors) -> None:
        self._encoder, self._cache = encoder, cache

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32. Raises ``ModelError`` when the embedder fails."""
        texts = [storable(text) for text in texts]  # without lone surrogates, which tokenizers refuse
        keys = encode_cached(self._encoder, self._cache, texts).keys
        vectors = self._cache.get(keys)
        if len(vectors) < len(set(keys)):  # more texts than the cache holds: some were evicted already
            return self._encoder.encode(texts)
        return np.stack([vectors[key] for key in keys])

    def encode_or_zeros(self, texts: Sequence[str]) -> Vectors:
        """As ``encode``; ``(n, 1)`` zeros when the embedder fails, so that every cosine is 0."""
        try:
            return self.encode(texts)
        except ModelError:
            return np.zeros((len(texts), 1), dtype=np.float32)

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two texts; 0 when the embedder fails."""
        vectors = self.encode_or_zeros([one, other])
        return float(vectors[0] @ vectors[1])

    def warm(self, texts: Sequence[str], cache: VectorCache) -> None:
        """Load the texts' vectors into memory from ``cache``, after encoding those it lacks into it.

        A vector differs in its last digits with the batch it is encoded in; a cached one is reproducible.
        """
        keys = encode_cached(self._encoder, cache, [storable(text) for text in texts]).keys
        self._cache.put(cache.get(keys))
