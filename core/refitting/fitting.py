"""Fusion and blending fitted to half of a person's judgments, and held against the present values on the other half.

The walk along the dials looks at what the order of chunks alone promises, since that takes a hundredth of the time of
filling contexts; the best it comes by are then read as a reader would read them. One of them is taken only where it
gains more than the standard error of its gain: the least change that is as good as the best, as Breiman, Friedman,
Olshen and Stone choose the size of a tree ("Classification and Regression Trees", 1984, section 3.4.3). Whether that
holds for questions nobody fitted to is what the held-out half says, and it alone.

A library that asks quickly has no re-ranker on. The share of the one that Careful reads with is then fitted by itself,
on the same halves, over the fusion that may be applied, with a verdict of its own. Reading is what takes the time: the
half kept out is read only where something is to be tried on it.
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
from core.refitting.gains import GAIN, Gain, Refitted, gained
from core.refitting.scoring import JudgedSearch, Scorer, without_reranking
from core.refitting.splitting import Split, halved
from core.refitting.taught_rerankers import seen_by
from core.settings import Settings, carefully
from core.text.numerals import counted

LEAST_QUESTIONS = 30  # with gold: fifteen a side, below which hardly any gain can be told from chance
MOST_QUESTIONS = 400  # more are not asked: the interval is narrow by then, and waiting is long
READ_AS_A_READER = 4  # settings of the walk whose contexts are filled

_MEMORY = 1_000_000_000  # bytes that what was found for the questions may take
_BYTES_A_LEAF = 40
_TOGETHER = 32  # questions encoded at once

_FIT = ("searching", "turning dials", "reading", "searching the others", "trying on the others")
_REREAD = (*_FIT[:2], "re-reading", *_FIT[2:])  # with a re-ranker on
_CAREFUL = (*_FIT, "re-reading", "reading as Careful", "trying Careful on the others")

Watch = Callable[[str, float], None]
"""Told what is being done, in words, and the share of the whole, from 0 to 1; may raise ``CancelledError`` to stop."""


def fittable(judged: Judged) -> tuple[Question, ...]:
    """The judged questions that can be fitted to: those with gold."""
    return tuple(question for question in judged.exchange.questions if question.gold)


def refit(
    library: Library,
    judged: Judged,
    settings: Settings | None = None,
    watch: Watch | None = None,
    careful: str = "",
) -> Refitted:
    """Fit the dials of fusion, and of blending where a re-ranker is on, to one half of the judgments; try the other.

    ``settings``: to begin from, ``None`` for the library's own. ``careful``: the model that Careful reads with; where
    the settings have no re-ranker on, its share is fitted as well, which takes a model's time. "" leaves Careful out.
    A re-ranker is asked without its time limit, and what it learnt from is not kept out of the fit.

    Nothing is changed in the library. The same judgments over the same library give the same. Raises ``LecternError``
    for fewer than ``LEAST_QUESTIONS`` questions with gold, and where a document is cut otherwise, or gone, before the
    end: half of what was found would be of another library.
    """
    present, before = settings or library.settings, cuts(library)
    questions = fittable(judged)
    if len(questions) < LEAST_QUESTIONS:
        raise LecternError(
            f"This library has {counted(len(questions), 'judged question')} with an answer; fitting takes at least "
            f"{LEAST_QUESTIONS}.",
            f"Judge {LEAST_QUESTIONS - len(questions)} more.",
        )
    also = bool(careful) and present.reranking.off
    halves = halved(questions, seen_by(careful if also else present.reranking.model), _most(library))
    phases = _Phases(watch, _CAREFUL if also else _FIT if present.reranking.off else _REREAD)
    fit = _Fit(library, Scorer(library.searcher, judged), present, phases)
    try:
        found = _refitted(fit, halves, careful if also else "", len(questions))
    except NotFoundError as error:
        if not cut_otherwise(before, cuts(library)):
            raise
        raise _changed() from error
    if cut_otherwise(before, cuts(library)):
        raise _changed()
    return found


def _refitted(fit: _Fit, halves: Split, careful: str, questions: int) -> Refitted:
    """``careful``: as ``refit`` has it, "" where it is not fitted. ``questions``: how many could be asked."""
    begun = perf_counter()
    training = fit.asked(halves.training, "searching")
    after, fitted = fit.best(training)
    others = fit.asked(halves.held_out, "searching the others") if careful or after != fit.present else []

    def told(fit: _Fit, after: Settings, fitted: float, phase: str, unread: str = "") -> Refitted:
        gain = None if after == fit.present else fit.held(others, after, phase)
        sizes = len(halves.training), len(halves.held_out)
        left_out, seconds = questions - sum(sizes), perf_counter() - begun
        return Refitted(fit.present, after, gain, *sizes, halves.by, fitted, left_out, seconds, unread)

    found = told(fit, after, fitted, "trying on the others")
    if careful:
        asking = replace(fit, present=carefully(after if found.verdict == GAIN else fit.present, careful))
        try:
            share = told(asking, *asking.share(training), "trying Careful on the others")
        except ModelError as error:
            share = told(asking, asking.present, 0.0, "", str(error))
        found = replace(found, careful=share, seconds=perf_counter() - begun)
    fit.phases.phase("done")(1, 1)
    return found


def cuts(library: Library) -> Mapping[str, str]:
    """How each live document is cut: the fingerprint of its recipe, by version."""
    return {row.version_id: row.recipe_fingerprint for row in library.sources()}


def cut_otherwise(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether a document that was there is gone, or cut by another recipe; one that came is no matter.

    >>> [cut_otherwise({"a": "1"}, now) for now in ({"a": "1", "b": "1"}, {"a": "2"}, {})]
    [False, True, True]
    """
    return any(now.get(version) != recipe for version, recipe in before.items())


