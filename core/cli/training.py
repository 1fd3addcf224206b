"""The command that makes a model: ``train-reranker``."""

from __future__ import annotations

import hashlib
import platform
from argparse import Namespace
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from core.cli import console
from core.errors import LecternError

if TYPE_CHECKING:
    from core.training.loop import Plan, Watched
    from core.training.pairs import Pair


def train_reranker(options: Namespace) -> int:
    """Train on pairs of files, of documents or of Python's own library, and write the weights.

    The same command goes on where it was stopped, from the folder ``--work``.
    """
    from core.training.code_pairs import code_pairs, default_pairs
    from core.training.pairs import folder_pairs, read_pairs
    from core.training.run import train_on

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

    def __call__(self, looked: Watched) -> None:
        self.seen.append({"step": looked.step, "loss": looked.loss, "quality": looked.quality})
        console.complain(
            f"Step {looked.step} of {self._plan.steps}: loss {looked.loss:.3f}, held-out quality {looked.quality:.3f}."
        )


def _plan(options: Namespace) -> Plan:
    from core.training.loop import Plan

    dials = {one.name for one in fields(Plan)}
    return Plan(**{name: value for name, value in vars(options).items() if name in dials})


def _told(options: Namespace, pairs: list[Pair], plan: Plan, look: _Look) -> int:
    from core.training.pairs import fingerprint

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
