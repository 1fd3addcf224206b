"""The command that makes a re-ranker: ``train-reranker``."""

from __future__ import annotations

import hashlib
import platform
from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from core import console
from core.errors import LecternError

if TYPE_CHECKING:
    from core.training.loop import Watched


def train_reranker(options: Namespace) -> int:
    """Train on pairs of files, of documents or of Python's own library, and write the weights.

    The same command goes on where it was stopped, from the folder ``--work``.
    """
    from core.training.code_pairs import code_pairs
    from core.training.document_pairs import folder_pairs
    from core.training.loop import Plan
    from core.training.pairs import fingerprint, read_pairs
    from core.training.run import train_on

    for folder in [*options.documents, *options.sources]:
        if not folder.is_dir():
            raise LecternError(f"There is no folder {folder}.", "Check --documents and --sources.")
    plan = Plan(
        steps=options.steps,
        questions=options.questions,
        passages=options.passages,
        rate=options.rate,
        max_tokens=options.max_tokens,
        watched_every=options.watched_every,
        patience=options.patience,
        seed=options.seed,
    )
    pairs = [pair for path in options.pairs for pair in read_pairs(path)]
    pairs += [pair for folder in options.documents for pair in folder_pairs(folder)]
    pairs += [pair for folder in options.sources for pair in code_pairs(folder)]
    pairs += code_pairs() if options.code else []
    if not pairs:
        raise LecternError("There is nothing to train on.", "Name a file of pairs, --documents, --sources or --code.")
    seen: list[Watched] = []

    def watch(looked: Watched) -> None:
        seen.append(looked)
        console.complain(
            f"Step {looked.step} of {plan.steps}: loss {looked.loss:.3f}, "
            f"held-out reciprocal rank {looked.reciprocal_rank:.3f}."
        )

    train_on(pairs, plan, options.work, options.out, begin_from=options.begin_from, watch=watch, say=console.complain)
    data = options.out.read_bytes()
    found = {
        "pairs": len(pairs),
        "pairs_sha256": fingerprint(pairs),
        "python": platform.python_version(),  # whose library --code read
        "plan": asdict(plan),
        "watched": [asdict(looked) for looked in seen],
        "file": str(options.out),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    console.answer(options, found, f"{options.out} is written: {len(data) / 1e6:.1f} MB.")
    return 0
