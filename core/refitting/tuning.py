"""Lectern's own re-ranker taught further by a person's judgments, and held against the present one on the others.

What it learns from are lists as it will meet them: of a question's search results a chunk that holds its gold, and
chunks that stood near the top and hold none. What scores mean as probabilities is fitted anew, to the candidates of the
same questions, and kept beside the weights.
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
from core.refitting.fitting import MOST_QUESTIONS, Watch, fittable
from core.refitting.gains import GAIN, Gain, gained
from core.refitting.listwise import ListwiseExample, Plan, draw, train
from core.refitting.scoring import JudgedSearch, Recalls, Scorer, without_reranking
from core.refitting.splitting import By, Split, halved
from core.refitting.taught_rerankers import (
    FILE,
    FOLDER,
    KIND,
    folder_of,
    kept_as,
    learning,
    note,
    results,
    seen_by,
    sweep,
    used,
)
from core.search.ranking.rerankers import PairScorer
from core.settings import Settings
from core.storage.catalogue.job_rows import Job
from core.storage.store import settings_from
from core.types import Vectors

LEAST_JUDGMENTS = 200  # questions with gold: of fewer a model learns by heart
ROUNDS = 3  # times that each question is learnt from
MOST_STEPS = 300

_NEAR = 40  # of the best chunks, those that hold no gold are what it learns to tell apart
_WORTH_LEARNING = 0.5  # of the most gold that a chunk holds: who has less of it is neither right nor wrong


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of it. ``folder``: a CrossEncoder for ``reranking.model``; ``None`` where no gain was shown: gone.

    ``trained``, ``held_out``: numbers of questions; ``by``: what parts them.
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
    """Teach the re-ranker on one half of the judgments; try it in the place of the settings' own on the other half.

    ``settings``: with a re-ranker on, which is tried without its time limit. What that one learnt from itself, if it
    was taught, is in the first half again. ``plan``: how it learns, ``None`` for what suits so many questions.

    What was stopped is gone on from when the same judgments are given again; with others what it left is removed, and
    so are taught models that nothing uses and no job names. Raises ``LecternError`` for fewer than ``LEAST_JUDGMENTS``
    questions with gold, where no re-ranker is on, or where it is the one that these judgments make; ``ModelError``
    without Lectern's own.
    """
    begun, questions = perf_counter(), fittable(judged)
    if len(questions) < LEAST_JUDGMENTS:
        raise LecternError(
            f"This library has {len(questions):,} judged questions with an answer; teaching a re-ranker takes at least "
            f"{LEAST_JUDGMENTS}.",
            f"Judge {LEAST_JUDGMENTS - len(questions)} more.",
        )
    if settings.reranking.off:
        raise LecternError("No re-ranker is on.", "Set reranking.model, or ask with the preset careful.")
    present = settings.reranking.model
    halves = halved(questions, seen_by(present), MOST_QUESTIONS)
    plan = plan or suited(len(halves.training))
    place = library.home / FOLDER / _name(judged, halves.training, plan)
    if folder_of(present) == place.resolve():
        raise LecternError(
            "The re-ranker in use has learnt from these judgments already.", "Judge more questions, and teach again."
        )
    sweep(library, place, present)
    # What a time limit cuts off differs from run to run, and would decide what is better.
    asking = settings.with_value("reranking.timeout_seconds", 0.0)
    work = _Work(library, Scorer(library.searcher, judged), asking, watch)
    if not (place / "config.json").is_file():
        work.teach(halves, plan, place)
    elif not (place / FILE).is_file():
        note(halves, place)
    gain = work.held(halves.held_out, place)
    if gain.verdict != GAIN and place.resolve() not in used(library, present, *results(library)):
        shutil.rmtree(place, ignore_errors=True)
    kept = place if gain.verdict == GAIN else None
    return Tuned(gain, kept, len(halves.training), len(halves.held_out), halves.by, perf_counter() - begun)


def suited(questions: int) -> Plan:
    """A plan that goes ``ROUNDS`` times through so many questions, gently: the model knows its trade already.

    >>> suited(100).steps, suited(100_000).steps
    (38, 300)
    """
    steps = min(MOST_STEPS, max(1, round(ROUNDS * questions / 8)))
    return Plan(steps)


@dataclass(frozen=True, slots=True)
class _Work:
    library: Library
    scorer: Scorer
    settings: Settings
    watch: Watch | None

    def teach(self, halves: Split, plan: Plan, place: Path) -> None:
        """Make the CrossEncoder in ``place``, calibrated, with what it saw, whole or not at all."""
        asked = self._asked(halves.training, 0.0)
        taught = [found for one in asked if (found := self._lists(one))]
        if not taught:
            raise LecternError("No marked answer stands in any chunk that is searched.", "Check the judgments.")

        def lists_of(step: int) -> list[ListwiseExample]:
            self._tell("learning", 0.05 + 0.45 * step / plan.steps)
            choose = draw(plan.seed, step)
            turn = [taught[at % len(taught)] for at in range(step * plan.questions, (step + 1) * plan.questions)]
            return [one.listed(plan.passages, choose) for one in turn]

        work = learning(place)
        model = train(plan, lists_of, work / "checkpoint.pt", reranker_file.FILE)
        reranker_file.write(model.module, work / "model.safetensors")
        with written_whole(place) as unfinished:
            made = reranker_file.load(work / "model.safetensors", "")
            made.save_pretrained(str(unfinished))
            reader = PairScorer(made, str(place), self.settings.reranking)
            if (known := self._calibrated(asked, reader)) is not None:
                calibration.write(known, unfinished)
            note(halves, unfinished)
        shutil.rmtree(work, ignore_errors=True)

    def held(self, questions: Sequence[Question], place: Path) -> Gain:
        """The taught model against the present one: each reads all questions before the other is loaded."""
        asked = self._asked(questions, 0.6)
        taught = self.settings.with_value("reranking.model", str(place))
        sides: list[list[Recalls]] = [[], []]
        for number, settings in enumerate((self.settings, taught)):
            for at, one in enumerate(asked):
                share = 0.62 + 0.38 * (number + at / len(asked)) / 2

                def heard(done: int, total: int, share: float = share) -> None:
                    self._tell("trying on the others", share)

                sides[number].append(self.scorer.exactly(one, settings, heard))
        self._tell("done", 1.0)
        return gained(np.array(sides[0]), np.array(sides[1]))

    def _asked(self, questions: Sequence[Question], share: float) -> list[JudgedSearch]:
        found = []
        for question in questions:
            self._tell("searching", share)
            found.append(self.scorer.ask(question, self.settings))
        return found

    def _calibrated(self, asked: Sequence[JudgedSearch], reader: PairScorer) -> Calibration | None:
        """What the model's scores of the candidates mean; an answer has half of its chunk, or of the gold, in it."""
        scores: list[Vectors] = []
        answers: list[NDArray[np.bool_]] = []
        for at, one in enumerate(asked):
            self._tell("calibrating", 0.5 + 0.1 * at / len(asked))
            leaves = self._ordered(one)[: self.settings.reranking.candidates]
            table = one.found.leaves
            least = np.minimum(table.ends[leaves] - table.starts[leaves], one.gold.size)
            answers.append(2 * one.held[leaves] >= least)
            scores.append(reader.score(one.question.question, [self._text(one, leaf) for leaf in leaves.tolist()]))
        return calibration.fitted(np.concatenate(scores).astype(np.float64), np.concatenate(answers))

    def _ordered(self, asked: JudgedSearch) -> NDArray[np.int64]:
        """The leaves of a question as they come to the re-ranker, best first."""
        ranking = self.library.searcher.order(asked.found, without_reranking(self.settings))
        return ranking.pool[ranking.kept]

    def _text(self, asked: JudgedSearch, leaf: int) -> str:
        """What the re-ranker reads of a leaf."""
        searcher, leaves = self.library.searcher, asked.found.leaves
        whole = searcher.text(leaves.version_ids[leaves.documents[leaf]])
        said = whole[int(leaves.starts[leaf]) : int(leaves.ends[leaf])]
        return below(searcher.prefixes([int(leaves.rows[leaf])])[0], said) if self.settings.reranking.prefix else said

    def _lists(self, asked: JudgedSearch) -> _Taught | None:
        """What a question teaches; ``None`` where no chunk that was searched holds its gold."""
        if not asked.held.any():
            return None
        right = np.flatnonzero(asked.held >= _WORTH_LEARNING * asked.held.max()).tolist()
        near = [leaf for leaf in self._ordered(asked)[:_NEAR].tolist() if not asked.held[leaf]]
        answers = tuple(self._text(asked, leaf) for leaf in right)
        others = tuple(dict.fromkeys(said for leaf in near if (said := self._text(asked, leaf)) not in answers))
        return _Taught(asked.question.question, answers, others) if others else None

    def _tell(self, what: str, share: float) -> None:
        if self.watch:
            self.watch(what, share)


