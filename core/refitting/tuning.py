"""Fine-tunes Lectern's own re-ranker with the user's judgments and compares it with the present one on held-out ones.

It is trained on lists like those it will re-rank: of a question's search results one chunk with gold, and chunks near
the top without. The calibration of its scores to probabilities is fitted to the candidates of the same questions and
stored with the weights.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.atomic_files import written_whole
from core.chunking.prefixes import below
from core.embedding import calibration, reranker_file
from core.embedding.reranker_file import Calibration
from core.errors import LecternError
from core.evaluation.exchange.judged import Judged, judged_questions
from core.evaluation.suites import Question
from core.ingest.jobs import Handler
from core.ingest.reporting import Reporter
from core.library import Library
from core.refitting.fitting import MOST_QUESTIONS, Watch, enough
from core.refitting.gains import GAIN, Gain, measured_gain
from core.refitting.listwise import ListwiseExample, Plan, draw, train
from core.refitting.scoring import JudgedSearch, Recalls, Scorer, without_reranking
from core.refitting.splitting import By, Split, checked_split
from core.refitting.taught_rerankers import (
    FILE,
    FOLDER,
    folder_of,
    folders_in_use,
    results,
    seen_by,
    stored_name,
    sweep,
    work_folder,
    write_seen,
)
from core.search.ranking.rerankers import PairScorer
from core.settings import Settings
from core.storage.catalogue.job_rows import Job
from core.storage.store import settings_from
from core.types import Vectors

LEAST_JUDGMENTS = 200  # questions with gold; with fewer a model overfits
ROUNDS = 3  # epochs
MOST_STEPS = 300

_TOP_CHUNKS = 40  # ranks from which negatives are taken: the chunks without gold
_ANSWER_SHARE = 0.5  # of the most gold in any chunk; chunks with less gold are neither positives nor negatives


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of ``tune``. ``folder``: a CrossEncoder for ``reranking.model``; ``None`` without a gain.

    ``trained``, ``held_out``: numbers of questions; ``by``: how they were split.
    """

    gain: Gain
    folder: Path | None
    trained: int
    held_out: int
    by: By
    seconds: float


def tune(
    library: Library, judged: Judged, settings: Settings, watch: Watch | None = None, plan: Plan | None = None
) -> Tuned:
    """Fine-tune Lectern's re-ranker on one half of the judgments and compare it with the settings' one on the other.

    ``settings``: with a re-ranker on, which runs without its time limit. If it is a fine-tuned one itself, its training
    questions are in the training half again. ``plan``: ``None`` for one by the number of questions.

    A stopped call resumes when it is called with the same judgments. Unfinished models of other judgments are removed,
    and so are fine-tuned models that nothing uses. Raises ``LecternError`` for fewer than ``LEAST_JUDGMENTS`` questions
    with gold, without a re-ranker, or where the present one was made from these judgments; ``ModelError`` where
    Lectern's own is missing.
    """
    start, questions = perf_counter(), enough(judged, LEAST_JUDGMENTS, "teaching a re-ranker")
    if settings.reranking.off:
        raise LecternError("No re-ranker is on.", "Set reranking.model, or ask with the preset careful.")
    present = settings.reranking.model
    halves = checked_split(questions, seen_by(present), MOST_QUESTIONS)
    plan = plan or default_plan(len(halves.training))
    place = library.home / FOLDER / _folder_name(judged, halves.training, plan)
    if folder_of(present) == place.resolve():
        raise LecternError(
            "The re-ranker in use has learnt from these judgments already.", "Judge more questions, and teach again."
        )
    sweep(library, place, present)
    # Which passages a time limit leaves out varies from run to run, and would distort the comparison.
    untimed = settings.with_value("reranking.timeout_seconds", 0.0)
    tuning = _Tuning(library, Scorer(library.searcher, judged), untimed, watch)
    if not (place / "config.json").is_file():
        tuning.train(halves, plan, place)
    elif not (place / FILE).is_file():
        write_seen(halves, place)
    gain = tuning.held_out_gain(halves.held_out, place)
    if gain.verdict != GAIN and place.resolve() not in folders_in_use(library, present, *results(library)):
        shutil.rmtree(place, ignore_errors=True)
    folder = place if gain.verdict == GAIN else None
    return Tuned(gain, folder, len(halves.training), len(halves.held_out), halves.by, perf_counter() - start)


