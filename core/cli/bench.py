"""The commands that measure: ``bench`` and ``needles``."""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import console
from core.cli.options import asked_settings, home, language_model, model_judge, needed_model, open_to_read, settings_of
from core.errors import LecternError, NotFoundError, SettingsError
from core.ingest.reports import Failure
from core.settings import Settings

if TYPE_CHECKING:
    from core.evaluation.grid import Grid
    from core.evaluation.needles.maps import NeedleMap
    from core.evaluation.reporting.report import BenchReport
    from core.evaluation.statistics import Comparison
    from core.evaluation.suites import Suite


def bench(options: Namespace) -> int:
    """Measure presets, or the cells of a grid, on a suite.

    A grid's runs are stored in the library's benchmark folder, so that the same command resumes after a kill. Presets
    without a grid are measured in a temporary folder, unless ``--work`` names one.
    """
    from core.evaluation.bench import BenchModels, run_bench
    from core.evaluation.bench_plan import BenchOptions, BenchPlan
    from core.evaluation.history import workspace_in
    from core.evaluation.planning import estimate
    from core.evaluation.reporting.exports import html_of, ragas_of
    from core.evaluation.suites import load_suite

    suite = load_suite(options.suite)
    grid = _grid(options)
    earlier = None if options.before is None else _saved(options.before)
    writer = needed_model("--written") if options.written else None
    judge = model_judge(writer)
    name = f"{writer.fingerprint}{', judged by it' if judge else ''}" if writer else ""
    answers = bool(options.answers or options.written or options.ragas)
    extra = BenchOptions(tuple(options.token_budgets), answers, options.failures, name)
    plan = BenchPlan(suite, grid.presets, extra, skipped=grid.skipped)
    if options.against and options.against not in grid.presets:
        raise NotFoundError(
            f"There is no {options.against!r} among what is measured.", f"Choose one of: {', '.join(grid.presets)}."
        )
    with ExitStack() as stack:
        permanent = options.work or (workspace_in(home(options)) if options.grid else None)
        work = permanent or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-bench-")))
        cost = estimate(plan, work)
        console.complain(f"{cost.sentence}.")
        for cell, reason in grid.skipped:
            console.complain(f"{cell}: left out. {reason}")
        if options.dry_run:
            result = {"suite": suite.name, "cells": list(grid.presets), **asdict(cost), "seconds": cost.seconds}
            console.answer(options, result, "Nothing was run.")
            return 0
        runs, page, ragas, saved = (
            stack.enter_context(path.open("w", encoding="utf-8")) if path else None
            for path in (options.runs, options.html, options.ragas, options.save)
        )
        try:
            report = run_bench(
                plan,
                work,
                BenchModels(writer=writer, cutter=language_model(urgent=False), judge=judge),
                console.Progress(),
                (lambda run: print(run.to_json(), file=runs)) if runs else None,
            )
        except KeyboardInterrupt:
            if permanent:
                raise  # the general message says that the same command resumes
            console.complain("Stopped. Nothing is kept: give --work a folder, and the same command can go on.")
            return 2
        if page:
            page.write(html_of(report, work, report.run, options.against))
        if saved:
            json.dump(report.to_dict(scores=True), saved)
        if ragas:
            ragas.write(ragas_of(report, work, report.run))
        result = report.to_dict()
        if options.failures:
            result["missed"] = _failure_analysis(suite, report, grid.presets, work)
    baseline, comparisons = options.against, report.compare_all(options.against) if options.against else {}
    if earlier:
        baseline, comparisons = f"in {options.before}", report.compare_with(earlier)
    if baseline:
        presets = {name: {key: asdict(item) for key, item in items.items()} for name, items in comparisons.items()}
        result["against"] = {"baseline": baseline, "presets": presets}
    console.answer(options, result, _summary(report, baseline, comparisons))
    console.complain_of([Failure(name, reason) for name, reason in report.failures])
    worse = [
        f"{name} is worse than {baseline}: {metric} by {-items[metric].difference:.1f} points."
        for name, items in comparisons.items()
        for metric in _headlines(report)
        if earlier and metric in items and items[metric].verdict == "worse"
    ]
    for sentence in worse:
        console.complain(sentence)
    return 1 if report.failures or worse else 0


def _saved(path: Path) -> BenchReport:
    """A report that ``--save`` or the page's export wrote. Raises ``NotFoundError`` for another file."""
    from core.evaluation.reporting.report import BenchReport

    try:
        return BenchReport.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise NotFoundError(f"{path} is no saved run.", "`bench --save` and Export on the page write them.") from error


def _headlines(report: BenchReport) -> list[str]:
    """Recall, or what stands in its place, at each budget."""
    from core.evaluation.reporting.breakdown import headline_measure

    return [f"{headline_measure(report)}@{budget}" for budget in report.budgets]


