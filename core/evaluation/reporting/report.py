"""The report of a bench, which can be stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import NotFoundError
from core.evaluation.metrics import LOWER_IS_BETTER
from core.evaluation.statistics import Comparison, compare, intervals
from core.evaluation.suites import GoldSpan
from core.plain_values import from_values

Scores = Mapping[str, tuple[float | None, ...]]
"""Metric -> one score in [0, 1] for each question of the report; ``None`` where the metric does not apply."""

READ = "read"
LOST = ("budget", "threshold", "ranking", "search", "condition", "cutting", "reading")
"""The stages at which gold can be lost, from the last to the first, as ``core.evaluation.lost_gold`` defines them."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of the suite. ``gold``: empty for a question without an answer in the documents.

    ``formats``: kinds of the documents that hold its gold ("pdf", "markdown"), sorted. ``kind``: the suite's label for
    what makes it hard, "" for none. ``answer``: the reference answer, "" for none.
    """

    id: str
    question: str
    gold: tuple[GoldSpan, ...] = ()
    formats: tuple[str, ...] = ()
    kind: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class BenchDocument:
    """A document of the suite. One that could not be read has ``kind`` "" and 0 ``characters``."""

    name: str
    version_id: str
    kind: str
    characters: int


@dataclass(frozen=True, slots=True)
class PresetReport:
    """One preset's figures.

    - ``metrics``, ``intervals``: means and 95 % intervals in percent. ``scores``: of each question, in [0, 1].
    - ``seconds``: "ingest" (chunking and encoding by the preset's recipe, near 0 when an earlier preset has the same),
      "questions" (encoding all of them), "search_p50" and "search_p95" (one question ranked and assembled at one
      budget, without encoding), and "total".
    - ``encoded``: texts that had to be encoded in this run.
    - ``unanswerable``: the numbers of questions with and without gold and, for each stage, the means of their best
      scores. The further apart these are, the better the stage recognises what the library does not answer.
    - ``costs``: "texts" (distinct encoder inputs of this recipe), "chunks", "index_bytes" (vectors and tokens on disk);
      "prompt_tokens@B" and "characters@B", means of the contexts at each budget B; and "characters", "tokens" and
      "tokens_to_gold" of contexts that may end early, "@ended" over questions with gold, "@unanswerable" over others.
    - ``latency_ms``: "p50" and "p95" of each stage and of their "total".
    - ``lost``: at each budget, mean percentages of the gold that were "read" and lost at each of ``LOST``.
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
        """DESIGN.md's object for one preset, without the questions' scores unless ``scores``."""
        row = asdict(self)
        if not scores:
            del row["scores"]
        return row


@dataclass(frozen=True, slots=True)
class BenchReport:
    """The figures of several presets on one suite, the presets in the order of the plan.

    ``fingerprint``: of the suite. ``questions``: in the order of the scores. ``budgets``: in characters. ``documents``:
    in name order. ``failures``: (document, reason) of unreadable documents. ``notes``: sentences about the suite for
    the user. ``skipped``: (grid cell, reason) of invalid settings. ``made_at``: ISO 8601, UTC. ``revision``: for a
    suite of a library's judgments, that library's revision; else ``None``. ``library``: path in the workspace of the
    library that was asked, which has the documents' texts. ``run``: the folder of the outcomes
    (``core.evaluation.history``).
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
        """The report of a preset. Raises ``NotFoundError`` for one that was not run."""
        for report in self.presets:
            if report.preset == name:
                return report
        raise NotFoundError(f"The preset {name!r} is not in this report.", "Run the bench with it.")

    def compare_all(self, baseline: str, presets: Sequence[str] | None = None) -> dict[str, dict[str, Comparison]]:
        """Compare ``presets`` (``None``: all others) with ``baseline``: preset -> metric -> comparison, in percent
        points.

        Comparisons are paired by question, and the p values of each metric are corrected for all presets together.
        Raises ``NotFoundError`` for a preset that was not run.
        """
        baseline_scores = self.preset(baseline).scores
        names = [item.preset for item in self.presets if item.preset != baseline] if presets is None else presets
        unordered: dict[str, dict[str, Comparison]] = {name: {} for name in names}
        for metrics, rows in _tables(baseline_scores):
            baseline_table = [[_percent(baseline_scores[metric][row]) for metric in metrics] for row in rows]
            tables = {
                name: [[_percent(self.preset(name).scores[metric][row]) for metric in metrics] for row in rows]
                for name in names
            }
            for name, comparisons in compare(tables, baseline_table).items():
                unordered[name] |= {
                    metric: item.reversed() if metric in LOWER_IS_BETTER else item
                    for metric, item in zip(metrics, comparisons, strict=True)
                }
        return {
            name: {metric: items[metric] for metric in baseline_scores if metric in items}
            for name, items in unordered.items()
        }

    def compare_with(self, earlier: BenchReport) -> dict[str, dict[str, Comparison]]:
        """Compare each preset with the one of the same name in another run: preset -> metric -> comparison.

        Paired by the questions' texts; questions, presets and metrics of one run alone are left out. Raises
        ``NotFoundError`` where no question or no preset is in both.
        """
        places = {item.question: place for place, item in enumerate(earlier.questions)}
        shared = [
            (place, places[item.question]) for place, item in enumerate(self.questions) if item.question in places
        ]
        names = {item.preset for item in earlier.presets}
        both = [item for item in self.presets if item.preset in names]
        if not shared or not both:
            raise NotFoundError(
                "The two runs have no question or no preset in common.", "Give the same suite and presets as then."
            )
        found: dict[str, dict[str, Comparison]] = {}
        for preset in both:
            new, old = preset.scores, earlier.preset(preset.preset).scores
            metrics = [metric for metric in new if metric in old]
            now = {metric: tuple(new[metric][place] for place, _ in shared) for metric in metrics}
            then = {metric: tuple(old[metric][place] for _, place in shared) for metric in metrics}
            sides = (replace(preset, preset="now", scores=now), replace(preset, preset="then", scores=then))
            found[preset.preset] = replace(self, presets=sides).compare_all("then")["now"]
        return found

    def to_dict(self, *, scores: bool = False) -> dict[str, Any]:
        """DESIGN.md's object for a report. With ``scores`` it is complete, and ``from_dict`` can read it."""
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
        """The report that ``to_dict(scores=True)`` wrote. Raises ``ValueError`` or ``KeyError`` for another object."""
        failures = [(item["source"], item["reason"]) for item in row["failures"]]
        skipped = [(item["preset"], item["reason"]) for item in row["skipped"]]
        return from_values(cls, {**row, "questions": row["asked"], "failures": failures, "skipped": skipped})


def summarise(scores: Scores) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Means and 95 % intervals in percent by metric, without metrics that apply to no question.

    >>> summarise({"recall@1000": (1.0, None), "ndcg@10": (None, None)})
    ({'recall@1000': 100.0}, {'recall@1000': (100.0, 100.0)})
    """
    means: dict[str, float] = {}
    bounds: dict[str, tuple[float, float]] = {}
    for names, rows in _tables(scores):
        table = [[_percent(scores[name][row]) for name in names] for row in rows]
        for name, item in zip(names, intervals(table), strict=True):
            means[name], bounds[name] = item.mean, (item.low, item.high)
    names_in_order = [name for name in scores if name in means]
    return {name: means[name] for name in names_in_order}, {name: bounds[name] for name in names_in_order}


def _tables(scores: Scores) -> list[tuple[list[str], tuple[int, ...]]]:
    """(metrics, rows) groups: the metrics that apply to the same questions, which can be resampled together."""
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
    """The ``unanswerable`` part of a preset's report. ``found``: each question's best score by stage.

    ``answerable``: whether each question has gold.

    >>> best_scores([{"dense": 0.75}, {"dense": 0.25}], [True, False])["best_score"]
    {'dense': {'answerable': 0.75, 'unanswerable': 0.25}}
    """
    stages = list(dict.fromkeys(stage for scores in found for stage in scores))
    best: dict[str, dict[str, float | None]] = {}
    for stage in stages:
        means: dict[str, float | None] = {}
        for name, has_gold in (("answerable", True), ("unanswerable", False)):
            pairs = zip(found, answerable, strict=True)
            values = [scores[stage] for scores, is_answerable in pairs if is_answerable is has_gold and stage in scores]
            means[name] = sum(values) / len(values) if values else None
        best[stage] = means
    return {"answerable": sum(answerable), "unanswerable": len(answerable) - sum(answerable), "best_score": best}
