"""Fits fusion and blending settings to one half of the user's judgments and validates them on the other half.

Coordinate search over the settings uses an estimate of recall from the order of chunks alone, which takes a hundredth
of the time of assembling contexts. The best few settings are then scored with real contexts. A change is chosen only
if it gains more than the standard error of its gain, after the one-standard-error rule of Breiman, Friedman, Olshen and
Stone ("Classification and Regression Trees", 1984, section 3.4.3). Only the held-out half decides whether it may be
applied.

Where the settings have no re-ranker on, the blend of the one that the preset Careful uses can be fitted as well: on the
same halves, over the fusion that may be applied, with a verdict of its own. Re-ranking takes most of the time, so the
held-out half is only re-ranked where a candidate has to be validated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.errors import LecternError, ModelError, NotFoundError
from core.evaluation.exchange.judged import Judged
from core.evaluation.measuring import BUDGETS
from core.evaluation.suites import Question
from core.library import Library
from core.refitting.coordinate_search import BLEND, CAREFUL_BLEND, FUSION, STEP_COST, Grid, walk
from core.refitting.gains import GAIN, Gain, Refitted, measured_gain
from core.refitting.scoring import JudgedSearch, Scorer, without_reranking
from core.refitting.splitting import Split, checked_split
from core.refitting.taught_rerankers import seen_by
from core.settings import Settings, carefully
from core.text.values.numerals import counted

LEAST_QUESTIONS = 30  # with gold; with fewer than fifteen on each side hardly any gain is significant
MOST_QUESTIONS = 400  # more would take long and make the interval little narrower
FINALISTS = 4  # settings of the search that are scored with real contexts

_MEMORY = 1_000_000_000  # bytes that the search scores of all questions may take
_BYTES_A_LEAF = 40
_QUESTION_BATCH = 32  # questions encoded at once

# The phases that are reported to the watch.
_FIT = ("searching", "turning dials", "reading", "searching the others", "trying on the others")
_FIT_RERANKED = (*_FIT[:2], "re-reading", *_FIT[2:])  # with a re-ranker on
_CAREFUL = (*_FIT, "re-reading", "reading as Careful", "trying Careful on the others")

Watch = Callable[[str, float], None]
"""Receives the phase in words and the share done, in [0, 1]. May raise ``CancelledError`` to stop."""


def enough(judged: Judged, least: int, work: str) -> tuple[Question, ...]:
    """The ``fittable`` questions. Raises ``LecternError`` for fewer than ``least``, which ``work`` takes."""
    questions = fittable(judged)
    if len(questions) < least:
        raise LecternError(
            f"This library has {counted(len(questions), 'judged question')} with an answer; {work} takes at least "
            f"{least}.",
            f"Judge {least - len(questions)} more.",
        )
    return questions


def fittable(judged: Judged) -> tuple[Question, ...]:
    """The judged questions that a fit can use: those with gold."""
    return tuple(question for question in judged.exchange.questions if question.gold)


def refit(
    library: Library,
    judged: Judged,
    settings: Settings | None = None,
    watch: Watch | None = None,
    careful: str = "",
) -> Refitted:
    """Fit fusion settings, and the blend where a re-ranker is on, to one half of the judgments; validate on the other.

    ``settings``: the starting point, ``None`` for the library's own. ``careful``: the model of the preset Careful; if
    the settings have no re-ranker on, its blend is fitted as well, which takes long. "" to leave that out. A re-ranker
    runs without its time limit. Questions that it was trained on are never in the held-out half.

    The library is not changed, and the result is deterministic. Raises ``LecternError`` for fewer than
    ``LEAST_QUESTIONS`` questions with gold, and where a document is re-chunked or removed during the fit, since the
    scores would then be of two different libraries.
    """
    present, cuts_before = settings or library.settings, cuts(library)
    questions = enough(judged, LEAST_QUESTIONS, "fitting")
    fits_careful = bool(careful) and present.reranking.off
    model = careful if fits_careful else present.reranking.model
    halves = checked_split(questions, seen_by(model), _question_limit(library))
    phases = _Phases(watch, _CAREFUL if fits_careful else _FIT if present.reranking.off else _FIT_RERANKED)
    fit = _Fit(library, Scorer(library.searcher, judged), present, phases)
    try:
        result = _fit_halves(fit, halves, careful if fits_careful else "", len(questions))
    except NotFoundError as error:
        if not cut_otherwise(cuts_before, cuts(library)):
            raise
        raise _library_changed() from error
    if cut_otherwise(cuts_before, cuts(library)):
        raise _library_changed()
    return result


def _fit_halves(fit: _Fit, halves: Split, careful: str, questions: int) -> Refitted:
    """``careful``: the model whose blend to fit, "" for none. ``questions``: how many have gold, asked or not."""
    start = perf_counter()
    training = fit.search(halves.training, "searching")
    after, training_gain = fit.fit_all(training)
    held_out = fit.search(halves.held_out, "searching the others") if careful or after != fit.present else []

    def refitted(fit: _Fit, after: Settings, training_gain: float, phase: str, unread: str = "") -> Refitted:
        gain = None if after == fit.present else fit.held_out_gain(held_out, after, phase)
        sizes = len(halves.training), len(halves.held_out)
        left_out, seconds = questions - sum(sizes), perf_counter() - start
        return Refitted(fit.present, after, gain, *sizes, halves.by, training_gain, left_out, seconds, unread)

    result = refitted(fit, after, training_gain, "trying on the others")
    if careful:
        careful_fit = replace(fit, present=carefully(after if result.verdict == GAIN else fit.present, careful))
        try:
            blend = refitted(careful_fit, *careful_fit.fit_blend(training), "trying Careful on the others")
        except ModelError as error:
            blend = refitted(careful_fit, careful_fit.present, 0.0, "", str(error))
        result = replace(result, careful=blend, seconds=perf_counter() - start)
    fit.phases.phase("done")(1, 1)
    return result


def cuts(library: Library) -> Mapping[str, str]:
    """Version id -> fingerprint of the recipe, for every live document."""
    return {row.version_id: row.recipe_fingerprint for row in library.sources()}


def cut_otherwise(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether a document of ``before`` is gone or has another recipe. New documents do not count.

    >>> [cut_otherwise({"a": "1"}, now) for now in ({"a": "1", "b": "1"}, {"a": "2"}, {})]
    [False, True, True]
    """
    return any(now.get(version) != recipe for version, recipe in before.items())


