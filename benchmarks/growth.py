"""What each kind of growth, and each way of cutting tables, is worth on a set made for it (``growth_sets.py``).

Usage: python -m benchmarks.growth --work DIR [--set NAME]... [--json OUT]

A row is a preset against the default, all else equal: recall in percent at each budget of characters, the difference of
the mean over them with its 95 % interval, and whether it is seen (paired randomisation test over the questions,
Holm-corrected over the rows of a set). ``spent``: characters of the context that ends by itself, at 8,000. Finished
runs are taken from DIR while the code is the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.ablations_cells import DEFAULT, cell
from benchmarks.chunkers import StepLines
from benchmarks.growth_sets import SETS, write
from core.evaluation.bench import run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.measuring import BUDGETS
from core.evaluation.statistics import BETTER, WORSE, compare
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
    "registers": {
        "flat": PRESETS["flat"],
        "by rows": cell(chunking__chunker="table"),
        "by rows, keyed by region": cell(chunking__chunker="table", chunking__table_key="Region"),
    },
    "calls": {
        "calls brought": PRESETS["code"],
    },
}
# What a set is held against, where that is not the usual.
DEFAULTS: Mapping[str, Settings] = {"calls": PRESETS["code"].with_value("expansion.brings", ())}
_MARKS = {BETTER: "▲", WORSE: "▼"}


def measure(name: str, work: Path) -> list[dict[str, object]]:
    """A row for the default and each cell of a set."""
    suite = load_suite(write(name, work / "sets" / name))
    presets = {DEFAULT: DEFAULTS.get(name, Settings()), **CELLS[name]}
    report = run_bench(BenchPlan(suite, presets), work / "bench", watch=StepLines(name))
    names = [f"recall@{budget}" for budget in BUDGETS]
    tables = {}
    for preset in presets:
        figures = 100 * np.array([report.preset(preset).scores[one] for one in names], dtype=float).T
        tables[preset] = np.column_stack([figures, figures.mean(axis=1)])
    found = compare({one: table for one, table in tables.items() if one != DEFAULT}, tables[DEFAULT])
    rows: list[dict[str, object]] = []
    for preset, table in tables.items():
        mean = found[preset][-1] if preset in found else None
        rows.append(
            {
                "set": name,
                "questions": len(table),
                "row": preset,
                "recall": [round(float(value), 1) for value in table.mean(axis=0)],
                "difference": "" if mean is None else f"{mean.difference:+.1f} [{mean.low:+.1f}, {mean.high:+.1f}]",
                "seen": "" if mean is None else _MARKS.get(mean.verdict, ""),
            }
        )
    return rows


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as Markdown."""
    head = ["set", "questions", "row", *(f"@{budget}" for budget in BUDGETS), "mean", "against the default"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        recall = row["recall"]
        assert isinstance(recall, list)
        lines.append([row["set"], row["questions"], row["row"], *recall, f"{row['difference']} {row['seen']}".strip()])
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--set", action="append", choices=tuple(SETS), metavar="NAME", help="this one alone; repeat")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    rows = [row for name in options.set or SETS for row in measure(name, options.work)]
    print(table(rows))
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
