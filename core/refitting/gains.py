"""What a fit is worth on questions it was not made for, and the verdict that decides if it may be applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.measuring import BUDGETS
from core.evaluation.statistics import BETTER, WORSE, Comparison, compare

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
    whole, *budgets = compare(new, old)
    return Gain(whole, dict(zip(BUDGETS, budgets, strict=True)), float(old[:, 0].mean()), float(new[:, 0].mean()))


def _points(value: float) -> str:
    """
    >>> _points(0.84), _points(-1.2), _points(-0.04)
    ('+0.8', '−1.2', '0.0')
    """
    size = f"{abs(value):.1f}"
    return size if size == "0.0" else f"{'−' if value < 0 else '+'}{size}"
