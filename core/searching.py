"""A question to its context over one open library: the stages in their order, and what they need kept at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import perf_counter

import numpy as np

from core import assembly
from core.answering import choose_quotes, sentences_of
from core.assembly.context import LeafFacts
from core.assembly.prompt import render_prompt
from core.embedding import EmbeddingModel, encode_cached
from core.errors import NotFoundError, StorageError
from core.expansion import expand
from core.retrieval import Found, Ranking, Snapshot, order_leaves, search_leaves
from core.retrieval.fusion import best_first
from core.settings import RetrievalSettings, Settings
from core.storage import documents, generations
from core.storage.chunks import chunk_ids, chunk_rows
from core.storage.leaves import LeafTable, load_leaves, narrow
from core.storage.lexical import FtsIndex
from core.storage.okapi import OkapiIndex, load_okapi
from core.storage.outbox import query_projection
from core.storage.scopes import Scope, versions_in
from core.storage.store import Store, storable
from core.text.analysis import analyse
from core.types import Answer, Context, Hit, LexicalIndex, Passage, Trace, VectorCache, Vectors

# Question vectors and texts kept in memory: a slider that moves must not encode or read anything again.
KEPT_QUESTIONS = 4096
KEPT_CHARACTERS = 40_000_000


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``hits``: retrieved children, best first. ``passages``: what the reader gets, in the reader's order."""

    question: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    context: Context
    trace: Trace
    timings_ms: Mapping[str, float]


