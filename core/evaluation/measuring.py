"""One question asked under many presets of one recipe, each stage computed once for all that share it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np

from core.evaluation.bench_plan import BenchOptions
from core.evaluation.failures.classes import Asked, is_answered
from core.evaluation.grading import graded
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
from core.evaluation.regions import Names, Placed, Region, region, take
from core.evaluation.reporting.report import BenchDocument
from core.evaluation.sharing import Once, reading_key
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
from core.storage.catalogue.names import ALL_DOCUMENTS
from core.storage.index.leaves import LeafTable
from core.types import LanguageModel

BUDGETS = (1000, 2000, 4000, 8000)
TIMED_BUDGET = 4000
ENDED = "ended"  # in the place of a budget: the largest, with the context ending by itself
SAME_LENGTH = "same"  # the largest filled, and cut to the length of the one that ended
RANKED = 10  # metrics over ranked chunks and documents look at so many
RANKED_DOCUMENTS = 50  # as many as a run lists
CHROMA_ITEMS = 5  # as the report's published table has them
TOTAL = "total"  # of the stages, for one context of TIMED_BUDGET characters
CHUNK_NAMES = {"ndcg": "chunk_ndcg"}  # "ndcg" alone is over documents
SPENT = "spent"  # on all contexts of one question, measuring included
REREAD = "reranked"  # the stage in which a re-ranker reads


@dataclass(frozen=True, slots=True)
class Gold:
    """A question's gold over one snapshot: as given, as a region, the part that lies in readable text, its leaves.

    ``excluded``: leaves with gold that a condition of the question itself keeps from being searched.
    """

    spans: tuple[Placed, ...]
    whole: Region
    readable: Region
    leaves: tuple[GoldLeaf, ...]
    excluded: tuple[GoldLeaf, ...]
    omega: float | None


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A ranking, and all that is said of it whatever is read of it."""

    ranking: Ranking
    documents: tuple[str, ...]
    leaves: tuple[int, ...]
    fates: tuple[str, ...]
    ranks: Mapping[str, int]
    best: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Placing:
    """What is the same for all rankings over one leaf table. ``reads``: each fact once."""

    gold: Gold
    reads: CatalogueReads


