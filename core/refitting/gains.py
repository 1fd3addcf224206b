"""The gain of a fit on the held-out questions, and the verdict on whether it may be applied."""

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
    """The fitted settings compared with the present ones on the held-out questions, in points of recall.

    ``whole``: the comparison of the mean over ``BUDGETS``, which decides the verdict. ``budgets``: at each budget.
    ``before``, ``after``: mean recall in percent.
    """

    whole: Comparison
    budgets: Mapping[int, Comparison]
    before: float
    after: float

    @property
    def verdict(self) -> str:
        """``GAIN``, ``NO_GAIN`` or ``LOSS``. A gain needs an interval above 0 and a significant randomisation test.

        The interval alone would too easily be above 0 where few questions differ.
        """
        if self.whole.low > 0 and self.whole.verdict == BETTER:
            return GAIN
        return LOSS if self.whole.verdict == WORSE else NO_GAIN

    @property
    def sentence(self) -> str:
        """The verdict and its interval as a sentence for the user."""
        whole = self.whole
        interval = f"95 % interval {_points(whole.low)} to {_points(whole.high)}"
        questions = f"On the {whole.questions} questions kept out of the fit"
        if self.verdict == GAIN:
            return f"{questions}, recall rises by {whole.difference:.1f} points ({interval})."
        if self.verdict == LOSS:
            return f"{questions}, recall falls by {-whole.difference:.1f} points ({interval}). This cannot be applied."
        return (
            f"{questions}, no gain is shown: {_points(whole.difference)} points of recall ({interval}). What is not "
            "shown to be better cannot be applied."
        )


def measured_gain(before: NDArray[np.float64], after: NDArray[np.float64]) -> Gain:
    """The gain between two recall arrays of the same questions, both ``(questions, budgets)`` in [0, 1].

    >>> measured_gain(np.zeros((9, 4)), np.full((9, 4), 0.1)).sentence
    'On the 9 questions kept out of the fit, recall rises by 10.0 points (95 % interval +10.0 to +10.0).'
    """
    old, new = (100 * np.column_stack([side.mean(axis=1), side]) for side in (before, after))
    whole, *budgets = compare({"fitted": new}, old)["fitted"]
    return Gain(whole, dict(zip(BUDGETS, budgets, strict=True)), float(old[:, 0].mean()), float(new[:, 0].mean()))


def _points(value: float) -> str:
    """A signed number of percent points.

    >>> _points(0.84), _points(-1.2), _points(-0.04)
    ('+0.8', '−1.2', '0.0')
    """
    size = f"{abs(value):.1f}"
    return size if size == "0.0" else f"{'−' if value < 0 else '+'}{size}"


@dataclass(frozen=True, slots=True)
class Refitted:
    """The result of a fit. Where nothing better was found, ``after`` equals ``before`` and ``gain`` is ``None``.

    ``trained``, ``held_out``: numbers of questions; ``by``: how they were split. ``fitted``: gain on the training
    questions in points of mean recall, which does not generalise. ``left_out``: questions beyond the limit. ``unread``:
    why the re-ranker failed, "" for no failure. ``careful``: the fit of the blend of Careful's re-ranker on the same
    halves; ``None`` where it was not requested, or ``before`` has a re-ranker on.
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
        """Setting -> (before, after) for the settings that changed, without Careful's blend."""
        return changes(self.before, self.after)

    @property
    def gains(self) -> Mapping[str, tuple[float, float]]:
        """Setting -> (before, after) for the changes that may be applied: those with a gain on the held-out questions.

        The blend's value before is that of the settings, not the one that Careful uses.
        """
        applicable = dict(self.changes) if self.verdict == GAIN else {}
        if self.careful is not None and self.careful.verdict == GAIN:
            applicable[BLEND.name] = self.before.reranking.blend, self.careful.after.reranking.blend
        return applicable

    @property
    def verdict(self) -> str:
        """The verdict of the gain; ``UNCHANGED`` without one."""
        return UNCHANGED if self.gain is None else self.gain.verdict

    @property
    def sentence(self) -> str:
        """The verdict as a sentence for the user."""
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
        """The verdict on Careful's blend as a sentence for the user; "" where it was not fitted."""
        if self.careful is None:
            return ""
        changed = self.careful.changes.values()
        share = "".join(f", its re-ranker's share {after:g} instead of {before:g}" for before, after in changed)
        return f"Careful{share}: {self.careful.sentence[0].lower()}{self.careful.sentence[1:]}"

    def onto(self, settings: Settings) -> Settings:
        """``settings`` with the applicable changes. Raises ``LecternError`` where there are none."""
        if not self.gains:
            raise LecternError(self.sentence, "Judge more questions, and fit again.")
        return settings.with_values({name: value for name, (_, value) in self.gains.items()})
