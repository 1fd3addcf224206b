"""How sure a figure is (the bootstrap over questions), and whether two presets differ (the randomisation test).

Intervals: the percentile method, Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; for two
systems on the same test items: Koehn, "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004.
Questions are drawn with replacement, the same draws for every metric and every preset, so differences are paired.

Differences: Fisher's randomisation test on the paired differences, the one that Smucker, Allan and Carterette ("A
Comparison of Statistical Significance Tests for Information Retrieval Evaluation", CIKM 2007) recommend. Where several
presets are held against one baseline, one of twenty would look different by chance alone; Holm's step-down correction
("A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979) keeps the chance
of even one such mistake, per metric, at 5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
PERMUTATIONS = 10_000  # the least p is one in so many: enough to tell among some hundred presets
LEVEL = 0.95
SIGNIFICANT = 0.05
SEED = 20_040_725  # any fixed number does; with it the same scores give the same figures
ENUMERATED = 12  # up to so many questions, all ways to flip their signs are gone through: at most 4096

# Both bound memory to some tens of megabytes, whatever the number of questions, metrics and presets.
_DRAWS_AT_ONCE = 1_000_000
_COLUMNS_AT_ONCE = 512

_ROUNDING = 1e-12  # scores that are equal but were summed otherwise differ by less
_TIE = 1e-10  # and sums of differences, by less than this share of what was summed

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

    ``verdict``: "better" or "worse", by the sign of ``difference``, when ``adjusted`` is at most 0.05, else "no
    difference seen", which is not "the same": the interval tells how large a difference there may still be. Fewer than
    six questions can never tell. ``questions``: how many were compared. ``p_value``: of the randomisation test of this
    pair alone; ``adjusted``: after Holm's correction for all presets compared with the baseline.
    """

    difference: float
    low: float
    high: float
    verdict: str
    questions: int
    p_value: float
    adjusted: float

    def turned(self) -> Comparison:
        """The same of a metric that is better when lower."""
        return replace(self, verdict={BETTER: WORSE, WORSE: BETTER}.get(self.verdict, self.verdict))


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
    found: list[Interval] = []
    for first in range(0, table.shape[1], _COLUMNS_AT_ONCE):
        part = table[:, first : first + _COLUMNS_AT_ONCE]
        low, high = np.quantile(_resampled_means(part, resamples=resamples, seed=seed), [tail, 1 - tail], axis=0)
        found += [Interval(float(m), float(a), float(b)) for m, a, b in zip(part.mean(axis=0), low, high, strict=True)]
    return tuple(found)


