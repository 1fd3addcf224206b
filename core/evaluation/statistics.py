"""How sure a figure is: the paired bootstrap over questions.

The percentile method: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; for comparing two
systems on the same test items: Koehn, "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004.
Questions are drawn with replacement, the same draws for every metric and every preset, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 20_040_725  # any fixed number does; with it the same scores give the same interval
_DRAWS_AT_ONCE = 1_000_000  # bounds memory to some tens of megabytes, whatever the number of questions

_ROUNDING = 1e-12  # sums that cancel leave this much; a difference below it is none

BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no difference seen"


@dataclass(frozen=True, slots=True)
class Interval:
    """The mean of scores, and the bounds of its 95 % interval, in the scores' unit."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A preset against a baseline: mean of the paired differences, its 95 % interval, and the verdict in words.

    ``verdict``: "better" when the whole interval lies above 0, "worse" when below, else "no difference seen".
    ``questions``: how many were compared.
    """

    difference: float
    low: float
    high: float
    verdict: str
    questions: int


def intervals(scores: ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Interval, ...]:
    """One interval per column of ``scores``, ``(questions, metrics)`` float64, from the same resamples.

    Raises ``ValueError`` without questions.

    >>> intervals([[0.5], [0.5]])
    (Interval(mean=0.5, low=0.5, high=0.5),)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError(f"Scores must be (questions, metrics) with at least one question, got {table.shape}.")
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled_means(table, resamples=resamples, seed=seed), [tail, 1 - tail], axis=0)
    means = table.mean(axis=0)
    return tuple(Interval(float(m), float(a), float(b)) for m, a, b in zip(means, low, high, strict=True))


def compare(
    scores: ArrayLike, baseline: ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Comparison, ...]:
    """Each column of ``scores`` against the same column of ``baseline``: rows are the same questions.

    Raises ``ValueError`` when the shapes differ or there are no questions.

    >>> compare([[1.0], [1.0]], [[0.0], [0.0]])
    (Comparison(difference=1.0, low=1.0, high=1.0, verdict='better', questions=2),)
    """
    left, right = np.asarray(scores, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(f"Paired scores need the same questions and metrics, got {left.shape} and {right.shape}.")
    found = intervals(left - right, resamples=resamples, seed=seed)
    return tuple(Comparison(item.mean, item.low, item.high, _verdict(item), len(left)) for item in found)


def resampled_means(table: NDArray[np.float64], *, resamples: int, seed: int) -> NDArray[np.float64]:
    """``(resamples, metrics)``: the column means of ``table`` under resampling of its rows.

    How often each row was drawn is counted, and one product with the table gives all means of a block of resamples.
    """
    rows = len(table)
    generator = np.random.default_rng(seed)
    block = max(1, _DRAWS_AT_ONCE // rows)
    means = np.empty((resamples, table.shape[1]))
    for first in range(0, resamples, block):
        size = min(block, resamples - first)
        drawn = generator.integers(rows, size=(size, rows)) + np.arange(size)[:, None] * rows
        counts = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows)
        means[first : first + size] = counts.astype(np.float64) @ table / rows
    return means


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie, interpolated; 0.0 for none.

    >>> percentile([1, 2, 3], 0.5)
    2.0
    """
    return float(np.quantile(values, share)) if len(values) else 0.0


def _verdict(interval: Interval) -> str:
    if interval.low > _ROUNDING:
        return BETTER
    return WORSE if interval.high < -_ROUNDING else NO_DIFFERENCE