def _changed() -> LecternError:
    return LecternError("The library was cut otherwise while its dials were fitted.", "Fit again.")


@dataclass(frozen=True, slots=True)
class _Fit:
    library: Library
    scorer: Scorer
    present: Settings
    phases: _Phases

    def best(self, asked: Sequence[JudgedSearch]) -> tuple[Settings, float]:
        """The settings to be tried on the other half, and the points of recall they gain on this one."""
        tried = self._walked(asked)
        if not self.present.reranking.off:
            tried = self._blended(asked, [self.present, tried[-1]])
        return self._chosen(asked, tried, "reading")

    def share(self, asked: Sequence[JudgedSearch]) -> tuple[Settings, float]:
        """As ``best``, of the re-ranker's share alone: ``present`` is what Careful asks with."""
        promising = self._promising(asked)
        telling = [one for one in asked if self.scorer.has_candidate(one, self.present)]
        return self._chosen(telling, [promising], "reading as Careful")

    def held(self, asked: Sequence[JudgedSearch], after: Settings, phase: str) -> Gain:
        """The fitted settings against the present ones, question by question."""
        before, then = self._exactly(asked, [self.present, after], phase)
        return gained(before, then)

    def _chosen(self, asked: Sequence[JudgedSearch], tried: Sequence[Settings], phase: str) -> tuple[Settings, float]:
        tried = list(dict.fromkeys([self.present, *tried]))
        if len(tried) == 1:
            return self.present, 0.0
        scores = self._exactly(asked, tried, phase)
        number = chosen(scores.mean(axis=2))
        return tried[number], 100 * float((scores[number] - scores[0]).mean())

    def asked(self, questions: Sequence[Question], phase: str) -> list[JudgedSearch]:
        tell, found = self.phases.phase(phase), []
        for at, question in enumerate(questions):
            tell(at, len(questions))
            if at % _TOGETHER == 0:
                self.library.searcher.encode([one.question for one in questions[at : at + _TOGETHER]])
            found.append(self.scorer.ask(question, self.present))
        return found

    def _walked(self, asked: Sequence[JudgedSearch]) -> list[Settings]:
        """The best fusions of a walk, judged by what they hand on: a re-ranker reads none of it yet."""

        def worth(settings: Settings) -> float:
            found = 0.0
            for one in asked:
                self.phases.again()
                found += self.scorer.about(one, settings)
            return found / len(asked)

        path = walk(Grid(without_reranking(self.present), FUSION), worth, self.phases.phase("turning dials"))
        return [replace(settings, reranking=self.present.reranking) for settings in path[-READ_AS_A_READER:]]

    def _blended(self, asked: Sequence[JudgedSearch], tried: Sequence[Settings]) -> list[Settings]:
        """The fusions that are tried, and each with the blend that suits it.

        A question's passages are read once for all blends: only their order differs.
        """
        fusions = list(dict.fromkeys(tried))
        steps = BLEND.grid(self.present.reranking.blend)
        worth = np.mean(list(self._reread(asked, fusions, steps)), axis=0)
        net = worth - STEP_COST * np.abs(list(steps))
        best = [list(steps.values())[at] for at in net.argmax(axis=1)]
        return [*fusions, *(one.with_value(BLEND.name, blend) for one, blend in zip(fusions, best, strict=True))]

    def _promising(self, asked: Sequence[JudgedSearch]) -> Settings:
        """With the share of Careful's re-ranker that promises most, or the present where none promises a gain."""
        steps = CAREFUL_BLEND.grid(self.present.reranking.blend)
        worth = np.array([one[0] for one in self._reread(asked, [self.present], steps)])
        best = promising(worth, list(steps))
        return self.present.with_value(BLEND.name, steps[best]) if best else self.present

    def _reread(
        self, asked: Sequence[JudgedSearch], fusions: Sequence[Settings], steps: Mapping[int, float]
    ) -> Iterator[NDArray[np.float64]]:
        """Of one question after another (fusions, steps), about the recall of each fusion with each blend."""
        tell = self.phases.phase("re-reading")
        for at, one in enumerate(asked):
            worth = np.empty((len(fusions), len(steps)))
            for place, fusion in enumerate(map(_unhurried, fusions)):
                tell(at * len(fusions) + place, len(asked) * len(fusions))
                if not self.scorer.has_candidate(one, fusion):  # however they are ordered, no gold is read with them
                    worth[place] = self.scorer.about(one, without_reranking(fusion))
                    continue
                for step, blend in enumerate(steps.values()):
                    worth[place, step] = self.scorer.about(one, fusion.with_value(BLEND.name, blend))
            yield worth

    def _exactly(self, asked: Sequence[JudgedSearch], tried: Sequence[Settings], phase: str) -> NDArray[np.float64]:
        """(settings, questions, budgets) recall of the contexts a reader gets."""
        tell = self.phases.phase(phase)
        scores = np.empty((len(tried), len(asked), len(BUDGETS)))
        for number, settings in enumerate(map(_unhurried, tried)):
            for at, one in enumerate(asked):
                tell(number * len(asked) + at, len(asked) * len(tried))
                scores[number, at] = self.scorer.exactly(one, settings, lambda done, total: self.phases.again())
        return scores