def _library_changed() -> LecternError:
    return LecternError("The library was cut otherwise while its dials were fitted.", "Fit again.")


@dataclass(frozen=True, slots=True)
class _Fit:
    """A fit that starts from the settings ``present``."""

    library: Library
    scorer: Scorer
    present: Settings
    phases: _Phases

    def fit_all(self, searches: Sequence[JudgedSearch]) -> tuple[Settings, float]:
        """The best settings on the training half, and their gain there in points of recall."""
        candidates = self._fusion_candidates(searches)
        if not self.present.reranking.off:
            candidates = self._with_blends(searches, [self.present, candidates[-1]])
        return self._best(searches, candidates, "reading")

    def fit_blend(self, searches: Sequence[JudgedSearch]) -> tuple[Settings, float]:
        """As ``fit_all``, for the re-ranker's blend alone. ``present``: the settings of Careful."""
        candidate = self._blend_candidate(searches)
        rerankable = [search for search in searches if self.scorer.has_candidate(search, self.present)]
        return self._best(rerankable, [candidate], "reading as Careful")

    def held_out_gain(self, searches: Sequence[JudgedSearch], after: Settings, phase: str) -> Gain:
        """The gain of the settings ``after`` over the present ones."""
        before, then = self._recalls(searches, [self.present, after], phase)
        return measured_gain(before, then)

    def _best(
        self, searches: Sequence[JudgedSearch], candidates: Sequence[Settings], phase: str
    ) -> tuple[Settings, float]:
        candidates = list(dict.fromkeys([self.present, *candidates]))
        if len(candidates) == 1:
            return self.present, 0.0
        scores = self._recalls(searches, candidates, phase)
        number = best_settings(scores.mean(axis=2))
        return candidates[number], 100 * float((scores[number] - scores[0]).mean())

    def search(self, questions: Sequence[Question], phase: str) -> list[JudgedSearch]:
        """Search once for each question."""
        report, searches = self.phases.phase(phase), []
        for number, question in enumerate(questions):
            report(number, len(questions))
            if number % _QUESTION_BATCH == 0:
                self.library.searcher.encode([item.question for item in questions[number : number + _QUESTION_BATCH]])
            searches.append(self.scorer.ask(question, self.present))
        return searches

    def _fusion_candidates(self, searches: Sequence[JudgedSearch]) -> list[Settings]:
        """The last settings on the path of a coordinate search over fusion, scored without the re-ranker."""

        def mean_recall(settings: Settings) -> float:
            total = 0.0
            for search in searches:
                self.phases.repeat()
                total += self.scorer.estimate(search, settings)
            return total / len(searches)

        path = walk(Grid(without_reranking(self.present), FUSION), mean_recall, self.phases.phase("turning dials"))
        return [replace(settings, reranking=self.present.reranking) for settings in path[-FINALISTS:]]

    def _with_blends(self, searches: Sequence[JudgedSearch], fusions: Sequence[Settings]) -> list[Settings]:
        """The fusions, and each with the blend that has the highest estimated recall."""
        fusions = list(dict.fromkeys(fusions))
        steps = BLEND.grid(self.present.reranking.blend)
        recalls = np.mean(list(self._blend_recalls(searches, fusions, steps)), axis=0)
        net = recalls - STEP_COST * np.abs(list(steps))
        blends = [list(steps.values())[index] for index in net.argmax(axis=1)]
        return [*fusions, *(item.with_value(BLEND.name, blend) for item, blend in zip(fusions, blends, strict=True))]

    def _blend_candidate(self, searches: Sequence[JudgedSearch]) -> Settings:
        """The present settings with the blend of the highest estimated recall, if it is clearly higher."""
        steps = CAREFUL_BLEND.grid(self.present.reranking.blend)
        recalls = np.array([item[0] for item in self._blend_recalls(searches, [self.present], steps)])
        step = best_step(recalls, list(steps))
        return self.present.with_value(BLEND.name, steps[step]) if step else self.present

    def _blend_recalls(
        self, searches: Sequence[JudgedSearch], fusions: Sequence[Settings], steps: Mapping[int, float]
    ) -> Iterator[NDArray[np.float64]]:
        """For each search in turn ``(fusions, steps)``: the estimated recall of each fusion with each blend.

        A question's passages are re-ranked once for all blends.
        """
        report = self.phases.phase("re-reading")
        for number, search in enumerate(searches):
            recalls = np.empty((len(fusions), len(steps)))
            for row, fusion in enumerate(map(_without_timeout, fusions)):
                report(number * len(fusions) + row, len(searches) * len(fusions))
                if not self.scorer.has_candidate(search, fusion):  # no order of the candidates brings gold
                    recalls[row] = self.scorer.estimate(search, without_reranking(fusion))
                    continue
                for column, blend in enumerate(steps.values()):
                    recalls[row, column] = self.scorer.estimate(search, fusion.with_value(BLEND.name, blend))
            yield recalls

    def _recalls(
        self, searches: Sequence[JudgedSearch], candidates: Sequence[Settings], phase: str
    ) -> NDArray[np.float64]:
        """``(settings, questions, budgets)``: recall of the assembled contexts."""
        report = self.phases.phase(phase)
        scores = np.empty((len(candidates), len(searches), len(BUDGETS)))
        for row, settings in enumerate(map(_without_timeout, candidates)):
            for column, search in enumerate(searches):
                report(row * len(searches) + column, len(searches) * len(candidates))
                scores[row, column] = self.scorer.recalls(search, settings, lambda done, total: self.phases.repeat())
        return scores


