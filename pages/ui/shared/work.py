"""What the background worker does for the pages: ingest files, apply a recipe, run a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import SuiteError
from core.evaluation.bench import BenchModels, Step, run_bench
from core.evaluation.bench_plan import BenchOptions, BenchPlan
from core.evaluation.failures.remedies import tried
from core.evaluation.history import workspace_in
from core.evaluation.needles.facts import Own
from core.evaluation.needles.mapping import needle_map
from core.evaluation.needles.maps import NeedlePlan
from core.evaluation.planning import Cost, estimate, recipe_of
from core.evaluation.suites import Suite, load_suite
from core.ingest.jobs import Handler
from core.ingest.pace import Pace
from core.ingest.reporting import Reporter
from core.ingest.work import apply_handler, ingest_handler
from core.library import Library
from core.refitting.taught_rerankers import KIND
from core.refitting.tuning import tune_handler
from core.settings import Settings
from core.storage.catalogue.job_rows import Job
from core.storage.store import settings_from
from pages.ui.shared import language

NEEDLES, REMEDIES = "needles", "remedies"  # kinds of jobs: a map of needles, and remedies for missed questions
WHOLE = 1000  # the total of a progress bar that counts in thousandths


@dataclass(frozen=True, slots=True)
class Plan:
    """A benchmark run as the page queues it and the worker runs it.

    ``folder``, ``name``: of the suite. ``presets``: the settings to measure, by name. ``revision``: of the library
    whose judgments the suite was exported from; ``None`` for other suites. ``skipped``: (preset, reason) of presets
    that are reported as skipped.
    """

    folder: Path
    name: str
    presets: Mapping[str, Settings]
    options: BenchOptions = field(default_factory=BenchOptions)
    revision: int | None = None
    skipped: tuple[tuple[str, str], ...] = ()

    def payload(self) -> dict[str, Any]:
        """The plan as JSON values; ``from_payload`` is the inverse.

        >>> plan = Plan(Path("suite"), "Suite", {"default": Settings()}, BenchOptions((500,)))
        >>> Plan.from_payload(plan.payload()) == plan
        True
        """
        return {
            "folder": str(self.folder),
            "name": self.name,
            "presets": {name: settings.to_dict() for name, settings in self.presets.items()},
            "token_budgets": list(self.options.token_budgets),
            "answers": self.options.answers,
            "failures": self.options.failures,
            "revision": self.revision,
            "skipped": [list(item) for item in self.skipped],
        }

    def of(self, suite: Suite) -> BenchPlan:
        """The plan for ``run_bench``. ``suite``: as loaded from ``folder``."""
        return BenchPlan(suite, self.presets, self.options, self.revision, self.skipped)

    @classmethod
    def from_payload(cls, row: Mapping[str, Any]) -> Plan:
        """The plan that ``payload`` wrote."""
        return cls(
            folder=Path(row["folder"]),
            name=row["name"],
            presets={name: settings_from(values) for name, values in row["presets"].items()},
            options=BenchOptions(tuple(row["token_budgets"]), row["answers"], row.get("failures", False)),
            revision=row["revision"],
            skipped=tuple((cell, reason) for cell, reason in row.get("skipped", ())),
        )


def handlers(library: Library) -> dict[str, Handler]:
    """The handlers of this library's worker, by kind of job."""
    return {
        "ingest": ingest_handler(library),
        "apply": apply_handler(library),
        "bench": _each(library, _bench),
        KIND: tune_handler(library),
        NEEDLES: _each(library, _needles),
        REMEDIES: _each(library, _remedies),
    }


_Work = Callable[[Library, Mapping[str, Any], Reporter, int], None]


def _each(library: Library, work: _Work) -> Handler:
    """A handler that runs ``work`` for each item of a job, and marks the item as done."""

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            work(library, job.payload, reporter, item.id)
            reporter.finish_item(item.id)

    return handle


