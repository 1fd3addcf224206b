"""Measures other retrieval libraries on a suite, with the same embedding model, in one table with Lectern.

Usage: python -m benchmarks.peers SUITE_DIR [--work DIR] [--systems NAME...] [--torch-index URL]

The first run installs the libraries into an environment in the work folder (``peers-requirements.txt``; about 2 GB) and
needs the network only for that. TORCH_INDEX, or ``--torch-index``, names an index from which torch is installed, as for
``make``. ``peers_systems.py`` runs each system in that environment. Results are stored, so the command can be stopped
and started again.

The metrics are those of ``core.evaluation``: what a library returns, most relevant first, is cut at each token budget.
Lectern's own rows come from ``python -m core bench``. The contexts are written to ``peers.jsonl`` in the work folder,
in the format of ``bench --runs``. The second table shows how many of each library's chunks and offsets are correct.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.peers_placing import Placing, first_first, place, table
from benchmarks.peers_systems import SYSTEMS
from core.embedding import packaged
from core.evaluation.measuring import BUDGETS, RANKED_DOCUMENTS
from core.evaluation.metrics import SPAN_METRICS
from core.evaluation.regions import Run, cut_to_budget, region
from core.evaluation.suites import Suite, load_suite, stage_documents
from core.parsing import parse
from core.settings import BASELINES, ParsingSettings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REQUIREMENTS = HERE / "peers-requirements.txt"
INNER = HERE / "peers_systems.py"
COLUMNS = (*(f"recall@{budget}" for budget in BUDGETS), f"iou@{BUDGETS[0]}")
FAULTS = ("unplaced", "altered", "claims", "wrong")
TRUST_HEADS = ("system", "indexed", "characters", "not found", "altered", "with offsets", "wrong offsets")
HEADS = ("system", *(f"R@{budget}" for budget in BUDGETS), f"IoU@{BUDGETS[0]}")


def environment(folder: Path, torch_index: str) -> Path:
    """The interpreter of the peers' environment, which is installed anew if the requirements changed."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed"
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return python
    say(f"Installing LangChain, LlamaIndex and Chonkie into {folder} ...")
    venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    if torch_index:
        pins = REQUIREMENTS.read_text(encoding="utf-8").split()
        torch = next(pin for pin in pins if pin.startswith("torch=="))
        subprocess.run([*pip, torch, "--index-url", torch_index], check=True)
    subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True)
    stamp.write_text(digest, encoding="utf-8")
    return python


def texts_of(suite: Suite, folder: Path) -> dict[str, str]:
    """The text of every document by name, as Lectern parses it: gold offsets refer to it, and every library gets it."""
    staged = stage_documents(suite, folder)
    parsed = ((item.name, parse(item.path.read_bytes(), item.path.name, ParsingSettings())) for item in staged)
    return {name: document.text for name, document in parsed}


def run_system(name: str, python: Path, case: Path, place_of_results: Path, vectors: Path, k: int) -> dict[str, Any]:
    """A system's result for every question; stored, and computed again only if its code, model or case changed."""
    model = packaged.model_directory()
    packaged.verify_file(model / "model.safetensors", packaged.WEIGHTS_SHA256)
    parts = (case.read_bytes(), INNER.read_bytes(), REQUIREMENTS.read_bytes(), packaged.WEIGHTS_SHA256.encode())
    key = hashlib.sha256(b"|".join((*parts, str(k).encode()))).hexdigest()[:16]
    result = place_of_results / f"{name}-{key}.json"
    if not result.exists():
        say(f"Running {name} ...")
        partial = result.with_suffix(".partial")
        inner = [str(python), str(INNER), name, str(case), str(partial)]
        subprocess.run([*inner, "--model", str(model), "--vectors", str(vectors), "--k", str(k)], check=True)
        partial.replace(result)
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


def runs_of(name: str, suite: Suite, answers: dict[str, list[int]], placed: Placing, texts: Sequence[str]) -> list[Run]:
    """A run for each question and budget, with the same context at each, since these libraries have no budget.

    ``answers``: by question id, the indices of the returned chunks. ``texts``: the text of each chunk that was compared
    with the question.
    """
    runs = []
    for question in suite.questions:
        spans = (placed.spans[number] for number in first_first(answers[question.id], texts))
        context = tuple(span for span in spans if span is not None)
        documents = tuple(dict.fromkeys(span[0] for span in context))[:RANKED_DOCUMENTS]
        runs.extend(Run(name, question.id, budget, context, documents) for budget in BUDGETS)
    return runs


