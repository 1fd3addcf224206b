"""What each kind of growth is worth on a set made for it (``growth_sets.py``).

Usage: python -m benchmarks.growth --work DIR [--set NAME]...

A row is a preset against the default, all else equal: recall in percent at each budget of characters, the difference of
the mean over them with its 95 % interval, and whether it is seen (paired randomisation test over the questions,
Holm-corrected over the rows of a set). Finished runs are taken from DIR while the code is the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.ablations_cells import DEFAULT, Part, cell
from benchmarks.ablations_page import difference, headline, scores, table
from benchmarks.growth_sets import SETS, write
from core.cli.console import Progress
from core.evaluation.bench import run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.measuring import BUDGETS
from core.evaluation.statistics import compare
from core.evaluation.suites import load_suite
from core.settings import PRESETS, Settings

CELLS: Mapping[str, Mapping[str, Settings]] = {
    "contracts": {
        "flat": PRESETS["flat"],
        "definitions brought": cell(expansion__brings=("definitions",)),
        "by clauses": cell(chunking__chunker="clause"),
        "by clauses, definitions brought": cell(chunking__chunker="clause", expansion__brings=("definitions",)),
    },
    "logs": {
        "flat": PRESETS["flat"],
        "session brought": cell(expansion__brings=("session",)),
        "by sessions": cell(chunking__chunker="log"),
        "by sessions, session brought": cell(chunking__chunker="log", expansion__brings=("session",)),
    },
    "interviews": {
        "flat": PRESETS["flat"],
        "question brought": cell(expansion__brings=("question",)),
        "by turns": cell(chunking__chunker="conversation"),
        "by turns, question brought": cell(chunking__chunker="conversation", expansion__brings=("question",)),
    },
    "notes": {
        "neighbours": cell(expansion__strategy="neighbours"),
        "neighbours, always": cell(expansion__strategy="neighbours", expansion__confidence=1.0),
    },
    "manuals": {
        "flat": PRESETS["flat"],
        "parents of steps alone": cell(expansion__strategy="parent", expansion__kinds=("steps",)),
        "parents": cell(expansion__strategy="parent"),
    },
    "calls": {
        "calls brought": PRESETS["code"],
    },
}
# What a set is held against, where that is not the usual.
DEFAULTS: Mapping[str, Settings] = {"calls": PRESETS["code"].with_value("expansion.brings", ())}


def measure(name: str, work: Path) -> list[list[str]]:
    """A row for the default and each cell of a set."""
    suite = load_suite(write(name, work / "sets" / name))
    presets = {DEFAULT: DEFAULTS.get(name, Settings()), **CELLS[name]}
    report = run_bench(BenchPlan(suite, presets), work / "bench", watch=Progress())
    part = Part(name, name, "recall", tunes=False)
    found = {preset: scores(report, part, preset, headline(part)) for preset in presets}
    against = compare({preset: of for preset, of in found.items() if preset != DEFAULT}, found[DEFAULT])
    return [
        [
            name,
            str(len(of)),
            preset,
            *(f"{value:.1f}" for value in of.mean(axis=0)),
            difference(against[preset][-1]) if preset in against else "",
        ]
        for preset, of in found.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--set", action="append", choices=tuple(SETS), metavar="NAME", help="this one alone; repeat")
    options = parser.parse_args(arguments)
    rows = [row for name in options.set or SETS for row in measure(name, options.work)]
    print(
        table(["set", "questions", "row", *(f"@{budget}" for budget in BUDGETS), "mean", "against the default"], rows)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
