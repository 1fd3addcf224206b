"""Bootstrap confidence intervals over questions, and randomisation tests for the difference of two presets.

Intervals: the percentile method (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13), paired
for two systems as in Koehn, "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004. Questions
are resampled with replacement, with the same draws for every metric and preset.

Differences: Fisher's randomisation test on the paired differences, which Smucker, Allan and Carterette recommend ("A
Comparison of Statistical Significance Tests for Information Retrieval Evaluation", CIKM 2007). Holm's step-down
correction ("A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979) for
the presets compared with one baseline keeps the family-wise error rate of each metric at 5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
PERMUTATIONS = 10_000  # the smallest possible p is 1 / 10,001, which stays significant for some hundred presets
LEVEL = 0.95
SIGNIFICANT = 0.05
_SEED = 20_040_725  # fixed, so that the same scores give the same figures
MAX_ENUMERATED = 12  # questions up to which the test enumerates all sign flips, at most 4096, and is exact

# These bound memory to some tens of megabytes, whatever the number of questions, metrics and presets.
_DRAWS_AT_ONCE = 1_000_000
_COLUMNS_AT_ONCE = 512

_ROUNDING = 1e-12  # differences of scores up to this are rounding errors, and count as 0
_TIE = 1e-10  # the same for sums of differences, relative to the sum of their absolute values

BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no difference seen"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean score and the bounds of its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A preset compared with a baseline on one metric.

    ``difference``: mean of the paired differences, with its 95 % interval from ``low`` to ``high``. ``questions``: how
    many pairs. ``p_value``: of the randomisation test; ``adjusted``: after Holm's correction for all presets compared
    with the baseline. ``verdict``: "better" or "worse", by the sign of ``difference``, when ``adjusted`` is at most
    0.05; else "no difference seen", which does not mean that they are equal: the interval shows how far they may
    differ. With fewer than six questions no difference can be significant.
    """

    difference: float
    low: float
    high: float
    verdict: str
    questions: int
    p_value: float
    adjusted: float

    def reversed(self) -> Comparison:
        """The comparison with its verdict reversed, for a metric that is better when lower."""
        return replace(self, verdict={BETTER: WORSE, WORSE: BETTER}.get(self.verdict, self.verdict))