def read_result(
    name: str, suite: Suite, result: dict[str, Any], texts: dict[str, str]
) -> tuple[list[Run], list[object]]:
    """The runs of a system, and its row of the second table without the name."""
    indexed = place(result["indexed"], texts)
    returned = place(result["returned"], texts) if result["returned"] is not None else indexed
    # A sentence window is compared by its one sentence; merged chunks and parents by their own text.
    one_for_one = returned.pieces == indexed.pieces
    compared = [piece[1] for piece in (result["indexed"] if one_for_one else result["returned"])]
    runs = runs_of(name, suite, result["answers"], returned, compared)
    returned_pieces = set(map(tuple, result["returned"] or []))
    counted_once = returned is indexed or returned_pieces.issuperset(map(tuple, result["indexed"]))
    placings = [returned] if counted_once else [indexed, returned]
    faults = [sum(placing.counts()[fault] for placing in placings) for fault in FAULTS]
    size = round(returned.characters / max(1, returned.pieces))
    return runs, [indexed.pieces, size, *faults]


def scored(suite: Suite, runs: list[Run]) -> dict[str, float]:
    """The means of Lectern's metrics over the questions with gold, in percent, by "metric@budget"."""
    gold = {
        question.id: region((span.document, span.start, span.end) for span in question.gold)
        for question in suite.questions
        if question.gold
    }
    shares: dict[str, list[float]] = {}
    for run in runs:
        if run.id in gold:
            context = cut_to_budget(run.context, run.budget)
            for name, metric in SPAN_METRICS.items():
                shares.setdefault(f"{name}@{run.budget}", []).append(metric(context, gold[run.id], run.budget))
    return {name: 100 * fmean(values) for name, values in shares.items()}


def own_rows(suite: Path, presets: list[str], work: Path) -> list[list[object]]:
    """The rows of Lectern's presets, measured by ``python -m core bench``."""
    say(f"Measuring Lectern: {', '.join(presets)} ...")
    chosen = [word for name in presets for word in ("--preset", name)]
    command = [sys.executable, "-m", "core", "bench", str(suite), *chosen, "--work", str(work), "--json"]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)["presets"]
    return [[f"Lectern {row['preset']}", *(row["metrics"][name] for name in COLUMNS)] for row in found]


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--work", type=Path, default=Path("data/library/peers"), help="kept between runs (%(default)s)")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), metavar="NAME")
    parser.add_argument("--presets", nargs="*", default=["default", *BASELINES], help="of Lectern, beside them")
    parser.add_argument("--torch-index", default=os.environ.get("TORCH_INDEX", ""), metavar="URL")
    parser.add_argument("--k", type=int, default=50, help="chunks each retrieves, as Lectern does (%(default)s)")
    options = parser.parse_args()
    suite_folder, work = options.suite.resolve(), options.work.resolve()
    suite = load_suite(suite_folder)
    folder = work / f"{suite.name}-{suite.fingerprint()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    texts = texts_of(suite, folder / "documents")
    case = folder / "case.json"
    given = {"documents": list(texts.items()), "questions": [(item.id, item.question) for item in suite.questions]}
    case.write_text(json.dumps(given), encoding="utf-8")
    python = environment(work / "environment", options.torch_index)

    figures: list[list[object]] = []
    trust: list[list[object]] = []
    versions: dict[str, str] = {}
    with (folder / "peers.jsonl").open("w", encoding="utf-8") as stream:
        for name in options.systems:
            result = run_system(name, python, case, folder, folder / "vectors.sqlite", options.k)
            versions |= result["versions"]
            runs, trusted = read_result(name, suite, result, texts)
            stream.writelines(run.to_json() + "\n" for run in runs)
            metrics = scored(suite, runs)
            figures.append([name, *(metrics[column] for column in COLUMNS)])
            trust.append([name, *trusted])
    if options.presets:
        figures += own_rows(suite_folder, options.presets, work / "lectern")
    print(f"{suite.name}: {len(suite.questions)} questions, {sum(map(len, texts.values())):,} characters, in percent\n")
    print(table(HEADS, figures))
    print("\nTheir chunks, indexed and returned, mapped back to the documents\n")
    print(table(TRUST_HEADS, trust))
    print("\n" + ", ".join(f"{name} {number}" for name, number in sorted(versions.items())) + f"; k = {options.k}")


if __name__ == "__main__":
    main()
