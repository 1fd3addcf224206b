"""How far a choice made on questions without labels can be trusted, measured against real gold.

Usage: python -m benchmarks.made_questions SUITES_DIR --work DIR [--suite NAME]... [--characters 300000]
       [--real 120] [--made 120] [--json OUT]

Ten presets that were fixed before anything was measured are asked the suite's own questions and questions that
``core.evaluation.making`` makes of the same documents, in one bench, at 4,000 characters. Regret: the recall on real
gold of the best of the ten, less that of the one that made questions would have chosen; where these put several first
alike, the mean over them, and beside it the worst that chance could have taken. A person starts from some preset and
changes it where the Benchmark page sees another better: so each of the ten is started from, and what is said is the
regret of starting there, the regret after such a change, and after one from the default. Kendall's tau-b: how far both
put the ten in the same order. ``--characters``: of documents, in the order of their names, those that have room (the
first always has); ``--real`` and ``--made``: questions of either kind at most, the real ones drawn by a seed. A run
that was killed goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean

from core.cli.console import Progress
from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.making.making import ORIGIN, make_questions
from core.evaluation.reporting.report import BenchReport
from core.evaluation.statistics import compare
from core.evaluation.suites import GoldSpan, Question, Suite, load_suite, stage_documents
from core.library import Incoming, Library
from core.settings import PRESETS, Settings

SUITES = ("chroma", "covidqa", "code")
_DEFAULT = Settings()
CHOICE: dict[str, Settings] = {
    name: PRESETS[name]
    for name in ("default", "flat", "meaning-only", "words-only", "recursive", "fixed-1000", "recursive-1000-200")
} | {
    "parent-2000-400": PRESETS["parent-2000-400"],
    "window": _DEFAULT.with_value("expansion.strategy", "window"),
    "rrf": _DEFAULT.with_value("retrieval.fusion", "rrf"),
}
METRIC = "recall@4000"


@dataclass(frozen=True, slots=True)
class Trust:
    """Recall in percent by preset on either kind of question, and what the choice by made ones costs, in points."""

    suite: str
    characters: int
    real_questions: int
    made_questions: int
    real: Mapping[str, float]
    made: Mapping[str, float]
    chosen: tuple[str, ...]
    best: str
    regret: float
    worst: float
    tau: float
    before: float
    after: float
    from_default: float


def trust(
    suite: str, characters: int, real: Mapping[str, Sequence[float]], made: Mapping[str, Sequence[float]]
) -> Trust:
    """From shares by preset and question.

    >>> found = trust("s", 9, {"a": [0.5, 0.7], "b": [0.9, 0.7]}, {"a": [1.0], "b": [0.5]})
    >>> found.chosen, found.best, round(found.regret, 1), found.tau, round(found.before, 1), round(found.after, 1)
    (('a',), 'b', 20.0, -1.0, 10.0, 10.0)
    """
    means = [{name: 100 * mean(shares) for name, shares in kind.items()} for kind in (real, made)]
    chosen = tuple(name for name, value in means[1].items() if value > max(means[1].values()) - 1e-9)
    best = max(means[0], key=means[0].__getitem__)
    lost = [means[0][best] - means[0][name] for name in chosen]
    order = kendall([means[0][name] for name in means[0]], [means[1][name] for name in means[0]])
    counts = (len(next(iter(kind.values()))) for kind in (real, made))
    top = means[0][best]
    after = [top - mean([means[0][name] for name in left_for(start, made)]) for start in made]
    starts = mean([top - value for value in means[0].values()]), mean(after), after[0]
    return Trust(suite, characters, *counts, *means, chosen, best, mean(lost), max(lost), order, *starts)


def left_for(start: str, made: Mapping[str, Sequence[float]]) -> list[str]:
    """The best of the presets that the page would say are better than one, several where they are alike; else itself.

    >>> left_for("a", {"a": [0.0] * 9, "b": [1.0] * 9, "c": [1.0] * 9, "d": [0.1] * 9})
    ['b', 'c']
    """
    others = {name: [[share] for share in shares] for name, shares in made.items() if name != start}
    seen = compare(others, [[share] for share in made[start]])
    means = {name: mean(made[name]) for name, found in seen.items() if found[0].verdict == "better"}
    return [name for name, value in means.items() if value > max(means.values()) - 1e-9] or [start]


def kendall(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's tau-b of two scores of the same things: 1 the same order, -1 the opposite, 0 where all are tied.

    >>> kendall([1, 2, 3], [1, 3, 2]), kendall([1, 1, 2], [5, 5, 9])
    (0.3333333333333333, 1.0)
    """
    signs = [((a > b) - (a < b), (c > d) - (c < d)) for (a, c), (b, d) in combinations(zip(one, other, strict=True), 2)]
    untied = [sum(bool(pair[side]) for pair in signs) for side in (0, 1)]
    return sum(a * b for a, b in signs) / sqrt(untied[0] * untied[1]) if all(untied) else 0.0


