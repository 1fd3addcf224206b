"""What a bench found, as a value that JSON can carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import NotFoundError
from core.evaluation.metrics import LOWER_IS_BETTER
from core.evaluation.statistics import Comparison, compare, intervals
from core.evaluation.suites import GoldSpan
from core.plain_values import from_values

Scores = Mapping[str, tuple[float | None, ...]]
"""Per metric, one share in [0, 1] per question of the report; ``None`` where the metric does not apply to it."""

READ = "read"
LOST = ("budget", "threshold", "ranking", "search", "condition", "cutting", "reading")
"""Where gold can be lost, from the reader back to the file: ``core.evaluation.lost_gold`` defines each."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it was asked. ``gold`` empty: the documents do not say.

    ``formats``: kinds of the documents its gold lies in ("pdf", "markdown"), sorted. ``kind``: the suite's own word
    for what makes it hard, "" for none. ``answer``: that is known, "" for none.
    """

    id: str
    question: str
    gold: tuple[GoldSpan, ...] = ()
    formats: tuple[str, ...] = ()
    kind: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class BenchDocument:
    """A document of the suite. ``kind`` "" and ``characters`` 0: it could not be read."""

    name: str
    version_id: str
    kind: str
    characters: int


@dataclass(frozen=True, slots=True)
class PresetReport:
    """One preset's figures. ``metrics`` and ``intervals`` in percent; ``scores`` per question, as shares.

    ``seconds``: "ingest" (to bring the library to the preset's recipe: next to nothing when a preset before it had
    the same), "search_p50" and "search_p95" (one question ranked and assembled at one budget, its encoding apart),
    "questions" (encoding all of them) and "total". ``encoded``: texts that had to be encoded.
    ``unanswerable``: how many questions have gold and how many do not, and per stage the mean of the best score either
    kind reached: the further apart, the better the stage knows what the library does not say.

    ``costs``: "texts" (distinct inputs of the encoder under this recipe: what it costs from nothing), "chunks",
    "index_bytes" (vectors and tokens on disk), and at each budget "prompt_tokens@B" and "characters@B", means of what
    the reader was handed; of contexts that end by themselves "characters", "tokens" and "tokens_to_gold", "@ended" over
    questions with gold and "@unanswerable" over those without. ``latency_ms``: "p50" and "p95" by stage, and "total" of
    the stages. ``lost``: per budget, in percent of the gold, mean over questions: "read", and what was lost at each of
    ``LOST``; together 100.
    """

    preset: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    seconds: Mapping[str, float]
    unanswerable: Mapping[str, Any]
    encoded: int
    scores: Scores
    costs: Mapping[str, float]
    latency_ms: Mapping[str, Mapping[str, float]]
    lost: Mapping[str, Mapping[str, float]]

    def to_dict(self, *, scores: bool = False) -> dict[str, Any]:
        """DESIGN.md's object for one preset; ``scores`` adds every question's."""
        row = asdict(self)
        if not scores:
            del row["scores"]
        return row


@dataclass(frozen=True, slots=True)
class BenchReport:
    """A suite's figures over presets, in the order they were asked for.

    ``fingerprint``: of the suite. ``questions``: what the positions in ``scores`` stand for. ``budgets``: in
    characters. ``documents``: in name order. ``failures``: (document, reason) of those that could not be read.
    ``notes``: sentences about the suite worth showing. ``skipped``: (cell of a grid, why it cannot be).
    ``made_at``: ISO 8601, UTC. ``revision``: of the library the suite was made of, ``None`` for a folder.
    ``library``: folder in the workspace of the library that was asked; it holds the documents' texts. ``run``: name of
    the folder that holds what every question came to (``core.evaluation.history``).
    """

    suite: str
    fingerprint: str
    questions: tuple[AskedQuestion, ...]
    presets: tuple[PresetReport, ...]
    budgets: tuple[int, ...]
    documents: tuple[BenchDocument, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    made_at: str = ""
    revision: int | None = None
    library: str = ""
    run: str = ""

    def preset(self, name: str) -> PresetReport:
        """Raises ``NotFoundError`` for a preset that was not run."""
        for report in self.presets:
            if report.preset == name:
                return report
        raise NotFoundError(f"The preset {name!r} is not in this report.", "Run the bench with it.")

    def compare_all(self, baseline: str, presets: Sequence[str] | None = None) -> dict[str, dict[str, Comparison]]:
        """Every preset (``None``: all others) against ``baseline`` for every metric both have, in percent points.

        The same questions are compared, and each metric's p values are corrected together. Raises ``NotFoundError``
        for a preset that was not run.
        """
        right = self.preset(baseline).scores
        names = [item.preset for item in self.presets if item.preset != baseline] if presets is None else presets
        found: dict[str, dict[str, Comparison]] = {name: {} for name in names}
        for metrics, rows in _tables(right):
            theirs = [[_percent(right[metric][row]) for metric in metrics] for row in rows]
            ours = {
                name: [[_percent(self.preset(name).scores[metric][row]) for metric in metrics] for row in rows]
                for name in names
            }
            for name, compared in compare(ours, theirs).items():
                found[name] |= {
                    metric: item.reversed() if metric in LOWER_IS_BETTER else item
                    for metric, item in zip(metrics, compared, strict=True)
                }
        return {name: {metric: items[metric] for metric in right if metric in items} for name, items in found.items()}

    def to_dict(self, *, scores: bool = False) -> dict[str, Any]:
        """DESIGN.md's object; with ``scores``, ``from_dict`` makes an equal report of it."""
        row: dict[str, Any] = {
            "suite": self.suite,
            "fingerprint": self.fingerprint,
            "made_at": self.made_at,
            "revision": self.revision,
            "questions": len(self.questions),
            "budgets": list(self.budgets),
            "presets": [report.to_dict(scores=scores) for report in self.presets],
            "failures": [{"source": source, "reason": reason} for source, reason in self.failures],
            "notes": list(self.notes),
            "skipped": [{"preset": name, "reason": reason} for name, reason in self.skipped],
        }
        if scores:
            row["asked"] = [asdict(question) for question in self.questions]
            row["documents"] = [asdict(document) for document in self.documents]
            row["library"] = self.library
            row["run"] = self.run
        return row

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> BenchReport:
        """The report that ``to_dict(scores=True)`` wrote. Raises ``ValueError`` or ``KeyError`` for what is none."""
        failures = [(item["source"], item["reason"]) for item in row["failures"]]
        skipped = [(item["preset"], item["reason"]) for item in row["skipped"]]
        return from_values(cls, {**row, "questions": row["asked"], "failures": failures, "skipped": skipped})


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
