"""What the background worker does for the pages: ingest files, apply a recipe, run a benchmark."""

from __future__ import annotations

from core.evaluation.bench import Step, run_bench
from core.evaluation.history import workspace_in
from core.evaluation.suites import load_suite
from core.jobs import Handler, Job, Reporter
from core.library import Library
from core.refitting.tuning_job import KIND, tune_handler
from core.work import apply_handler, ingest_handler
from pages.ui.bench_plan import Plan

WHOLE = 1000  # a job told as one bar counts its progress in thousandths
BUILDING = 0.5  # of a step's share of the bar; asking is the rest


def handlers(library: Library) -> dict[str, Handler]:
    """The kinds of work this library's worker takes up."""
    return {
        "ingest": ingest_handler(library),
        "apply": apply_handler(library),
        "bench": lambda job, reporter: _bench(library, job, reporter),
        KIND: tune_handler(library),
    }


def _bench(library: Library, job: Job, reporter: Reporter) -> None:
    plan = Plan.from_payload(job.payload)
    suite = load_suite(plan.folder)
    # The model that is loaded already, where every preset means this one. Another than the packaged one has a
    # tokenizer of its own, which comes with it only when it is opened by its name.
    mine = library.settings.embedding
    alike = mine.model == "packaged" and all(settings.embedding == mine for settings in plan.presets.values())
    for item in reporter.items():
        run_bench(
            suite,
            plan.presets,
            workspace_in(library.home),
            library.model.encoder if alike else None,
            _Steps(reporter, item.id),
            vectors=library.vectors if alike else None,
            options=plan.options,
            revision=plan.revision,
            skipped=plan.skipped,
        )
        reporter.finish_item(item.id)


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
