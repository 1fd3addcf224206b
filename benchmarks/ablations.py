"""Measures what single dials are worth, on every suite of a folder, and writes pages of docs from it.

Usage: python -m benchmarks.ablations SUITES_DIR --work DIR [--out docs/ablations.md] [--suite NAME]...
       [--dial TITLE]... [--borrow DIR] [--any-code] [--no-run]

One dial is turned at a time, from the default. Settings are chosen by the suites for tuning alone; those that only tell
stand apart. A dial on a suite is a run of its own: one that was killed goes on, a finished one is not run again while
the code is the same, and ``--any-code`` also takes what earlier code finished; the page says which. It is made of all
that is finished of the dials asked for, whatever suites were asked for now. ``--borrow`` names the workspace of other
benches of the same documents, whose vectors are looked at before anything is encoded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.ablations_cells import DIALS, SAMPLES, Dial
from benchmarks.ablations_page import Measured, document
from benchmarks.ablations_writer import Scripted
from benchmarks.chunkers import finished, lent
from core.cli.console import Progress
from core.embedding import load_model
from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.suites import Suite, load_suite
from core.settings import Settings
from core.types import Encoder

SUITES = ("code", "chroma", "qmsum", "covidqa", "scifact")


def measure(suite: Suite, dial: Dial, work: Path, borrow: Path | None = None, encoder: Encoder | None = None) -> None:
    """One run: the suite under the default and every cell of the dial."""
    with ExitStack() as stack:
        # A re-ranker needs the encoder's own token states, which one that borrows does not have.
        rereads = any(not settings.reranking.off for settings in dial.cells.values())
        vectors = None if rereads else stack.enter_context(lent(suite, borrow))
        encoder = encoder or (load_model(Settings().embedding).encoder if vectors else None)
        models = BenchModels(encoder, vectors, cutter=Scripted())
        print(f"{suite.name}, {dial.title}", file=sys.stderr, flush=True)
        run_bench(BenchPlan(suite, dial.presets), work, models, Progress())


def main(arguments: Sequence[str] | None = None) -> int:
    titles = [dial.title for dial in DIALS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, metavar="SUITES_DIR")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--out", type=Path, default=Path("docs/ablations.md"), metavar="FILE")
    parser.add_argument("--suite", action="append", metavar="NAME", help="this one alone, or samples; repeat")
    parser.add_argument("--dial", action="append", choices=titles, metavar="TITLE", help="this one alone; repeat")
    parser.add_argument("--borrow", type=Path, metavar="DIR", help="another workspace whose vectors are used")
    parser.add_argument("--any-code", action="store_true", help="take what earlier code finished, too")
    parser.add_argument("--no-run", action="store_true", help="only write the page of what is finished")
    options = parser.parse_args(arguments)
    folders = {**{name: options.suites / name for name in SUITES}, "samples": SAMPLES}
    if unknown := [name for name in options.suite or () if name not in folders]:
        parser.error(f"there is no {', '.join(unknown)}; choose among {', '.join(folders)}")
    suites = {name: load_suite(folder) for name, folder in folders.items()}
    dials = [dial for dial in DIALS if dial.title in (options.dial or titles)]
    for name in () if options.no_run else options.suite or folders:
        for dial in (dial for dial in dials if name not in dial.left_out):
            if finished(suites[name], dial.presets, options.work, options.any_code) is None:
                measure(suites[name], dial, options.work, options.borrow)
    found: dict[str, Measured] = {}
    for name, suite in suites.items():
        done = {dial.title: finished(suite, dial.presets, options.work, options.any_code) for dial in dials}
        found[name] = {title: report for title, report in done.items() if report is not None}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(document(found, dials), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
