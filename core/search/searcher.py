"""``Searcher``: runs a question through every search stage over one open library and caches what the stages need."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

from core.chunking.prefixes import prefix_text
from core.embedding import EmbeddingModel, packaged
from core.errors import ModelError, NotFoundError, StorageError
from core.evidence import Context
from core.search.answer.choosing import QuoteOptions
from core.search.answer.line import Line, ScoredCandidates, StoreReads, answer_line, no_line, score_candidates
from core.search.answer.scoring import Reader
from core.search.context import filling
from core.search.context.assembling import Assembled, assemble, reads_sentences
from core.search.context.candidate_outcomes import build_trace
from core.search.context.conflicts import conflicts
from core.search.context.prompt import arrange, render_prompt
from core.search.expansion.expanding import expand
from core.search.memory import CachedEncoder, SearchMemory
from core.search.near import NearestLeaves
from core.search.ordering import UNLEARNED_LETTERS, Progress, RerankerCache, diversified
from core.search.question.query import Query
from core.search.question.rewording import Rewording, Wording, Writer, mean_vector
from core.search.question.spelling import LibraryWords, correct_spelling, is_word
from core.search.ranking.catalogue_reads import CatalogueReads, hits_of
from core.search.ranking.finding import SearchScores, search_leaves, search_scores_key
from core.search.ranking.snapshot import Snapshot
from core.search.ranking.stage_scores import Ranking, order_leaves
from core.search.result import BY_WORDS_ALONE, SearchResult, by_words_alone, reranking_timed_out
from core.search.snapshots import Part, Snapshots
from core.settings import AnsweringSettings, AssemblySettings, RetrievalSettings, Settings
from core.storage.catalogue.filing.conditions import set_aside
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope
from core.storage.catalogue.statistics import languages
from core.storage.catalogue.texts import documents, generations
from core.storage.catalogue.texts.chunks import chunk_rows
from core.storage.index.leaves import LeafTable
from core.storage.index.lexical import FtsIndex
from core.storage.index.okapi import OkapiIndex
from core.storage.store import Store
from core.text.languages import question_tokens
from core.text.normalise import storable
from core.text.sentences import parts_sentence
from core.types import LexicalIndex, VectorCache, Vectors

_MOST_ATTEMPTS = 3  # at a search, when the library changes between ranking and reading the texts
_FIRST_EXTENTS = 12  # extents expanded at first; most contexts end within them


class Searcher:
    """The search pipeline over one store, shared by the pages, the command line and the benchmarks.

    ``search`` runs all stages up to the context. The stages can also be called one by one: ``find`` scores leaves,
    ``order`` ranks them, ``fill`` builds the context of a ranking, ``answer`` quotes from a result. Results are cached
    in ``memory``. ``writer``: the language model that rewords questions; ``None`` for none. ``reader``: the model that
    marks short answers in passages; ``None`` for none.
    """

    def __init__(
        self, store: Store, model: EmbeddingModel, writer: Writer = None, reader: Reader | None = None
    ) -> None:
        self.memory = SearchMemory()
        self._store = store
        self.model, self._vectors = model, CachedEncoder(model.encoder, self.memory.vectors)
        self.reader = reader
        self._rewording = Rewording(writer, self.memory.replies)
        self._snapshots = Snapshots(store, self.memory, self._check_embedder)
        self._reranker_cache = RerankerCache(self.memory.readings)

    def rank(self, question: str, settings: Settings, scope: Scope = ALL_DOCUMENTS) -> Ranking:
        """``find`` and ``order`` in one call, over the documents of a scope.

        Raises ``StorageError`` when another embedder built the library.
        """
        return self.order(self.find(Query(question, scope), settings), settings)

    def find(self, query: Query, settings: Settings) -> SearchScores:
        """The scores of the dense and lexical searches, before fusion.

        Cached; settings with the same ``search_scores_key`` share them.
        """
        key = (self._store.revision(), query, search_scores_key(settings))
        return self.memory.scores.get_or_create(key, lambda: self._find(query, settings))

    def _find(self, query: Query, settings: Settings) -> SearchScores:
        understanding, retrieval = settings.understanding, settings.retrieval
        if not retrieval.dense_weight:
            understanding = replace(understanding, imagined_answers=0)  # only dense search uses them
        question, ignored, wording = storable(query.question), query.ignored, Wording()
        if understanding.writes:  # outside the read transaction: a language model takes seconds
            wording = self._rewording.wording(self._snapshots.understand(question, understanding).text, understanding)
        with self._store.reading():
            started = perf_counter()
            understood = self._snapshots.understand(question, settings.understanding, ignored).with_wording(
                wording, ignored
            )
            if generation := int(self._store.meta("serving") or 0):
                words = LibraryWords(self._store, generation)
                text, slips = correct_spelling(understood.text, words, is_word, ignored)
                understood = replace(understood, text=text, slips=slips)
            part = Part(query.scope, understood.conditions)
            selection = self._snapshots.select(part)
            analyse_ms = (perf_counter() - started) * 1000
            library_languages = languages(self._store)
            # Later stages read the question as it was asked; only the searches use the reworded texts.
            searches = [
                (partial(self._mean_vector, [text, *imagined]), question_tokens(text, library_languages))
                for text, imagined in understood.searches
            ]
            snapshot = selection.snapshot
            lexical = self._lexical(snapshot.leaves.generation, retrieval)
            nearest = NearestLeaves(self._store, snapshot, selection.library_leaves)
            scores = search_leaves(understood.text, searches, snapshot, lexical, retrieval, nearest.rows)
        write_timing = {"write": wording.milliseconds} if wording.milliseconds else {}
        return replace(
            scores,
            understood=understood,
            notes=(*understood.notes, *map(set_aside, selection.unmatched), *nearest.notes),
            timings_ms={**write_timing, "analyse": analyse_ms, **scores.timings_ms},
        )

    def _mean_vector(self, texts: Sequence[str]) -> Vectors:
        return mean_vector(self.encode(texts))

    def _lexical(self, generation: int, settings: RetrievalSettings) -> LexicalIndex:
        engine = OkapiIndex if settings.lexical_engine == "rank-bm25" and settings.lexical_weight else FtsIndex
        return self.memory.indexes.get_or_create((engine, generation), lambda: engine(self._store, generation))

    def order(self, scores: SearchScores, settings: Settings, progress: Progress | None = None) -> Ranking:
        """The scores fused into a ranking, diversified and re-ranked, as the settings say.

        ``progress(done, total)`` counts the passages a re-ranker has read; it may raise to stop.
        """
        with self._store.reading():
            ranking = diversified(order_leaves(scores, settings.retrieval), settings.diversity)
            return self._reranker_cache.reranked(
                ranking, settings.reranking, self.reads(scores.leaves).text, self.prefixes, progress
            )

    def prefixes(self, rows: Sequence[int]) -> list[str]:
        """The prefix (title, headings, table header) of each leaf, given by catalogue row; "" where it has none."""
        chunks = chunk_rows(self._store, rows)
        return [prefix_text(chunks[row].prefix) if row in chunks else "" for row in rows]

    def assemble(
        self, ranking: Ranking, settings: Settings, budget_characters: int | None, reads: CatalogueReads | None = None
    ) -> tuple[Context, Mapping[str, float]]:
        """The context of a ranking, and the milliseconds of every stage so far.

        ``budget_characters``: ``None`` for the settings' budget in tokens. ``reads``: those of an earlier ranking over
        the same leaves, so that nothing is read from the catalogue twice; ``None`` for new ones.
        """
        context, _, timings = self.fill(ranking, settings, budget_characters, reads or self.reads(ranking.leaves))
        return context, timings

    def reads(self, leaves: LeafTable) -> CatalogueReads:
        """The cached catalogue reads of expansion and assembly, for rankings over these leaves."""
        return CatalogueReads(self._store, leaves, self.memory.texts, self.memory.symbols)

    def search(self, query: Query, settings: Settings, progress: Progress | None = None) -> SearchResult:
        """The result of every stage: hits, context, trace and what a page shows of them. Cached.

        ``progress``: as in ``order``.
        """
        with self._store.questions.first():
            for attempt in range(1, _MOST_ATTEMPTS + 1):
                # Taken before the search: if the library changes meanwhile, the result must not count as the new state.
                key: Hashable = (self._store.revision(), query, settings)
                cached = self.remembered(query, settings)
                if cached is not None:
                    return cached
                scores = self._find_or_lexical_only(query, settings)
                try:
                    result = self.result(scores, settings, None, progress)
                    break
                except NotFoundError:
                    if attempt == _MOST_ATTEMPTS:
                        raise
        if reranking_timed_out(result.notes) or by_words_alone(result.notes):
            key = (key, query.asking) if query.asking else None
        result = replace(result, key=key)
        return result if key is None else self.memory.results.put(key, result)

    def _find_or_lexical_only(self, query: Query, settings: Settings) -> SearchScores:
        """The scores of ``find``; those of lexical search alone, with a note, when the embedder fails."""
        try:
            return self.find(query, settings)
        except ModelError as error:
            if not settings.retrieval.lexical_weight:
                raise
            lexical_only = replace(settings, retrieval=replace(settings.retrieval, dense_weight=0.0))
            scores = self.find(query, lexical_only)
            return replace(scores, notes=(*scores.notes, f"{BY_WORDS_ALONE}{error}"))

    def remembered(self, query: Query, settings: Settings) -> SearchResult | None:
        """The cached result of ``search``; ``None`` when there is none."""
        key = (self._store.revision(), query, settings)
        return self.memory.results.get(key) or self.memory.results.get((key, query.asking))

    def result(
        self, scores: SearchScores, settings: Settings, budget_characters: int | None, progress: Progress | None = None
    ) -> SearchResult:
        """The result of these scores under the settings: every stage of ``search`` after ``find``. Not cached."""
        with self._store.reading():
            ranking = self.order(scores, settings, progress)
            reads = self.reads(ranking.leaves)
            context, assembled, timings = self.fill(ranking, settings, budget_characters, reads, preview=True)
            trace = build_trace(ranking, assembled.fates, reads.chunk_ids, timings, reads.by_stage)
            return SearchResult(
                ranking.question,
                hits_of(ranking, reads),
                context.passages,
                context,
                trace,
                timings,
                ranking.understood,
                conflicts(
                    ranking.question,
                    context.passages,
                    self._vectors.similarity,
                    lambda version_id, offset: parts_sentence(self.text(version_id), offset),
                    self._snapshots.document_date,
                ),
                ranking.notes,
                trace.reads["expand"],
                ranking.likeliest,
                assembled.ending,
            )

    def fill(
        self, ranking: Ranking, settings: Settings, characters: int | None, reads: CatalogueReads, preview: bool = False
    ) -> tuple[Context, Assembled, Mapping[str, float]]:
        """The context of a ranking, what ``assemble`` returned for it, and the milliseconds of every stage so far.

        ``characters``: the budget; ``None`` for the settings' budget in tokens. ``preview``: as in
        ``context.assembling.assemble``.
        """
        if UNLEARNED_LETTERS in ranking.notes:  # sentences are chosen by what the re-ranker marks in them
            settings = settings.with_value("assembly.unit", AssemblySettings().unit)
        with self._store.reading():
            leaves = ranking.leaves
            started = perf_counter()
            if characters is None:
                budget = filling.token_budget(settings.assembly.budget_tokens, self.model.counter)
                sizes = leaves.tokens
            else:
                budget = filling.character_budget(characters)
                sizes = leaves.ends - leaves.starts
            reads.start()
            # Where expansion reads texts, only the first extents are expanded, and all of them when those do not fill
            # the context.
            reads_texts = settings.expansion.strategy == "needed" or bool(settings.expansion.brings)
            needs_all = not reads_texts or reads_sentences(settings.assembly, budget)
            first = None if needs_all else _FIRST_EXTENTS
            expand_first = partial(expand, ranking, settings.expansion, sizes, budget.amount, reads)
            fill_budget = partial(assemble, ranking, budget=budget, reads=reads, settings=settings.assembly)
            extents = expand_first(first=first)
            reads.end_stage("expand")
            expanded = perf_counter()
            assembled = fill_budget(extents, preview=preview, first=first)
            if first is not None and assembled.reached > first:
                assembled = fill_budget(expand_first(), preview=preview)
            reads.end_stage("assemble")
            passages = tuple(arrange(assembled.passages, settings.assembly.order))
            prompt = render_prompt(ranking.question, passages)
            order = tuple(passage.rank for passage in passages)
            timings = {
                **ranking.timings_ms,
                "expand": (expanded - started) * 1000,
                "assemble": (perf_counter() - expanded) * 1000,
            }
            return Context(passages, order, assembled.used, budget.amount, prompt), assembled, timings

    def answer(self, result: SearchResult, settings: AnsweringSettings) -> Line:
        """The quotes of a result, and how likely the library holds an answer. Sentence vectors are cached in memory."""
        if not settings.sentences:
            return no_line(result.likely)
        if by_words_alone(result.notes):  # without cosines the probability that there is an answer means nothing
            settings = replace(settings, least_support=0)
        understood = result.understood
        sides = [(side.version_id, side.sentence_span) for conflict in result.conflicts for side in conflict.sides]
        page, encode = partial(documents.page_at, self._store), self._vectors.encode_or_zeros
        options = QuoteOptions(understood.text, page, understood.intent, sides, encode)
        return answer_line(options, self.score_candidates(result, settings), settings, result.likely)

    def score_candidates(self, result: SearchResult, settings: AnsweringSettings) -> ScoredCandidates:
        """The scored sentences that the answer line of a result is chosen from. Cached with its result.

        They depend on neither the threshold nor the number of quotes.
        """
        key = (result.key, settings.reader)
        score = partial(self._score_candidates, result, self.reader if settings.reader else None)
        with self._store.questions.first():
            return score() if result.key is None else self.memory.scored_candidates.get_or_create(key, score)

    def _score_candidates(self, result: SearchResult, reader: Reader | None) -> ScoredCandidates:
        started = perf_counter()
        reads = StoreReads(self._store, self.snapshot().leaves.generation, self.text)
        scored = score_candidates(
            result.understood.text,
            result.passages,
            result.hits,
            self._vectors.encode_or_zeros,
            reads,
            reader,
            multilingual=self.model.encoder.fingerprint != packaged.fingerprint(),
        )
        return replace(scored, milliseconds=(perf_counter() - started) * 1000)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n, d)`` float32 vectors of texts that are not documents: questions, sentences. Cached in memory only."""
        return self._vectors.encode(texts)

    def warm(self, questions: Sequence[str], cache: VectorCache) -> None:
        """Load the questions' vectors into memory from ``cache``, after encoding those it lacks into it."""
        self._vectors.warm(questions, cache)

    def snapshot(self, scope: Scope = ALL_DOCUMENTS) -> Snapshot:
        """The leaves of a scope as they are now. Raises ``StorageError`` when another embedder made their vectors."""
        return self._snapshots.select(Part(scope)).snapshot

    def text(self, version_id: str) -> str:
        """A document's canonical text. Cached while the library does not change."""
        key = (self._store.contents(), version_id)
        return self.memory.texts.get_or_create(key, lambda: documents.text(self._store, version_id))

    def _check_embedder(self, number: int) -> None:
        built_by = generations.generation(self._store, number).embedder
        asked_by = self.model.encoder.fingerprint
        if built_by != asked_by:
            raise StorageError(
                f"The library's vectors come from another embedder ({built_by}, not {asked_by}).",
                "Choose the embedder that built it, or rebuild the library with this one.",
            )