def default_plan(questions: int) -> Plan:
    """A plan of ``ROUNDS`` epochs over the questions, with at most ``MOST_STEPS`` steps.

    >>> default_plan(100).steps, default_plan(100_000).steps
    (38, 300)
    """
    steps = min(MOST_STEPS, max(1, round(ROUNDS * questions / 8)))
    return Plan(steps)


@dataclass(frozen=True, slots=True)
class _Tuning:
    """One call of ``tune``. ``settings``: those with the present re-ranker, without a time limit."""

    library: Library
    scorer: Scorer
    settings: Settings
    watch: Watch | None

    def train(self, halves: Split, plan: Plan, place: Path) -> None:
        """Write the trained and calibrated CrossEncoder, with the questions it saw, to ``place`` atomically."""
        searches = self._search(halves.training, 0.0)
        training_questions = [item for search in searches if (item := self._training_question(search))]
        if not training_questions:
            raise LecternError("No marked answer stands in any chunk that is searched.", "Check the judgments.")

        def lists_of(step: int) -> list[ListwiseExample]:
            self._report("learning", 0.05 + 0.45 * step / plan.steps)
            step_random = draw(plan.seed, step)
            numbers = range(step * plan.questions, (step + 1) * plan.questions)
            batch = [training_questions[number % len(training_questions)] for number in numbers]
            return [item.listed(plan.passages, step_random) for item in batch]

        work = work_folder(place)
        model = train(plan, lists_of, work / "checkpoint.pt", reranker_file.FILE)
        reranker_file.write(model.module, work / "model.safetensors")
        with written_whole(place) as unfinished:
            encoder = reranker_file.load(work / "model.safetensors", "")
            encoder.save_pretrained(str(unfinished))
            scorer = PairScorer(encoder, str(place), self.settings.reranking)
            if (fitted := self._calibration(searches, scorer)) is not None:
                calibration.write(fitted, unfinished)
            write_seen(halves, unfinished)
        shutil.rmtree(work, ignore_errors=True)

    def held_out_gain(self, questions: Sequence[Question], place: Path) -> Gain:
        """The gain of the trained model over the present one. One model at a time is loaded."""
        searches = self._search(questions, 0.6)
        tuned = self.settings.with_value("reranking.model", str(place))
        recalls: list[list[Recalls]] = [[], []]
        for model_number, settings in enumerate((self.settings, tuned)):
            for number, search in enumerate(searches):
                share = 0.62 + 0.38 * (model_number + number / len(searches)) / 2

                def report(done: int, total: int, share: float = share) -> None:
                    self._report("trying on the others", share)

                recalls[model_number].append(self.scorer.recalls(search, settings, report))
        self._report("done", 1.0)
        return measured_gain(np.array(recalls[0]), np.array(recalls[1]))

    def _search(self, questions: Sequence[Question], share: float) -> list[JudgedSearch]:
        searches = []
        for question in questions:
            self._report("searching", share)
            searches.append(self.scorer.ask(question, self.settings))
        return searches

    def _calibration(self, searches: Sequence[JudgedSearch], scorer: PairScorer) -> Calibration | None:
        """The calibration of the model's scores on the candidates of all searches.

        A candidate counts as an answer where gold makes up half of it, or where it has half of the gold.
        """
        scores: list[Vectors] = []
        is_answer: list[NDArray[np.bool_]] = []
        for number, search in enumerate(searches):
            self._report("calibrating", 0.5 + 0.1 * number / len(searches))
            leaves = self._ranked_leaves(search)[: self.settings.reranking.candidates]
            table = search.found.leaves
            sizes = np.minimum(table.ends[leaves] - table.starts[leaves], search.gold.size)
            is_answer.append(2 * search.gold_characters[leaves] >= sizes)
            texts = [self._text(search, leaf) for leaf in leaves.tolist()]
            scores.append(scorer.score(search.question.question, texts))
        return calibration.fitted(np.concatenate(scores).astype(np.float64), np.concatenate(is_answer))

    def _ranked_leaves(self, search: JudgedSearch) -> NDArray[np.int64]:
        """The kept leaves before re-ranking, best first."""
        ranking = self.library.searcher.order(search.found, without_reranking(self.settings))
        return ranking.pool[ranking.kept]

    def _text(self, search: JudgedSearch, leaf: int) -> str:
        """The text of a leaf as the re-ranker gets it."""
        searcher, leaves = self.library.searcher, search.found.leaves
        document = searcher.text(leaves.version_ids[leaves.documents[leaf]])
        text = document[int(leaves.starts[leaf]) : int(leaves.ends[leaf])]
        return below(searcher.prefixes([int(leaves.rows[leaf])])[0], text)

    def _training_question(self, search: JudgedSearch) -> _TrainingQuestion | None:
        """The positives and negatives of a question; ``None`` without either."""
        gold = search.gold_characters
        if not gold.any():
            return None
        positives = np.flatnonzero(gold >= _ANSWER_SHARE * gold.max()).tolist()
        negatives = [leaf for leaf in self._ranked_leaves(search)[:_TOP_CHUNKS].tolist() if not gold[leaf]]
        answers = tuple(self._text(search, leaf) for leaf in positives)
        others = tuple(dict.fromkeys(text for leaf in negatives if (text := self._text(search, leaf)) not in answers))
        return _TrainingQuestion(search.question.question, answers, others) if others else None

    def _report(self, phase: str, share: float) -> None:
        if self.watch:
            self.watch(phase, share)


