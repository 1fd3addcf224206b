"""Measures how long Lectern takes to ingest a suite's files, and other libraries with the same embedding model.

    python -m benchmarks.peers_ingest SUITE_DIR [--work DIR] [--turns 3]

The systems take turns, each in a new process without caches. Lectern's command reads the files and writes a library to
disk with both indexes; the others, run by ``peers_systems.py``, get the files' text and make chunks and vectors in
memory. Reported are wall time and CPU time; other programs disturb the latter less. ``--work``: as of ``peers``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.peers import INNER, environment, say, texts_of
from core.embedding import packaged
from core.evaluation.suites import load_suite, stage_documents

ROOT = Path(__file__).resolve().parents[1]
PEERS = ("langchain-parent-2000-400", "llamaindex-sentence-window-3")


def spent(command: list[str]) -> tuple[float, float]:
    """The wall time and the CPU time of a command, in seconds."""
    started, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return perf_counter() - started, worked


def measured(suite: Path, python: Path, turns: int) -> dict[str, list[tuple[float, float]]]:
    """The wall and CPU times of each system in seconds, a pair for each turn."""
    found: dict[str, list[tuple[float, float]]] = {}
    with TemporaryDirectory() as place:
        folder = Path(place)
        case, model, given = folder / "case.json", str(packaged.model_directory()), load_suite(suite)
        texts = texts_of(given, folder / "documents")
        (files,) = {item.path.parent for item in stage_documents(given, folder / "documents")}
        case.write_text(json.dumps({"documents": list(texts.items()), "questions": []}), encoding="utf-8")
        for turn in range(turns):
            ours = [sys.executable, "-m", "core", "ingest", str(files), "--library", str(folder / f"library-{turn}")]
            commands = {"Lectern": ours}
            for name in PEERS:
                out, vectors = folder / "out.json", folder / f"{name}-{turn}.sqlite"
                commands[name] = [str(python), str(INNER), name, str(case), str(out), "--model", model]
                commands[name] += ["--vectors", str(vectors)]
            for name, command in commands.items():
                found.setdefault(name, []).append(spent(command))
                say(f"{name} {found[name][-1]}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--work", type=Path, default=Path("data/library/peers"), help="kept between runs (%(default)s)")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--torch-index", default=os.environ.get("TORCH_INDEX", ""), metavar="URL")
    options = parser.parse_args()
    python = environment(options.work.resolve() / "environment", options.torch_index)
    found = measured(options.suite.resolve(), python, options.turns)
    for name, taken in found.items():
        walls, worked = zip(*taken, strict=True)
        said = f"{median(walls):.1f} s, of the processors {median(worked):.1f} s"
        if name != "Lectern":
            pairs = list(zip(found["Lectern"], taken, strict=True))
            ratios = (median(own[at] / other[at] for own, other in pairs) for at in (0, 1))
            said += "; Lectern takes {:.2f} of it, of the processors {:.2f}".format(*ratios)
        print(f"{name}: {said}")


if __name__ == "__main__":
    main()
