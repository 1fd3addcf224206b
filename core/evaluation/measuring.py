"""Asks one question under several presets of one recipe. A stage that presets share is computed once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np

from core.evaluation.bench_plan import BenchOptions
from core.evaluation.failures.classes import FailureClassifier, is_answered
from core.evaluation.grading import grade
from core.evaluation.lost_gold import (
    EXCLUDED,
    GoldLeaf,
    best_ranks,
    fates,
    gold_leaves,
    lost,
    ranked_documents,
    top_leaves,
    touching_leaves,
)
from core.evaluation.metrics import RANK_METRICS, SPAN_METRICS
from core.evaluation.metrics.answers import answer_hit, exact_match, token_f1
from core.evaluation.metrics.chroma import chroma_scores, precision_omega
from core.evaluation.metrics.ranking import context_precision, ndcg
from core.evaluation.metrics.spans import before_gold, context_recall, recall, share_before_gold
from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import DocumentNames, Placed, Region, cut_to_budget, region
from core.evaluation.reporting.report import BenchDocument
from core.evaluation.sharing import SharedWork, reading_key
from core.evaluation.suites import Question, Suite
from core.evidence import Context, Trace
from core.library import Library, Scope
from core.search.checking.checking import Judge
from core.search.checking.library_check import packaged_judge
from core.search.context.written_prompt import written_prompt
from core.search.question.query import Query
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.finding import SearchScores, order_key, search_scores_key
from core.search.ranking.stage_scores import Ranking
from core.search.result import SearchResult
from core.settings import RerankingSettings, Settings
from core.storage.catalogue.filing.names import ALL_DOCUMENTS
from core.storage.index.leaves import LeafTable
from core.types import LanguageModel

BUDGETS = (1000, 2000, 4000, 8000)  # characters
TIMED_BUDGET = 4000  # characters of the context whose latency is reported
ENDED = "ended"  # in place of a budget: the context may end early (``assembly.stop_below``) within the largest budget
SAME_LENGTH = "same"  # in place of a budget: a full context, truncated to the length of the one that ended early
RANKED = 10  # cut-off k of the metrics over ranked chunks and documents
RANKED_DOCUMENTS = 50  # length of a run's document ranking
CHROMA_ITEMS = 5  # k of Chroma's published table
TOTAL = "total"  # key of the sum of all stages, for one context of TIMED_BUDGET characters
CHUNK_NAMES = {"ndcg": "chunk_ndcg"}  # "ndcg" alone is over documents
SPENT = "spent"  # key of the time for all contexts of one question, scoring included
RERANKING_STAGE = "reranked"


@dataclass(frozen=True, slots=True)
class Gold:
    """A question's gold in one snapshot of the library.

    ``spans``: as the suite gives them. ``whole``: their union. ``readable``: the part that lies in text the library
    has. ``leaves``: those that hold gold. ``excluded``: leaves with gold that a condition in the question itself
    ("type:pdf") keeps from being searched. ``omega``: Chroma's precision Ω, ``None`` without gold.
    """

    spans: tuple[Placed, ...]
    whole: Region
    readable: Region
    leaves: tuple[GoldLeaf, ...]
    excluded: tuple[GoldLeaf, ...]
    omega: float | None


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A ranking and the figures that depend on it alone, not on the context assembled from it.

    ``leaves``: the first ``RANKED`` kept. ``fates`` and ``ranks``: of the gold leaves (``core.evaluation.lost_gold``).
    ``best``: the highest score of any leaf, by stage.
    """

    ranking: Ranking
    documents: tuple[str, ...]
    leaves: tuple[int, ...]
    fates: tuple[str, ...]
    ranks: Mapping[str, int]
    best: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _GoldPlacement:
    """What all rankings over one leaf table share: the gold, and a cache of catalogue reads."""

    gold: Gold
    reads: CatalogueReads


