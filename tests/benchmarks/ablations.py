"""Measures what single dials are worth, on every suite of a folder, and writes docs/ablations.md from it.

Usage: python -m tests.benchmarks.ablations SUITES_DIR --work DIR [--out docs/ablations.md] [--suite NAME]...

One dial is turned at a time, from the default. Settings are chosen by the suites for tuning alone; those that only tell
stand apart. A run that was killed goes on; a finished one is not run again while the code is the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.evaluation.bench import BenchOptions, Step, run_bench
from core.evaluation.history import RunPlan, finished_run, load_report
from core.evaluation.report import BenchReport
from core.evaluation.statistics import BETTER, WORSE, compare_many
from core.evaluation.suites import load_suite
from core.settings import BASELINES, PRESETS, Settings

DEFAULT = "default"
WORTH_IT = 0.5  # points of the tuning score; less is well within the intervals of the suites
BUDGETS = (1000, 2000, 4000, 8000)
MARKS = {BETTER: " ▲", WORSE: " ▼"}


@dataclass(frozen=True, slots=True)
class Dial:
    """One dial: the question it answers, and its cells by name; the default stands among them in the table."""

    title: str
    question: str
    cells: Mapping[str, Settings]


@dataclass(frozen=True, slots=True)
class Part:
    """Some questions of a suite: those from ``first`` in steps of ``step``. ``metric``: their headline.

    ``tunes``: settings may be chosen by them.
    """

    title: str
    suite: str
    metric: str
    tunes: bool
    first: int = 0
    step: int = 1

    @property
    def every(self) -> slice:
        return slice(self.first, None, self.step)


# Even lines of chroma tune and odd ones tell; the first line is number 1.
PARTS = (
    Part("chroma, even lines", "chroma", "recall", tunes=True, first=1, step=2),
    Part("covidqa", "covidqa", "recall", tunes=True),
    Part("qmsum", "qmsum", "attained", tunes=True),
    Part("code", "code", "recall", tunes=True),
    Part("chroma, odd lines", "chroma", "recall", tunes=False, step=2),
    Part("scifact", "scifact", "recall", tunes=False),
    Part("samples", "samples", "recall", tunes=False),
)
SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"


def cell(**values: object) -> Settings:
    return Settings().with_values({name.replace("__", "."): value for name, value in values.items()})


def boosted(value: float) -> Settings:
    return cell(retrieval__title_boost=value, retrieval__headings_boost=value)


DIALS = (
    Dial(
        "Size of a leaf",
        "How many tokens may a retrieved child have (the embedder reads at most 256)?",
        {f"{size} tokens": cell(chunking__max_tokens=size) for size in (64, 160, 230)},
    ),
    Dial(
        "Overlap",
        "Does a child repeat the end of the one before it, up to a quarter of its size?",
        {
            "overlap 27": cell(chunking__overlap_tokens=27),
            "overlap 27, adaptive": cell(chunking__overlap_tokens=27, chunking__overlap="adaptive"),
        },
    ),
    Dial(
        "Fusion",
        "How are the search by meaning and the search by words put together?",
        {
            "weights 0.7 / 0.3": cell(retrieval__dense_weight=0.7, retrieval__lexical_weight=0.3),
            "weights 0.3 / 0.7": cell(retrieval__dense_weight=0.3, retrieval__lexical_weight=0.7),
            "reciprocal rank": cell(retrieval__fusion="rrf", retrieval__neighbour_share=0.0),
            "reciprocal rank, neighbours 0.3": cell(retrieval__fusion="rrf"),
            "meaning alone": cell(retrieval__dense_weight=1.0, retrieval__lexical_weight=0.0),
            "words alone": cell(retrieval__dense_weight=0.0, retrieval__lexical_weight=1.0),
        },
    ),
    Dial(
        "Neighbour share",
        "What share of its two neighbours' scores does a child gain?",
        {f"share {share}": cell(retrieval__neighbour_share=share) for share in (0.0, 0.15, 0.5)},
    ),
    Dial(
        "Prefix",
        "Does the embedder read the title and heading path above each child?",
        {"no prefix": cell(chunking__prefix=())},
    ),
    Dial(
        "Field boosts",
        "What do words of the title and the headings count, against 1 for the text's?",
        {f"boost {value:g}": boosted(value) for value in (0.0, 1.0, 2.0)},
    ),
    Dial("Expansion", "Is a child read alone?", {"flat": PRESETS["flat"]}),
    Dial(
        "Common practice",
        "What do others' usual settings find, with the same weights of the encoder?",
        {name: PRESETS[name] for name in BASELINES},
    ),
)
# Of the two largest suites some recipes are left out: each encodes all of their documents once more.
SIZES = ("64 tokens", "160 tokens", "230 tokens")
OVERLAPS = ("overlap 27", "overlap 27, adaptive")
LEFT_OUT = {"covidqa": BASELINES, "scifact": (*BASELINES, *SIZES, *OVERLAPS, "no prefix")}
CELLS = {DEFAULT: Settings(), **{name: settings for dial in DIALS for name, settings in dial.cells.items()}}


class Told:
    """Progress on stderr: a line where a step begins to be asked, and one where it is through."""

    def building(self, step: Step, done: int, total: int) -> None:
        """Says nothing: the next line follows soon."""

    def encoding(self, step: Step, done: int, total: int) -> None:
        """Says nothing."""

    def asking(self, step: Step, done: int, total: int) -> None:
        if done in (0, total):
            print(f"  {step.number}/{step.of} {step.label}: question {done} of {total}", file=sys.stderr, flush=True)


def measure(folder: Path, work: Path) -> BenchReport:
    """The suite under every cell; a finished run of the same cells is read."""
    suite = load_suite(folder)
    cells = {name: settings for name, settings in CELLS.items() if name not in LEFT_OUT.get(suite.name, ())}
    done = finished_run(work, RunPlan(suite.name, suite.fingerprint(), cells, asdict(BenchOptions())))
    if done is not None:
        return load_report(work, done.folder)
    print(suite.name, file=sys.stderr, flush=True)
    return run_bench(suite, cells, work, watch=Told())


def scores(report: BenchReport, part: Part, preset: str, names: Sequence[str]) -> np.ndarray:
    """``(questions, metrics)`` in percent: those of the part that have gold."""
    table = [report.preset(preset).scores[name][part.every] for name in names]
    return 100 * np.array([row for row in zip(*table, strict=True) if row[0] is not None], dtype=float)


def headline(part: Part) -> list[str]:
    return [f"{part.metric}@{budget}" for budget in BUDGETS]


class Findings:
    """What the reports say of every cell: its figures and marks on each part, its score over the suites for tuning.

    ``rows``: per part and cell, the headline at each budget (and nDCG where documents are judged), marked against the
    default and corrected over all cells there are. ``ranked``: the cells that every suite for tuning has, best first.
    """

    def __init__(self, reports: Mapping[str, BenchReport]) -> None:
        self.parts = [part for part in PARTS if part.suite in reports]
        self.names: dict[Part, list[str]] = {}
        self.rows: dict[Part, dict[str, list[str]]] = {}
        means: dict[str, list[float]] = {}
        for part in self.parts:
            report = reports[part.suite]
            judged = ["ndcg@10"] if "ndcg@10" in report.preset(DEFAULT).scores else []
            self.names[part] = [*headline(part), *judged]
            table = {item.preset: scores(report, part, item.preset, self.names[part]) for item in report.presets}
            others = {name: found for name, found in table.items() if name != DEFAULT}
            compared = compare_many(others, table[DEFAULT])
            self.rows[part] = {}
            for name, found in table.items():
                verdicts = [MARKS.get(item.verdict, "") for item in compared.get(name, ())] or [""] * found.shape[1]
                figures = zip(found.mean(axis=0), verdicts, strict=True)
                self.rows[part][name] = [f"{figure:.1f}{mark}" for figure, mark in figures]
                if part.tunes:
                    means.setdefault(name, []).append(float(found[:, : len(BUDGETS)].mean()))
        tuned = sum(part.tunes for part in self.parts)
        self.scores = {name: float(np.mean(found)) for name, found in means.items() if len(found) == tuned}
        self.ranked = sorted(self.scores, key=lambda name: -self.scores[name])

    def seen(self, name: str) -> tuple[int, int]:
        """At how many budgets of the suites for tuning a cell is seen to be better, and worse, than the default."""
        figures = [f for part in self.parts if part.tunes for f in self.rows[part][name][: len(BUDGETS)]]
        return sum(MARKS[BETTER] in figure for figure in figures), sum(MARKS[WORSE] in figure for figure in figures)

    def conclusion(self) -> str:
        """Which cells the rule for defaults would take."""
        ahead = [name for name in self.ranked if self.scores[name] - self.scores[DEFAULT] >= WORTH_IT]
        fit = [name for name in ahead for better, worse in [self.seen(name)] if better and not worse]
        if fit:
            return f"By this rule the default gives way to: {', '.join(fit)}."
        if ahead:
            return f"No cell fulfils the rule. What scores so much higher is worse elsewhere: {', '.join(ahead)}."
        return "No cell fulfils the rule: none scores so much higher."


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    written = ["| " + " | ".join(line) + " |" for line in (header, *lines)]
    return "\n".join([written[0], "|" + "---|" * len(header), *written[1:]])


def document(reports: Mapping[str, BenchReport]) -> str:
    """The whole page, as Markdown."""
    found = Findings(reports)
    lines = [
        "# The first ablation",
        "",
        "Generated by `python -m tests.benchmarks.ablations`, not edited by hand. One dial at a time is turned away",
        "from the default. Every figure is percent of gold characters read in the first 1,000 / 2,000 / 4,000 / 8,000",
        "characters of the context, assembled anew for each; on `qmsum`, whose gold is longer than the room, percent",
        "of what the room could hold (`attained`). ▲ and ▼: better and worse than the default by a paired",
        "randomisation test (10,000 sign flips), Holm-corrected over all cells, p ≤ 0.05; no mark: no difference seen.",
        "",
        "Defaults are chosen by the suites for tuning: `covidqa`, `qmsum`, `code` and the even lines of `chroma`. The",
        "odd lines of `chroma`, `scifact` and our own samples only tell, and chose nothing. Where a suite's documents",
        "have no titles and headings, prefixes and boosts have nothing to act on: their cells equal the default.",
        "",
        "A cell becomes the default if its tuning score is higher by half a point or more, a suite for tuning sees it",
        "better (▲) at some budget, and none sees it worse (▼) at any.",
        "",
        "Left out, because each encodes all documents once more: "
        + "; ".join(f"{', '.join(cells)} on `{suite}`" for suite, cells in LEFT_OUT.items())
        + ".",
        "",
        "## What tuning says",
        "",
        "The mean of the four budgets, averaged over the suites for tuning. In the order of that score the default is",
        f"number {found.ranked.index(DEFAULT) + 1} of {len(found.ranked)}. ▲ and ▼ count budgets of those suites.",
        "",
        table(
            ["", "tuning score", "against the default", "▲", "▼"],
            [
                [
                    f"**{name}**" if name == DEFAULT else name,
                    f"{found.scores[name]:.2f}",
                    f"{found.scores[name] - found.scores[DEFAULT]:+.2f}",
                    *map(str, found.seen(name)),
                ]
                for name in found.ranked
            ],
        ),
        "",
        found.conclusion(),
    ]
    for dial in DIALS:
        names = [DEFAULT, *dial.cells]
        lines += ["", f"## {dial.title}", "", dial.question]
        for part in found.parts:
            held = [name for name in names if name in found.rows[part]]
            if len(held) > 1:
                header = [f"{part.title} ({'tunes' if part.tunes else 'tells'})", *found.names[part]]
                lines += ["", table(header, [[name, *found.rows[part][name]] for name in held])]
    lines += ["", "## What it costs", "", "Of `covidqa`; texts are what the encoder has to read from nothing.", ""]
    if "covidqa" in reports:
        costs = {item.preset: item for item in reports["covidqa"].presets}
        lines.append(
            table(
                ["", "chunks", "texts", "index, MB", "prompt tokens at 4,000"],
                [
                    [
                        name,
                        f"{costs[name].costs['chunks']:,.0f}",
                        f"{costs[name].costs['texts']:,.0f}",
                        f"{costs[name].costs['index_bytes'] / 1e6:.1f}",
                        f"{costs[name].costs['prompt_tokens@4000']:,.0f}",
                    ]
                    for name in costs
                ],
            )
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, metavar="SUITES_DIR")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, default=Path("docs/ablations.md"), metavar="FILE")
    parser.add_argument("--suite", action="append", metavar="NAME", help="this one alone; repeat")
    options = parser.parse_args()
    names = options.suite or ["code", "chroma", "qmsum", "covidqa", "scifact"]
    folders = {"samples": SAMPLES, **{name: options.suites / name for name in names}}
    reports = {name: measure(folder, options.work) for name, folder in folders.items()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(document(reports), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