@dataclass(frozen=True, slots=True)
class _TrainingQuestion:
    """A question with the chunks that answer it, and the top chunks that do not (``others``), best first."""

    question: str
    answers: tuple[str, ...]
    others: tuple[str, ...]

    def listed(self, count: int, generator: random.Random) -> ListwiseExample:
        """A random answer and up to ``count - 1`` random others, those near the top with a higher probability."""
        negatives: list[str] = []
        remaining = list(self.others)
        while remaining and len(negatives) < count - 1:
            size = len(remaining)
            negatives.append(remaining.pop(min(generator.randrange(size), generator.randrange(size))))
        return ListwiseExample(self.question, (generator.choice(self.answers), *negatives))


def _folder_name(judged: Judged, questions: Sequence[Question], plan: Plan) -> str:
    """Sixteen hex digits, equal for equal questions, gold, plan and initial weights."""
    versions = {name: version for version, name in judged.names.items()}
    content = [
        [question.question, sorted((versions[span.document], span.start, span.end) for span in question.gold)]
        for question in questions
    ]
    base = hashlib.sha256(reranker_file.FILE.read_bytes()).hexdigest()
    return hashlib.sha256(repr([content, asdict(plan), base]).encode()).hexdigest()[:16]


_PROGRESS_UNITS = 1000  # of the whole progress bar


def tune_handler(library: Library) -> Handler:
    """The handler of jobs of ``taught_rerankers.KIND``: one item; payload ``settings``, whose re-ranker is to improve.

    The result has ``verdict``, ``sentence``, ``folder`` (the model's ``stored_name``, "" without a gain), ``trained``
    (questions), and the mean recall ``before`` and ``after`` on the held-out questions, in percent.
    """

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():

            def watch(phase: str, share: float, item_id: int = item.id) -> None:
                reporter.stage(item_id, phase, int(_PROGRESS_UNITS * share), _PROGRESS_UNITS)

            tuned = tune(library, judged_questions(library), settings_from(dict(job.payload["settings"])), watch)
            reporter.result(
                {
                    "verdict": tuned.gain.verdict,
                    "sentence": tuned.gain.sentence,
                    "folder": stored_name(library.home, str(tuned.folder or "")),
                    "trained": tuned.trained,
                    "before": tuned.gain.before,
                    "after": tuned.gain.after,
                }
            )
            reporter.finish_item(item.id)

    return handle
