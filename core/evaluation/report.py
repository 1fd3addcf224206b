"""What a bench found, as a value that JSON can carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import NotFoundError
from core.evaluation.statistics import Comparison, compare, intervals

Scores = Mapping[str, tuple[float | None, ...]]
"""Per metric, one share in [0, 1] per question of the report; ``None`` where the metric does not apply to it."""


@dataclass(frozen=True, slots=True)
class PresetReport:
    """One preset's figures. ``metrics`` and ``intervals`` in percent; ``scores`` per question, as shares.

    ``seconds``: "ingest" (to bring the library to the preset's recipe: next to nothing when a preset before it had
    the same), "search_p50" and "search_p95" (one question ranked and assembled at one budget, its encoding apart),
    "questions" (encoding all of them) and "total". ``encoded``: texts that had to be encoded.
    ``unanswerable``: how many questions have gold and how many do not, and per stage the mean of the best score either
    kind reached: the further apart, the better the stage knows what the library does not say.
    """

    preset: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    seconds: Mapping[str, float]
    unanswerable: Mapping[str, Any]
    encoded: int
    scores: Scores

    def to_dict(self, *, scores: bool = False) -> dict[str, Any]:
        """DESIGN.md's object for one preset; ``scores`` adds every question's."""
        row: dict[str, Any] = {
            "preset": self.preset,
            "settings": dict(self.settings),
            "metrics": dict(self.metrics),
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "seconds": dict(self.seconds),
            "unanswerable": dict(self.unanswerable),
            "encoded": self.encoded,
        }
        if scores:
            row["scores"] = {name: list(values) for name, values in self.scores.items()}
        return row


@dataclass(frozen=True, slots=True)
class BenchReport:
    """A suite's figures over presets, in the order they were asked for.

    ``fingerprint``: of the suite. ``question_ids``: what the positions in ``scores`` stand for.
    ``failures``: (document, reason) of those that could not be read. ``notes``: sentences about the suite worth
    showing.
    """

    suite: str
    fingerprint: str
    question_ids: tuple[str, ...]
    presets: tuple[PresetReport, ...]
    failures: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def preset(self, name: str) -> PresetReport:
        """Raises ``NotFoundError`` for a preset that was not run."""
        for report in self.presets:
            if report.preset == name:
                return report
        raise NotFoundError(f"The preset {name!r} is not in this report.", "Run the bench with it.")

    def compare(self, preset: str, baseline: str) -> dict[str, Comparison]:
        """``preset`` against ``baseline`` for every metric both have, in percent points, over the same questions."""
        left, right = self.preset(preset).scores, self.preset(baseline).scores
        found: dict[str, Comparison] = {}
        for names, rows in _tables({name: left[name] for name in left if name in right}):
            ours = [[_percent(left[name][row]) for name in names] for row in rows]
            theirs = [[_percent(right[name][row]) for name in names] for row in rows]
            found |= dict(zip(names, compare(ours, theirs), strict=True))
        return {name: found[name] for name in left if name in found}

    def to_dict(self, *, scores: bool = False) -> dict[str, Any]:
        """DESIGN.md's object; with ``scores``, ``from_dict`` makes an equal report of it."""
        row: dict[str, Any] = {
            "suite": self.suite,
            "fingerprint": self.fingerprint,
            "questions": len(self.question_ids),
            "presets": [report.to_dict(scores=scores) for report in self.presets],
            "failures": [{"source": source, "reason": reason} for source, reason in self.failures],
            "notes": list(self.notes),
        }
        if scores:
            row["question_ids"] = list(self.question_ids)
        return row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> BenchReport:
        """The report that ``to_dict(scores=True)`` wrote."""
        presets = tuple(
            PresetReport(
                preset=item["preset"],
                settings=item["settings"],
                metrics=item["metrics"],
                intervals={name: (low, high) for name, (low, high) in item["intervals"].items()},
                seconds=item["seconds"],
                unanswerable=item["unanswerable"],
                encoded=item["encoded"],
                scores={name: tuple(values) for name, values in item["scores"].items()},
            )
            for item in row["presets"]
        )
        failures = tuple((item["source"], item["reason"]) for item in row["failures"])
        return cls(row["suite"], row["fingerprint"], tuple(row["question_ids"]), presets, failures, tuple(row["notes"]))


def summarise(scores: Scores) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Means and 95 % intervals in percent; a metric that applies to no question is left out.

    >>> summarise({"recall@1000": (1.0, None), "ndcg@10": (None, None)})
    ({'recall@1000': 100.0}, {'recall@1000': (100.0, 100.0)})
    """
    means: dict[str, float] = {}
    bounds: dict[str, tuple[float, float]] = {}
    for names, rows in _tables(scores):
        table = [[_percent(scores[name][row]) for name in names] for row in rows]
        for name, item in zip(names, intervals(table), strict=True):
            means[name], bounds[name] = item.mean, (item.low, item.high)
    kept = [name for name in scores if name in means]
    return {name: means[name] for name in kept}, {name: bounds[name] for name in kept}


def _tables(scores: Scores) -> list[tuple[list[str], tuple[int, ...]]]:
    """Metrics that apply to the same questions, with those questions' positions: each group is resampled once."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, values in scores.items():
        rows = tuple(row for row, value in enumerate(values) if value is not None)
        groups.setdefault(rows, []).append(name)
    return [(names, rows) for rows, names in groups.items() if rows]


def _percent(value: float | None) -> float:
    if value is None:
        raise ValueError("Only scored questions are averaged.")
    return 100 * value


def best_scores(found: Sequence[Mapping[str, float]], answerable: Sequence[bool]) -> dict[str, Any]:
    """The ``unanswerable`` part of a preset's report, from each question's best score by stage.

    >>> best_scores([{"dense": 0.75}, {"dense": 0.25}], [True, False])["best_score"]
    {'dense': {'answerable': 0.75, 'unanswerable': 0.25}}
    """
    stages = list(dict.fromkeys(stage for scores in found for stage in scores))
    best: dict[str, dict[str, float | None]] = {}
    for stage in stages:
        means: dict[str, float | None] = {}
        for name, wanted in (("answerable", True), ("unanswerable", False)):
            values = [s[stage] for s, has in zip(found, answerable, strict=True) if has is wanted and stage in s]
            means[name] = sum(values) / len(values) if values else None
        best[stage] = means
    return {"answerable": sum(answerable), "unanswerable": len(answerable) - sum(answerable), "best_score": best}
