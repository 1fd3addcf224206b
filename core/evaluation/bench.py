"""The bench: a suite's questions asked of one library under several presets, and scored on gold spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np

from core.errors import SuiteError
from core.evaluation.metrics import SPAN_METRICS, ndcg
from core.evaluation.regions import Placed, Region, region, take
from core.evaluation.report import BenchReport, PresetReport, best_scores, summarise
from core.evaluation.runs import Names, Run, Runs
from core.evaluation.staging import safe_name, source_names, stage_documents
from core.evaluation.statistics import percentile
from core.evaluation.suites import Question, Suite
from core.library import Incoming, Library, Scope
from core.retrieval import Ranking
from core.retrieval.fusion import best_first
from core.settings import Settings
from core.types import Encoder

BUDGETS = (1000, 2000, 4000, 8000)
TIMED_BUDGET = 4000
DOCUMENT_RANK = 10
RANKED_DOCUMENTS = 50  # as many as a run lists; metrics over documents need 10


class BenchWatch(Protocol):
    """Progress of a bench. Any method may raise ``CancelledError`` to stop it."""

    def building(self, preset: str, done: int, total: int) -> None:
        """``done`` of ``total`` documents are in the library under this preset's recipe."""

    def asking(self, preset: str, done: int, total: int) -> None:
        """``done`` of ``total`` questions are scored."""


def run_bench(
    suite: Suite,
    presets: Mapping[str, Settings],
    workspace: Path,
    encoder: Encoder | None = None,
    watch: BenchWatch | None = None,
    runs: Runs | None = None,
) -> BenchReport:
    """Score every preset on every question, at each budget of ``BUDGETS`` characters.

    One library per set of documents is kept in ``workspace``, so nothing is encoded twice, in this bench or the next.
    Presets that cut alike run back to back; the report keeps the order they were given in. ``encoder`` ``None``: the
    one the settings name. ``runs`` gets every run as it is made.

    Raises ``CancelledError`` when ``watch`` does, ``LibraryLockedError`` when another bench uses the same library,
    ``SuiteError`` when a document changed meanwhile. Documents that cannot be read are listed, not raised: their gold
    counts as missed.
    """
    place = workspace / f"{safe_name(suite.name)}-{suite.documents_fingerprint()[:16]}"
    staged = stage_documents(suite, place / "documents")
    reports: dict[str, PresetReport] = {}
    failures: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    with Library.open(place / "library", encoder=encoder) as library:
        for number, name in enumerate(_by_recipe(presets)):
            started = perf_counter()
            progress = _Building(watch, name, len(staged))
            done = [library.apply(presets[name], progress)]
            if not number:
                # The file's own name, not the suite's: a kind must be told from what was staged.
                items = [Incoming(item.path.name, item.path) for item in staged]
                done.append(library.ingest(items, progress))
                held = {source.version_id for source in library.sources() if source.parent is None}
                if not held <= {document.version_id for document in suite.documents}:
                    raise SuiteError(
                        f"A document of {suite.name} changed while it was measured.", f"Remove {place} and run again."
                    )
                notes = _gold_notes(suite, library, held)
            ingested = perf_counter()
            sources = source_names(staged)
            failures |= {sources.get(bad.source, bad.source): bad.reason for item in done for bad in item.failures}
            library.warm([question.question for question in suite.questions])
            warmed = perf_counter()
            asked = _Asking(library, suite, name, presets[name], watch, runs)
            asked.ask_all()
            seconds = {
                "ingest": ingested - started,
                "questions": warmed - ingested,
                "search_p50": percentile(asked.search_seconds, 0.50),
                "search_p95": percentile(asked.search_seconds, 0.95),
                "total": perf_counter() - started,
            }
            reports[name] = asked.report(seconds, sum(item.encoded for item in done))
    ordered = tuple(reports[name] for name in presets)
    ids = tuple(question.id for question in suite.questions)
    return BenchReport(suite.name, suite.fingerprint(), ids, ordered, tuple(failures.items()), notes)