def compare(
    presets: Mapping[str, ArrayLike],
    baseline: ArrayLike,
    *,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> dict[str, tuple[Comparison, ...]]:
    """Each column of every preset against the same column of ``baseline``, corrected for the number of presets.

    Rows are the same questions. ``presets``: without the baseline itself, which would count as one more comparison.
    Raises ``ValueError`` when the shapes differ or there are no questions.

    >>> found = compare({"one": [[1.0]] * 6, "other": [[0.0]] * 6}, [[0.0]] * 6)
    >>> found["one"][0].p_value, found["one"][0].adjusted, found["one"][0].verdict
    (0.03125, 0.0625, 'no difference seen')
    """
    if not presets:
        return {}
    tables = [_differences(scores, baseline) for scores in presets.values()]
    questions, metrics = tables[0].shape
    # Side by side they share the draws, which take longer than the sums.
    whole = np.concatenate(tables, axis=1)
    found = intervals(whole, resamples=resamples, seed=seed)
    p_values = np.reshape(_randomisation(whole, permutations=permutations, seed=seed), (len(tables), metrics))
    adjusted = np.transpose([holm(column) for column in p_values.T.tolist()])
    return {
        name: tuple(
            Comparison(one.mean, one.low, one.high, _verdict(one.mean, corrected), questions, p, corrected)
            for one, p, corrected in zip(
                found[at * metrics : (at + 1) * metrics], p_values[at].tolist(), adjusted[at].tolist(), strict=True
            )
        )
        for at, name in enumerate(presets)
    }


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values, in the order given: the k-th smallest of m times ``m - k + 1``, never falling, at most 1.

    >>> holm([0.01, 0.04, 0.03, 0.5])
    (0.04, 0.09, 0.09, 0.5)
    """
    adjusted = [0.0] * len(p_values)
    reached = 0.0
    for done, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        reached = max(reached, min(1.0, (len(p_values) - done) * p_values[position]))
        adjusted[position] = reached
    return tuple(adjusted)


def _resampled_means(table: NDArray[np.float64], *, resamples: int, seed: int) -> NDArray[np.float64]:
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


def _differences(scores: ArrayLike, baseline: ArrayLike) -> NDArray[np.float64]:
    left, right = np.asarray(scores, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(f"Paired scores need the same questions and metrics, got {left.shape} and {right.shape}.")
    if left.ndim != 2 or not len(left):
        raise ValueError(f"Scores must be (questions, metrics) with at least one question, got {left.shape}.")
    differences = left - right
    differences[np.abs(differences) <= _ROUNDING] = 0.0
    return differences


def _randomisation(differences: NDArray[np.float64], *, permutations: int, seed: int) -> tuple[float, ...]:
    """The two-sided p value per column of the paired randomisation test on the questions' differences.

    Were the preset and the baseline the same, either score of a question could as well have been the other's. So the
    signs of the questions' differences are flipped at random, in all columns alike, and p is how often the mean of them
    lies as far from 0 as the true one: ``(b + 1) / (permutations + 1)``, the true one being counted in (Phipson and
    Smyth, "Permutation P-values Should Never Be Zero", 2010). Up to ``ENUMERATED`` questions every way to flip them is
    counted once and p is exact.

    >>> _randomisation(np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), permutations=9, seed=1)
    (0.25, 1.0)
    """
    bounds = np.abs(differences.sum(axis=0)) - _TIE * np.abs(differences).sum(axis=0)
    as_far = np.zeros(differences.shape[1], dtype=np.int64)
    for signs in _signs(len(differences), permutations, seed):
        as_far += (np.abs(signs @ differences) >= bounds).sum(axis=0)
    if len(differences) <= ENUMERATED:
        return tuple((as_far / 2 ** len(differences)).tolist())
    return tuple(((as_far + 1) / (permutations + 1)).tolist())


def _signs(questions: int, permutations: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Blocks of rows of 1 and -1, one for each question."""
    if questions <= ENUMERATED:
        yield np.array([1.0, -1.0])[np.arange(2**questions)[:, None] >> np.arange(questions) & 1]
        return
    generator = np.random.default_rng(seed)
    block = max(1, _DRAWS_AT_ONCE // questions)
    for first in range(0, permutations, block):
        yield np.where(generator.random((min(block, permutations - first), questions)) < 0.5, 1.0, -1.0)


def _verdict(difference: float, p_value: float) -> str:
    if p_value > SIGNIFICANT:
        return NO_DIFFERENCE
    return BETTER if difference > 0 else WORSE


def parted(left: Sequence[float], right: Sequence[float], *, seed: int = SEED) -> float:
    """p of Fisher's two-sided randomisation test on the means of two groups that are not paired.

    Of more than a thousand values in a group the last are taken. Raises ``ValueError`` for an empty group.

    >>> parted([0.0] * 30, [1.0] * 30) < 0.01, parted([0.5] * 30, [0.5] * 30)
    (True, 1.0)
    """
    if not left or not right:
        raise ValueError("Two groups are compared, and one is empty.")
    groups = [np.asarray(group[-1000:], dtype=np.float64) for group in (left, right)]
    together, size = np.concatenate(groups), len(groups[0])
    seen = abs(groups[0].mean() - groups[1].mean())
    draws = np.random.default_rng(seed).permuted(np.tile(together, (999, 1)), axis=1)
    drawn = np.abs(draws[:, :size].mean(axis=1) - draws[:, size:].mean(axis=1))
    return float((1 + np.sum(drawn >= seen - _TIE)) / 1000)
