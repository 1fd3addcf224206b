"""What each chunker is worth on suites, against ``recursive``: one table a suite, and docs/chunkers.md made of them.

Usage: python -m benchmarks.chunkers SUITE_DIR... --workspace DIR [--only NAME,...] [--write docs/chunkers.md]
       [--borrow DIR] [--any-code]

Every chunker cuts to the same size (110 tokens, prefix included) but where its name says otherwise, and is searched the
same way: meaning and words fused, no re-ranker, every leaf read alone (``flat``), so that nothing but the cuts differs.
A chunker on a suite is a run of its own: stopped, the same command goes on, and a finished one is not run again while
the code is the same. ``--any-code`` also takes what earlier code finished, and the page marks it. ``--borrow`` names
the workspace of other benches of the same documents, whose vectors are looked at before anything is encoded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.chunkers_page import BASELINE, Row, page
from core.cli.console import Progress
from core.embedding import load_model
from core.errors import SettingsError
from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.history import finished_run, load_report, runs
from core.evaluation.reporting.report import BenchReport, PresetReport
from core.evaluation.suites import Suite, load_suite, suite_folder
from core.library import Library
from core.settings import PRESETS, Settings
from core.types import Encoder, VectorCache


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table. ``suites``: the only ones it makes sense on, () for all.

    ``single``: one chunker at the size of all, which ``auto`` may be held against.
    """

    settings: Settings
    suites: tuple[str, ...] = ()
    single: bool = True

    def fits(self, suite: str) -> bool:
        return not self.suites or suite in self.suites


def flat(chunker: str, **dials: object) -> Settings:
    """The flat preset, cut by this chunker."""
    values = {"chunking.chunker": chunker, **{f"chunking.{name}": value for name, value in dials.items()}}
    return PRESETS["flat"].with_values(values)


PAPERS = ("covidqa", "scifact")
ENTRIES: dict[str, Entry] = {
    BASELINE: Entry(flat("recursive")),
    "structure": Entry(flat("structure")),
    "fixed": Entry(flat("fixed")),
    "sentence": Entry(flat("sentence")),
    "semantic": Entry(flat("semantic")),
    "cluster": Entry(flat("cluster")),
    "texttiling": Entry(flat("texttiling")),
    "code": Entry(flat("code"), ("code",)),
    "conversation": Entry(flat("conversation"), ("qmsum",)),
    "claim": Entry(flat("claim"), PAPERS),
    "auto": Entry(flat("auto"), single=False),
    "late": Entry(flat("structure", vectors="late"), single=False),
    "recursive-200": Entry(flat("recursive", max_tokens=200), ("code",), single=False),
    "code-200": Entry(flat("code", max_tokens=200, parent_max_tokens=500), ("code",), single=False),
}


@contextmanager
def lent(suite: Suite, workspace: Path | None) -> Iterator[VectorCache | None]:
    """The vectors that benches of the same documents left in another workspace, ``None`` where there are none."""
    home = workspace / suite_folder(suite) / "library" if workspace else None
    if home is None or not (home / "catalogue.sqlite").is_file():
        yield None
        return
    with Library.open(home, write=False) as library:
        yield library.vectors


def alike(told: Mapping[str, Mapping[str, Mapping[str, object]]], presets: Mapping[str, Settings]) -> bool:
    """Whether a run kept settings under which the same is read as under these.

    A dial that is at rest, or that there was none of then and is at its default now, decides nothing; nor does how an
    answer is quoted, which is not measured here.
    """
    if told.keys() != presets.keys():
        return False
    try:
        kept_then = {
            name: Settings().with_values(
                {
                    f"{stage}.{field}": value
                    for stage, values in stages.items()
                    if stage != "answering"
                    for field, value in values.items()
                }
            )
            for name, stages in told.items()
        }
    except SettingsError:  # a dial of then is gone
        return False
    unquoted = {name: replace(settings, answering=Settings().answering) for name, settings in presets.items()}
    return all(kept_then[name].fingerprint() == settings.fingerprint() for name, settings in unquoted.items())