class _Asking:
    """All questions of a suite under one preset, and what came of them."""

    def __init__(
        self,
        library: Library,
        suite: Suite,
        preset: str,
        settings: Settings,
        watch: BenchWatch | None,
        runs: Runs | None,
    ) -> None:
        self.library, self.suite, self.preset, self.settings = library, suite, preset, settings
        self.watch, self.runs = watch, runs
        self.names = Names(suite)
        # A mail's attachments are documents of the library, but none of the suite's: no question can ask for them.
        own = {document.version_id for document in suite.documents}
        strange = any(source.version_id not in own for source in library.sources())
        self.scope = Scope(versions=tuple(sorted(own))) if strange else None
        self.scores: dict[str, list[float | None]] = {
            f"{metric}@{budget}": [] for budget in BUDGETS for metric in SPAN_METRICS
        }
        self.document_scores: list[float | None] = []
        self.best: list[dict[str, float]] = []
        self.search_seconds: list[float] = []

    def ask_all(self) -> None:
        questions = self.suite.questions
        for number, question in enumerate(questions):
            if self.watch:
                self.watch.asking(self.preset, number, len(questions))
            self._ask(question)
        if self.watch:
            self.watch.asking(self.preset, len(questions), len(questions))

    def report(self, seconds: Mapping[str, float], encoded: int) -> PresetReport:
        scores = {name: tuple(values) for name, values in self.scores.items()}
        if any(question.relevant_documents for question in self.suite.questions):
            scores[f"ndcg@{DOCUMENT_RANK}"] = tuple(self.document_scores)
        metrics, intervals = summarise(scores)
        unanswerable = best_scores(self.best, [bool(question.gold) for question in self.suite.questions])
        settings = self.settings.to_dict()
        return PresetReport(self.preset, settings, metrics, intervals, seconds, unanswerable, encoded, scores)

    def _ask(self, question: Question) -> None:
        started = perf_counter()
        ranking = self.library.rank(question.question, self.settings, self.scope)
        ranked = perf_counter() - started
        documents = self.names.ranked(_ranked_versions(ranking), question)
        gold = region((span.document, span.start, span.end) for span in question.gold)
        for budget in BUDGETS:
            started = perf_counter()
            assembled = self.library.assemble(ranking, self.settings, budget_characters=budget)
            if budget == TIMED_BUDGET:
                self.search_seconds.append(ranked + perf_counter() - started)
            passages = sorted(assembled.passages, key=lambda passage: passage.rank)
            context = tuple(self.names.place(item.version_id, item.start, item.end, question) for item in passages)
            self._score(context, gold, budget)
            if self.runs:
                self.runs(Run(self.preset, question.id, budget, context, documents))
        relevant = question.relevant_documents
        self.document_scores.append(ndcg(documents, relevant, DOCUMENT_RANK) if relevant else None)
        self.best.append(_best_scores(ranking))

    def _score(self, context: Sequence[Placed], gold: Region, budget: int) -> None:
        taken = take(context, budget)
        for name, metric in SPAN_METRICS.items():
            self.scores[f"{name}@{budget}"].append(metric(taken, gold, budget) if gold.size else None)


class _Building:
    """A library's progress as a bench's: documents done of all."""

    def __init__(self, watch: BenchWatch | None, preset: str, total: int) -> None:
        self._watch, self._preset, self._total, self._done = watch, preset, total, 0

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        self._tell()

    def finished(self, index: int, outcome: object) -> None:
        self._done = min(self._done + 1, self._total)
        self._tell()

    def _tell(self) -> None:
        if self._watch:
            self._watch.building(self._preset, self._done, self._total)


def _by_recipe(presets: Mapping[str, Settings]) -> list[str]:
    """The presets' names, those that cut and encode alike together, in order of first appearance."""
    groups: dict[object, list[str]] = {}
    for name, settings in presets.items():
        groups.setdefault((settings.parsing, settings.chunking, settings.embedding), []).append(name)
    return [name for names in groups.values() for name in names]


def _ranked_versions(ranking: Ranking) -> tuple[str, ...]:
    """Document versions ranked by their best leaf, best first."""
    final = ranking.final.copy()
    final[list(ranking.dropped)] = np.nan
    documents = ranking.leaves.documents[ranking.pool[best_first(final)]]
    distinct, first = np.unique(documents, return_index=True)
    best = distinct[np.argsort(first)][:RANKED_DOCUMENTS]
    return tuple(ranking.leaves.version_ids[index] for index in best.tolist())


def _best_scores(ranking: Ranking) -> dict[str, float]:
    """The highest score of any leaf, by stage; stages that ranked nothing are left out."""
    return {stage: float(np.nanmax(scores)) for stage, scores in ranking.scores.items() if not np.isnan(scores).all()}


def _gold_notes(suite: Suite, library: Library, held: set[str]) -> tuple[str, ...]:
    """A sentence for each gold span that leaves its document's text: it can never be found whole."""
    versions = {document.name: document.version_id for document in suite.documents}
    judged = sorted({span.document for question in suite.questions for span in question.gold})
    lengths = {name: len(library.document(versions[name]).text) for name in judged if versions[name] in held}
    return tuple(
        f"Question {question.id}: gold [{span.start}, {span.end}) leaves {span.document}, "
        f"which has {lengths[span.document]} characters."
        for question in suite.questions
        for span in question.gold
        if span.end > lengths.get(span.document, span.end)
    )
