"""Fusion and blending fitted to half of a person's judgments, and held against the present values on the other half.

The walk along the dials looks at what the order of chunks alone promises, since that takes a hundredth of the time of
filling contexts; the best it comes by are then read as a reader would read them. One of them is taken only where it
gains more than the standard error of its gain: the least change that is as good as the best, as Breiman, Friedman,
Olshen and Stone choose the size of a tree ("Classification and Regression Trees", 1984, section 3.4.3). Whether that
holds for questions nobody fitted to is what the held-out half says, and it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.errors import LecternError
from core.evaluation.judged import Judged
from core.evaluation.measuring import BUDGETS
from core.evaluation.suites import Question
from core.library import Library
from core.refitting.gains import GAIN, UNCHANGED, Gain, gained
from core.refitting.scoring import Asked, Scorer, without_reranking
from core.refitting.splitting import By, drawn, split
from core.refitting.turning import BLEND, FUSION, STEP_COST, Grid, changes, walk
from core.settings import Settings

LEAST_QUESTIONS = 30  # with gold: fifteen a side, below which hardly any gain can be told from chance
MOST_QUESTIONS = 400  # more are not asked: the interval is narrow by then, and waiting is long
READ_AS_A_READER = 4  # settings of the walk whose contexts are filled

_MEMORY = 1_000_000_000  # bytes that what was found for the questions may take
_BYTES_A_LEAF = 40
_TOGETHER = 32  # questions encoded at once

# How long each phase takes, as a share of the whole.
_PLAIN = {
    "searching": 0.12,
    "turning dials": 0.4,
    "reading": 0.3,
    "searching the others": 0.1,
    "trying on the others": 0.08,
}
_RERANKED = {
    "searching": 0.03,
    "turning dials": 0.07,
    "re-reading": 0.4,
    "reading": 0.08,
    "searching the others": 0.02,
    "trying on the others": 0.4,
}

Watch = Callable[[str, float], None]
"""Told what is being done, in words, and the share of the whole, from 0 to 1; may raise ``CancelledError`` to stop."""


@dataclass(frozen=True, slots=True)
class Refitted:
    """What came of a fit. ``after``: equal to ``before`` where nothing better was found, and ``gain`` is ``None`` then.

    ``trained``, ``held_out``: numbers of questions; ``by``: what parts them. ``fitted``: points of mean recall gained
    on the questions fitted to, which says nothing of others. ``left_out``: questions beyond ``MOST_QUESTIONS``.
    """

    before: Settings
    after: Settings
    gain: Gain | None
    trained: int
    held_out: int
    by: By
    fitted: float
    left_out: int
    seconds: float

    @property
    def changes(self) -> Mapping[str, tuple[float, float]]:
        """The dials that were turned, with both values."""
        return changes(self.before, self.after)

    @property
    def verdict(self) -> str:
        """Of the gain; ``UNCHANGED`` where there was nothing to try."""
        return UNCHANGED if self.gain is None else self.gain.verdict

    @property
    def sentence(self) -> str:
        """The verdict for a person, with its interval."""
        if self.gain is None:
            return (
                f"Nothing clearly better than the present dials was found on the {self.trained} questions that were "
                "fitted to. They stay as they are."
            )
        return self.gain.sentence

    def onto(self, settings: Settings) -> Settings:
        """Settings with the fitted dials. Raises ``LecternError`` where no gain was shown."""
        if self.verdict != GAIN:
            raise LecternError(self.sentence, "Judge more questions, and fit again.")
        return settings.with_values({name: value for name, (_, value) in self.changes.items()})


def fittable(judged: Judged) -> tuple[Question, ...]:
    """The judged questions that can be fitted to: those with gold."""
    return tuple(question for question in judged.exchange.questions if question.gold)


def refit(library: Library, judged: Judged, settings: Settings | None = None, watch: Watch | None = None) -> Refitted:
    """Fit the dials of fusion, and of blending where a re-ranker is on, to one half of the judgments; try the other.

    ``settings``: to begin from, ``None`` for the library's own. Nothing is changed in the library. The same judgments
    over the same library give the same. Raises ``LecternError`` for fewer than ``LEAST_QUESTIONS`` questions with gold.
    """
    begun, present = perf_counter(), settings or library.settings
    questions = fittable(judged)
    if len(questions) < LEAST_QUESTIONS:
        raise LecternError(
            f"This library has {_counted(len(questions), 'judged question')} with gold; fitting takes at least "
            f"{LEAST_QUESTIONS}.",
            f"Judge {LEAST_QUESTIONS - len(questions)} more.",
        )
    asked = sorted(questions, key=drawn)[: _most(library)]
    halves = split(asked)
    told = _Told(watch, reranked=not present.reranking.off)
    fit = _Fit(library, Scorer(library.searcher, judged), present, told)
    after, fitted = fit.best(halves.training)
    gain = None if after == present else fit.held(halves.held_out, after)
    told.phase("done")(1, 1)
    return Refitted(
        present,
        after,
        gain,
        len(halves.training),
        len(halves.held_out),
        halves.by,
        fitted,
        len(questions) - len(asked),
        perf_counter() - begun,
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    library: Library
    scorer: Scorer
    present: Settings
    told: _Told

    def best(self, training: Sequence[Question]) -> tuple[Settings, float]:
        """The settings to be tried on the other half, and the points of recall they gain on this one."""
        asked = self._asked(training, "searching")
        tried = self._walked(asked)
        if not self.present.reranking.off:
            tried = self._blended(asked, tried)
        tried = list(dict.fromkeys([self.present, *tried]))
        scores = self._exactly(asked, tried, "reading")
        number = chosen(scores.mean(axis=2))
        return tried[number], 100 * float((scores[number] - scores[0]).mean())

    def held(self, questions: Sequence[Question], after: Settings) -> Gain:
        """The fitted settings against the present ones, question by question."""
        asked = self._asked(questions, "searching the others")
        before, then = self._exactly(asked, [self.present, after], "trying on the others")
        return gained(before, then)

    def _asked(self, questions: Sequence[Question], phase: str) -> list[Asked]:
        tell, found = self.told.phase(phase), []
        for at, question in enumerate(questions):
            tell(at, len(questions))
            if at % _TOGETHER == 0:
                self.library.warm([one.question for one in questions[at : at + _TOGETHER]])
            found.append(self.scorer.ask(question, self.present))
        return found

    def _walked(self, asked: Sequence[Asked]) -> list[Settings]:
        """The best fusions of a walk, judged by what they hand on: a re-ranker reads none of it yet."""

        def worth(settings: Settings) -> float:
            found = 0.0
            for one in asked:
                self.told.again()
                found += self.scorer.about(one, settings)
            return found / len(asked)

        path = walk(Grid(without_reranking(self.present), FUSION), worth, self.told.phase("turning dials"))
        return [replace(settings, reranking=self.present.reranking) for settings in path[-READ_AS_A_READER:]]

    def _blended(self, asked: Sequence[Asked], tried: Sequence[Settings]) -> list[Settings]:
        """The present fusion and the last that was tried, each with the blend that suits it.

        A question's passages are read once for all blends: only their order differs.
        """
        fusions = list(dict.fromkeys([self.present, tried[-1]]))
        steps = BLEND.grid(self.present.reranking.blend)
        worth = np.zeros((len(fusions), len(steps)))
        tell = self.told.phase("re-reading")
        for at, one in enumerate(asked):
            for place, fusion in enumerate(fusions):
                tell(at * len(fusions) + place, len(asked) * len(fusions))
                for step, blend in enumerate(steps.values()):
                    worth[place, step] += self.scorer.about(one, fusion.with_value(BLEND.name, blend))
        net = worth / len(asked) - STEP_COST * np.abs(list(steps))
        best = [list(steps.values())[at] for at in net.argmax(axis=1)]
        return [*fusions, *(one.with_value(BLEND.name, blend) for one, blend in zip(fusions, best, strict=True))]

    def _exactly(self, asked: Sequence[Asked], tried: Sequence[Settings], phase: str) -> NDArray[np.float64]:
        """(settings, questions, budgets) recall of the contexts a reader gets."""
        tell = self.told.phase(phase)
        scores = np.empty((len(tried), len(asked), len(BUDGETS)))
        for number, settings in enumerate(tried):
            for at, one in enumerate(asked):
                tell(number * len(asked) + at, len(asked) * len(tried))
                scores[number, at] = self.scorer.exactly(one, settings, lambda done, total: self.told.again())
        return scores


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


class _Told:
    """The share of the whole, told phase by phase."""

    def __init__(self, watch: Watch | None, *, reranked: bool) -> None:
        self._watch = watch
        self._shares = _RERANKED if reranked else _PLAIN
        self._last = ("", 0.0)

    def phase(self, name: str) -> Callable[[int, int], None]:
        """Counts one phase. "done" is the end."""
        names = list(self._shares)
        at = names.index(name) if name in self._shares else len(names)
        before, share = sum(list(self._shares.values())[:at]), self._shares.get(name, 0.0)

        def tell(done: int, total: int) -> None:
            self._last = name, min(1.0, before + share * done / max(1, total))
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


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
