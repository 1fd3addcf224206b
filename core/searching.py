"""A question to its context over one open library: the stages in their order, and what they need kept at hand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from time import perf_counter

import numpy as np

from core import assembly
from core.answering import Line, answer_line
from core.answering.reads import StoreReads
from core.assembly.clustering import Clustered, clustered
from core.assembly.conflicts import ContextConflict, conflicts
from core.assembly.conflicts_authority import preferred_first, settle
from core.assembly.prompt import render_prompt
from core.catalogue_reads import CatalogueReads, Texts, hits_of
from core.chunking.prefixes import prefix_text
from core.embedding import EmbeddingModel, MemoryVectors, encode_cached
from core.errors import StorageError
from core.expansion import expand
from core.leaf_snapshots import Part, Snapshots
from core.ordering import Progress, Rereading, diversified
from core.retrieval import Found, Ranking, Snapshot, order_leaves, search_key, search_leaves
from core.retrieval.analysis import Keys, Understanding
from core.retrieval.fusion import Scores, best_first
from core.retrieval.rewording import Rewording, Wording, Writer, middle
from core.settings import AnsweringSettings, RetrievalSettings, Settings
from core.storage import generations
from core.storage.chunks import chunk_rows
from core.storage.conditions import set_aside
from core.storage.languages import languages
from core.storage.leaves import LeafTable
from core.storage.lexical import FtsIndex
from core.storage.okapi import OkapiIndex, load_okapi
from core.storage.outbox import query_projection
from core.storage.scopes import Scope
from core.storage.store import Store, storable
from core.text.languages import question_tokens
from core.text.sentences import parts_sentence
from core.types import Context, Hit, LexicalIndex, Passage, Trace, VectorCache, Vectors

# Question vectors kept in memory: a slider that moves must not encode anything again.
KEPT_QUESTIONS = 4096


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``hits``: retrieved children, best first. ``passages``: what the reader gets, in the reader's order.

    ``understood``: what was read out of the question. ``conflicts``: what the passages disagree on.
    ``notes``: what a person should know of how it was answered, as sentences. ``reads``: how often expansion asked the
    catalogue. ``likely``: the probability that the likeliest passage a re-ranker read answers; ``None`` where none did
    whose scores are calibrated.
    """

    question: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    context: Context
    trace: Trace
    timings_ms: Mapping[str, float]
    understood: Understanding
    conflicts: tuple[ContextConflict, ...] = ()
    clustered: Clustered | None = None
    notes: tuple[str, ...] = ()
    reads: int = 0
    likely: float | None = None


def found_key(settings: Settings) -> Hashable:
    """Equal for settings under which ``Searcher.find`` finds the same.

    >>> found_key(Settings()) == found_key(Settings().with_value("retrieval.neighbour_share", 0.5))
    True
    """
    asked = settings.understanding
    written = asked.rewrite, asked.decompose, asked.imagined_answers
    return search_key(settings.retrieval), asked.filters, asked.anchors, asked.split, written


def order_key(settings: Settings) -> Hashable:
    """Equal for settings under which ``Searcher.order`` gives the same of what ``Searcher.find`` found.

    >>> order_key(Settings()) == order_key(Settings().with_value("assembly.order", "edges"))
    True
    """
    return settings.understanding, settings.retrieval, settings.diversity, settings.reranking