@dataclass(frozen=True, slots=True)
class _Taught:
    """A question with chunks that answer it, and chunks near the top that do not, best first."""

    question: str
    answers: tuple[str, ...]
    others: tuple[str, ...]

    def listed(self, count: int, choose: random.Random) -> ListwiseExample:
        """One answer and so many others; the nearer to the top, the likelier one is among them."""
        chosen: list[str] = []
        left = list(self.others)
        while left and len(chosen) < count - 1:
            chosen.append(left.pop(min(choose.randrange(len(left)), choose.randrange(len(left)))))
        return ListwiseExample(self.question, (choose.choice(self.answers), *chosen))


def _name(judged: Judged, questions: Sequence[Question], plan: Plan) -> str:
    """The same for the same questions, gold, plan and weights to begin from."""
    versions = {name: version for version, name in judged.names.items()}
    told = [
        [question.question, sorted((versions[span.document], span.start, span.end) for span in question.gold)]
        for question in questions
    ]
    base = hashlib.sha256(reranker_file.FILE.read_bytes()).hexdigest()
    return hashlib.sha256(repr([told, asdict(plan), base]).encode()).hexdigest()[:16]


__all__ = ["KIND", "tune_handler"]

_PARTS = 1000  # of the whole bar


def tune_handler(library: Library) -> Handler:
    """Runs jobs of ``KIND``: one item; payload ``settings``, with the re-ranker that is to be bettered.

    The result has ``verdict``, ``sentence``, ``folder`` of the taught model as ``kept_as`` names it ("" where no
    gain was shown), ``trained`` (questions), and mean recall ``before`` and ``after`` on the questions kept out, in
    percent.
    """

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():

            def watch(what: str, share: float, item_id: int = item.id) -> None:
                reporter.stage(item_id, what, int(_PARTS * share), _PARTS)

            found = tune(library, judged_questions(library), settings_from(dict(job.payload["settings"])), watch)
            reporter.result(
                {
                    "verdict": found.gain.verdict,
                    "sentence": found.gain.sentence,
                    "folder": kept_as(library.home, str(found.folder or "")),
                    "trained": found.trained,
                    "before": found.gain.before,
                    "after": found.gain.after,
                }
            )
            reporter.finish_item(item.id)

    return handle
