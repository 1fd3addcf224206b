"""What a fit is worth on questions it was not made for, and the verdict that decides if it may be applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import LecternError
from core.evaluation.measuring import BUDGETS
from core.evaluation.statistics import BETTER, WORSE, Comparison, compare
from core.refitting.coordinate_search import BLEND, changes
from core.refitting.splitting import By
from core.settings import Settings

GAIN, NO_GAIN, LOSS, UNCHANGED = "gain", "no gain", "worse", "unchanged"


@dataclass(frozen=True, slots=True)
class Gain:
    """Fitted against present on the questions kept out of the fit, in points of recall, paired by question.

    ``whole``: of the mean over ``BUDGETS``, which the verdict goes by. ``budgets``: of each alone. ``before``,
    ``after``: the mean recall itself, in percent.
    """

    whole: Comparison
    budgets: Mapping[int, Comparison]
    before: float
    after: float

    @property
    def verdict(self) -> str:
        """``GAIN`` where the whole interval lies above 0 and the randomisation test agrees; else ``NO_GAIN``, ``LOSS``.

        The interval alone is too easily above 0 where few questions differ at all.
        """
        if self.whole.low > 0 and self.whole.verdict == BETTER:
            return GAIN
        return LOSS if self.whole.verdict == WORSE else NO_GAIN

    @property
    def sentence(self) -> str:
        """The verdict for a person, with its interval."""
        whole = self.whole
        interval = f"95 % interval {_points(whole.low)} to {_points(whole.high)}"
        kept = f"On the {whole.questions} questions kept out of the fit"
        if self.verdict == GAIN:
            return f"{kept}, recall rises by {whole.difference:.1f} points ({interval})."
        if self.verdict == LOSS:
            return f"{kept}, recall falls by {-whole.difference:.1f} points ({interval}). This cannot be applied."
        return (
            f"{kept}, no gain is shown: {_points(whole.difference)} points of recall ({interval}). What is not shown "
            "to be better cannot be applied."
        )


def gained(before: NDArray[np.float64], after: NDArray[np.float64]) -> Gain:
    """The gain from recall of the same questions: both ``(questions, budgets)``, from 0 to 1.

    >>> gained(np.zeros((9, 4)), np.full((9, 4), 0.1)).sentence
    'On the 9 questions kept out of the fit, recall rises by 10.0 points (95 % interval +10.0 to +10.0).'
    """
    old, new = (100 * np.column_stack([side.mean(axis=1), side]) for side in (before, after))
    whole, *budgets = compare({"fitted": new}, old)["fitted"]
    return Gain(whole, dict(zip(BUDGETS, budgets, strict=True)), float(old[:, 0].mean()), float(new[:, 0].mean()))


def _points(value: float) -> str:
    """
    >>> _points(0.84), _points(-1.2), _points(-0.04)
    ('+0.8', '−1.2', '0.0')
    """
    size = f"{abs(value):.1f}"
    return size if size == "0.0" else f"{'−' if value < 0 else '+'}{size}"


@dataclass(frozen=True, slots=True)
class Refitted:
    """What came of a fit. ``after``: equal to ``before`` where nothing better was found, and ``gain`` is ``None`` then.

    ``trained``, ``held_out``: numbers of questions; ``by``: what parts them. ``fitted``: points of mean recall gained
    on the questions fitted to, which says nothing of others. ``left_out``: questions beyond the most that are asked.
    ``unread``: why the re-ranker could not be asked, "" where it could. ``careful``: the share of the re-ranker that
    Careful reads with, fitted to the same questions; ``None`` where that was not asked for, or ``before`` has one on.
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
    unread: str = ""
    careful: Refitted | None = None

    @property
    def changes(self) -> Mapping[str, tuple[float, float]]:
        """The dials that were turned, with both values; Careful's share is told apart, in ``careful``."""
        return changes(self.before, self.after)

    @property
    def gains(self) -> Mapping[str, tuple[float, float]]:
        """The dials that may be applied, with both values: of each part those that gained on the held-out questions.

        Of the re-ranker's share the value before is the settings' own, not what Careful makes of it.
        """
        found = dict(self.changes) if self.verdict == GAIN else {}
        if self.careful is not None and self.careful.verdict == GAIN:
            found[BLEND.name] = self.before.reranking.blend, self.careful.after.reranking.blend
        return found

    @property
    def verdict(self) -> str:
        """Of the gain; ``UNCHANGED`` where there was nothing to try."""
        return UNCHANGED if self.gain is None else self.gain.verdict

    @property
    def sentence(self) -> str:
        """The verdict for a person, with its interval."""
        if self.unread:
            share = self.before.reranking.blend
            return f"The re-ranker could not be asked, and its share stays {share:g}. {self.unread}"
        if self.gain is None:
            return (
                f"Nothing clearly better than the present dials was found on the {self.trained} questions that were "
                "fitted to. They stay as they are."
            )
        return self.gain.sentence

    @property
    def careful_sentence(self) -> str:
        """The verdict on Careful's share for a person, "" where it was not fitted."""
        if self.careful is None:
            return ""
        turned = self.careful.changes.values()
        share = "".join(f", its re-ranker's share {after:g} instead of {before:g}" for before, after in turned)
        return f"Careful{share}: {self.careful.sentence[0].lower()}{self.careful.sentence[1:]}"

    def onto(self, settings: Settings) -> Settings:
        """Settings with the fitted dials that gained. Raises ``LecternError`` where no gain was shown at all."""
        if not self.gains:
            raise LecternError(self.sentence, "Judge more questions, and fit again.")
        return settings.with_values({name: value for name, (_, value) in self.gains.items()})
