"""How long a fit to judgments takes, phase by phase, and what it says of meaningless ones.

Usage: python -m benchmarks.refit_costs [SUITE_DIR] [--judgments 100] [--permuted 0] [--home DIR] [--quick]

The library is made of the suite's documents, the samples if none is given. Judged are its questions with gold and, up
to so many, its headings, each with the block below it as gold. Every fit is made by a library opened anew, with both
models loaded and nothing read yet, as the first one of an app is. ``--permuted N``: N fits more, the gold dealt out
anew among the questions, where a gain would be chance. ``--quick``: without Careful's share. ``--home`` keeps the
library and finds it again. Prints wall and processor seconds by phase, and how busy the machine was; nothing is
asserted.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from core.evaluation.exchange.judged import Judged, judged_questions
from core.evaluation.suites import Suite, load_suite
from core.library import Incoming, Library
from core.refitting.fitting import refit
from core.refitting.gains import Refitted
from core.settings import PACKAGED_RERANKER, carefully
from tests.refitting.worlds import permuted

ROOT = Path(__file__).resolve().parents[1]


class Clock:
    """Wall and processor seconds by what is being done."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}
        self._doing, self._since = "", (perf_counter(), process_time())

    def __call__(self, what: str, share: float) -> None:
        if what != self._doing:
            now = perf_counter(), process_time()
            if self._doing:
                spent = self.spent.setdefault(self._doing, [0.0, 0.0])
                self.spent[self._doing] = [
                    had + new - old for had, new, old in zip(spent, now, self._since, strict=True)
                ]
            self._doing, self._since = what, now


def judge(library: Library, suite: Suite, most: int) -> None:
    """The suite's questions, then headings in an order drawn once, until there are so many."""
    versions = {row.name: row.version_id for row in library.sources()}
    asked: set[str] = set()
    for question in suite.questions:
        if question.gold and len(asked) < most:
            asked.add(question.question)
            for gold in question.gold:
                library.judge(question.question, versions[gold.document], gold.start, gold.end)
    headings = [one for version in versions.values() for one in headed(library, version)]
    random.Random(0).shuffle(headings)
    for heading, version, start, end in headings:
        if len(asked) < most and heading not in asked:
            asked.add(heading)
            library.judge(heading, version, start, end)


def headed(library: Library, version: str) -> Iterator[tuple[str, str, int, int]]:
    """Each heading as a question, and the place of the block below it."""
    document = library.document(version)
    for above, below in zip(document.blocks, document.blocks[1:], strict=False):
        if above.kind == "heading" and below.kind != "heading":
            said = document.text[above.start : above.end].strip("#= \n")
            yield f"{said}?", version, below.start, below.end


def timed(home: Path, careful: str, seed: int | None) -> tuple[Refitted, Clock, float, float]:
    with Library.open(home, write=False) as library:
        judged: Judged = judged_questions(library) if seed is None else permuted(library, seed)
        settings = carefully(library.settings, careful) if careful else library.settings
        library.searcher.rank("Load the weights before the clock starts.", settings)
        clock, wall, busy = Clock(), perf_counter(), process_time()
        found = refit(library, judged, watch=clock, careful=careful)
        return found, clock, perf_counter() - wall, process_time() - busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, nargs="?", default=ROOT / "data" / "samples")
    parser.add_argument("--judgments", type=int, default=100)
    parser.add_argument("--permuted", type=int, default=0)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    careful = "" if options.quick else PACKAGED_RERANKER
    with tempfile.TemporaryDirectory() as place:
        home = options.home or Path(place) / "library"
        if not home.exists():
            suite = load_suite(options.suite)
            with Library.open(home) as library:
                library.ingest([Incoming(item.name, item.path) for item in suite.documents if item.path])
                judge(library, suite, options.judgments)
        for seed in (None, *range(options.permuted)):
            print(
                "judgments as they are" if seed is None else f"permuted, seed {seed}",
                f"(load {os.getloadavg()[0]:.1f})",
            )
            found, clock, wall, busy = timed(home, careful, seed)
            for what, (took, used) in clock.spent.items():
                print(f"  {what:30} {took:6.2f} s wall {used:6.2f} s processor")
            print(f"  {'whole':30} {wall:6.2f} s wall {busy:6.2f} s processor")
            print(f"  {found.verdict}: {found.sentence}")
            if found.careful is not None:
                print(f"  {found.careful.verdict}: {found.careful_sentence}")


if __name__ == "__main__":
    main()