def cost(plan: Plan, suite: Suite, library: Library) -> Cost:
    """The estimated work of a benchmark run in this library's workspace."""
    # The benchmark may use the library's own vectors: what the library has encoded costs nothing.
    encoded = [recipe_of(library.settings)] if plan.revision is not None else []
    characters = {source.version_id: source.characters for source in library.sources()}
    workspace, speed = workspace_in(library.home), library.cutting.texts_a_second()
    return estimate(plan.of(suite), workspace, encoded, characters, speed)


def _bench(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    plan = Plan.from_payload(payload)
    suite = load_suite(plan.folder)
    step_seconds = [seconds for step in cost(plan, suite, library).steps for seconds in step]
    # The library's encoder is loaded already: use it where every preset has the same one.
    own = library.settings.embedding
    same_encoder = own.is_packaged and all(settings.embedding == own for settings in plan.presets.values())
    models = BenchModels(library.model.encoder, library.vectors) if same_encoder else BenchModels()
    models = replace(models, cutter=language.client(urgent=False))
    steps = _Steps(reporter, item, Pace(step_seconds or [1.0], 1.0))
    run_bench(plan.of(suite), workspace_in(library.home), models, steps)


def _needles(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    def watch(what: str, done: int, total: int) -> None:
        reporter.stage(item, f"{what} {done:,} of {total:,}", done, max(1, total))

    own = tuple(Own(*values) for values in payload["own"])
    plan = NeedlePlan(tuple(payload["tokens"]), tuple(payload["kinds"]), own)
    model = language.client(urgent=False) if payload["answers"] else None
    result = needle_map(library, plan, model, watch, model.settings.model if model else "")
    reporter.result(asdict(result))


def _remedies(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    workspace, suite = workspace_in(library.home), load_suite(Path(payload["folder"]))
    if suite.fingerprint() != payload["fingerprint"]:
        raise SuiteError("The questions have changed since this was measured.", "Run the benchmark again.")
    result = tried(
        suite,
        payload["preset"],
        settings_from(dict(payload["settings"])),
        workspace,
        payload["run"],
        workspace / payload["library"],
        _Steps(reporter, item),
    )
    reporter.result(asdict(result))


class _Steps:
    """The progress of a benchmark run as one bar; each step is two halves, building and asking.

    ``pace``: the expected seconds of each half; ``None`` counts all halves alike.
    """

    def __init__(self, reporter: Reporter, item: int, pace: Pace | None = None) -> None:
        self._reporter, self._item, self._pace = reporter, item, pace
        self._built = 0.0  # share of this step's documents that are built

    def building(self, step: Step, done: int, total: int) -> None:
        self._built = done / max(1, total)
        self._report(step, f"document {done:,} of {total:,}", 0, self._built)

    def encoding(self, step: Step, done: int, total: int) -> None:
        self._report(step, f"encoding {done:,} of {total:,} texts", 0, max(self._built, done / max(1, total) / 2))

    def asking(self, step: Step, done: int, total: int) -> None:
        self._report(step, f"question {done:,} of {total:,}", 1, done / max(1, total))

    def _report(self, step: Step, words: str, half: int, part: float) -> None:
        """Report a share ``part`` of one half (0 building, 1 asking) of a step."""
        halves = 2 * step.of
        pace = self._pace = self._pace or Pace([1.0] * halves, None)
        # Steps that an earlier run completed have no expected seconds: skip them in the count.
        index = min(max(0, 2 * (step.number - 1) + half - (halves - len(pace.loads))), len(pace.loads) - 1)
        for ended in range(index):
            pace.end_one(ended)
        pace.be_at(index, part)
        text = f"{step.label}: {words}" if step.of == 1 else f"{step.number} of {step.of}, {step.label}: {words}"
        self._reporter.stage(self._item, text, int(WHOLE * pace.share), WHOLE)
        self._reporter.foretell(pace.seconds_left)
