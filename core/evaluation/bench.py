"""The bench asks a suite's questions under several presets and scores the results against gold spans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Protocol

from core.chunking.plan import Writer
from core.embedding import CachedEncoder
from core.errors import ModelError, SettingsError, SuiteError
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.grading import no_judge
from core.evaluation.history import Recording
from core.evaluation.measuring import BUDGETS, Measuring
from core.evaluation.planning import EarlierBenches, question_vectors_key, recipe_groups, recipe_of
from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import Run, Runs
from core.evaluation.reporting.report import AskedQuestion, BenchDocument, BenchReport
from core.evaluation.suites import Question, Staged, stage_documents, suite_folder
from core.evaluation.summing import preset_report
from core.library import Failure, Incoming, Ingested, Library, Scope, Stats
from core.search.checking.checking import Judge
from core.search.checking.library_check import packaged_judge
from core.storage.catalogue.filing.names import ALL_DOCUMENTS
from core.types import Encoder, LanguageModel, VectorCache

QUESTION_BATCH = 256  # questions encoded together; a larger batch would be evicted from the query cache before use
Counted = Callable[[int, int], None]  # receives (done, total)
FAILURES_NOTE = ""  # key of the note that lists unreadable documents; the other notes are keyed by preset


@dataclass(frozen=True, slots=True)
class Step:
    """The presets that share a recipe, built and asked together: step ``number`` (from 1) of ``of``."""

    number: int
    of: int
    presets: tuple[str, ...]

    @property
    def label(self) -> str:
        """The step in a few words: its first preset and how many more there are.

        >>> Step(1, 2, ("default", "flat", "rrf")).label
        'default and 2 more'
        """
        return self.presets[0] + (f" and {len(self.presets) - 1} more" if len(self.presets) > 1 else "")


class BenchWatch(Protocol):
    """Receives a bench's progress. Any method may raise ``CancelledError`` to stop it; recorded outcomes are kept."""

    def building(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` documents are chunked and indexed by this step's recipe."""

    def encoding(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` uncached texts of the documents now being indexed are encoded."""

    def asking(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` questions are scored under every preset of this step."""


@dataclass(frozen=True, slots=True)
class BenchModels:
    """The models that a bench uses, each optional.

    ``encoder``: ``None`` for the one the settings name. ``vectors``: a cache of ``encoder``'s vectors from elsewhere,
    read before anything is encoded. ``writer``: the language model named in the plan's ``written_by``, which writes
    the answers; ``None`` to score quoted sentences. ``cutter``: the language model that proposes chunk boundaries and
    describes chunks, for presets that use one. ``judge``: verifies the claims of answers; ``None`` for the packaged
    cross-encoder, or for matching by words alone where ``encoder`` is given.
    """

    encoder: Encoder | None = None
    vectors: VectorCache | None = None
    writer: LanguageModel | None = None
    cutter: Writer | None = None
    judge: Judge | None = None

    @property
    def cached_encoder(self) -> CachedEncoder | None:
        """``encoder`` reading through ``vectors``; ``None`` unless both are given."""
        return CachedEncoder(self.encoder, self.vectors) if self.encoder and self.vectors else None


def run_bench(
    plan: BenchPlan,
    workspace: Path,
    models: BenchModels = BenchModels(),
    watch: BenchWatch | None = None,
    runs: Runs | None = None,
) -> BenchReport:
    """Score every preset on every question, at each budget of ``BUDGETS`` characters, and return the report.

    ``workspace`` keeps one library for each set of documents, so that no text is encoded twice, in this bench or a
    later one. Presets with the same recipe are asked together and share their searches. Each outcome is stored as soon
    as it is computed: the same call after a kill or a cancellation resumes there (``core.evaluation.history``).

    ``runs`` receives the runs of each preset after all questions are scored.

    Raises ``SettingsError`` for presets with different readers, since gold offsets hold in one text only;
    ``ModelError`` where the plan names a writer and ``models`` has none; ``CancelledError`` when ``watch`` does;
    ``LibraryLockedError`` when another bench uses the same library; ``SuiteError`` when a document changed during the
    bench. Unreadable documents are listed in the report, and their gold counts as missed.
    """
    suite, presets = plan.suite, plan.presets
    readers = {settings.parsing.reader for settings in presets.values()}
    if len(readers) > 1:
        raise SettingsError(
            f"These presets read files in different ways ({', '.join(sorted(readers))}).",
            "Gold is a place in one text: measure each reader by itself, and readers themselves with the command read.",
        )
    if plan.options.written_by and models.writer is None:
        raise ModelError(
            f"{plan.options.written_by} wrote its answers, and is not set up.", "Run it by the command line."
        )
    bench = _Bench(plan, workspace / suite_folder(suite), models, models.cached_encoder, watch)
    with (
        Library.open(bench.folder / "library", encoder=bench.cached_encoder or models.encoder) as library,
        Recording.begin(workspace, plan.run_plan).writing() as recording,
    ):
        library.write_with(None, models.cutter)
        groups = recipe_groups(presets)
        for number, names in enumerate(groups, start=1):
            bench.step(library, recording, Step(number, len(groups), names))
        bench.read_documents(library)
        reports = {}
        for name in presets:
            outcomes = bench.outcomes(recording, name)
            if runs:
                for outcome, budget in product(outcomes, BUDGETS):
                    runs(Run(name, outcome.id, budget, outcome.contexts[budget], outcome.documents))
            reports[name] = preset_report(name, presets[name], suite, outcomes, recording.noted(name))
        report = BenchReport(
            suite=suite.name,
            fingerprint=suite.fingerprint(),
            questions=bench.questions(),
            presets=tuple(reports.values()),
            budgets=BUDGETS,
            documents=tuple(bench.documents.values()),
            failures=tuple(recording.noted(FAILURES_NOTE).items()),
            notes=bench.notes(),
            skipped=plan.skipped,
            made_at=recording.head.made_at,
            revision=plan.revision,
            library=f"{bench.folder.name}/library",
            run=recording.head.folder,
        )
        recording.finish(report)
    return report


@dataclass
class _Bench:
    """The state that the steps of one ``run_bench`` share. ``folder``: holds the library of the suite's documents."""

    plan: BenchPlan
    folder: Path
    models: BenchModels
    cached_encoder: CachedEncoder | None
    watch: BenchWatch | None

    def __post_init__(self) -> None:
        self.suite, self.presets = self.plan.suite, self.plan.presets
        self.documents: dict[str, BenchDocument] = {}
        self._staged: tuple[Staged, ...] = ()

    def step(self, library: Library, recording: Recording, step: Step) -> None:
        """Index the documents by the step's recipe, ask the questions that are still open, and record the outcomes.

        Nothing is indexed where no question is open.
        """
        asked = {item.id for item in self.suite.questions}
        open_ids = {name: asked - {item.id for item in recording.journals[name].read()} for name in step.presets}
        if not any(open_ids.values()):
            return
        unreadable = self._build(library, recording, step)
        self.read_documents(library)
        recording.note(FAILURES_NOTE, {**recording.noted(FAILURES_NOTE), **unreadable})
        # A document that failed under this recipe is still indexed by an earlier one, which is not to be scored here.
        documents = {
            name: replace(item, kind="", characters=0) if name in unreadable else item
            for name, item in self.documents.items()
        }
        readable = [item.version_id for item in documents.values() if item.kind]
        if unreadable and not readable:
            name, reason = next(iter(unreadable.items()))
            raise SuiteError(
                f"No document of {self.suite.name} could be cut as {step.presets[0]} asks; the first, {name}: {reason}",
                f"If the settings are right, remove {self.folder} and run again.",
            )
        scope = self._scope(library, readable)
        # A caller with an encoder of its own does not get our cross-encoder by default.
        judge, writer = self.models.judge or (no_judge if self.models.encoder else packaged_judge), self.models.writer
        measuring = Measuring(library, self.suite, documents, self.plan.options, scope, judge, writer)
        questions = [item for item in self.suite.questions if any(item.id in ids for ids in open_ids.values())]
        total, start, encoding_seconds, batch_ids = len(self.suite.questions), perf_counter(), 0.0, set[str]()
        for number, question in enumerate(questions):
            if question.id not in batch_ids:
                batch_start = perf_counter()
                batch_ids = self._encode_batch(library, question)
                encoding_seconds += perf_counter() - batch_start
            if self.watch:
                self.watch.asking(step, total - len(questions) + number, total)
            presets = {name: self.presets[name] for name in step.presets if question.id in open_ids[name]}
            for name, outcome in measuring.ask(question, presets).items():
                recording.journals[name].add(outcome)
        for name in step.presets:
            _add_costs(recording, name, {"questions": encoding_seconds})
        has_extras = self.plan.options.answers or self.plan.options.token_budgets  # with them a question takes longer
        seconds = None if has_extras else perf_counter() - start - encoding_seconds
        key = question_vectors_key(self.suite, self.presets[step.presets[0]])
        outcomes = sum(map(len, open_ids.values()))
        EarlierBenches.of(self.folder).after_asking(key, measuring.reranked, outcomes, seconds).keep(self.folder)
        if self.watch:
            self.watch.asking(step, total, total)

    def _encode_batch(self, library: Library, question: Question) -> set[str]:
        """Encode the batch that ``question`` belongs to; returns the ids in it.

        Batches are counted from the suite's first question, so that a resumed bench encodes the same ones.
        """
        questions = self.suite.questions
        first = questions.index(question) // QUESTION_BATCH * QUESTION_BATCH
        batch = questions[first : first + QUESTION_BATCH]
        library.searcher.warm([item.question for item in batch], library.vectors)
        return {item.id for item in batch}

    def read_documents(self, library: Library) -> None:
        """Set ``documents`` from the library: kind "" and no characters for those it could not read.

        Raises ``SuiteError`` where the library holds a version that the suite no longer has.
        """
        sources = {source.version_id: source for source in library.sources() if source.parent is None}
        self.documents = {}
        for document in self.suite.documents:
            source = sources.get(document.version_id)
            kind, characters = (source.document_kind, source.characters) if source else ("", 0)
            self.documents[document.name] = BenchDocument(document.name, document.version_id, kind, characters)
        if not sources.keys() <= {document.version_id for document in self.suite.documents}:
            raise SuiteError(
                f"A document of {self.suite.name} changed while it was measured.",
                f"Remove {self.folder} and run again.",
            )

    def outcomes(self, recording: Recording, name: str) -> list[QuestionOutcome]:
        """The recorded outcomes of a preset, in the order of the suite's questions."""
        by_id = {outcome.id: outcome for outcome in recording.journals[name].read()}
        return [by_id[question.id] for question in self.suite.questions]

    def questions(self) -> tuple[AskedQuestion, ...]:
        """The suite's questions for the report, each with the formats of the documents that hold its gold."""
        questions = []
        for item in self.suite.questions:
            formats = {self.documents[span.document].kind for span in item.gold} - {""}
            questions.append(
                AskedQuestion(item.id, item.question, item.gold, tuple(sorted(formats)), item.kind, item.answer or "")
            )
        return tuple(questions)

    def notes(self) -> tuple[str, ...]:
        """One sentence for each question whose gold cannot be retrieved completely, with the reason."""
        notes = [
            f"Question {question.id}: gold [{span.start}, {span.end}) leaves {span.document}, "
            f"which has {self.documents[span.document].characters} characters."
            for question in self.suite.questions
            for span in question.gold
            if self.documents[span.document].kind and span.end > self.documents[span.document].characters
        ]
        for question in self.suite.questions:
            names = {span.document for span in question.gold}
            if len({self.documents[name].version_id for name in names}) < len(names):
                notes.append(
                    f"Question {question.id} has gold in documents of the same bytes: only one of them can be read."
                )
        return tuple(notes)

    def _build(self, library: Library, recording: Recording, step: Step) -> dict[str, str]:
        """Read and index the suite's documents by the step's recipe; returns {document name: reason} of failures."""
        first = step.presets[0]
        names: dict[str, list[str]] = {}
        for document in self.suite.documents:
            names.setdefault(document.version_id, []).append(document.name)
        failures: dict[str, str] = {}
        start, vectors_before, hits_before = perf_counter(), library.stats().vectors, self._cache_hits()
        try:
            failures |= self._rechunk(library, step, names)
            if not self._staged:
                staged = stage_documents(self.suite, self.folder / "documents")
                progress = self._progress(step, len(staged))
                # The staged file's name decides its kind, not the name that the suite gives it.
                library.ingest([Incoming(item.path.name, item.path) for item in staged], progress)
                failures |= {staged[index].name: reason for index, reason in progress.failures.items()}
                self._staged = staged
                if self.presets[first].chunking.chunker == "learned":  # it is trained on the documents just read
                    failures |= self._rechunk(library, step, names)
        finally:  # what a stopped bench has encoded stays in the library, and counts as its cost
            seconds = perf_counter() - start
            stats = library.stats()
            encoded = max(0, stats.vectors - vectors_before - (self._cache_hits() - hits_before))
            _add_costs(recording, first, {"ingest": seconds, "encoded": encoded})
        costs = _index_costs(stats)
        for name in step.presets:
            recording.note(name, {**recording.noted(name), **costs})
        characters = sum(source.characters for source in library.sources())
        speed = library.cutting.texts_a_second()
        earlier = EarlierBenches.of(self.folder)
        earlier.after_build(recipe_of(self.presets[first]), characters, seconds, encoded, speed).keep(self.folder)
        return failures

    def _rechunk(self, library: Library, step: Step, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Apply the step's recipe to the documents already in the library; returns {document name: reason}."""
        versions = list(dict.fromkeys(source.version_id for source in library.sources()))
        progress = self._progress(step, len(versions))
        library.apply(self.presets[step.presets[0]], progress)
        return {name: why for index, why in progress.failures.items() for name in names.get(versions[index], ())}

    def _progress(self, step: Step, total: int) -> IngestProgress:
        if self.watch is None:
            return IngestProgress(total)
        return IngestProgress(total, partial(self.watch.building, step), partial(self.watch.encoding, step))

    def _cache_hits(self) -> int:
        return self.cached_encoder.borrowed if self.cached_encoder else 0

    def _scope(self, library: Library, readable: Sequence[str]) -> Scope:
        """All documents, or the suite's alone where the library also holds others: attachments of its mails."""
        own = set(readable)
        has_others = any(source.version_id not in own for source in library.sources())
        return Scope(versions=tuple(sorted(own))) if has_others and own else ALL_DOCUMENTS


class IngestProgress:
    """A ``Watch`` that passes an ingest's progress on as ``documents(done, total)`` and ``texts(done, total)``.

    ``total``: of documents. ``failures``: index of the item -> reason.
    """

    def __init__(self, total: int, documents: Counted | None = None, texts: Counted | None = None) -> None:
        self._total, self._documents, self._texts, self._done = total, documents, texts, 0
        self.failures: dict[int, str] = {}

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        if self._texts and stage == "encoding" and total:
            self._texts(done, total)
        else:
            self._report()

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        if isinstance(outcome, Failure):
            self.failures[index] = outcome.reason
        self._done = min(self._done + 1, self._total)
        self._report()

    def _report(self) -> None:
        if self._documents:
            self._documents(self._done, self._total)


def _add_costs(recording: Recording, preset: str, costs: Mapping[str, float]) -> None:
    """Add ``costs`` to the preset's noted totals, which may come from several processes that resumed the run."""
    noted = recording.noted(preset)
    recording.note(preset, {**noted, **{name: noted.get(name, 0) + value for name, value in costs.items()}})


def _index_costs(stats: Stats) -> dict[str, float]:
    """Leaves, distinct texts and index bytes of the recipe that the library serves now."""
    # The library also keeps vectors of earlier recipes: only the share of this one's texts counts.
    vector_bytes = stats.vectors_bytes * stats.texts / max(1, stats.vectors)
    return {"chunks": stats.chunks, "texts": stats.texts, "index_bytes": vector_bytes + stats.lexical_bytes}