def _without_timeout(settings: Settings) -> Settings:
    """Without the re-ranker's time limit: passages that it cuts off would be scored again for every candidate."""
    return settings.with_value("reranking.timeout_seconds", 0.0)


def best_settings(scores: NDArray[np.float64]) -> int:
    """The row of the settings with the highest mean recall, if they gain more than the standard error of the gain.

    Else 0. ``scores``: ``(settings, questions)``, the present settings in row 0.

    >>> best_settings(np.array([[0.5, 0.5, 0.5, 0.5], [0.6, 0.6, 0.5, 0.6], [1.0, 0.0, 0.5, 0.6]]))
    1
    >>> best_settings(np.array([[0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.5, 0.6]]))
    0
    """
    gains = scores - scores[0]
    errors = gains.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    means = gains.mean(axis=1)
    return int(np.argmax(np.where(means > errors, means, 0.0)))


def best_step(recalls: NDArray[np.float64], steps: Sequence[int]) -> int:
    """The step with the highest net recall, if it gains more than the standard error of its gain over step 0; else 0.

    ``recalls``: ``(questions, steps)``. ``steps``: distances from the present value, 0 among them; net recall is less
    by ``STEP_COST`` for each step away.

    >>> best_step(np.array([[0.5, 0.5, 0.6], [0.5, 0.5, 0.7], [0.5, 0.5, 0.5]]), [-1, 0, 1])
    1
    >>> best_step(np.array([[0.5, 0.5, 0.6], [0.5, 0.5, 0.7], [0.5, 0.5, 0.2]]), [-1, 0, 1])
    0
    """
    best = int(np.argmax(recalls.mean(axis=0) - STEP_COST * np.abs(steps)))
    return steps[best] if best_settings(recalls[:, [steps.index(0), best]].T) else 0


class _Phases:
    """Reports progress over several phases, each an equal share of the whole."""

    def __init__(self, watch: Watch | None, names: Sequence[str]) -> None:
        self._watch, self._names = watch, names
        self._last = ("", 0.0)

    def phase(self, name: str) -> Callable[[int, int], None]:
        """A function that reports ``done`` of ``total`` in one phase. "done", which is no phase, is the end."""
        index = self._names.index(name) if name in self._names else len(self._names)

        def report(done: int, total: int) -> None:
            self._last = name, min(1.0, (index + done / max(1, total)) / len(self._names))
            self.repeat()

        return report

    def repeat(self) -> None:
        """Report the same again, so that the watch can stop a long computation."""
        if self._watch:
            self._watch(*self._last)


def _question_limit(library: Library) -> int:
    """The largest number of questions: less for a very large library, as each keeps a score for every leaf."""
    leaves = max(1, len(library.searcher.snapshot().leaves))
    return max(LEAST_QUESTIONS, min(MOST_QUESTIONS, _MEMORY // (_BYTES_A_LEAF * leaves)))