def _summary(report: BenchReport, baseline: str | None, comparisons: Mapping[str, Mapping[str, Comparison]]) -> str:
    """A table with a line for each preset: recall at each budget, half its interval, and the verdict."""
    metrics = _headlines(report)
    width = max(len(item.preset) for item in report.presets)
    lines = [f"{'percent':{width}}  " + "  ".join(f"{metric:>24}" for metric in metrics)]
    for item in report.presets:
        figures = []
        for metric in metrics:
            if metric not in item.metrics:
                figures.append(f"{'-':>24}")
                continue
            low, high = item.intervals[metric]
            comparison = comparisons.get(item.preset, {}).get(metric)
            verdict = ""
            if comparison is not None:
                verdict = {"no difference seen": " (=)"}.get(comparison.verdict, f" ({comparison.verdict})")
            figures.append(f"{f'{item.metrics[metric]:.1f} ± {(high - low) / 2:.1f}{verdict}':>24}")
        lines.append(f"{item.preset:{width}}  " + "  ".join(figures))
    if baseline:
        lines.append(f"(better), (worse): than {baseline}, corrected p at most 0.05; (=): no difference seen")
    return "\n".join(lines)


def _failure_analysis(suite: Suite, report: BenchReport, presets: Mapping[str, Settings], work: Path) -> dict[str, Any]:
    """By preset: the number of failures in each class, the questions with their stages, and the measured remedies."""
    from core.evaluation.failures.classes import counted, lost_at
    from core.evaluation.failures.remedies import tried
    from core.evaluation.history import load_measured
    from core.evaluation.measuring import TIMED_BUDGET

    result: dict[str, Any] = {}
    for name, settings in presets.items():
        outcomes = load_measured(work, report.run, name)
        failed = [outcome for outcome in outcomes.values() if outcome.failure]
        remedies = tried(suite, name, settings, work, report.run, work / report.library, console.Progress())
        result[name] = {
            "classes": counted(outcomes.values()),
            "questions": [
                {"id": item.id, "class": item.failure, "stage": lost_at(item.lost.get(TIMED_BUDGET, {}))}
                for item in failed
            ],
            "remedies": [asdict(remedy) for remedy in remedies.tried],
        }
    return result


def _grid(options: Namespace) -> Grid:
    """What to measure: the named presets with ``--set`` applied, or together with the cells of the grid."""
    from core.evaluation.grid import Grid, load_grid

    if options.grid is None:
        names = options.preset or ["default"]
        return Grid({name: settings_of(name, options.values, Settings()) for name in names})
    if options.values:
        raise SettingsError("--set does not go with --grid.", "Write the value into the grid's file.")
    cells = load_grid(options.grid)
    presets = {name: settings_of(name, [], Settings()) for name in options.preset or []}
    return Grid({**presets, **cells.presets}, cells.skipped)


def needles(options: Namespace) -> int:
    """Print how many planted sentences reach each stage, by depth and size."""
    from core.evaluation.needles.facts import KINDS, Own
    from core.evaluation.needles.mapping import needle_map
    from core.evaluation.needles.maps import NeedlePlan

    if bool(options.sentence) != bool(options.question):
        raise LecternError("A sentence needs a question, and a question a sentence.", "Give --sentence and --question.")
    own = (Own(options.sentence, options.question, options.answer),) if options.sentence else ()
    kinds = tuple(options.kinds) or (() if own else tuple(KINDS))
    model = needed_model("--answers") if options.answers else None
    progress = console.Progress()
    with open_to_read(home(options)) as library:
        plan = NeedlePlan(
            tuple(options.tokens) or NeedlePlan().tokens,
            kinds,
            own,
            asked_settings(options, library.settings),
            tuple(options.prompts) or NeedlePlan().prompts,
            options.seed,
        )
        name = model.settings.model if model else ""
        result = needle_map(
            library, plan, model, lambda what, done, total: progress.show(f"{what} {done} of {total}"), name
        )
    console.answer(options, asdict(result), _in_words(result))
    return 0


def _in_words(result: NeedleMap) -> str:
    """A table for each size, with a line for each stage and a column for each depth; then the result in sentences."""
    lines: list[str] = []
    for tokens in dict.fromkeys(cell.tokens for cell in result.cells):
        cells = [cell for cell in result.cells if cell.tokens == tokens]
        depths = sorted({cell.depth for cell in cells})
        lines.append(f"{f'{tokens:,} tokens':14}" + "".join(f"{f'{depth} %':>7}" for depth in depths))
        for stage in dict.fromkeys(cell.stage for cell in cells):
            counts = {cell.depth: f"{cell.found}/{cell.planted}" for cell in cells if cell.stage == stage}
            lines.append(f"{stage:14}" + "".join(f"{counts.get(depth, '-'):>7}" for depth in depths))
    cost = f"{result.encoded:,} texts encoded, {result.reused:,} reused, {result.seconds:.0f} s"
    return "\n".join([*lines, *result.sentences, cost])
