"""A question to its context over one open library: the stages in their order, and what they need kept at hand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

from core.chunking.prefixes import prefix_text
from core.embedding import EmbeddingModel
from core.errors import ModelError, NotFoundError, StorageError
from core.evidence import Context
from core.search.answer.choosing import Choosing
from core.search.answer.line import Line, StoreReads, Weighed, answer_line, no_line, weigh
from core.search.answer.scoring import Reader
from core.search.context import filling
from core.search.context.assembling import Assembled, assemble, reads_sentences
from core.search.context.candidate_outcomes import build_trace, clustered
from core.search.context.conflicts import conflicts
from core.search.context.prompt import arrange, render_prompt
from core.search.expansion.expanding import expand
from core.search.memory import AskedVectors, SearchMemory
from core.search.near import NearestLeaves
from core.search.ordering import Progress, RerankerCache, diversified
from core.search.question.query import Query
from core.search.question.rewording import Rewording, Wording, Writer, middle
from core.search.question.spelling import LibraryWords, is_word, respelt
from core.search.ranking.catalogue_reads import CatalogueReads, hits_of
from core.search.ranking.finding import SearchScores, search_leaves, search_scores_key
from core.search.ranking.snapshot import Snapshot
from core.search.ranking.stage_scores import Ranking, order_leaves
from core.search.result import BY_WORDS_ALONE, SearchResult, by_words_alone, unfinished
from core.search.snapshots import Part, Snapshots
from core.settings import AnsweringSettings, RetrievalSettings, Settings
from core.storage.catalogue import documents, generations
from core.storage.catalogue.chunks import chunk_rows
from core.storage.catalogue.conditions import set_aside
from core.storage.catalogue.names import ALL_DOCUMENTS, Scope
from core.storage.catalogue.statistics import languages
from core.storage.index.leaves import LeafTable
from core.storage.index.lexical import FtsIndex
from core.storage.index.okapi import load_okapi
from core.storage.store import Store
from core.text.languages import question_tokens
from core.text.normalise import storable
from core.text.sentences import parts_sentence
from core.types import LexicalIndex, VectorCache, Vectors

_TURNS = 3  # a question is begun, where the library changes between its search and its reading
_FIRST = 12  # extents that are looked at before it is known where a context ends


class Searcher:
    """The one way from a question to its result, over a store; the page, the commands and the bench all take it.

    ``search`` is the whole way. Its steps can be asked for by themselves: ``find`` searches, ``order`` ranks what was
    found, ``fill`` makes a context of a ranking, ``answer`` quotes from it. What they made stays in ``memory``.
    ``reader``: marks answers in passages; ``None``: nothing does.
    """

    def __init__(
        self, store: Store, model: EmbeddingModel, writer: Writer = None, reader: Reader | None = None
    ) -> None:
        self.memory = SearchMemory()
        self._store = store
        self._model, self._vectors = model, AskedVectors(model.encoder, self.memory.vectors)
        self.reader = reader
        self._rewording = Rewording(writer, self.memory.replies)
        self._snapshots = Snapshots(store, self.memory, self._check_embedder)
        self._reranker_cache = RerankerCache(self.memory.readings)

    @property
    def model(self) -> EmbeddingModel:
        """The embedder that reads the questions."""
        return self._model

    def rank(self, question: str, settings: Settings, scope: Scope = ALL_DOCUMENTS) -> Ranking:
        """Every stage up to the leaves that go on, over the documents of a scope.

        Raises ``StorageError`` when another embedder built the library.
        """
        return self.order(self.find(Query(question, scope), settings), settings)

    def find(self, query: Query, settings: Settings) -> SearchScores:
        """What the searches alone say, remembered. Settings with the same ``search_scores_key`` share it."""
        key = (self._store.revision(), query, search_scores_key(settings))
        return self.memory.scores.get_or_create(key, lambda: self._find(query, settings))

    def _find(self, query: Query, settings: Settings) -> SearchScores:
        chosen, retrieval = settings.understanding, settings.retrieval
        if not retrieval.dense_weight:
            chosen = replace(chosen, imagined_answers=0)  # only the search by meaning would look for them
        asked_for, ignored, wording = storable(query.question), query.ignored, Wording()
        if chosen.writes:  # by a language model, which takes long: no reading transaction may be open
            wording = self._rewording.wording(self._snapshots.understand(asked_for, chosen).text, chosen)
        with self._store.reading():
            started = perf_counter()
            understood = self._snapshots.understand(asked_for, settings.understanding, ignored).worded(wording, ignored)
            if generation := int(self._store.meta("serving") or 0):
                words = LibraryWords(self._store, generation)
                text, slips = respelt(understood.text, words, is_word, ignored)
                understood = replace(understood, text=text, slips=slips)
            part = Part(query.scope, understood.conditions)
            selected = self._snapshots.asked(part)
            analysed = (perf_counter() - started) * 1000
            spoken = languages(self._store)
            # What stands behind the searches reads the question as it was asked, whatever words it was searched in.
            searches = [
                (partial(self._middle, [text, *imagined]), question_tokens(text, spoken))
                for text, imagined in understood.searches
            ]
            snapshot = selected.snapshot
            lexical = self._lexical(snapshot.leaves.generation, retrieval)
            near = NearestLeaves(self._store, snapshot, selected.everything)
            scores = search_leaves(understood.text, searches, snapshot, lexical, retrieval, near.rows)
        before = {"write": wording.milliseconds} if wording.milliseconds else {}
        return replace(
            scores,
            understood=understood,
            notes=(*understood.notes, *map(set_aside, selected.aside), *near.notes),
            timings_ms={**before, "analyse": analysed, **scores.timings_ms},
        )

    def _middle(self, texts: Sequence[str]) -> Vectors:
        return middle(self.encode(texts))

    def _lexical(self, generation: int, settings: RetrievalSettings) -> LexicalIndex:
        indexes = self.memory.indexes
        if settings.lexical_engine == "fts5" or not settings.lexical_weight:
            return indexes.get_or_create(("fts5", generation), lambda: FtsIndex(self._store, generation))
        key = ("rank-bm25", generation, self._store.contents())
        return indexes.get_or_create(key, lambda: load_okapi(self._store, generation, None))

    def order(self, scores: SearchScores, settings: Settings, progress: Progress | None = None) -> Ranking:
        """The ranking of these scores under the settings: fused, diversified, re-ranked.

        ``progress(done, total)`` gets the passages a re-ranker has read; it may raise to stop.
        """
        with self._store.reading():
            ranking = diversified(order_leaves(scores, settings.retrieval), settings.diversity)

            return self._reranker_cache.reranked(
                ranking, settings.reranking, self.reads(scores.leaves).text, self.above, progress
            )

    def above(self, rows: Sequence[int]) -> list[str]:
        """The prefix of each leaf (title, headings, header of a table), by catalogue rows; "" where it has none."""
        found = chunk_rows(self._store, rows)
        return [prefix_text(found[row].prefix) if row in found else "" for row in rows]

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
        return CatalogueReads(self._store, leaves, self.memory.texts, self.memory.symbols)

    def search(self, query: Query, settings: Settings, progress: Progress | None = None) -> SearchResult:
        """The whole way, with everything a page or a script may want to show of it; remembered.

        ``progress``: as in ``order``.
        """
        with self._store.questions.first():
            for turn in range(1, _TURNS + 1):
                # Of the state before the search: a change in the meantime must not have this result taken for its own.
                key: Hashable = (self._store.revision(), query, settings)
                known = self.remembered(query, settings)
                if known is not None:
                    return known
                scores = self._found_somehow(query, settings)
                try:
                    result = self.result(scores, settings, None, progress)
                    break
                except NotFoundError:
                    if turn == _TURNS:
                        raise
        if unfinished(result.notes) or by_words_alone(result.notes):
            key = (key, query.asking) if query.asking else None
        result = replace(result, key=key)
        return result if key is None else self.memory.results.put(key, result)

    def _found_somehow(self, query: Query, settings: Settings) -> SearchScores:
        """What ``find`` says; where the embedder cannot be asked, what the words alone find, with a note."""
        try:
            return self.find(query, settings)
        except ModelError as error:
            if not settings.retrieval.lexical_weight:
                raise
            words = replace(settings, retrieval=replace(settings.retrieval, dense_weight=0.0))
            found = self.find(query, words)
            return replace(found, notes=(*found.notes, f"{BY_WORDS_ALONE}{error}"))

    def remembered(self, query: Query, settings: Settings) -> SearchResult | None:
        """What ``search`` would give without doing anything, ``None`` where it is not remembered."""
        key = (self._store.revision(), query, settings)
        return self.memory.results.get(key) or self.memory.results.get((key, query.asking))

    def result(
        self, scores: SearchScores, settings: Settings, budget_characters: int | None, progress: Progress | None = None
    ) -> SearchResult:
        """The result of these scores under the settings: every stage of ``search`` after ``find``."""
        with self._store.reading():
            ranking = self.order(scores, settings, progress)
            reads = self.reads(ranking.leaves)
            context, filled, timings = self.fill(ranking, settings, budget_characters, reads, preview=True)
            trace = build_trace(ranking, filled.fates, reads.chunk_ids, timings, reads.by_stage)
            return SearchResult(
                ranking.question,
                hits_of(ranking, reads),
                context.passages,
                context,
                trace,
                timings,
                ranking.understood,
                conflicts(ranking.question, context.passages, self._vectors.alike, self._cut, self._snapshots.dated),
                clustered(ranking),
                ranking.notes,
                trace.reads["expand"],
                ranking.likeliest,
                filled.ending,
            )

    def _cut(self, version_id: str, place: int) -> bool:
        return parts_sentence(self.text(version_id), place)

    def fill(
        self, ranking: Ranking, settings: Settings, characters: int | None, reads: CatalogueReads, preview: bool = False
    ) -> tuple[Context, Assembled, Mapping[str, float]]:
        """The context of a ranking, what was assembled for it (``preview``: as there), and milliseconds by stage."""
        with self._store.reading():
            leaves = ranking.leaves
            started = perf_counter()
            if characters is None:
                budget = filling.tokens(settings.assembly.budget_tokens, self._model.counter)
                sizes = leaves.tokens
            else:
                budget = filling.characters(characters)
                sizes = leaves.ends - leaves.starts
            reads.began()
            # Contexts end within the first few: texts of the others are read where one does not.
            reads_texts = settings.expansion.strategy == "needed" or bool(settings.expansion.brings)
            whole = not reads_texts or reads_sentences(settings.assembly, budget)
            first = None if whole else _FIRST
            grow = partial(expand, ranking, settings.expansion, sizes, budget.amount, reads)
            fit = partial(assemble, ranking, budget=budget, reads=reads, settings=settings.assembly)
            extents = grow(first=first)
            reads.ended("expand")
            expanded = perf_counter()
            filled = fit(extents, preview=preview, first=first)
            if first is not None and filled.reached > first:
                filled = fit(grow(), preview=preview)
            reads.ended("assemble")
            passages = tuple(arrange(filled.passages, settings.assembly.order))
            prompt = render_prompt(ranking.question, passages)
            order = tuple(passage.rank for passage in passages)
            timings = {
                **ranking.timings_ms,
                "expand": (expanded - started) * 1000,
                "assemble": (perf_counter() - expanded) * 1000,
            }
            return Context(passages, order, filled.used, budget.amount, prompt), filled, timings

    def answer(self, result: SearchResult, settings: AnsweringSettings) -> Line:
        """The quotes of a result, and how likely the library answers at all. Vectors of sentences stay in memory."""
        if not settings.sentences:
            return no_line(result.likely)
        if by_words_alone(result.notes):  # likeness weighs most in how likely there is an answer, and is not known
            settings = replace(settings, least_support=0)
        understood = result.understood
        sides = [(side.version_id, side.sentence_span) for conflict in result.conflicts for side in conflict.sides]
        page, encode = partial(documents.page_at, self._store), self._vectors.as_far_as_possible
        by = Choosing(understood.text, page, understood.intent, sides, encode)
        return answer_line(by, self.weigh(result, settings), settings, result.likely)

    def weigh(self, result: SearchResult, settings: AnsweringSettings) -> Weighed:
        """What the answer line of a result is chosen from, whatever the threshold and the number of quotes; remembered
        with its result.
        """
        key = (result.key, settings.reader)
        made = partial(self._weigh, result, self.reader if settings.reader else None)
        with self._store.questions.first():
            return made() if result.key is None else self.memory.weighed.get_or_create(key, made)

    def _weigh(self, result: SearchResult, read: Reader | None) -> Weighed:
        started = perf_counter()
        reads = StoreReads(self._store, self.snapshot().leaves.generation, self.text)
        understood = result.understood
        weighed = weigh(
            understood.text,
            result.passages,
            result.hits,
            self._vectors.as_far_as_possible,
            reads,
            understood.intent,
            read,
        )
        return replace(weighed, milliseconds=(perf_counter() - started) * 1000)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32 of texts that are not documents: questions, sentences. Kept in memory alone."""
        return self._vectors.encode(texts)

    def warm(self, questions: Sequence[str], cache: VectorCache) -> None:
        """Have the questions' vectors in memory, from ``cache`` or encoded together and kept there."""
        self._vectors.warm(questions, cache)

    def snapshot(self, scope: Scope = ALL_DOCUMENTS) -> Snapshot:
        """The leaves of a scope as they are now. Raises ``StorageError`` when another embedder made their vectors."""
        return self._snapshots.asked(Part(scope)).snapshot

    def text(self, version_id: str) -> str:
        """A document's canonical text, kept while the library does not change."""
        key = (self._store.contents(), version_id)
        return self.memory.texts.get_or_create(key, lambda: documents.text(self._store, version_id))

    def _check_embedder(self, number: int) -> None:
        built_by = generations.generation(self._store, number).embedder
        asked_by = self._model.encoder.fingerprint
        if built_by != asked_by:
            raise StorageError(
                f"The library's vectors come from another embedder ({built_by}, not {asked_by}).",
                "Choose the embedder that built it, or rebuild the library with this one.",
            )
