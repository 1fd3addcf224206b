"""What is kept between questions: one object, and one rule for all of it.

A value is kept under the state of the library that it was made from. So nothing has to be forgotten when the library
changes: what an older state said is not asked for again, and goes when its place is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.embedding import MemoryVectors
from core.lru_cache import LruCache

if TYPE_CHECKING:
    from core.search.answer.line import Weighed
    from core.search.ranking import SearchScores
    from core.search.ranking.reranking import Readings
    from core.search.result import SearchResult
    from core.search.snapshots import LeafSelection, SourceNames
    from core.types import LexicalIndex


class SearchMemory:
    """All that a ``Searcher`` keeps between questions.

    By the state of the library: ``texts`` of documents, ``parts`` of the leaves (``most`` follows the size of all of
    them), the word ``indexes``, the ``names`` there are to be named; and, by question and settings, ``scores`` of the
    searches (few, as they are as long as the library has leaves), ``results`` and what their answer lines are
    ``weighed`` by. By exact text, whatever
    the library holds: ``vectors`` of questions and sentences, ``readings`` of a re-ranker, ``replies`` of a language
    model.
    """

    def __init__(self) -> None:
        self.texts: LruCache[str] = LruCache(40_000_000, len)
        self.parts: LruCache[LeafSelection] = LruCache(0, lambda part: part.copied)
        self.indexes: LruCache[LexicalIndex] = LruCache(2)
        self.names: LruCache[SourceNames] = LruCache(1)
        self.scores: LruCache[SearchScores] = LruCache(8)
        self.results: LruCache[SearchResult] = LruCache(64)
        self.weighed: LruCache[Weighed] = LruCache(64)
        self.vectors = MemoryVectors(4096)
        self.readings: LruCache[Readings] = LruCache(512)
        self.replies: LruCache[tuple[str, ...]] = LruCache(512)