def intervals(scores: ArrayLike, *, resamples: int = RESAMPLES) -> tuple[Interval, ...]:
    """One interval for each column of ``scores``, ``(questions, metrics)``, all from the same resamples.

    Raises ``ValueError`` without questions.

    >>> intervals([[0.5], [0.5]])
    (Interval(mean=0.5, low=0.5, high=0.5),)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError(f"Scores must be (questions, metrics) with at least one question, got {table.shape}.")
    tail = (1 - LEVEL) / 2
    result: list[Interval] = []
    for first in range(0, table.shape[1], _COLUMNS_AT_ONCE):
        part = table[:, first : first + _COLUMNS_AT_ONCE]
        low, high = np.quantile(_resampled_means(part, resamples), [tail, 1 - tail], axis=0)
        result += [Interval(float(m), float(a), float(b)) for m, a, b in zip(part.mean(axis=0), low, high, strict=True)]
    return tuple(result)


def compare(
    presets: Mapping[str, ArrayLike],
    baseline: ArrayLike,
    *,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
) -> dict[str, tuple[Comparison, ...]]:
    """Compare every preset with ``baseline``, one ``Comparison`` for each metric, corrected for the number of presets.

    ``presets``: name -> scores, ``(questions, metrics)`` like ``baseline``. The baseline itself must not be among them,
    as it would count as one more comparison. Raises ``ValueError`` when the shapes differ or there are no questions.

    >>> found = compare({"one": [[1.0]] * 6, "other": [[0.0]] * 6}, [[0.0]] * 6)
    >>> found["one"][0].p_value, found["one"][0].adjusted, found["one"][0].verdict
    (0.03125, 0.0625, 'no difference seen')
    """
    if not presets:
        return {}
    tables = [_differences(scores, baseline) for scores in presets.values()]
    questions, metrics = tables[0].shape
    # In one table they share the random draws, which take longer than the sums.
    combined = np.concatenate(tables, axis=1)
    mean_intervals = intervals(combined, resamples=resamples)
    p_values = np.reshape(_randomisation(combined, permutations), (len(tables), metrics))
    adjusted = np.transpose([holm(column) for column in p_values.T.tolist()])
    comparisons: dict[str, tuple[Comparison, ...]] = {}
    for row, name in enumerate(presets):
        columns = mean_intervals[row * metrics : (row + 1) * metrics]
        comparisons[name] = tuple(
            Comparison(column.mean, column.low, column.high, _verdict(column.mean, p_holm), questions, p, p_holm)
            for column, p, p_holm in zip(columns, p_values[row].tolist(), adjusted[row].tolist(), strict=True)
        )
    return comparisons


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p values, in the order given: the k-th smallest of m times ``m - k + 1``, monotone, at most 1.

    >>> holm([0.01, 0.04, 0.03, 0.5])
    (0.04, 0.09, 0.09, 0.5)
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for smaller, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - smaller) * p_values[position]))
        adjusted[position] = largest
    return tuple(adjusted)


def _resampled_means(table: NDArray[np.float64], resamples: int) -> NDArray[np.float64]:
    """``(resamples, metrics)``: the column means of ``table`` under resampling of its rows.

    A block of resamples is one matrix product: how often each row was drawn, times the table.
    """
    rows = len(table)
    generator = np.random.default_rng(_SEED)
    block = max(1, _DRAWS_AT_ONCE // rows)
    means = np.empty((resamples, table.shape[1]))
    for first in range(0, resamples, block):
        size = min(block, resamples - first)
        drawn = generator.integers(rows, size=(size, rows)) + np.arange(size)[:, None] * rows
        counts = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows)
        means[first : first + size] = counts.astype(np.float64) @ table / rows
    return means


def percentile(values: Sequence[float], share: float) -> float:
    """The ``share`` quantile of ``values``, linearly interpolated; 0.0 for no values.

    >>> percentile([1, 2, 3], 0.5)
    2.0
    """
    return float(np.quantile(values, share)) if len(values) else 0.0


def _differences(scores: ArrayLike, baseline: ArrayLike) -> NDArray[np.float64]:
    left, right = np.asarray(scores, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(f"Paired scores need the same questions and metrics, got {left.shape} and {right.shape}.")
    if left.ndim != 2 or not len(left):
        raise ValueError(f"Scores must be (questions, metrics) with at least one question, got {left.shape}.")
    differences = left - right
    differences[np.abs(differences) <= _ROUNDING] = 0.0
    return differences


def _randomisation(differences: NDArray[np.float64], permutations: int) -> tuple[float, ...]:
    """Two-sided p values of the paired randomisation test, one for each column of ``differences`` (questions, metrics).

    Under the null hypothesis the two scores of a question are exchangeable, so each difference may have either sign.
    The signs are flipped at random, in all columns alike, and p is ``(b + 1) / (permutations + 1)`` for ``b`` means at
    least as far from 0 as the observed one, which counts too (Phipson and Smyth, "Permutation P-values Should Never Be
    Zero", 2010). For up to ``MAX_ENUMERATED`` questions all sign flips are enumerated, and p is exact.

    >>> _randomisation(np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), permutations=9)
    (0.25, 1.0)
    """
    bounds = np.abs(differences.sum(axis=0)) - _TIE * np.abs(differences).sum(axis=0)
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    for signs in _signs(len(differences), permutations):
        extreme += (np.abs(signs @ differences) >= bounds).sum(axis=0)
    if len(differences) <= MAX_ENUMERATED:
        return tuple((extreme / 2 ** len(differences)).tolist())
    return tuple(((extreme + 1) / (permutations + 1)).tolist())


def _signs(questions: int, permutations: int) -> Iterator[NDArray[np.float64]]:
    """Blocks of sign vectors, ``(block, questions)`` of 1 and -1."""
    if questions <= MAX_ENUMERATED:
        yield np.array([1.0, -1.0])[np.arange(2**questions)[:, None] >> np.arange(questions) & 1]
        return
    generator = np.random.default_rng(_SEED)
    block = max(1, _DRAWS_AT_ONCE // questions)
    for first in range(0, permutations, block):
        yield np.where(generator.random((min(block, permutations - first), questions)) < 0.5, 1.0, -1.0)


def _verdict(difference: float, p_value: float) -> str:
    if p_value > SIGNIFICANT:
        return NO_DIFFERENCE
    return BETTER if difference > 0 else WORSE


def unpaired_p_value(left: Sequence[float], right: Sequence[float]) -> float:
    """The p value of Fisher's two-sided randomisation test on the means of two unpaired groups.

    Uses the last thousand values of each group. Raises ``ValueError`` for an empty group.

    >>> unpaired_p_value([0.0] * 30, [1.0] * 30) < 0.01, unpaired_p_value([0.5] * 30, [0.5] * 30)
    (True, 1.0)
    """
    if not left or not right:
        raise ValueError("Two groups are compared, and one is empty.")
    groups = [np.asarray(group[-1000:], dtype=np.float64) for group in (left, right)]
    pooled, size = np.concatenate(groups), len(groups[0])
    observed = abs(groups[0].mean() - groups[1].mean())
    permuted = np.random.default_rng(_SEED).permuted(np.tile(pooled, (999, 1)), axis=1)
    differences = np.abs(permuted[:, :size].mean(axis=1) - permuted[:, size:].mean(axis=1))
    return float((1 + np.sum(differences >= observed - _TIE)) / 1000)
