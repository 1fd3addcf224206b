"""Measures how the costs of a library grow with its size: ingest, opening, search, repair; exact and with Chroma.

    python -m benchmarks.scale --leaves 1000,10000,100000 --work DIR --json FILE [--page docs/scale.md]

``benchmarks.scale_library`` makes the libraries; they stay in ``--work``, and a second run measures them again. Each
size and way of searching is measured in a new process. Questions are encoded by the model that ships with Lectern.
``floor``: the slower of encoding and word search alone. ``beyond``: the time of a question minus ``floor``. ``--page``
writes the table and its picture.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.scale_library import KnownQuestions, World, fill
from core.library import Library

ROOT = Path(__file__).resolve().parents[1]
WAYS = {"default": {}, "exact": {"retrieval.exact_below": 100_000_000}, "chroma": {"retrieval.exact_below": 0}}


def made(work: Path, sizes: list[int]) -> dict[int, dict[str, float]]:
    """Make a library of each size, each grown from the next smaller. Returns the times of ingest, by size."""
    world, before, times = World(), None, {}
    for size in sorted(sizes):
        home, notes = work / f"leaves-{size}", work / f"leaves-{size}.json"
        if not notes.is_file():
            shutil.rmtree(home, ignore_errors=True)
            if before is not None:
                shutil.copytree(before, home)
            with Library.open(home, encoder=KnownQuestions({}, None)) as library:
                notes.write_text(json.dumps(fill(library, world, size)))
        times[size], before = json.loads(notes.read_text()), home
    return times


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leaves", default="1000,10000,100000", help="sizes of the libraries, with commas")
    parser.add_argument("--work", type=Path, required=True, help="where the libraries lie")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--ways", default=",".join(WAYS), help="of searching: " + ", ".join(WAYS))
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--page", type=Path, help="Markdown to write, with a picture beside it")
    parser.add_argument("--note", default="", help="a sentence for the page on the machine and what else it did")
    options = parser.parse_args()
    sizes = sorted(map(int, options.leaves.split(",")))
    options.work.mkdir(parents=True, exist_ok=True)
    times = made(options.work, sizes)
    figures: list[dict[str, Any]] = []
    for size in sizes:
        for way in options.ways.split(","):
            asked = [options.work / f"leaves-{size}", json.dumps(WAYS[way]), options.questions]
            command = [sys.executable, "-m", "benchmarks.scale_measuring", *map(str, asked)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
            figures.append({"leaves": size, "way": way, "made": times[size], **json.loads(done.stdout)})
            print(json.dumps(figures[-1]), file=sys.stderr)
    options.json.write_text(json.dumps(figures, indent=1))
    if options.page:
        from benchmarks.scale_page import write_page

        write_page(options.page, figures, options.questions, options.note)


if __name__ == "__main__":
    main()
