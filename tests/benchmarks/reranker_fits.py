"""The numbers that make probabilities of what the re-ranker says, fitted to kept readings.

``tests.benchmarks.reranker_figures`` collects these and calls ``report``. Every part of the tuning suites has the same
weight; what only tells is shown beside. Parts are named as in ``tests.benchmarks.answerable``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.answering.support import RECOMMENDED, log_odds
from core.embedding.reranker_file import Calibration
from tests.benchmarks.answerable import TUNING, auc, evidence_of, fit, kept_records, part, threshold

CANDIDATES = 20  # whose readings the calibration is for
_BINS = 10

Record = Mapping[str, Any]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def calibrated(records: Sequence[Record]) -> Calibration:
    """The logistic of the raw scores of the candidates of tuning questions, best fit to whether each is gold."""
    tuning = [record for record in records if part(record) in TUNING]
    scores, gold, parts = _candidates(tuning)
    made = fit(np.column_stack([np.ones_like(scores), scores]), gold, evenly(parts))
    return Calibration(slope=float(made[1]), intercept=float(made[0]))


def evenly(parts: NDArray[np.str_]) -> Floats:
    """Weights of mean 1 under which every part counts the same.

    >>> evenly(np.array(["a", "a", "a", "b"])).tolist()
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 2.0]
    """
    names, places, counts = np.unique(parts, return_inverse=True, return_counts=True)
    return np.asarray(len(parts) / len(names) / counts[places])


def miscalibration(likely: Floats, gold: Flags) -> float:
    """The mean distance of probability and share of gold over ten bins of equal size (expected calibration error).

    Source: Naeini, Cooper, Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015.

    >>> miscalibration(np.array([0.0] * 5 + [1.0] * 5), np.array([False] * 5 + [True] * 5))
    0.0
    """
    order = np.array_split(np.argsort(likely, kind="stable"), min(_BINS, len(likely)))
    return float(sum(len(some) * abs(likely[some].mean() - gold[some].mean()) for some in order) / len(likely))


def report(records: Sequence[Record], answerable: Path | None) -> str:
    """The calibration, how it holds by part, and with the workspace of ``answerable`` what support makes of it."""
    made = calibrated(records)
    scores, gold, parts = _candidates(records)
    likely = made.probabilities(scores)
    lines = [
        "",
        f"CALIBRATION = Calibration(slope={made.slope:.4f}, intercept={made.intercept:.4f})",
        "",
        "| Candidates of | read | gold, % | mean probability, % | area under the curve | calibration error, % |",
        "|---|---|---|---|---|---|",
    ]
    for name in _ordered(parts):
        here = parts == name
        lines.append(
            f"| {_told(name)} | {here.sum():,} | {100 * gold[here].mean():.1f} | {100 * likely[here].mean():.1f} "
            f"| {auc(scores[here], gold[here]):.3f} | {100 * miscalibration(likely[here], gold[here]):.1f} |"
        )
    if answerable:
        lines += ["", supported(records, answerable, made)]
    return "\n".join(lines)


def supported(records: Sequence[Record], answerable: Path, calibration: Calibration) -> str:
    """The weights of ``REREAD``, and what they gain: area under the curve without and with the re-ranker.

    Questions of ``answerable`` that lack their gold's documents get the best reading among the passages of others.
    """
    readings = {(record["suite"], record["id"]): record for record in records}
    rows, answered, parts = [], [], []
    for suite in sorted({record["suite"] for record in records}):
        for asked in kept_records(answerable / f"answerable-{suite}.jsonl"):
            record = readings.get((asked["suite"], asked["id"]))
            best = None if record is None else best_reading(record, asked["left"])
            if best is not None:
                odds = calibration.slope * best + calibration.intercept
                rows.append([1.0, log_odds(evidence_of(asked)), odds])
                answered.append(not asked["left"])
                parts.append(part(asked))
    if not rows:
        return f"Nothing in {answerable.name} was asked of what was read."
    matrix, given, named = np.array(rows), np.array(answered), np.array(parts)
    tuning = np.isin(named, TUNING)
    weights = evenly(named[tuning])
    made = fit(matrix[tuning], given[tuning], weights)
    scores = 1 / (1 + np.exp(-matrix @ made))
    least = threshold(scores[tuning], given[tuning], weights)
    lines = [
        f"REREAD = Reread(bias={made[0]:.2f}, evidence={made[1]:.2f}, reading={made[2]:.2f})",
        f"Threshold {least:.2f}; answering.least_support is {RECOMMENDED}.",
        "",
        "| Questions of | asked | area without | with it | silent | denied |",
        "|---|---|---|---|---|---|",
    ]
    for name in _ordered(named):
        here = named == name
        with_it, both = scores[here], given[here]
        lines.append(
            f"| {_told(name)} | {both.sum()} | {auc(matrix[here, 1], both):.3f} | {auc(with_it, both):.3f} "
            f"| {100 * (with_it[~both] < RECOMMENDED).mean():.0f} | {100 * (with_it[both] < RECOMMENDED).mean():.0f} |"
        )
    return "\n".join(lines)


def best_reading(record: Record, left: bool) -> float | None:
    """The highest raw score of the candidates; with ``left`` of those in documents without gold, ``None`` for none.

    >>> asked = {"scores": [3.0, 1.0, 2.0], "holds": [True, False, False]}
    >>> best_reading(asked, False), best_reading(asked, True)
    (3.0, 2.0)
    """
    pairs = zip(record["scores"], record["holds"], strict=True)
    known = [score for score, holds in pairs if not (left and holds)][:CANDIDATES]
    return max(known) if known else None


def _candidates(records: Sequence[Record]) -> tuple[Floats, Flags, NDArray[np.str_]]:
    """Of each candidate its raw score, whether it is gold, and the part of its question."""
    rows = [
        (score, gold, part(record))
        for record in records
        for score, gold in list(zip(record["scores"], record["gold"], strict=True))[:CANDIDATES]
    ]
    scores, gold, parts = zip(*rows, strict=True)
    return np.array(scores, np.float64), np.array(gold, np.bool_), np.array(parts)


def _ordered(parts: NDArray[np.str_]) -> list[str]:
    return sorted(set(parts.tolist()), key=lambda name: (name not in TUNING, name))


def _told(name: str) -> str:
    return name if name in TUNING else f"{name} (only tells)"