def part_of(suite: Suite, characters: int, questions: int) -> Suite:
    """The documents that have room, and of the questions whose whole gold lies in them, so many."""
    kept, room = {}, characters
    for document in suite.documents:
        if not kept or document.size <= room:
            kept[document.name] = document
            room -= document.size
    held = [item for item in suite.questions if item.gold and {span.document for span in item.gold} <= kept.keys()]
    drawn = Random(0).sample(held, min(questions, len(held)))
    return replace(suite, documents=tuple(kept.values()), questions=tuple(drawn))


def with_made(suite: Suite, library: Library, count: int) -> Suite:
    """The suite with up to so many questions more, of the kind "synthetic". ``library``: of its documents."""
    names = {document.version_id: document.name for document in suite.documents}
    made = [
        Question(
            f"made-{number}",
            item.question,
            tuple(GoldSpan(names[place.version_id], place.span.start, place.span.end) for place in item.gold),
            kind=ORIGIN,
        )
        for number, item in enumerate(make_questions(library, count))
    ]
    return replace(suite, questions=(*suite.questions, *made))


def shares(report: BenchReport, made: bool) -> dict[str, list[float]]:
    """Of each preset, for the questions of one kind."""
    rows = [row for row, item in enumerate(report.questions) if (item.kind == ORIGIN) is made]
    return {item.preset: [item.scores[METRIC][row] or 0.0 for row in rows] for item in report.presets}


def measured(folder: Path, work: Path, characters: int, real: int, made: int) -> Trust:
    """Of one suite."""
    suite = part_of(load_suite(folder), characters, real)
    staged = stage_documents(suite, work / "staged" / suite.name)
    with Library.open(work / "libraries" / f"{suite.name}-{len(staged)}") as library:
        library.ingest([Incoming(item.path.name, item.path) for item in staged])
        whole = with_made(suite, library, made)
        models = BenchModels(library.model.encoder, library.vectors)
        report = run_bench(BenchPlan(whole, CHOICE), work, models, Progress())
    return trust(suite.name, sum(item.size for item in suite.documents), shares(report, False), shares(report, True))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, metavar="SUITES_DIR")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--suite", action="append", choices=SUITES, metavar="NAME", help="this one alone; repeat")
    parser.add_argument("--characters", type=int, default=300_000, metavar="N")
    parser.add_argument("--real", type=int, default=120, metavar="N")
    parser.add_argument("--made", type=int, default=120, metavar="N")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    found = []
    for name in options.suite or SUITES:
        one = measured(options.suites / name, options.work, options.characters, options.real, options.made)
        found.append(asdict(one))
        print(
            f"{name}: {one.characters:,} characters, {one.real_questions} real and {one.made_questions} made "
            f"questions; chosen {', '.join(one.chosen)}; best {one.best}; regret {one.regret:.1f} points, "
            f"{one.worst:.1f} at worst; tau {one.tau:.2f}; started anywhere {one.before:.1f}, changed where another is "
            f"seen better {one.after:.1f}, from the default {one.from_default:.1f}"
        )
        for preset in CHOICE:
            print(f"  {preset:20} real {one.real[preset]:5.1f}  made {one.made[preset]:5.1f}")
        if options.json:
            options.json.write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