def finished(
    suite: Suite, presets: Mapping[str, Settings], workspace: Path, any_code: bool
) -> tuple[BenchReport, bool] | None:
    """The report of these presets on a suite, and whether this very code made it; ``None`` before it is through."""
    head = finished_run(workspace, BenchPlan(suite, presets).run_plan)
    if head is not None:
        return load_report(workspace, head.folder), True
    for other in runs(workspace) if any_code else ():
        if other.finished and other.fingerprint == suite.fingerprint() and alike(other.presets, presets):
            return load_report(workspace, other.folder), False
    return None


def measure(
    suite: Suite,
    names: Sequence[str],
    workspace: Path,
    encoder: Encoder | None = None,
    borrow: Path | None = None,
    any_code: bool = False,
) -> list[Row]:
    """The suite under every chunker, one run each."""
    rows = []
    with ExitStack() as stack:
        vectors = stack.enter_context(lent(suite, borrow))
        for name in names:
            presets = {name: ENTRIES[name].settings}
            found = finished(suite, presets, workspace, any_code)
            if found is None:
                print(f"{suite.name}, {name}", file=sys.stderr, flush=True)
                encoder = encoder or load_model(ENTRIES[name].settings.embedding).encoder
                models = BenchModels(encoder, vectors)
                found = run_bench(BenchPlan(suite, presets), workspace, models, Progress()), True
                print(line(found[0].preset(name)), file=sys.stderr, flush=True)
            rows.append(Row(name, *found, ENTRIES[name].single))
    return rows


def kept(suite: Suite, names: Sequence[str], workspace: Path) -> list[Row]:
    """What is finished of the suite; nothing is run."""
    found = ((name, finished(suite, {name: ENTRIES[name].settings}, workspace, any_code=True)) for name in names)
    return [Row(name, *both, ENTRIES[name].single) for name, both in found if both is not None]


def line(found: PresetReport) -> str:
    """The headline figures of a run, for the log.

    >>> from types import SimpleNamespace
    >>> line(SimpleNamespace(preset="auto", metrics={"recall@1000": 50.0}, costs={"chunks": 1200.0}))
    '    auto: 1,200 leaves; recall@1000 50.0'
    """
    shown = [name for name in found.metrics if name.split("@")[0] in {"recall", "attained"} or name == "iou@1000"]
    figures = ", ".join(f"{name} {found.metrics[name]:.1f}" for name in shown)
    return f"    {found.preset}: {found.costs['chunks']:,.0f} leaves; {figures}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE_DIR")
    parser.add_argument("--workspace", type=Path, required=True, metavar="DIR", help="kept between runs")
    parser.add_argument("--only", metavar="NAME,...", help=f"of {', '.join(ENTRIES)}; {BASELINE} always is")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the page, of everything finished in the workspace")
    parser.add_argument("--borrow", type=Path, metavar="DIR", help="another workspace whose vectors are used")
    parser.add_argument("--any-code", action="store_true", help="take what earlier code finished, too")
    parser.add_argument("--no-run", action="store_true", help="only write the page of what is finished")
    options = parser.parse_args(arguments)
    chosen = [BASELINE, *(options.only.split(",") if options.only else ENTRIES)]
    if unknown := [name for name in chosen if name not in ENTRIES]:
        parser.error(f"there is no {', '.join(unknown)}; choose among {', '.join(ENTRIES)}")
    suites = {folder: load_suite(folder) for folder in options.suites}
    if not options.no_run:
        for suite in suites.values():
            names = [name for name in dict.fromkeys(chosen) if ENTRIES[name].fits(suite.name)]
            measure(suite, names, options.workspace, borrow=options.borrow, any_code=options.any_code)
    found, missing = {}, {}
    for suite in suites.values():
        names = [name for name, entry in ENTRIES.items() if entry.fits(suite.name)]
        rows = kept(suite, names, options.workspace)
        through = {row.name for row in rows}
        if BASELINE in through:
            found[suite.name] = rows
        missing[suite.name] = [name for name in names if name not in through]
    text = page(found, missing)
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
