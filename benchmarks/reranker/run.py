"""From pairs to the file: mining, training, writing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.reranker.mining import Miner
from benchmarks.reranker.near_misses import names, near_miss
from benchmarks.reranker.pairs import Pair, balanced, fingerprint
from core.atomic_files import written_whole
from core.embedding import load_model
from core.embedding.reranker_file import lay_over, untrained, write
from core.errors import LecternError
from core.settings import EmbeddingSettings
from core.training.loop import Plan, TrainingProgress, draw, train
from core.training.model import ListwiseExample
from core.types import Encoder, Vectors

# How many pairs of a source at most: templates of one source would else be most of what is learnt.
MOST = {
    "medquad": 3500,
    "policyqa": 3000,
    "python": 1500,
    "python-names": 800,
    "rust": 1500,
    "rust-names": 600,
    "go": 1200,
    "go-names": 500,
    "c-names": 300,
    "cpp-names": 300,
}
_MOST_OF_ANOTHER = 4000
_HELD_OUT_LISTS = 160
_HELD_OUT_PASSAGES = 12
_NEARLY = 0.35  # of the questions that a person missed nothing of, how many are asked with one thing in them changed


def train_on(
    pairs: Sequence[Pair],
    plan: Plan,
    work: Path,
    target: Path,
    encoder: Encoder | None = None,
    begin_from: Path | None = None,
    watch: Callable[[TrainingProgress], None] | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Train on the pairs and write the re-ranker to ``target``. ``work``: a folder of this run, to go on from.

    Where an answer stands is learnt from pairs that have one which stands in their passage, from those that are not
    answerable, and from questions that a passage nearly answers.

    ``encoder``: finds the negatives, ``None``: the packaged one. ``begin_from``: weights to teach further. Raises
    ``LecternError`` where the pairs teach nothing, ``ModelError`` where ``begin_from`` is no re-ranker of Lectern's or
    ``work`` is of another run.
    """
    chosen = balanced(pairs, {pair.source: MOST.get(pair.source, _MOST_OF_ANOTHER) for pair in pairs}, plan.seed)
    if not chosen:
        raise LecternError(
            f"All of the {len(pairs):,} pairs are held out, and none trains.", "Give pairs of more pools."
        )
    if begin_from is not None:  # before minutes of encoding
        lay_over(untrained(plan.seed)[0], begin_from)
    encoder = Remembered(encoder or load_model(EmbeddingSettings()).encoder, work)
    miners = miners_of(pairs, encoder, say)
    others = {
        source: sorted({name for pair in chosen if pair.source == source for name in names(pair.question)})
        for source in miners
    }
    say(f"{len(chosen):,} pairs to train on, {plan.steps * plan.questions:,} lists to read.")

    def lists_of(step: int) -> list[ListwiseExample]:
        choose = draw(plan.seed, step)
        found = []
        for pair in turn(chosen, plan, step):
            listed = miners[pair.source].listed(pair, plan.passages, choose)
            if listed.answer and not listed.missed and choose.random() < _NEARLY:
                missed = near_miss(listed.question, listed.passages[0], others[pair.source], choose)
                listed = replace(listed, missed=missed or "")
            found.append(listed)
        return found

    if not any(len(listed.passages) > 1 or listed.marked for step in range(plan.steps) for listed in lists_of(step)):
        raise LecternError(
            f"Of the {len(chosen):,} pairs to train on none has another passage to be told from.",
            "Give more pairs of a source.",
        )
    held_out = held_out_lists(pairs, miners, plan.seed)
    # What is mined depends on every pair and on the encoder, what is read on those that were chosen.
    learnt_from = f"{encoder.fingerprint}:{fingerprint(pairs)}:{fingerprint(chosen)}"
    model = train(
        plan, lists_of, held_out, work / "checkpoint.pt", watch, begin_from=begin_from, learnt_from=learnt_from
    )
    write(model.module, target)


def turn(pairs: Sequence[Pair], plan: Plan, step: int) -> list[Pair]:
    """The pairs of a step: all of them in order, again and again."""
    return [pairs[at % len(pairs)] for at in range(step * plan.questions, (step + 1) * plan.questions)]


def miners_of(pairs: Sequence[Pair], encoder: Encoder, say: Callable[[str], None]) -> dict[str, Miner]:
    """A miner for each source, by its name."""
    miners: dict[str, Miner] = {}
    for source in sorted({pair.source for pair in pairs}):
        own = [pair for pair in pairs if pair.source == source]
        say(f"{source}: {len(own):,} pairs are being encoded, to find what is hard to tell apart.")
        miners[source] = Miner(own, encoder)
    return miners


class Remembered:
    """An encoder whose answers lie in a folder: a run that goes on encodes nothing again."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder, self._folder = encoder, folder
        self.fingerprint, self.dimension, self.max_tokens = encoder.fingerprint, encoder.dimension, encoder.max_tokens

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        name = hashlib.sha256("\0".join((self.fingerprint, *texts)).encode()).hexdigest()[:16]
        path = self._folder / f"vectors-{name}.npy"
        if not path.exists():
            with written_whole(path) as unfinished, unfinished.open("wb") as file:
                np.save(file, self._encoder.encode(texts, progress))
        return np.asarray(np.load(path), dtype=np.float32)


def held_out_lists(
    pairs: Sequence[Pair], miners: dict[str, Miner], seed: int, count: int = _HELD_OUT_PASSAGES
) -> list[ListwiseExample]:
    """Lists of ``count`` pieces of held-out pairs, as many of each source, within a number that is read quickly."""
    choose = draw(seed, -1)
    kept: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.held_out:
            kept.setdefault(pair.source, []).append(pair)
    each = max(1, _HELD_OUT_LISTS // max(1, len(kept)))
    found: list[ListwiseExample] = []
    for source in sorted(kept):
        some = choose.sample(kept[source], min(each, len(kept[source])))
        found.extend(miners[source].listed(pair, count, choose) for pair in some)
    return [listed for listed in found if len(listed.passages) > 1 or listed.marked]