@dataclass(slots=True)
class Measuring:
    """Asks a suite's questions of a library as it is cut now. ``documents``: of the suite, by name.

    A document of kind "" could not be read: gold in it is lost at "reading". ``judge``: of claims; ``writer``: of
    answers, ``None`` for quotes. ``reread``: by re-ranker, passages that it was to read so far and the seconds it took.
    """

    library: Library
    suite: Suite
    documents: Mapping[str, BenchDocument]
    options: BenchOptions
    scope: Scope = ALL_DOCUMENTS
    judge: Judge = packaged_judge
    writer: LanguageModel | None = None
    names: Names = field(init=False)
    reread: dict[str, tuple[int, float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.names = Names(self.suite)

    def ask(self, question: Question, presets: Mapping[str, Settings]) -> dict[str, QuestionOutcome]:
        """The question under every preset. All must share the recipe the library has."""
        searcher, once = self.library.searcher, Once()
        ranked: dict[str, _Ranked] = {}
        placed: dict[str, _Placing] = {}
        waited: dict[Hashable, float] = {}  # milliseconds of a re-ranker, by what it read
        for name, settings in presets.items():
            find = partial(searcher.find, Query(question.question, self.scope), settings)
            found: SearchScores = once.of(name, ("found", search_scores_key(settings)), find)
            # What a question states itself narrows the leaves: the gold is placed once for each table of them.
            placed[name] = once.of(name, ("placing", id(found.leaves)), partial(self._placing, question, found.leaves))
            key = "ranked", order_key(settings)
            new = key not in once
            rank = partial(self._ranked, question, found, settings, placed[name].gold)
            ranked[name] = once.of(name, key, rank)
            if not settings.reranking.off:
                spent = ranked[name].ranking.timings_ms.get(REREAD, 0.0) if new else 0.0
                read = "read", reading_key(settings)
                if read not in waited:
                    self._note_reading(settings.reranking, spent / 1000)
                once.part(name, key, read, spent / 1000)
                waited[read] = max(waited.get(read, 0.0), spent)
        sizes: dict[str, int] = {}
        measured = {}
        for name, settings in presets.items():
            started = perf_counter()
            one = _One(self, question, placed[name].gold, settings, ranked[name], placed[name].reads, sizes)
            # Read once for all that read the same: alone, each would have waited for it.
            one.score(waited.get(("read", reading_key(settings)), 0.0))
            measured[name] = one.measured(1000 * (once.seconds(name) + perf_counter() - started))
        return measured

    def _placing(self, question: Question, leaves: LeafTable) -> _Placing:
        return _Placing(self._gold(question, leaves), self.library.searcher.reads(leaves))

    def _note_reading(self, settings: RerankingSettings, seconds: float) -> None:
        passages, before = self.reread.get(settings.model, (0, 0.0))
        self.reread[settings.model] = passages + settings.candidates, before + seconds

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
        places = {version: place for place, version in enumerate(leaves.version_ids)}
        known = {name: self.documents[name] for name, _, _ in spans if self.documents[name].kind}
        within = {
            name: places[document.version_id] for name, document in known.items() if document.version_id in places
        }
        table = (leaves.documents, leaves.starts, leaves.ends)
        around = {(name, leaf) for leaf, (name, _, _) in touching_leaves(spans, within, *table)}
        chunks = [(name, int(leaves.starts[leaf]), int(leaves.ends[leaf])) for name, leaf in sorted(around)]
        readable = region((name, a, min(b, known[name].characters)) for name, a, b in spans if name in known)
        omega = precision_omega(chunks, spans) if spans else None
        held = gold_leaves(spans, within, *table)
        return Gold(spans, region(spans), readable, held, self._excluded(spans, leaves, held), omega)

    def _excluded(
        self, spans: Sequence[Placed], leaves: LeafTable, searched: Sequence[GoldLeaf]
    ) -> tuple[GoldLeaf, ...]:
        """Leaves with gold among all of the scope, less those that were ``searched``."""
        whole = self.library.searcher.snapshot(self.scope).leaves
        if whole is leaves or not spans:
            return ()
        rows = {int(leaves.rows[leaf.index]) for leaf in searched}
        places = {version: place for place, version in enumerate(whole.version_ids)}
        versions = {name: self.documents[name].version_id for name, _, _ in spans if self.documents[name].kind}
        within = {name: places[version] for name, version in versions.items() if version in places}
        found = gold_leaves(spans, within, whole.documents, whole.starts, whole.ends)
        return tuple(leaf for leaf in found if int(whole.rows[leaf.index]) not in rows)


@dataclass
class _One:
    """One question under one preset, scored part by part. ``sizes``: tokens of parts of prompts that were counted."""

    by: Measuring
    question: Question
    gold: Gold
    settings: Settings
    ranked: _Ranked
    reads: CatalogueReads
    sizes: dict[str, int]

    def __post_init__(self) -> None:
        self.scores: dict[str, float | None] = {}
        self.contexts: dict[int, tuple[Placed, ...]] = {}
        self.lost: dict[int, dict[str, int]] = {}
        self.prompt_tokens: dict[int, int] = {}
        self.characters: dict[int, int] = {}
        self.ended: dict[str, int] = {}
        self.milliseconds: dict[str, float] = {}
        self.failure = self.answer = ""

    def score(self, reading: float) -> None:
        """Everything, the context assembled anew for each budget, as a reader with so much room would get it.

        ``reading``: milliseconds for which a re-ranker read, for whichever preset it did.
        """
        searcher, ranking = self.by.library.searcher, self.ranked.ranking
        filling = self.settings.with_value("assembly.stop_below", 0)  # a figure at a budget is of a full context
        # The timed one comes first; the others find what presets and budgets share.
        timed, milliseconds = searcher.assemble(ranking, filling, TIMED_BUDGET)
        # Questions are encoded together beforehand: a lookup's time is no latency of that stage.
        self.milliseconds = {stage: spent for stage, spent in milliseconds.items() if stage != "encode"}
        if REREAD in self.milliseconds:
            self.milliseconds[REREAD] = max(reading, self.milliseconds[REREAD])
        self.milliseconds[TOTAL] = sum(self.milliseconds.values())
        self.gold_at = share_before_gold(self._placed(timed, ranked=False), self.gold.whole)
        for budget in BUDGETS:
            context = timed
            if budget != TIMED_BUDGET:
                context, _ = searcher.assemble(ranking, filling, budget, self.reads)
            placed = self._placed(context)
            taken = take(placed, budget)
            self._score_context(str(budget), context, placed, taken, budget)
            self.contexts[budget] = placed
            self.characters[budget] = context.tokens
            self.prompt_tokens[budget] = self._tokens(context)
            if self.gold.spans:
                gold, came = self.gold, (*self.ranked.fates, *(EXCLUDED for _ in self.gold.excluded))
                self.lost[budget] = lost(gold.whole, gold.readable, taken, (*gold.leaves, *gold.excluded), came)
        for tokens in self.by.options.token_budgets:
            roomy = filling.with_value("assembly.budget_tokens", tokens)
            context, _ = searcher.assemble(ranking, roomy, None, self.reads)
            placed = self._placed(context)
            self._score_context(f"{tokens}t", context, placed, region(placed), None)
        self._score_ended()
        self._score_ranks()
        if self.by.options.failures:
            self.failure = self._failure(timed)
        if self.by.options.answers:
            self._score_answer(timed)

    def _score_ended(self) -> None:
        """The context that ends by itself in the largest room, and one that fills it, cut at the same length."""
        room = BUDGETS[-1]
        context, _ = self.by.library.searcher.assemble(self.ranked.ranking, self.settings, room, self.reads)
        placed = self._placed(context)
        read = region(placed)
        self._score_context(ENDED, context, placed, read, None)
        cut = take(self.contexts[room], read.size)
        self.scores[f"recall@{SAME_LENGTH}"] = recall(cut, self.gold.whole, read.size) if self.gold.spans else None
        passages = sorted(context.passages, key=lambda passage: passage.rank)
        self.ended = {"characters": read.size, "tokens": self._counted([passage.text for passage in passages])}
        if (before := before_gold(placed, self.gold.whole)) is not None:
            whole = zip(passages, before, strict=False)
            texts = [passage.text[: end - start] for passage, (_, start, end) in whole]
            self.ended["tokens_to_gold"] = self._counted(texts)

    def measured(self, spent: float) -> QuestionOutcome:
        """What was found. ``spent``: milliseconds on this question, measuring included."""
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
        """The class of what kept the gold from being read at ``TIMED_BUDGET``, "" where it was."""
        searcher, ranked, gold = self.by.library.searcher, self.ranked, self.gold
        if not gold.spans:
            return "D" if is_answered(searcher, self.question.question, self.settings, self.by.scope) else ""
        asked = Asked(searcher, self.question.question, self.settings, ranked.ranking, ranked.ranks, self.reads)
        return asked.failure(gold.leaves, self.lost[TIMED_BUDGET], context)

    def _tokens(self, context: Context) -> int:
        """Of the prompt: of its parts, each counted once for all presets and budgets that hold it.

        Parts of a prompt are parted by blank lines, where no word piece goes on.
        """
        return self._counted(context.prompt.split("\n\n"))

    def _counted(self, parts: Sequence[str]) -> int:
        unknown = list(dict.fromkeys(part for part in parts if part not in self.sizes))
        self.sizes.update(zip(unknown, self.by.library.model.counter.count(unknown), strict=True))
        return sum(self.sizes[part] for part in parts)

    def _score_context(
        self, room: str, context: Context, placed: Sequence[Placed], taken: Region, budget: int | None
    ) -> None:
        """``budget``: in characters; ``None`` where the room is in tokens, and a share of it says nothing."""
        gold = self.gold
        for name, metric in SPAN_METRICS.items():
            if budget is not None or name != "attained":
                self.scores[f"{name}@{room}"] = metric(taken, gold.whole, budget or 0) if gold.spans else None
        held = [bool(gold.whole.common(region([place]))) for place in placed]
        self.scores[f"context_precision@{room}"] = context_precision(held) if gold.spans else None
        self.scores[f"context_recall@{room}"] = context_recall(taken, gold.spans) if gold.spans else None
        answer, text = self.question.answer, "\n\n".join(passage.text for passage in context.passages)
        self.scores[f"answer_hit@{room}"] = answer_hit(answer, text) if answer else None

    def _score_ranks(self) -> None:
        gold, ranked = self.gold, self.ranked.leaves
        relevant = {leaf.index for leaf in gold.leaves}
        for name, metric in RANK_METRICS.items():
            key = f"{CHUNK_NAMES.get(name, name)}@{RANKED}"
            # Gold that no leaf holds was found by nobody: recall of nothing would be undefined.
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
        asked, known, understood = self.question.question, self.question.answer, self.ranked.ranking.understood
        if self.by.writer is not None:
            best = self.answer = self.by.writer.complete(written_prompt(asked, context.passages)).strip()
        else:
            result = SearchResult(asked, (), context.passages, context, Trace(asked, (), ()), {}, understood)
            quotes = self.by.library.searcher.answer(result, self.settings.answering).answer.quotes
            best, self.answer = quotes[0].text if quotes else "", "\n".join(quote.text for quote in quotes)
        self.scores["exact_match"] = exact_match(best, known) if known else None
        self.scores["token_f1"] = token_f1(best, known) if known else None
        self.scores.update(graded(asked, self.answer, known or "", context.passages, self.by.judge))

    def _placed(self, context: Context, *, ranked: bool = True) -> tuple[Placed, ...]:
        passages = sorted(context.passages, key=lambda passage: passage.rank) if ranked else context.passages
        return tuple(self._place(item.version_id, item.start, item.end) for item in passages)

    def _place(self, version_id: str, start: int, end: int) -> Placed:
        return self.by.names.place(version_id, start, end, self.question)
