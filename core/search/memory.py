"""What is kept between questions: one object, and one rule for all of it.

A value is kept under the state of the library that it was made from. So nothing has to be told when the library
changes: what an older state said is not asked for again, and goes when its place is needed, or at once where it holds
the leaves of that state.
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
    from core.search.answer.line import Weighed
    from core.search.ranking.finding import SearchScores
    from core.search.ranking.reranking import Readings
    from core.search.result import SearchResult
    from core.search.snapshots import LeafSelection, SourceNames
    from core.storage.catalogue.symbols import SymbolTable
    from core.types import LexicalIndex


class SearchMemory:
    """All that a ``Searcher`` keeps between questions.

    By the state of the library: ``texts`` of documents, ``parts`` of the leaves (``most`` follows the size of all of
    them), the word ``indexes``, the ``names`` there are to be named, the ``symbols`` of code; and, by question and
    settings, ``scores`` of the searches (few, for each holds the leaves it is of), ``results`` and what their answer
    lines are ``weighed`` by. By exact text, whatever the library holds: ``vectors`` of questions and sentences,
    ``readings`` of a re-ranker, ``replies`` of a language model.
    """

    def __init__(self) -> None:
        self.texts: LruCache[str] = LruCache(40_000_000, len)
        self.parts: LruCache[LeafSelection] = LruCache(0, lambda part: part.copied)
        self.indexes: LruCache[LexicalIndex] = LruCache(2)
        self.names: LruCache[SourceNames] = LruCache(1)
        self.symbols: LruCache[SymbolTable] = LruCache(1)
        self.scores: LruCache[SearchScores] = LruCache(8)
        self.results: LruCache[SearchResult] = LruCache(64)
        self.weighed: LruCache[Weighed] = LruCache(64)
        self.vectors = MemoryVectors(4096)
        self.readings: LruCache[Readings] = LruCache(512)
        self.replies: LruCache[tuple[str, ...]] = LruCache(512)

    def let_go(self) -> None:
        """Forget what holds the leaves of an older state: where documents come in beside the questions, each of them
        would keep a whole matrix of vectors.
        """
        self.scores.clear()
        self.parts.clear()


class AskedVectors:
    """Vectors of texts that are no documents, questions and sentences: kept in memory alone. Any thread may ask."""

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
