"""From pairs to lists, all at once: mined where there is time, to be read where there is a graphics processor."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.reranker.mining import MinedList, Miner
from benchmarks.reranker.near_misses import names, near_miss
from benchmarks.reranker.pairs import Pair, balanced
from core.atomic_files import written_whole
from core.errors import LecternError
from core.refitting.listwise import draw
from core.types import Encoder, Vectors

# How many pairs of a source at most: templates of one source would else be most of what is learnt.
MOST = {
    "medquad": 6000,
    "policyqa": 5000,
    "python": 2500,
    "python-names": 1200,
    "python-defaults": 2000,
    "go": 1500,
    "go-names": 800,
    "rust-names": 600,
    "java-names": 300,
    "reddit": 8000,
    "amazon_reviews": 6000,
}
_MOST_OF_A_KIND = {"sentences": 1200, "headings": 1600}  # of each folder of documents
_MOST_OF_ANOTHER = 6000
_HELD_OUT_LISTS = 120  # of a source
_NEARLY = 0.35  # of the questions that a person missed nothing of, how many are asked with one thing in them changed


@dataclass(frozen=True, slots=True)
class Mined:
    """A list, the number of its source among the sorted names of all, and whether it only tells how training goes."""

    listed: MinedList
    source: int
    held_out: bool


def mined(
    pairs: Sequence[Pair],
    encoder: Encoder,
    readings: int,
    passages: int,
    seed: int = 0,
    processes: int = 1,
    say: Callable[[str], None] = lambda sentence: None,
) -> list[Mined]:
    """``readings`` lists of every pair that trains, each with other pieces and wrong answers, and one of some that are
    held out; at most ``passages`` pieces each. The same whatever the number of ``processes``.

    ``encoder``: finds the negatives. Raises ``LecternError`` where the pairs teach nothing.
    """
    chosen = balanced(pairs, {pair.source: _most(pair.source) for pair in pairs}, seed)
    if not chosen:
        raise LecternError(
            f"All of the {len(pairs):,} pairs are held out, and none trains.", "Give pairs of more pools."
        )
    jobs = []
    for number, source in enumerate(sorted({pair.source for pair in pairs})):
        own = [pair for pair in pairs if pair.source == source]
        kept_out = [pair for pair in own if pair.held_out]
        told = draw(seed, -1 - number).sample(kept_out, min(len(kept_out), _HELD_OUT_LISTS))
        say(f"{source}: {len(own):,} pairs are being encoded, to find what is hard to tell apart.")
        for texts in ([pair.positive for pair in own], [pair.question for pair in own]):
            encoder.encode(list(dict.fromkeys(texts)))
        jobs.append(_Job(own, [pair for pair in chosen if pair.source == source], told, number))
    global _shared
    _shared = encoder, readings, passages, seed
    if processes > 1:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            found = []
            for number, part in enumerate(pool.imap(_lists, jobs)):
                found.append(part)
                say(f"{number + 1} of {len(jobs)} sources are mined.")
    else:
        found = [_lists(job) for job in jobs]
    lists = [one for part in found for one in part if len(one.listed.passages) > 1 or one.listed.marked]
    if not any(not one.held_out for one in lists):
        raise LecternError(
            f"Of the {len(chosen):,} pairs to train on none has another passage to be told from.",
            "Give more pairs of a source.",
        )
    return lists


@dataclass(frozen=True, slots=True)
class _Job:
    """What one source has: all pairs, those that train, those that tell, and its number."""

    own: Sequence[Pair]
    train: Sequence[Pair]
    told: Sequence[Pair]
    number: int


_shared: tuple[Encoder, int, int, int]  # for the processes, which are forks


def _lists(job: _Job) -> list[Mined]:
    encoder, readings, passages, seed = _shared
    miner = Miner(job.own, encoder)
    others = sorted({name for pair in job.train for name in names(pair.question)})
    found = []
    for reading in range(readings):
        choose = draw(seed, reading * 1000 + job.number)
        for pair in job.train:
            listed = miner.listed(pair, passages, choose)
            if listed.answer and not listed.missed and choose.random() < _NEARLY:
                missed = near_miss(listed.question, listed.passages[0], others, choose)
                listed = replace(listed, missed=missed or "")
            found.append(Mined(listed, job.number, False))
    choose = draw(seed, -1)
    return found + [Mined(miner.listed(pair, passages, choose), job.number, True) for pair in job.told]


def _most(source: str) -> int:
    return MOST.get(source, _MOST_OF_A_KIND.get(source.partition("-")[0], _MOST_OF_ANOTHER))


class Remembered:
    """An encoder whose answers lie in a folder: a run that goes on encodes nothing again."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder, self._folder = encoder, folder
        self.fingerprint, self.dimension, self.max_tokens = encoder.fingerprint, encoder.dimension, encoder.max_tokens

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        name = hashlib.sha256("\0".join((self.fingerprint, *texts)).encode()).hexdigest()[:16]
        path = self._folder / f"vectors-{name}.npy"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as unfinished, unfinished.open("wb") as file:
                np.save(file, self._encoder.encode(texts, progress))
        return np.asarray(np.load(path), dtype=np.float32)
