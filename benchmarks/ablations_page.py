"""docs/ablations.md, made of the reports of ``ablations.py``: pure functions from reports to Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.ablations_cells import DEFAULT, PARTS, Dial, Part
from core.embedding import packaged
from core.evaluation.history import CODE
from core.evaluation.measuring import BUDGETS
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import BETTER, WORSE, Comparison, compare

# Title of a dial -> its report, and whether this very code made it.
Measured = Mapping[str, tuple[BenchReport, bool]]

WORTH_IT = 0.5  # points of the tuning score; less is well within the intervals of the suites
LEAST_SUITES = 2  # for tuning, that a cell must have been measured on to become the default
MARKS = {BETTER: " ▲", WORSE: " ▼"}
PRECISION = "context_precision@4000"


def headline(part: Part) -> list[str]:
    return [f"{part.metric}@{budget}" for budget in BUDGETS]


def together(measured: Measured) -> BenchReport:
    """One report of all dials of a suite: the default once, and every cell."""
    reports = [report for report, _ in measured.values()]
    presets = {item.preset: item for report in reports for item in report.presets}
    return replace(reports[0], presets=tuple(presets.values()))


def scores(report: BenchReport, part: Part, preset: str, names: Sequence[str]) -> np.ndarray:
    """``(questions, metrics + 1)`` in percent: those of the part that have gold; last, the mean over the budgets."""
    table = [report.preset(preset).scores[name][part.every] for name in names]
    found = 100 * np.array([row for row in zip(*table, strict=True) if row[0] is not None], dtype=float)
    return np.column_stack([found, found[:, : len(BUDGETS)].mean(axis=1)])


class Findings:
    """What the reports say of every cell: its figures and marks on each part, what it gains over those for tuning.

    ``names``: the metrics of a part: the headline at each budget, precision, nDCG where documents are judged.
    ``rows``: per part and cell a figure of each and of the mean over the budgets. ``compared``: the same against the
    default, corrected over all cells of the part. ``gains``: cell -> difference of its mean on each part for tuning
    that it was measured on. ``ranked``: the cells by the mean of those, best first.
    """

    def __init__(self, measured: Mapping[str, Measured]) -> None:
        self.parts = [part for part in PARTS if measured.get(part.suite)]
        self.names: dict[Part, list[str]] = {}
        self.rows: dict[Part, dict[str, list[float]]] = {}
        self.compared: dict[Part, dict[str, tuple[Comparison, ...]]] = {}
        self.gains: dict[str, dict[Part, float]] = {DEFAULT: {}}
        for part in self.parts:
            report = together(measured[part.suite])
            judged = ["ndcg@10"] if "ndcg@10" in report.preset(DEFAULT).scores else []
            self.names[part] = [*headline(part), PRECISION, *judged]
            found = {item.preset: scores(report, part, item.preset, self.names[part]) for item in report.presets}
            self.rows[part] = {name: values.mean(axis=0).tolist() for name, values in found.items()}
            default = found.pop(DEFAULT)
            self.compared[part] = compare(found, default)
            for name, compared in self.compared[part].items():
                if part.tunes:
                    self.gains.setdefault(name, {})[part] = compared[-1].difference
            self.gains[DEFAULT] |= {part: 0.0} if part.tunes else {}
        self.ranked = sorted(self.gains, key=lambda name: -self.gain(name))

    def gain(self, name: str) -> float:
        """Points over the default, the mean over the suites for tuning that have the cell."""
        return float(np.mean(list(self.gains[name].values()))) if self.gains[name] else 0.0

    def seen(self, name: str) -> tuple[int, int]:
        """At how many budgets of the suites for tuning a cell is seen to be better, and worse, than the default."""
        verdicts = [
            item.verdict
            for part in self.gains[name]
            if name in self.compared[part]
            for item in self.compared[part][name][: len(BUDGETS)]
        ]
        return verdicts.count(BETTER), verdicts.count(WORSE)

    def verdict(self, name: str) -> str:
        """What the rule for defaults says of a cell."""
        better, worse = self.seen(name)
        if name == DEFAULT:
            return ""
        if better and not worse and self.gain(name) >= WORTH_IT:
            few = len(self.gains[name]) < LEAST_SUITES
            return "fulfils the rule, on one suite alone" if few else "**fulfils the rule**"
        if better and worse:
            return "better here, worse there"
        if better or worse:
            little = "better, by too little" if self.gain(name) > 0 else "better at a budget, not on the whole"
            return little if better else "worse"
        return "no difference seen"

    def conclusion(self) -> str:
        """Which cells the rule for defaults would take."""
        fit = [name for name in self.ranked if self.verdict(name) == "**fulfils the rule**"]
        if fit:
            why = "Where it has not, [decisions.md](decisions.md) says why."
            return f"By this rule the default gives way to: {', '.join(fit)}. {why}"
        return "No cell fulfils the rule: nothing that is off would be on by it, and nothing that is on, off."


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    written = ["| " + " | ".join(line) + " |" for line in (header, *lines)]
    return "\n".join([written[0], "|" + "---|" * len(header), *written[1:]])


def document(measured: Mapping[str, Measured], dials: Sequence[Dial]) -> str:
    """The whole page, as Markdown, of suite -> what is finished of it. ``dials``: those the page is about, in order."""
    found = Findings(measured)
    lines = [*INTRODUCTION, "", "## What tuning says", "", *_tuning(found)]
    for dial in dials:
        parts = [part for part in found.parts if dial.title in measured[part.suite]]
        if parts:
            lines += ["", f"## {dial.title}", "", dial.question]
            lines += ["", dial.note] if dial.note else []
        for part in parts:
            lines += ["", _part(found, part, [DEFAULT, *dial.cells])]
    lines += ["", "## What it costs", "", *_costs(measured), "", "## How it was run", "", *_provenance(measured, dials)]
    return "\n".join(lines) + "\n"


INTRODUCTION = f"""# What single dials are worth