@dataclass(slots=True)
class Measuring:
    """Asks a suite's questions of a library under its current recipe and scores the results.

    ``documents``: the suite's, by name; one of kind "" could not be read, and its gold is lost at "reading".
    ``judge``: verifies the claims of answers. ``writer``: writes the answers, ``None`` to score quotes. ``reranked``:
    by re-ranker, the passages it was given so far and the seconds it took.
    """

    library: Library
    suite: Suite
    documents: Mapping[str, BenchDocument]
    options: BenchOptions
    scope: Scope = ALL_DOCUMENTS
    judge: Judge = packaged_judge
    writer: LanguageModel | None = None
    names: DocumentNames = field(init=False)
    reranked: dict[str, tuple[int, float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.names = DocumentNames(self.suite)

    def ask(self, question: Question, presets: Mapping[str, Settings]) -> dict[str, QuestionOutcome]:
        """The outcome of the question under every preset. All presets must share the library's current recipe."""
        searcher, shared = self.library.searcher, SharedWork()
        ranked: dict[str, _Ranked] = {}
        placements: dict[str, _GoldPlacement] = {}
        reranking_ms: dict[Hashable, float] = {}  # by ``reading_key``
        for name, settings in presets.items():
            search = partial(searcher.find, Query(question.question, self.scope), settings)
            found: SearchScores = shared.result(name, ("found", search_scores_key(settings)), search)
            # Conditions in the question may restrict the leaves, so the gold is placed once for each leaf table.
            place = partial(self._placement, question, found.leaves)
            placements[name] = shared.result(name, ("placement", id(found.leaves)), place)
            key = "ranked", order_key(settings)
            is_new = key not in shared
            rank = partial(self._ranked, question, found, settings, placements[name].gold)
            ranked[name] = shared.result(name, key, rank)
            if not settings.reranking.off:
                spent_ms = ranked[name].ranking.timings_ms.get(RERANKING_STAGE, 0.0) if is_new else 0.0
                reading = reading_key(settings)
                if reading not in reranking_ms:
                    self._count_reranking(settings.reranking, spent_ms / 1000)
                shared.move(name, key, ("reading", reading), spent_ms / 1000)
                reranking_ms[reading] = max(reranking_ms.get(reading, 0.0), spent_ms)
        token_counts: dict[str, int] = {}
        outcomes = {}
        for name, settings in presets.items():
            start = perf_counter()
            placement = placements[name]
            scoring = _Scoring(self, question, placement.gold, settings, ranked[name], placement.reads, token_counts)
            # Presets share one re-ranking, but the latency of each includes all of it.
            scoring.score(reranking_ms.get(reading_key(settings), 0.0))
            outcomes[name] = scoring.outcome(1000 * (shared.seconds(name) + perf_counter() - start))
        return outcomes

    def _placement(self, question: Question, leaves: LeafTable) -> _GoldPlacement:
        return _GoldPlacement(self._gold(question, leaves), self.library.searcher.reads(leaves))

    def _count_reranking(self, settings: RerankingSettings, seconds: float) -> None:
        passages, total_seconds = self.reranked.get(settings.model, (0, 0.0))
        self.reranked[settings.model] = passages + settings.candidates, total_seconds + seconds

    def _ranked(self, question: Question, found: SearchScores, settings: Settings, gold: Gold) -> _Ranked:
        ranking = self.library.searcher.order(found, settings)
        scores = ranking.scores
        return _Ranked(
            ranking,
            self.names.ranked(ranked_documents(ranking, RANKED_DOCUMENTS), question),
            tuple(top_leaves(ranking, RANKED)),
            fates(ranking, gold.leaves),
            best_ranks(ranking, gold.leaves),
            {stage: float(np.nanmax(column)) for stage, column in scores.items() if not np.isnan(column).all()},
        )

    def _gold(self, question: Question, leaves: LeafTable) -> Gold:
        spans = tuple((span.document, span.start, span.end) for span in question.gold)
        readable = {name: self.documents[name] for name, _, _ in spans if self.documents[name].kind}
        numbers = self._document_numbers(readable, leaves)
        table = (leaves.documents, leaves.starts, leaves.ends)
        touching = {(name, leaf) for leaf, (name, _, _) in touching_leaves(spans, numbers, *table)}
        chunks = [(name, int(leaves.starts[leaf]), int(leaves.ends[leaf])) for name, leaf in sorted(touching)]
        readable_gold = region(
            (name, start, min(end, readable[name].characters)) for name, start, end in spans if name in readable
        )
        omega = precision_omega(chunks, spans) if spans else None
        searched = gold_leaves(spans, numbers, *table)
        excluded = self._excluded(spans, leaves, searched, readable)
        return Gold(spans, region(spans), readable_gold, searched, excluded, omega)

    def _excluded(
        self,
        spans: Sequence[Placed],
        leaves: LeafTable,
        searched: Sequence[GoldLeaf],
        readable: Mapping[str, BenchDocument],
    ) -> tuple[GoldLeaf, ...]:
        """The leaves of the scope that hold gold and are not among ``searched``, the gold leaves of ``leaves``."""
        scope_leaves = self.library.searcher.snapshot(self.scope).leaves
        if scope_leaves is leaves or not spans:
            return ()
        searched_rows = {int(leaves.rows[leaf.index]) for leaf in searched}
        numbers = self._document_numbers(readable, scope_leaves)
        holding = gold_leaves(spans, numbers, scope_leaves.documents, scope_leaves.starts, scope_leaves.ends)
        return tuple(leaf for leaf in holding if int(scope_leaves.rows[leaf.index]) not in searched_rows)

    @staticmethod
    def _document_numbers(readable: Mapping[str, BenchDocument], leaves: LeafTable) -> dict[str, int]:
        """The number that ``leaves`` gives each readable document, by name; documents without leaves are absent."""
        numbers = {version: number for number, version in enumerate(leaves.version_ids)}
        return {name: numbers[item.version_id] for name, item in readable.items() if item.version_id in numbers}


@dataclass
class _Scoring:
    """Scores one question under one preset. ``token_counts``: a cache by text, shared by the presets."""

    measuring: Measuring
    question: Question
    gold: Gold
    settings: Settings
    ranked: _Ranked
    reads: CatalogueReads
    token_counts: dict[str, int]

    def __post_init__(self) -> None:
        self.scores: dict[str, float | None] = {}
        self.contexts: dict[int, tuple[Placed, ...]] = {}
        self.lost: dict[int, dict[str, int]] = {}
        self.prompt_tokens: dict[int, int] = {}
        self.characters: dict[int, int] = {}
        self.ended: dict[str, int] = {}
        self.milliseconds: dict[str, float] = {}
        self.failure = self.answer = ""

    def score(self, reranking_ms: float) -> None:
        """Compute every metric. The context is assembled anew for each budget, not truncated from a longer one.

        ``reranking_ms``: milliseconds of the re-ranking, also where another preset triggered it.
        """
        searcher, ranking = self.measuring.library.searcher, self.ranked.ranking
        full = self.settings.with_value("assembly.stop_below", 0)  # figures at a budget are of full contexts
        # The timed context comes first and without ``self.reads``, whose cache would make it faster than a search is.
        timed, milliseconds = searcher.assemble(ranking, full, TIMED_BUDGET)
        # Questions were encoded in batches before: "encode" here is only a cache lookup.
        self.milliseconds = {stage: spent for stage, spent in milliseconds.items() if stage != "encode"}
        if RERANKING_STAGE in self.milliseconds:
            self.milliseconds[RERANKING_STAGE] = max(reranking_ms, self.milliseconds[RERANKING_STAGE])
        self.milliseconds[TOTAL] = sum(self.milliseconds.values())
        self.gold_at = share_before_gold(self._placed(timed, ranked=False), self.gold.whole)
        for budget in BUDGETS:
            context = timed
            if budget != TIMED_BUDGET:
                context, _ = searcher.assemble(ranking, full, budget, self.reads)
            placed = self._placed(context)
            retrieved = cut_to_budget(placed, budget)
            self._score_context(str(budget), context, placed, retrieved, budget)
            self.contexts[budget] = placed
            self.characters[budget] = context.tokens
            # By paragraphs, which presets and budgets share; exact, as no word piece spans the blank line between two.
            self.prompt_tokens[budget] = self._count_tokens(context.prompt.split("\n\n"))
            if self.gold.spans:
                gold, fates = self.gold, (*self.ranked.fates, *(EXCLUDED for _ in self.gold.excluded))
                self.lost[budget] = lost(gold.whole, gold.readable, retrieved, (*gold.leaves, *gold.excluded), fates)
        for tokens in self.measuring.options.token_budgets:
            settings = full.with_value("assembly.budget_tokens", tokens)
            context, _ = searcher.assemble(ranking, settings, None, self.reads)
            placed = self._placed(context)
            self._score_context(f"{tokens}t", context, placed, region(placed), None)
        self._score_early_end()
        self._score_ranks()
        if self.measuring.options.failures:
            self.failure = self._failure(timed)
        if self.measuring.options.answers:
            self._score_answer(timed)

    def _score_early_end(self) -> None:
        """Score the context that may end early within the largest budget, and a full one truncated to its length."""
        budget = BUDGETS[-1]
        context, _ = self.measuring.library.searcher.assemble(self.ranked.ranking, self.settings, budget, self.reads)
        placed = self._placed(context)
        retrieved = region(placed)
        self._score_context(ENDED, context, placed, retrieved, None)
        length = retrieved.size
        truncated = cut_to_budget(self.contexts[budget], length)
        self.scores[f"recall@{SAME_LENGTH}"] = recall(truncated, self.gold.whole, length) if self.gold.spans else None
        passages = sorted(context.passages, key=lambda passage: passage.rank)
        self.ended = {"characters": length, "tokens": self._count_tokens([passage.text for passage in passages])}
        if (before := before_gold(placed, self.gold.whole)) is not None:
            # ``before`` ends at the first gold: the later passages have no counterpart, and the last one is cut there.
            pairs = zip(passages, before, strict=False)
            texts = [passage.text[: end - start] for passage, (_, start, end) in pairs]
            self.ended["tokens_to_gold"] = self._count_tokens(texts)

    def outcome(self, spent: float) -> QuestionOutcome:
        """The outcome, after ``score``. ``spent``: milliseconds on this question, scoring included."""
        return QuestionOutcome(
            id=self.question.id,
            scores=self.scores,
            contexts=self.contexts,
            documents=self.ranked.documents,
            best=self.ranked.best,
            ranks=self.ranked.ranks,
            lost=self.lost,
            milliseconds={**self.milliseconds, SPENT: spent},
            prompt_tokens=self.prompt_tokens,
            characters=self.characters,
            ended=self.ended,
            failure=self.failure,
            answer=self.answer,
            gold_at=self.gold_at,
        )

    def _failure(self, context: Context) -> str:
        """The class of the miss at ``TIMED_BUDGET``; "" where the gold was read."""
        searcher, ranked, gold = self.measuring.library.searcher, self.ranked, self.gold
        if not gold.spans:
            return "D" if is_answered(searcher, self.question.question, self.settings, self.measuring.scope) else ""
        text, settings = self.question.question, self.settings
        classifier = FailureClassifier(searcher, text, settings, ranked.ranking, ranked.ranks, self.reads)
        return classifier.failure(gold.leaves, self.lost[TIMED_BUDGET], context)

    def _count_tokens(self, texts: Sequence[str]) -> int:
        new = list(dict.fromkeys(text for text in texts if text not in self.token_counts))
        self.token_counts.update(zip(new, self.measuring.library.model.counter.count(new), strict=True))
        return sum(self.token_counts[text] for text in texts)

    def _score_context(
        self, suffix: str, context: Context, placed: Sequence[Placed], retrieved: Region, budget: int | None
    ) -> None:
        """Set the metrics of one context under the names ``<metric>@<suffix>``.

        ``budget``: in characters; ``None`` for a context without one, which has no "attained".
        """
        gold = self.gold
        for name, metric in SPAN_METRICS.items():
            if budget is not None or name != "attained":
                self.scores[f"{name}@{suffix}"] = metric(retrieved, gold.whole, budget or 0) if gold.spans else None
        relevances = [bool(gold.whole.common(region([place]))) for place in placed]
        self.scores[f"context_precision@{suffix}"] = context_precision(relevances) if gold.spans else None
        self.scores[f"context_recall@{suffix}"] = context_recall(retrieved, gold.spans) if gold.spans else None
        answer, text = self.question.answer, "\n\n".join(passage.text for passage in context.passages)
        self.scores[f"answer_hit@{suffix}"] = answer_hit(answer, text) if answer else None

    def _score_ranks(self) -> None:
        gold, ranked = self.gold, self.ranked.leaves
        relevant = {leaf.index for leaf in gold.leaves}
        for name, metric in RANK_METRICS.items():
            key = f"{CHUNK_NAMES.get(name, name)}@{RANKED}"
            # Where no leaf holds gold, the metric would be undefined: it counts as 0.
            self.scores[key] = (metric(ranked, relevant, RANKED) if relevant else 0.0) if gold.spans else None
        leaves = self.ranked.ranking.leaves
        items = [
            self._place(leaves.version_ids[leaves.documents[leaf]], int(leaves.starts[leaf]), int(leaves.ends[leaf]))
            for leaf in ranked[:CHROMA_ITEMS]
        ]
        chroma = chroma_scores(items, gold.spans) if gold.spans else None
        for name in ("recall", "precision", "iou"):
            self.scores[f"chroma_{name}@{CHROMA_ITEMS}"] = getattr(chroma, name) if chroma else None
        self.scores["precision_omega"] = gold.omega
        documents = self.question.relevant_documents
        self.scores[f"ndcg@{RANKED}"] = ndcg(self.ranked.documents, documents, RANKED) if documents else None

    def _score_answer(self, context: Context) -> None:
        question, reference, understood = self.question.question, self.question.answer, self.ranked.ranking.understood
        if self.measuring.writer is not None:
            prediction = self.answer = self.measuring.writer.complete(
                written_prompt(question, context.passages)
            ).strip()
        else:
            result = SearchResult(question, (), context.passages, context, Trace(question, (), ()), {}, understood)
            quotes = self.measuring.library.searcher.answer(result, self.settings.answering).answer.quotes
            prediction, self.answer = quotes[0].text if quotes else "", "\n".join(quote.text for quote in quotes)
        self.scores["exact_match"] = exact_match(prediction, reference) if reference else None
        self.scores["token_f1"] = token_f1(prediction, reference) if reference else None
        grades = grade(question, self.answer, reference or "", context.passages, self.measuring.judge)
        self.scores.update(grades)

    def _placed(self, context: Context, *, ranked: bool = True) -> tuple[Placed, ...]:
        """The spans of the context's passages, by rank or (``ranked=False``) in the order in which they are read."""
        passages = sorted(context.passages, key=lambda passage: passage.rank) if ranked else context.passages
        return tuple(self._place(item.version_id, item.start, item.end) for item in passages)

    def _place(self, version_id: str, start: int, end: int) -> Placed:
        return self.measuring.names.place(version_id, start, end, self.question)