class Searcher:
    """Answers questions over a store. Holds the leaf snapshot of the latest revision, texts and question vectors."""

    def __init__(self, store: Store, model: EmbeddingModel, writer: Writer = None) -> None:
        self._store = store
        self._model = model
        self._rewording = Rewording(writer)
        self._texts = Texts(store)
        self._snapshots = Snapshots(store, self._check_embedder, self._texts.clear)
        self._rereading = Rereading(model.encoder)
        self._fts: FtsIndex | None = None
        self._okapi: OkapiIndex | None = None
        self._okapi_lock = Lock()  # its own: building takes seconds, and whoever asks FTS5 need not wait for it
        self._questions = MemoryVectors(KEPT_QUESTIONS)

    @property
    def model(self) -> EmbeddingModel:
        """The embedder that reads the questions."""
        return self._model

    def rank(self, question: str, settings: Settings, scope: Scope | None = None) -> Ranking:
        """Every stage up to the leaves that go on, over the documents of a scope (``None``: all of them).

        Raises ``StorageError`` when another embedder built the library.
        """
        return self.order(self.find(question, settings, scope), settings)

    def find(
        self,
        question: str,
        settings: Settings,
        scope: Scope | None = None,
        ignored: Keys = frozenset(),
        stated: Keys = frozenset(),
    ) -> Found:
        """The searches alone: ``order`` makes the ranking of any settings with the same ``found_key``.

        ``ignored``: keys of what was understood and is not to be heeded. ``stated``: of what leans and is to filter.
        """
        return self._find(question, settings, scope, (ignored, stated), self._worded(question, settings))

    def _worded(self, question: str, settings: Settings) -> Wording:
        """What a language model writes for a question; it takes long, so that no reading may be open meanwhile."""
        chosen = settings.understanding
        if not settings.retrieval.dense_weight:
            chosen = replace(chosen, imagined_answers=0)  # only the search by meaning would look for them
        if not chosen.writes:
            return Wording()
        return self._rewording.wording(self._snapshots.understand(storable(question), chosen).text, chosen)

    def _find(
        self, question: str, settings: Settings, scope: Scope | None, keys: tuple[Keys, Keys], wording: Wording
    ) -> Found:
        with self._store.reading():
            started = perf_counter()
            understood = self._snapshots.understand(storable(question), settings.understanding, *keys)
            understood = understood.worded(wording, keys[0])
            part = Part(scope, understood.conditions)
            asked = self._snapshots.asked(part)
            # Only the lock's holder may open Chroma, and a filter there costs more than looking at every leaf, which
            # finds the same rows and never misses one.
            approximate = self._store.writable and part.everything
            analysed = (perf_counter() - started) * 1000
            notes = [*understood.notes, *map(set_aside, asked.aside)]
            found = self._searched(understood, asked.snapshot, settings.retrieval, approximate)
        found = replace(found, understood=understood, notes=tuple(notes)).with_timing("analyse", analysed)
        return found.with_timing("write", wording.milliseconds) if wording.milliseconds else found

    def _searched(
        self, understood: Understanding, snapshot: Snapshot, settings: RetrievalSettings, approximate: bool
    ) -> Found:
        """Both searches, for the question and its parts."""
        lexical = self._lexical(snapshot.leaves.generation, settings)
        nearest = self._nearest_rows if approximate else partial(_nearest_exactly, snapshot)
        spoken = languages(self._store)

        def query(texts: Sequence[str]) -> Vectors:
            return middle(self.encode(texts))

        # What stands behind the searches reads the question as it was asked, whatever words it was searched in.
        searches = [
            (partial(query, [text, *imagined]), question_tokens(text, spoken)) for text, imagined in understood.searches
        ]
        return search_leaves(understood.text, searches, snapshot, lexical, settings, nearest)

    def _lexical(self, generation: int, settings: RetrievalSettings) -> LexicalIndex:
        if settings.lexical_engine == "fts5" or not settings.lexical_weight:
            fts = self._fts
            if fts is None or fts.generation != generation:
                fts = self._fts = FtsIndex(self._store, generation)
            return fts
        with self._okapi_lock:
            self._okapi = load_okapi(self._store, generation, self._okapi)
            return self._okapi

    def order(self, found: Found, settings: Settings, progress: Progress | None = None) -> Ranking:
        """What was found in the order of these settings: fused, leaning, diverse, re-ranked.

        ``progress(done, total)`` gets the passages a re-ranker has read; it may raise to stop.
        """
        with self._store.reading():
            ranking = order_leaves(found, settings.retrieval, self._boosts(found, settings))

            def text(document: int) -> str:
                return self._texts.text(found.leaves.version_ids[document])

            ranking = diversified(ranking, settings.diversity, text)
            return self._rereading.reranked(ranking, settings.reranking, text, self.above, progress)

    def above(self, rows: Sequence[int]) -> list[str]:
        """What stands above leaves, by their rows: title, headings, header of a table; "" where nothing does."""
        found = chunk_rows(self._store, rows)
        return [prefix_text(found[row].prefix) if row in found else "" for row in rows]

    def _boosts(self, found: Found, settings: Settings) -> Scores | None:
        """What the question leans to, for every leaf found; ``None`` where nothing does."""
        chosen, understood = settings.understanding, found.understood
        if not chosen.leaning:
            return None
        boosts = self._snapshots.boosts(found, chosen)
        if chosen.comparison_boost:
            first = order_leaves(found, settings.retrieval)
            compared = self._snapshots.compared(found.leaves, understood.comparison, found.pool[first.kept].tolist())
            if compared is not None:
                boosts = boosts + chosen.comparison_boost * compared
        return boosts[found.pool]

    def assemble(
        self, ranking: Ranking, settings: Settings, budget_characters: int | None, reads: CatalogueReads | None = None
    ) -> tuple[Context, Mapping[str, float]]:
        """The context of a ranking alone, and milliseconds by stage from the searches on.

        ``budget_characters`` ``None``: the settings' budget in tokens. ``reads``: of an earlier ranking over the same
        leaves, so that nothing is read from the catalogue twice.
        """
        context, _, timings = self.fill(ranking, settings, budget_characters, reads or self.reads(ranking.leaves))
        return context, timings

    def reads(self, leaves: LeafTable) -> CatalogueReads:
        """What expansion and assembly read for rankings over these leaves, each fact once."""
        return CatalogueReads(self._texts, self._store, leaves)

    def search(
        self,
        question: str,
        settings: Settings,
        budget_characters: int | None,
        scope: Scope | None = None,
        ignored: Keys = frozenset(),
        stated: Keys = frozenset(),
    ) -> SearchResult:
        """The whole way, with everything a page or a script may want to show of it."""
        wording, keys = self._worded(question, settings), (ignored, stated)
        with self._store.reading():
            return self.result(self._find(question, settings, scope, keys, wording), settings, budget_characters)

    def result(
        self, found: Found, settings: Settings, budget_characters: int | None, progress: Progress | None = None
    ) -> SearchResult:
        """What ``search`` makes of what was found; ``progress`` as in ``order``."""
        with self._store.reading():
            ranking = self.order(found, settings, progress)
            reads = self.reads(ranking.leaves)
            context, fates, timings = self.fill(ranking, settings, budget_characters, reads)
            trace = assembly.build_trace(ranking, fates, reads.chunk_ids, timings, reads.by_stage)
            disagreed = conflicts(context.passages, self._alike, self._cut)
            if disagreed and settings.answering.authority:
                numbers = {version: document for document, version in enumerate(ranking.leaves.version_ids)}
                versions = {side.version_id for one in disagreed for side in one.sides}
                kinds = {version: reads.kind(numbers[version]) for version in versions}
                disagreed = settle(disagreed, settings.answering.authority, kinds)
            return SearchResult(
                ranking.question,
                hits_of(ranking, reads),
                context.passages,
                context,
                trace,
                timings,
                ranking.understood,
                disagreed,
                clustered(ranking),
                ranking.notes,
                trace.reads["expand"],
                ranking.likeliest,
            )

    def _cut(self, version_id: str, place: int) -> bool:
        return parts_sentence(self.text(version_id), place)

    def _alike(self, one: str, other: str) -> float:
        vectors = self.encode([one, other])
        return float(vectors[0] @ vectors[1])

    def fill(
        self, ranking: Ranking, settings: Settings, budget_characters: int | None, reads: CatalogueReads
    ) -> tuple[Context, Mapping[int, str], Mapping[str, float]]:
        """The context of a ranking, the fate of every leaf that went on, and milliseconds by stage."""
        with self._store.reading():
            leaves = ranking.leaves
            started = perf_counter()
            if budget_characters is None:
                budget = assembly.tokens(settings.assembly.budget_tokens, self._model.counter)
                sizes = leaves.tokens
            else:
                budget = assembly.characters(budget_characters)
                sizes = leaves.ends - leaves.starts
            intent = ranking.understood.intent
            reads.began()
            extents = expand(ranking, settings.expansion, sizes, budget.amount, reads, intent=intent)
            reads.ended("expand")
            expanded = perf_counter()
            filled = assembly.assemble(ranking, extents, budget, reads, settings.assembly)
            reads.ended("assemble")
            passages = tuple(assembly.arrange(filled.passages, settings.assembly.order))
            prompt = render_prompt(ranking.question, passages)
            order = tuple(passage.rank for passage in passages)
            timings = {
                **ranking.timings_ms,
                "expand": (expanded - started) * 1000,
                "assemble": (perf_counter() - expanded) * 1000,
            }
            return Context(passages, order, filled.used, budget.amount, prompt), filled.fates, timings

    def answer(self, result: SearchResult, settings: AnsweringSettings) -> Line:
        """The quotes of a result, and how likely the library answers at all.

        Vectors of sentences are cached in memory, not in the library.
        """
        scores = [item.scores for item in result.trace.candidates] or [hit.scores for hit in result.hits]
        similar = [score["dense"] for score in scores if "dense" in score]
        if result.understood.imagined and similar:  # what was made up must not speak for what the library says
            similar = self._similarities(result)
        reads = StoreReads(self._store, self.snapshot().leaves.generation, self.text)
        understood = result.understood
        line = answer_line(
            understood.text,
            result.passages,
            similar,
            self.encode,
            reads,
            settings,
            intent=understood.intent,
            likely=result.likely,
            comparison=understood.comparison,
        )
        return replace(line, answer=preferred_first(line.answer, result.conflicts))

    def _similarities(self, result: SearchResult) -> list[float]:
        """Cosines of the question alone to what was found, as far as it is still there."""
        snapshot = self.snapshot()
        rows = [one.row for one in result.trace.candidates] or [hit.row for hit in result.hits]
        places = snapshot.index_of(np.array(rows, dtype=np.int64))
        query = self.encode([result.understood.sought])[0]
        return [float(one) for one in snapshot.leaves.vectors[places[places >= 0]] @ query]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32 of texts that are not documents: questions, sentences. Kept in memory alone."""
        texts = [storable(text) for text in texts]  # half surrogate pairs, which tokenizers refuse
        cache = self._questions
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
        self._questions.put(cache.get(keys))

    def snapshot(self, scope: Scope | None = None) -> Snapshot:
        """The leaves of a scope as they are now. Raises ``StorageError`` when another embedder made their vectors."""
        return self._snapshots.asked(Part(scope)).snapshot

    def text(self, version_id: str) -> str:
        """A document's canonical text, kept while the library does not change."""
        return self._texts.text(version_id)

    def _check_embedder(self, number: int) -> None:
        built_by = generations.generation(self._store, number).embedder
        asked_by = self._model.encoder.fingerprint
        if built_by != asked_by:
            raise StorageError(
                f"The library's vectors come from another embedder ({built_by}, not {asked_by}).",
                "Choose the embedder that built it, or rebuild the library with this one.",
            )

    def _nearest_rows(self, query: Vectors, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return query_projection(self._store, query, count)[0]


def _nearest_exactly(snapshot: Snapshot, query: Vectors, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    similar = (snapshot.leaves.vectors @ query).astype(np.float64)
    if snapshot.passing is not None:
        similar[~snapshot.passing.mask] = np.nan
    return snapshot.leaves.rows[best_first(similar, count)]
