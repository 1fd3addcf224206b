"""What the background worker does for the pages: ingest files, apply a recipe, run a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import SuiteError
from core.evaluation.bench import BenchModels, BenchOptions, BenchPlan, Step, run_bench
from core.evaluation.failures.remedies import tried
from core.evaluation.history import workspace_in
from core.evaluation.needles import NeedlePlan, Own, needle_map
from core.evaluation.suites import Suite, load_suite
from core.ingest.jobs import Handler, Job, Reporter
from core.ingest.work import apply_handler, ingest_handler
from core.library import Library
from core.refitting.tuning import KIND, tune_handler
from core.settings import Settings
from core.storage.store import settings_from
from pages.ui.shared import language

NEEDLES, REMEDIES = "needles", "remedies"  # kinds of jobs: what maps needles, what mends failures
WHOLE = 1000  # a job told as one bar counts its progress in thousandths
BUILDING = 0.5  # of a step's share of the bar; asking is the rest


@dataclass(frozen=True, slots=True)
class Plan:
    """A bench as the page orders it and the worker runs it.

    ``name``: of the suite, as people call it. ``revision``: of the library whose judgments ``folder`` holds.
    """

    folder: Path
    name: str
    presets: Mapping[str, Settings]
    options: BenchOptions = field(default_factory=BenchOptions)
    revision: int | None = None
    skipped: tuple[tuple[str, str], ...] = ()

    def payload(self) -> dict[str, Any]:
        """Fit for JSON; ``from_payload`` makes an equal plan of it.

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
        """The plan of a bench of the suite in the folder."""
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
    """The kinds of work this library's worker takes up."""
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
    """Does the work for each item of a job, and finishes it."""

    def handle(job: Job, reporter: Reporter) -> None:
        for item in reporter.items():
            work(library, job.payload, reporter, item.id)
            reporter.finish_item(item.id)

    return handle


def _bench(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    plan = Plan.from_payload(payload)
    mine = library.settings.embedding  # it is loaded already: lent where every preset means this one
    alike = mine.is_packaged and all(settings.embedding == mine for settings in plan.presets.values())
    models = BenchModels(library.model.encoder, library.vectors) if alike else BenchModels()
    models = replace(models, cutter=language.client(urgent=False))
    run_bench(plan.of(load_suite(plan.folder)), workspace_in(library.home), models, _Steps(reporter, item))


def _needles(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    def watch(what: str, done: int, total: int) -> None:
        reporter.stage(item, f"{what} {done:,} of {total:,}", done, max(1, total))

    own = tuple(Own(*one) for one in payload["own"])
    plan = NeedlePlan(tuple(payload["tokens"]), tuple(payload["kinds"]), own)
    model = language.client(urgent=False) if payload["answers"] else None
    found = needle_map(library, plan, model, watch, model.settings.model if model else "")
    reporter.result(asdict(found))


def _remedies(library: Library, payload: Mapping[str, Any], reporter: Reporter, item: int) -> None:
    place, suite = workspace_in(library.home), load_suite(Path(payload["folder"]))
    if suite.fingerprint() != payload["fingerprint"]:
        raise SuiteError("The questions have changed since this was measured.", "Run the benchmark again.")
    of = payload["preset"], settings_from(dict(payload["settings"])), place, payload["run"], place / payload["library"]
    reporter.result(asdict(tried(suite, *of, _Steps(reporter, item))))


class _Steps:
    """A bench as one bar: each step is building, then asking."""

    def __init__(self, reporter: Reporter, item: int) -> None:
        self._reporter, self._item = reporter, item

    def building(self, step: Step, done: int, total: int) -> None:
        self._tell(step, f"document {done:,} of {total:,}", BUILDING * done / max(1, total))

    def encoding(self, step: Step, done: int, total: int) -> None:
        self._tell(step, f"encoding {done:,} of {total:,} texts", BUILDING * done / max(1, total))

    def asking(self, step: Step, done: int, total: int) -> None:
        self._tell(step, f"question {done:,} of {total:,}", BUILDING + (1 - BUILDING) * done / max(1, total))

    def _tell(self, step: Step, words: str, part: float) -> None:
        share = (step.number - 1 + part) / step.of
        where = f"{step.label}: {words}" if step.of == 1 else f"{step.number} of {step.of}, {step.label}: {words}"
        self._reporter.stage(self._item, where, int(WHOLE * share), WHOLE)