class Searcher:
    """Answers questions over a store. Holds the leaf snapshot of the latest revision, texts and question vectors."""

    def __init__(self, store: Store, model: EmbeddingModel) -> None:
        self._store = store
        self._model = model
        self._lock = Lock()
        self._snapshot: Snapshot | None = None
        self._scoped: dict[Scope, tuple[int, Snapshot]] = {}  # with the revision they are of, oldest first
        self._okapi: OkapiIndex | None = None
        self._okapi_lock = Lock()  # its own: building takes seconds, and whoever asks FTS5 need not wait for it
        self._texts: dict[str, str] = {}
        self._questions: dict[str, Vectors] = {}

    @property
    def model(self) -> EmbeddingModel:
        """The embedder that reads the questions."""
        return self._model

    def rank(self, question: str, settings: Settings, scope: Scope | None = None) -> Ranking:
        """Every stage up to the leaves that go on, over the documents of a scope (``None``: all of them).

        Raises ``StorageError`` when another embedder built the library.
        """
        return order_leaves(self.find(question, settings, scope), settings.retrieval)

    def find(self, question: str, settings: Settings, scope: Scope | None = None) -> Found:
        """The searches alone: ``order_leaves`` makes the ranking of any settings with the same ``search_key``."""
        started = perf_counter()
        question = storable(question)
        query = self.encode([question])[0] if settings.retrieval.dense_weight else np.zeros(0, dtype=np.float32)
        encoded = (perf_counter() - started) * 1000
        with self._store.reading():
            snapshot = self.snapshot(scope)
            tokens = list(dict.fromkeys(analyse(question)))
            lexical = self._lexical(snapshot.leaves.generation, settings.retrieval)
            # Only the lock's holder may open Chroma, and a filter there costs more than looking at every leaf, which
            # finds the same rows and never misses one.
            approximate = self._store.writable and snapshot is self._snapshot
            nearest = self._nearest_rows if approximate else partial(_nearest_exactly, snapshot.leaves)
            found = search_leaves(question, query, tokens, snapshot, lexical, settings.retrieval, nearest)
        return found.with_timing("encode", encoded)

    def _lexical(self, generation: int, settings: RetrievalSettings) -> LexicalIndex:
        if settings.lexical_engine == "fts5" or not settings.lexical_weight:
            return FtsIndex(self._store, generation)
        with self._okapi_lock:
            self._okapi = load_okapi(self._store, generation, self._okapi)
            return self._okapi

    def assemble(
        self, ranking: Ranking, settings: Settings, budget_characters: int | None, reads: CatalogueReads | None = None
    ) -> tuple[Context, Mapping[str, float]]:
        """The context of a ranking alone, and milliseconds by stage from the searches on.

        ``budget_characters`` ``None``: the settings' budget in tokens. ``reads``: of an earlier ranking over the same
        leaves, so that nothing is read from the catalogue twice.
        """
        with self._store.reading():
            context, _, timings = self._fill(ranking, settings, budget_characters, reads or self.reads(ranking))
        return context, timings

    def reads(self, ranking: Ranking) -> CatalogueReads:
        """What assembly reads for rankings over these leaves, each fact once."""
        return CatalogueReads(self, self._store, ranking.leaves)

    def search(
        self, question: str, settings: Settings, budget_characters: int | None, scope: Scope | None = None
    ) -> SearchResult:
        """The whole way, with everything a page or a script may want to show of it."""
        with self._store.reading():
            ranking = self.rank(question, settings, scope)
            reads = self.reads(ranking)
            context, fates, timings = self._fill(ranking, settings, budget_characters, reads)
            trace = assembly.build_trace(ranking, fates, reads.chunk_ids, timings)
            hits = _hits(ranking, reads)
            return SearchResult(ranking.question, hits, context.passages, context, trace, timings)

    def _fill(
        self, ranking: Ranking, settings: Settings, budget_characters: int | None, reads: CatalogueReads
    ) -> tuple[Context, Mapping[int, str], Mapping[str, float]]:
        leaves = ranking.leaves
        started = perf_counter()
        if budget_characters is None:
            budget = assembly.tokens(settings.assembly.budget_tokens, self._model.counter)
            sizes = leaves.tokens
        else:
            budget = assembly.characters(budget_characters)
            sizes = leaves.ends - leaves.starts
        extents = expand(ranking, settings.expansion, sizes, budget.amount)
        expanded = perf_counter()
        filled = assembly.assemble(ranking, extents, budget, reads)
        passages = tuple(assembly.arrange(filled.passages, settings.assembly.order))
        prompt = render_prompt(ranking.question, passages)
        order = tuple(passage.rank for passage in passages)
        timings = {
            **ranking.timings_ms,
            "expand": (expanded - started) * 1000,
            "assemble": (perf_counter() - expanded) * 1000,
        }
        return Context(passages, order, filled.used, budget.amount, prompt), filled.fates, timings

    def quotes(self, result: SearchResult) -> Answer:
        """The best supporting sentences of a result; their vectors are cached in memory, not in the library."""
        sentences = sentences_of(result.passages, lambda version: documents.heading_spans(self._store, version))
        texts = [passage.text[span.start - passage.start : span.end - passage.start] for passage, span in sentences]
        vectors = self.encode([result.question, *texts])
        return choose_quotes(
            result.question,
            vectors[0],
            sentences,
            vectors[1:],
            lambda version, offset: documents.page_at(self._store, version, offset),
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32 of texts that are not documents: questions, sentences. Kept in memory alone."""
        texts = [storable(text) for text in texts]  # half surrogate pairs, which tokenizers refuse
        cache = _MemoryVectors(self._questions, self._lock)
        keys = encode_cached(self._model.encoder, cache, texts).keys
        found = cache.get(keys)
        if len(found) < len(set(keys)):  # more texts at once than are kept: encode what was pushed out
            return self._model.encoder.encode(texts)
        return np.stack([found[key] for key in keys])

    def warm(self, questions: Sequence[str], cache: VectorCache) -> None:
        """Have the questions' vectors in memory, from ``cache`` or encoded together and kept there.

        A vector differs in its last digits with what is encoded beside it: what is kept is the same every time.
        """
        keys = encode_cached(self._model.encoder, cache, [storable(text) for text in questions]).keys
        _MemoryVectors(self._questions, self._lock).put(cache.get(keys))

    def snapshot(self, scope: Scope | None = None) -> Snapshot:
        """The leaves of a scope as they are now. Raises ``StorageError`` when another embedder made their vectors."""
        with self._store.reading(), self._lock:
            whole = self._whole()
            if scope is None or scope.everything:
                return whole
            revision, known = self._scoped.pop(scope, (-1, whole))
            if revision != self._store.revision():
                known = Snapshot.of(narrow(whole.leaves, versions_in(self._store, scope)))
            self._scoped[scope] = (self._store.revision(), known)
            # Of a scope the vectors are copied: together the copies stay below the whole.
            while len(self._scoped) > 1 and sum(len(held.leaves) for _, held in self._scoped.values()) > len(
                whole.leaves
            ):
                del self._scoped[next(iter(self._scoped))]
            return known

    def _whole(self) -> Snapshot:
        previous = self._snapshot
        leaves = load_leaves(self._store, previous.leaves if previous else None)
        if previous is not None and leaves is previous.leaves:
            return previous
        if leaves.generation:
            self._check_embedder(leaves.generation)
        self._texts.clear()
        self._scoped.clear()
        self._snapshot = Snapshot.of(leaves)
        return self._snapshot

    def _check_embedder(self, number: int) -> None:
        built_by = generations.generation(self._store, number).embedder
        asked_by = self._model.encoder.fingerprint
        if built_by != asked_by:
            raise StorageError(
                f"The library's vectors come from another embedder ({built_by}, not {asked_by}).",
                "Choose the embedder that built it, or rebuild the library with this one.",
            )

    def text(self, version_id: str) -> str:
        """A document's canonical text, kept while the library does not change."""
        text = self._texts.get(version_id)
        if text is None:
            text = documents.text(self._store, version_id)
            if sum(map(len, list(self._texts.values()))) + len(text) > KEPT_CHARACTERS:
                self._texts.clear()
            self._texts[version_id] = text
        return text

    def _nearest_rows(self, query: Vectors, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return query_projection(self._store, query, count)[0]


def _nearest_exactly(leaves: LeafTable, query: Vectors, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return leaves.rows[best_first((leaves.vectors @ query).astype(np.float64), count)]


class _MemoryVectors:
    """A ``VectorCache`` in memory, bounded: the oldest vectors go first."""

    def __init__(self, vectors: dict[str, Vectors], lock: Lock) -> None:
        self._vectors = vectors
        self._lock = lock

    def known(self, keys: Sequence[str]) -> set[str]:
        return {key for key in keys if key in self._vectors}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        with self._lock:
            return {key: self._vectors[key] for key in keys if key in self._vectors}

    def put(self, items: Mapping[str, Vectors]) -> None:
        with self._lock:
            self._vectors.update(items)
            for key in list(self._vectors)[: max(0, len(self._vectors) - KEPT_QUESTIONS)]:
                del self._vectors[key]


class CatalogueReads:
    """What assembly reads, for the documents of one state of the leaves."""

    def __init__(self, searcher: Searcher, store: Store, leaves: LeafTable) -> None:
        self._searcher = searcher
        self._store = store
        self._leaves = leaves
        self._facts: dict[int, LeafFacts] = {}
        self._pages: dict[tuple[int, int], int | None] = {}
        self._pageless: set[int] = set()

    def text(self, document: int) -> str:
        return self._searcher.text(self._leaves.version_ids[document])

    def facts(self, leaves: Sequence[int]) -> Mapping[int, LeafFacts]:
        wanted = [leaf for leaf in leaves if leaf not in self._facts]
        rows = {int(self._leaves.rows[leaf]): leaf for leaf in wanted}
        found = chunk_rows(self._store, list(rows))
        if len(found) < len(rows):
            raise NotFoundError("The library changed while this question was answered.", "Ask it again.")
        for row, chunk in found.items():
            self._facts[rows[row]] = LeafFacts(chunk.chunk_id, chunk.headings, chunk.prefix)
        return {leaf: self._facts[leaf] for leaf in leaves}

    def chunk_ids(self, leaves: Sequence[int]) -> Mapping[int, str]:
        rows = self._leaves.rows[leaves].tolist() if leaves else []
        found = chunk_ids(self._store, rows)
        if len(found) < len(rows):
            raise NotFoundError("The library changed while this question was answered.", "Ask it again.")
        return {leaf: found[row] for leaf, row in zip(leaves, rows, strict=True)}

    def page(self, document: int, offset: int) -> int | None:
        key = (document, offset)
        if document not in self._pageless and key not in self._pages:
            self._pages[key] = documents.page_at(self._store, self._leaves.version_ids[document], offset)
            if self._pages[key] is None:
                self._pageless.add(document)  # no page anywhere: most formats have none, and need not be asked again
        return self._pages.get(key)


def _hits(ranking: Ranking, reads: CatalogueReads) -> tuple[Hit, ...]:
    leaves = ranking.leaves
    indices = ranking.pool[ranking.kept].tolist()
    facts = reads.facts(indices)
    hits: list[Hit] = []
    for rank, (place, index) in enumerate(zip(ranking.kept.tolist(), indices, strict=True), start=1):
        document, start, end = int(leaves.documents[index]), int(leaves.starts[index]), int(leaves.ends[index])
        scores = {stage: float(values[place]) for stage, values in ranking.scores.items()}
        hits.append(
            Hit(
                row=int(leaves.rows[index]),
                chunk_id=facts[index].chunk_id,
                version_id=leaves.version_ids[document],
                start=start,
                end=end,
                text=reads.text(document)[start:end],
                rank=rank,
                score=float(ranking.final[place]),
                scores={stage: score for stage, score in scores.items() if not np.isnan(score)},
                headings=facts[index].headings,
                document=leaves.titles[document],
                source=leaves.names[document],
                page=reads.page(document, start),
            )
        )
    return tuple(hits)