Generated by `python -m benchmarks.ablations`, not edited by hand. One dial at a time is turned away from the
default; all else stays. Every figure is percent. `recall@B`: gold characters read in the first B characters of the
context, assembled anew for each B; on `qmsum`, whose gold is longer than the room, `attained@B`: the same divided by
what the room could hold. `precision@4000`: how far up the passages with gold stand among those of a context of 4,000
characters; larger passages hold gold more easily, so it compares rows whose passages are about as large. `mean`: of the
four budgets.

▲ and ▼: better and worse than the default by a paired randomisation test over the questions (10,000 sign flips),
Holm-corrected over all rows of the suite on this page, p ≤ 0.05. No mark: no difference was seen, which is not "the
same": the 95 % interval (10,000 resamples of the questions) beside the difference of the mean tells how large one there
may still be. The p there is the corrected one.

Defaults are chosen by the suites for tuning: `covidqa`, `qmsum`, `code` and the even lines of `chroma`. The odd lines
of `chroma`, `scifact` and our own samples only tell, and chose nothing. Where a suite's documents have no titles and
headings, prefixes and boosts have nothing to act on: their rows equal the default.

The rule: a row becomes the default if it gains half a point or more in the mean over the suites for tuning that have
it, {LEAST_SUITES} at least; one of them sees it better (▲) at some budget, and none sees it worse (▼) at any. A piece
that is on by default stays on unless the row without it fulfils the rule.""".splitlines()


def _tuning(found: Findings) -> list[str]:
    rows = [
        [
            strong(name, name == DEFAULT),
            f"{found.gain(name):+.2f}",
            *map(str, found.seen(name)),
            ", ".join(part.suite for part in found.gains[name]),
            found.verdict(name),
        ]
        for name in found.ranked
    ]
    return [
        "`gain`: points over the default in the mean of the four budgets, averaged over the suites for tuning that",
        "have the row. ▲ and ▼ count budgets of those suites.",
        "",
        table(["", "gain", "▲", "▼", "on", "by the rule"], rows),
        "",
        found.conclusion(),
    ]


def _part(found: Findings, part: Part, names: Sequence[str]) -> str:
    """The rows of one dial on one part of a suite."""
    shown = [name.removeprefix("context_") for name in found.names[part]]
    header = [f"{part.title} ({'tunes' if part.tunes else 'tells'})", *shown, "mean", "mean, against the default"]
    rows = []
    for name in names:
        figures = [f"{figure:.1f}" for figure in found.rows[part][name]]
        if name == DEFAULT:
            rows.append([strong(name, strong=True), *figures, ""])
            continue
        compared = found.compared[part][name]
        marked = [f"{figure}{MARKS.get(item.verdict, '')}" for figure, item in zip(figures, compared, strict=True)]
        rows.append([name, *marked, difference(compared[-1])])
    return table(header, rows)


def difference(found: Comparison) -> str:
    """A difference, its interval and its corrected p.

    >>> difference(Comparison(-1.25, -3.0, 0.5, "no difference seen", 40, 0.2, 0.2))
    '-1.2 [-3.0, +0.5] p 0.200'
    """
    told = f"p {found.adjusted:.3f}" if found.adjusted >= 0.0005 else "p < 0.001"
    mark = MARKS.get(found.verdict, "")
    return f"{found.difference:+.1f} [{found.low:+.1f}, {found.high:+.1f}] {told}{mark}"


def _costs(measured: Mapping[str, Measured]) -> list[str]:
    """Of the suite with the most dials: what a row asks of the index, the reader and the clock."""
    suite = max(measured, key=lambda name: len(measured[name]))
    report = together(measured[suite])
    rows = [
        [
            strong(item.preset, item.preset == DEFAULT),
            f"{item.costs['chunks']:,.0f}",
            f"{item.costs['index_bytes'] / 1e6:.1f}",
            f"{item.costs['prompt_tokens@4000']:,.0f}",
        ]
        for item in report.presets
    ]
    return [f"Of `{suite}`.", "", table(["", "chunks", "index, MB", "prompt tokens at 4,000"], rows)]


def _provenance(measured: Mapping[str, Measured], dials: Sequence[Dial]) -> list[str]:
    """What was run, on what, by which code; and what was not."""
    rows = []
    for suite, done in measured.items():
        if not done:
            continue
        reports = [report for report, _ in done.values()]
        asked = sum(bool(question.gold) for question in reports[0].questions)
        times = sorted(report.made_at for report in reports)
        current = sum(this for _, this in done.values())
        rows.append(
            [
                suite,
                reports[0].fingerprint[:16],
                str(asked),
                f"{len(reports[0].documents):,}",
                str(len(together(done).presets)),
                f"{times[0]} to {times[-1]}",
                "this" if current == len(done) else f"another state for {len(done) - current} of {len(done)} dials",
            ]
        )
    lines = [
        "Each dial on a suite is a run of its own, beside the default.",
        f"Code {CODE[:12]}; encoder {packaged.fingerprint()[:40]}.",
        "",
        table(["suite", "fingerprint", "questions with gold", "documents", "rows", "begun (UTC)", "code"], rows),
        "",
    ]
    for suite, done in measured.items():
        lacking = [dial for dial in dials if dial.title not in done]
        chosen = [dial.title for dial in lacking if suite in dial.left_out]
        waiting = [dial.title for dial in lacking if suite not in dial.left_out]
        if chosen:
            lines.append(f"- `{suite}`: left out, because they encode too much: {', '.join(chosen)}.")
        if waiting:
            lines.append(f"- `{suite}`: not measured when this page was written: {', '.join(waiting)}.")
    return lines


def strong(words: str, strong: bool) -> str:
    return f"**{words}**" if strong else words
