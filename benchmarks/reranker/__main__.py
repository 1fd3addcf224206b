"""Make a re-ranker from questions and their passages, which also marks where the answer stands.

``python -m benchmarks.reranker pairs.jsonl.gz --code --work training --out model.safetensors``; stopped, it goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.reranker.code_pairs import code_pairs, default_pairs
from benchmarks.reranker.pairs import Pair, fingerprint, folder_pairs, read_pairs
from benchmarks.reranker.run import train_on
from core.cli import console
from core.cli.main import carried_out
from core.errors import LecternError
from core.training.loop import Plan, TrainingProgress


def build_parser() -> argparse.ArgumentParser:
    """Every option of the command."""
    train = argparse.ArgumentParser(prog="python -m benchmarks.reranker", description=__doc__)
    train.add_argument(
        "pairs", nargs="*", type=Path, metavar="PAIRS", help="files of pairs, JSON lines, gzipped or not"
    )
    for name, text in (("documents", "also learn from their sections"), ("sources", "also learn from code below it")):
        train.add_argument(f"--{name}", type=Path, metavar="FOLDER", action="append", default=[], help=text)
    train.add_argument("--code", action="store_true", help="also learn from the code of Python's own library")
    train.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs, to go on from")
    train.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the weights go (.safetensors)")
    train.add_argument("--begin-from", type=Path, metavar="FILE", help="teach these weights further, not new heads")
    for name, default, text in (
        ("steps", 800, "steps in all"),
        ("questions", 12, "questions a step"),
        ("passages", 5, "passages a question"),
        ("max-tokens", 256, "of question and passage together"),
        ("watched-every", 100, "steps between looks at held-out pairs"),
        ("patience", 0, "looks without a better one after which it stops, 0: never"),
        ("seed", 0, "of all that is drawn"),
    ):
        train.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default: {default})")
    train.add_argument("--rate", type=float, default=8e-5, metavar="R", help="of learning, at most (default: 8e-05)")
    train.add_argument("--json", action="store_true", help="print the JSON object (else a short summary)")
    return train


def train_reranker(options: Namespace) -> int:
    """Train on pairs of files, of documents or of Python's own library, and write the weights.

    The same command goes on where it was stopped, from the folder ``--work``.
    """
    for folder in [*options.documents, *options.sources]:
        if not folder.is_dir():
            raise LecternError(f"There is no folder {folder}.", "Check --documents and --sources.")
    plan = _plan(options)
    pairs = [pair for path in options.pairs for pair in read_pairs(path)]
    pairs += [pair for folder in options.documents for pair in folder_pairs(folder)]
    pairs += [pair for folder in options.sources for pair in code_pairs(folder)]
    pairs += [*code_pairs(), *default_pairs()] if options.code else []
    if not pairs:
        raise LecternError("There is nothing to train on.", "Name a file of pairs, --documents, --sources or --code.")
    look = _Look(plan)
    train_on(pairs, plan, options.work, options.out, begin_from=options.begin_from, watch=look, say=console.complain)
    return _told(options, pairs, plan, look)


class _Look:
    """Tells of every look at the held-out pairs, and keeps it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.seen: list[dict[str, float]] = []

    def __call__(self, looked: TrainingProgress) -> None:
        self.seen.append({"step": looked.step, "loss": looked.loss, "quality": looked.quality})
        console.complain(
            f"Step {looked.step} of {self._plan.steps}: loss {looked.loss:.3f}, held-out quality {looked.quality:.3f}."
        )


def _plan(options: Namespace) -> Plan:
    dials = {one.name for one in fields(Plan)}
    return Plan(**{name: value for name, value in vars(options).items() if name in dials})


def _told(options: Namespace, pairs: list[Pair], plan: Plan, look: _Look) -> int:
    data = options.out.read_bytes()
    found = {
        "pairs": len(pairs),
        "pairs_sha256": fingerprint(pairs),
        "python": platform.python_version(),  # whose library --code read
        "plan": asdict(plan),
        "watched": look.seen,
        "file": str(options.out),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    console.answer(options, found, f"{options.out} is written: {len(data) / 1e6:.1f} MB.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. Expected failures are a sentence on stderr and exit code 2."""
    return carried_out(train_reranker, build_parser().parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