def _unhurried(settings: Settings) -> Settings:
    """Without the time limit of the re-ranker: what it cuts off would be read anew for everything that is tried."""
    return settings.with_value("reranking.timeout_seconds", 0.0)


def chosen(scores: NDArray[np.float64]) -> int:
    """The first of the settings with the most recall, if it gains more than its standard error, else 0, the present.

    ``scores``: (settings, questions), the present settings first.

    >>> chosen(np.array([[0.5, 0.5, 0.5, 0.5], [0.6, 0.6, 0.5, 0.6], [1.0, 0.0, 0.5, 0.6]]))
    1
    >>> chosen(np.array([[0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.5, 0.6]]))
    0
    """
    gains = scores - scores[0]
    errors = gains.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    means = gains.mean(axis=1)
    return int(np.argmax(np.where(means > errors, means, 0.0)))


def promising(worth: NDArray[np.float64], steps: Sequence[int]) -> int:
    """The steps to the value worth most, if it gains more than its standard error over where the dial stands, else 0.

    ``worth``: (questions, steps). ``steps``: away from where it stands, 0 among them; each is charged ``STEP_COST``.

    >>> promising(np.array([[0.5, 0.5, 0.6], [0.5, 0.5, 0.7], [0.5, 0.5, 0.5]]), [-1, 0, 1])
    1
    >>> promising(np.array([[0.5, 0.5, 0.6], [0.5, 0.5, 0.7], [0.5, 0.5, 0.2]]), [-1, 0, 1])
    0
    """
    best = int(np.argmax(worth.mean(axis=0) - STEP_COST * np.abs(steps)))
    return steps[best] if chosen(worth[:, [steps.index(0), best]].T) else 0


class _Phases:
    """How much of the whole is done, told phase by phase; each counts alike, however long it takes."""

    def __init__(self, watch: Watch | None, names: Sequence[str]) -> None:
        self._watch, self._names = watch, names
        self._last = ("", 0.0)

    def phase(self, name: str) -> Callable[[int, int], None]:
        """Counts one phase. "done" is the end."""
        at = self._names.index(name) if name in self._names else len(self._names)

        def tell(done: int, total: int) -> None:
            self._last = name, min(1.0, (at + done / max(1, total)) / len(self._names))
            self.again()

        return tell

    def again(self) -> None:
        """Say the same once more, so that whoever wants it stopped is heard."""
        if self._watch:
            self._watch(*self._last)


def _most(library: Library) -> int:
    """How many questions are asked: of a very large library fewer, since each keeps a score of every leaf."""
    leaves = max(1, len(library.searcher.snapshot().leaves))
    return max(LEAST_QUESTIONS, min(MOST_QUESTIONS, _MEMORY // (_BYTES_A_LEAF * leaves)))
