"""The bench: a suite's questions asked of one library under several presets, and scored on gold spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from core.evaluation.planning import EarlierBenches, asked_with, recipe_groups, recipe_of
from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import Run, Runs
from core.evaluation.reporting.report import AskedQuestion, BenchDocument, BenchReport
from core.evaluation.suites import Question, Staged, stage_documents, suite_folder
from core.evaluation.summing import summed
from core.library import Failure, Incoming, Ingested, Library, Scope, Stats
from core.search.checking.checking import Judge
from core.search.checking.library_check import packaged_judge
from core.storage.catalogue.names import ALL_DOCUMENTS
from core.types import Encoder, LanguageModel, VectorCache

WORTH_A_MEASURE = 200  # texts, or passages that a re-ranker reads
WARMED = 256  # questions encoded together: more would push each other out of memory before they are asked
FAILURES = ""  # the note that is no preset's


@dataclass(frozen=True, slots=True)
class Step:
    """The presets of one recipe, built and asked together: the ``number``-th, from 1, of ``of`` such steps."""

    number: int
    of: int
    presets: tuple[str, ...]

    @property
    def label(self) -> str:
        """In few words.

        >>> Step(1, 2, ("default", "flat", "rrf")).label
        'default and 2 more'
        """
        return self.presets[0] + (f" and {len(self.presets) - 1} more" if len(self.presets) > 1 else "")


class BenchWatch(Protocol):
    """Progress of a bench. Any method may raise ``CancelledError`` to stop it; what was measured is kept."""

    def building(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` documents are in the library under this step's recipe."""

    def encoding(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` texts that were missing, of the documents at hand, are encoded."""

    def asking(self, step: Step, done: int, total: int) -> None:
        """``done`` of ``total`` questions are scored under every preset of this step."""


@dataclass(frozen=True, slots=True)
class BenchModels:
    """The models of a bench. ``encoder`` ``None``: the one the settings name. ``vectors``: kept elsewhere by
    ``encoder``, and looked at before anything is encoded.

    ``writer``: writes the answers that the plan's options ask for and name it in, ``None`` where they are quotes.
    ``cutter``: proposes cuts and writes of chunks, where presets ask for it; ``None``: nobody does. ``judge``: of what
    answers claim, in the place of our cross-encoder, where the options name it.
    """

    encoder: Encoder | None = None
    vectors: VectorCache | None = None
    writer: LanguageModel | None = None
    cutter: Writer | None = None
    judge: Judge | None = None

    @property
    def lender(self) -> CachedEncoder | None:
        """The encoder with the vectors that are lent; ``None`` where none are."""
        return CachedEncoder(self.encoder, self.vectors) if self.encoder and self.vectors else None

    @property
    def judging(self) -> Judge:
        """Who judges: whoever brings an encoder wants no model of Lectern's."""
        return self.judge or (no_judge if self.encoder else packaged_judge)


def run_bench(
    plan: BenchPlan,
    workspace: Path,
    models: BenchModels = BenchModels(),
    watch: BenchWatch | None = None,
    runs: Runs | None = None,
) -> BenchReport:
    """Score every preset on every question, at each budget of ``BUDGETS`` characters.

    One library per set of documents is kept in ``workspace``, so nothing is encoded twice, in this bench or the next;
    presets that cut alike are asked together and share their searches. Every question's outcome is kept as it is
    made: the same call after a kill or a cancellation goes on where it stopped (``core.evaluation.history``).

    ``runs`` gets the runs of a preset when it is through.

    Raises ``SettingsError`` for presets that read files in different ways: gold is a place in one text.
    ``CancelledError`` when ``watch`` does, ``LibraryLockedError`` when another bench uses the same library,
    ``SuiteError`` when a document changed meanwhile. Documents that cannot be read are listed, not raised: their gold
    counts as missed.
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
    bench = _Bench(plan, workspace / suite_folder(suite), models, models.lender, watch)
    with (
        Library.open(bench.place / "library", encoder=bench.lender or models.encoder) as library,
        Recording.begin(workspace, plan.run_plan).writing() as recording,
    ):
        library.write_with(None, models.cutter)
        groups = recipe_groups(presets)
        for number, names in enumerate(groups, start=1):
            bench.step(library, recording, Step(number, len(groups), names))
        bench.read_documents(library)
        reports = {}
        for name in presets:
            measured = bench.through(recording, name)
            if runs:
                bench.tell(runs, name, measured)
            reports[name] = summed(name, presets[name], suite, measured, recording.noted(name))
        report = BenchReport(
            suite=suite.name,
            fingerprint=suite.fingerprint(),
            questions=bench.questions(),
            presets=tuple(reports.values()),
            budgets=BUDGETS,
            documents=tuple(bench.documents.values()),
            failures=tuple(recording.noted(FAILURES).items()),
            notes=bench.notes(),
            skipped=plan.skipped,
            made_at=recording.head.made_at,
            revision=plan.revision,
            library=f"{bench.place.name}/library",
            run=recording.head.folder,
        )
        recording.finish(report)
    return report


@dataclass
class _Bench:
    """One call of ``run_bench``: what all its steps share. ``place``: of the library of the suite's documents."""

    plan: BenchPlan
    place: Path
    models: BenchModels
    lender: CachedEncoder | None
    watch: BenchWatch | None

    def __post_init__(self) -> None:
        self.suite, self.presets = self.plan.suite, self.plan.presets
        self.documents: dict[str, BenchDocument] = {}
        self._staged: tuple[Staged, ...] = ()

    def step(self, library: Library, recording: Recording, step: Step) -> None:
        """Build one recipe and ask what was not asked yet; nothing is built where nothing is left to ask."""
        waiting = {name: self._missing(recording, name) for name in step.presets}
        if not any(waiting.values()):
            return
        unread = self._build(library, recording, step)
        self.read_documents(library)
        recording.note(FAILURES, {**recording.noted(FAILURES), **unread})
        # What could not be read again is still there as it was cut before: that is another preset's document.
        documents = {
            name: replace(item, kind="", characters=0) if name in unread else item
            for name, item in self.documents.items()
        }
        readable = [item.version_id for item in documents.values() if item.kind]
        if unread and not readable:
            name, reason = next(iter(unread.items()))
            raise SuiteError(
                f"No document of {self.suite.name} could be cut as {step.presets[0]} asks; the first, {name}: {reason}",
                f"If the settings are right, remove {self.place} and run again.",
            )
        scope = self._scope(library, readable)
        judge, writer = self.models.judging, self.models.writer
        measuring = Measuring(library, self.suite, documents, self.plan.options, scope, judge, writer)
        asked = [item for item in self.suite.questions if any(item.id in missing for missing in waiting.values())]
        total, begun, encoding, warm = len(self.suite.questions), perf_counter(), 0.0, set[str]()
        for number, question in enumerate(asked):
            if question.id not in warm:
                started = perf_counter()
                warm = self._warm(library, question)
                encoding += perf_counter() - started
            if self.watch:
                self.watch.asking(step, total - len(asked) + number, total)
            presets = {name: self.presets[name] for name in step.presets if question.id in waiting[name]}
            for name, measured in measuring.ask(question, presets).items():
                recording.journals[name].add(measured)
        for name in step.presets:
            _spend(recording, name, {"questions": encoding})
        earlier = EarlierBenches.of(self.place)
        questions = {*earlier.questions, asked_with(self.suite, self.presets[step.presets[0]])}
        passages = {model: spent / read for model, (read, spent) in measuring.reread.items() if read >= WORTH_A_MEASURE}
        earlier = replace(earlier, questions=tuple(sorted(questions)))
        replace(earlier, seconds_a_passage={**earlier.seconds_a_passage, **passages}).keep(self.place)
        if not (self.plan.options.answers or self.plan.options.token_budgets):
            reading = sum(seconds for _, seconds in measuring.reread.values())
            pace = (perf_counter() - begun - encoding - reading) / sum(map(len, waiting.values()))
            replace(EarlierBenches.of(self.place), seconds_an_answer=pace).keep(self.place)
        if self.watch:
            self.watch.asking(step, total, total)

    def _warm(self, library: Library, question: Question) -> set[str]:
        """Encode a question with those it always is encoded with, wherever asking begins; returns their ids."""
        questions = self.suite.questions
        first = questions.index(question) // WARMED * WARMED
        together = questions[first : first + WARMED]
        library.searcher.warm([item.question for item in together], library.vectors)
        return {item.id for item in together}

    def read_documents(self, library: Library) -> None:
        """What the library made of the suite's documents: what it lacks could not be read."""
        held = {source.version_id: source for source in library.sources() if source.parent is None}
        self.documents = {}
        for document in self.suite.documents:
            source = held.get(document.version_id)
            found = (source.document_kind, source.characters) if source else ("", 0)
            self.documents[document.name] = BenchDocument(document.name, document.version_id, *found)
        if not held.keys() <= {document.version_id for document in self.suite.documents}:
            raise SuiteError(
                f"A document of {self.suite.name} changed while it was measured.", f"Remove {self.place} and run again."
            )

    def through(self, recording: Recording, name: str) -> list[QuestionOutcome]:
        """What a preset did with every question, in their order."""
        found = {measured.id: measured for measured in recording.journals[name].read()}
        return [found[question.id] for question in self.suite.questions]

    def tell(self, runs: Runs, name: str, measured: Sequence[QuestionOutcome]) -> None:
        """Hand out a preset's runs."""
        for item in measured:
            for budget in BUDGETS:
                runs(Run(name, item.id, budget, item.contexts[budget], item.documents))

    def questions(self) -> tuple[AskedQuestion, ...]:
        """The suite's questions with the formats their gold lies in."""
        asked = []
        for item in self.suite.questions:
            formats = {self.documents[span.document].kind for span in item.gold} - {""}
            asked.append(
                AskedQuestion(item.id, item.question, item.gold, tuple(sorted(formats)), item.kind, item.answer or "")
            )
        return tuple(asked)

    def notes(self) -> tuple[str, ...]:
        """A sentence for each question whose gold can never be found whole, and why."""
        found = [
            f"Question {question.id}: gold [{span.start}, {span.end}) leaves {span.document}, "
            f"which has {self.documents[span.document].characters} characters."
            for question in self.suite.questions
            for span in question.gold
            if self.documents[span.document].kind and span.end > self.documents[span.document].characters
        ]
        for question in self.suite.questions:
            judged = {span.document for span in question.gold}
            if len({self.documents[name].version_id for name in judged}) < len(judged):
                found.append(
                    f"Question {question.id} has gold in documents of the same bytes: only one of them can be read."
                )
        return tuple(found)

    def _missing(self, recording: Recording, name: str) -> set[str]:
        """Ids of the questions a preset was not asked yet."""
        return {item.id for item in self.suite.questions} - {item.id for item in recording.journals[name].read()}

    def _build(self, library: Library, recording: Recording, step: Step) -> dict[str, str]:
        """Bring the library to the step's recipe; returns why which documents could not be read so, by name."""
        first = step.presets[0]
        names: dict[str, list[str]] = {}
        for document in self.suite.documents:
            names.setdefault(document.version_id, []).append(document.name)
        failed: dict[str, str] = {}
        started, vectors, lent = perf_counter(), library.stats().vectors, self._borrowed()
        try:
            failed |= self._cut(library, step, names)
            if not self._staged:
                staged = stage_documents(self.suite, self.place / "documents")
                reading = _Building(self.watch, step, len(staged))
                # The file's own name, not the suite's: a kind must be told from what was staged.
                library.ingest([Incoming(item.path.name, item.path) for item in staged], reading)
                failed |= {staged[index].name: reason for index, reason in reading.failed.items()}
                self._staged = staged
                if self.presets[first].chunking.chunker == "learned":  # an empty library had nothing to teach
                    failed |= self._cut(library, step, names)
        finally:  # what was encoded before a stop was encoded all the same
            seconds = perf_counter() - started
            stats = library.stats()
            encoded = max(0, stats.vectors - vectors - (self._borrowed() - lent))
            _spend(recording, first, {"ingest": seconds, "encoded": encoded})
        costs = _index_costs(stats)
        for name in step.presets:
            recording.note(name, {**recording.noted(name), **costs})
        characters = sum(source.characters for source in library.sources())
        self._learn(step, characters, library.cutting.texts_a_second(), encoded, seconds)
        return failed

    def _cut(self, library: Library, step: Step, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Cut what the library holds by the step's recipe; returns why which documents could not be, by name."""
        held = list(dict.fromkeys(source.version_id for source in library.sources()))
        cutting = _Building(self.watch, step, len(held))
        library.apply(self.presets[step.presets[0]], cutting)
        return {name: reason for index, reason in cutting.failed.items() for name in names.get(held[index], ())}

    def _borrowed(self) -> int:
        return self.lender.borrowed if self.lender else 0

    def _learn(self, step: Step, characters: int, speed: float, encoded: int, seconds: float) -> None:
        """Keep what the next estimate should know. ``speed``: of the encoder, in texts a second."""
        known, mine = EarlierBenches.of(self.place), recipe_of(self.presets[step.presets[0]])
        read, cut = known.characters_a_second
        beside = characters / max(1e-3, seconds - encoded / speed)  # reading, cutting and storing
        if mine not in known.recipes[-1:]:
            read, cut = (read, beside) if known.recipes else (beside, cut)
        replace(
            known,
            recipes=(*(recipe for recipe in known.recipes if recipe != mine), mine),
            texts_a_second=speed if encoded >= WORTH_A_MEASURE else known.texts_a_second,
            characters=characters,
            characters_a_second=(read, cut),
        ).keep(self.place)

    def _scope(self, library: Library, readable: Sequence[str]) -> Scope:
        # A mail's attachments are documents of the library, but none of the suite's: no question can ask for them.
        own = set(readable)
        strange = any(source.version_id not in own for source in library.sources())
        return Scope(versions=tuple(sorted(own))) if strange and own else ALL_DOCUMENTS


class _Building:
    """A library's progress as a bench's: documents done of all. ``failed``: why, by the item's place."""

    def __init__(self, watch: BenchWatch | None, step: Step, total: int) -> None:
        self._watch, self._step, self._total, self._done = watch, step, total, 0
        self.failed: dict[int, str] = {}

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        if self._watch and stage == "encoding" and total:
            self._watch.encoding(self._step, done, total)
        else:
            self._tell()

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        if isinstance(outcome, Failure):
            self.failed[index] = outcome.reason
        self._done = min(self._done + 1, self._total)
        self._tell()

    def _tell(self) -> None:
        if self._watch:
            self._watch.building(self._step, self._done, self._total)


def _spend(recording: Recording, preset: str, costs: Mapping[str, float]) -> None:
    """Add to what a preset cost so far, over all the processes that worked on the run."""
    noted = recording.noted(preset)
    recording.note(preset, {**noted, **{name: noted.get(name, 0) + value for name, value in costs.items()}})


def _index_costs(stats: Stats) -> dict[str, float]:
    """Of the recipe a library has: its leaves, their distinct texts, and the bytes of both indexes."""
    # Vectors of other recipes are kept beside; a recipe answers for its own alone.
    vectors = stats.vectors_bytes * stats.texts / max(1, stats.vectors)
    return {"chunks": stats.chunks, "texts": stats.texts, "index_bytes": vectors + stats.lexical_bytes}
