"""How long a question takes in a large library, stage by stage, beside what no question can do without.

Usage: python tests/benchmarks/question_latency.py SUITE_DIR [--leaves 100000] [--questions 200] [--home DIR]

The library is made of the suite's documents, repeated with variations until it holds so many leaves: in every copy the
sentences stand in another order and one word in ten is another word of the suite, so that rare words stay rare and
common ones common. Its vectors are planted: random directions under the packaged model's name, for how long a search
takes does not depend on what it finds. Questions are encoded by the model itself. ``--home`` keeps the library and
finds it again; making 100,000 leaves takes some minutes.

Prints a table of medians and 95th percentiles in milliseconds: encoding a question alone, searching its words alone,
the whole question, by how much the whole exceeds the slower of the two, the same question once more, and the stages as
the question tells them. Each question is asked in the same order after ten others, so its words are new to the
library's memory as often as those of people's questions are. Nothing is asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from core.embedding import packaged  # noqa: E402
from core.evaluation.suites import load_suite  # noqa: E402
from core.library import Incoming, Library  # noqa: E402
from core.storage.lexical import FtsIndex  # noqa: E402
from core.storage.store import Store  # noqa: E402
from core.text.analysis import analyse  # noqa: E402
from core.text.sentences import sentence_spans  # noqa: E402
from core.types import Vectors  # noqa: E402

CHANGED = 0.1  # of the words of a copy
TOGETHER = 4  # documents of the suite in one file
BATCH = 200  # files between two looks at how many leaves there are
WARMING = 10  # questions before the clock starts
BOOSTS = {"title": 0.5, "headings": 0.5, "captions": 0.5, "text": 1.0}
ENCODING, WORDS, WHOLE = "encoding the question alone", "searching its words alone", "the whole question"
BEYOND, AGAIN = "the whole beyond the slower of the two", "the same question again"


class Planted:
    """An ``Encoder`` under the packaged model's name that gives every text a direction of its own."""

    dimension = packaged.DIMENSION
    max_tokens = packaged.MAX_TOKENS

    def __init__(self) -> None:
        self.fingerprint = packaged.fingerprint()

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """``(len(texts), dimension)`` float32, unit norm."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            vectors[place] = np.random.default_rng(seed).standard_normal(self.dimension)
        if progress:
            progress(len(texts))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def variations(texts: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Endless files: the texts as they are, then copy after copy of them."""
    chance = random.Random(7)
    copy = 0
    while True:
        for start in range(0, len(texts), TOGETHER):
            yield "\n\n".join(varied(text, words, chance) if copy else text for text in texts[start : start + TOGETHER])
        copy += 1


def varied(text: str, words: Sequence[str], chance: random.Random) -> str:
    """The title and the sentences behind it, these in another order, some words changed."""
    title, _, body = text.partition("\n\n")
    sentences = [body[span.start : span.end] for span in sentence_spans(body, 0, len(body))]
    chance.shuffle(sentences)
    changed = (chance.choice(words) if chance.random() < CHANGED else word for word in " ".join(sentences).split())
    return f"{title}\n\n{' '.join(changed)}"


def fill(home: Path, suite: Path, leaves: int) -> None:
    """Make a library of at least so many leaves, or make it grow to them."""
    texts = [document.text or "" for document in load_suite(suite).documents]
    words = " ".join(texts).split()
    with (
        tempfile.TemporaryDirectory(prefix="lectern-latency-") as folder,
        Library.open(home, encoder=Planted()) as made,
    ):
        files = enumerate(variations(texts, words))
        while (there := made.stats().chunks) < leaves:
            print(f"{there:,} leaves", file=sys.stderr, flush=True)
            items = []
            for number, text in (next(files) for _ in range(BATCH)):
                path = Path(folder) / f"{number:06d}.txt"
                path.write_text(text, encoding="utf-8")
                items.append(Incoming(path.name, path))
            made.ingest(items)


def milliseconds_of(action: Callable[..., object], *given: object) -> float:
    started = perf_counter()
    action(*given)
    return (perf_counter() - started) * 1000


def measure(home: Path, questions: Sequence[str]) -> list[tuple[str, Sequence[float]]]:
    """Milliseconds by what was timed, one for each question; what they are held against is timed beside each."""
    whole: dict[str, list[float]] = {name: [] for name in (ENCODING, WORDS, WHOLE, BEYOND, AGAIN)}
    stages: dict[str, list[float]] = {}
    with Library.open(home, write=False) as library:
        searcher, settings = library.searcher, library.settings
        leaves = searcher.snapshot().leaves
        print(f"leaves: {len(leaves):,}, sources: {len(library.sources()):,}, questions: {len(questions):,}")
        for question in questions[:WARMING]:
            searcher.search(question, settings, None)
        with Store.open(home, write=False) as store:
            index = FtsIndex(store, leaves.generation)  # of its own: it must not know words the searcher asked for
            for question in questions[WARMING:]:
                tokens = list(dict.fromkeys(analyse(question)))
                encoding = milliseconds_of(library.model.encoder.encode, [f"{question} "])  # kept in no memory
                words = milliseconds_of(index.search, tokens, BOOSTS)
                started = perf_counter()
                result = searcher.search(question, settings, None)
                took = (perf_counter() - started) * 1000
                again = milliseconds_of(searcher.search, question, settings, None)
                measured = zip(whole, (encoding, words, took, took - max(encoding, words), again), strict=True)
                for name, value in measured:
                    whole[name].append(value)
                for stage, value in result.timings_ms.items():
                    stages.setdefault(f"  {stage}", []).append(value)
    return [*whole.items(), *stages.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--leaves", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    asked = list(dict.fromkeys(question.question for question in load_suite(options.suite).questions))
    with tempfile.TemporaryDirectory(prefix="lectern-latency-") as folder:
        home = options.home or Path(folder) / "library"
        fill(home, options.suite, options.leaves)
        rows = measure(home, asked[: WARMING + options.questions])
    width = max(len(name) for name, _ in rows)
    print(f"{'milliseconds':<{width}}  {'median':>8}  {'95 of 100':>9}")
    for name, values in rows:
        print(f"{name:<{width}}  {np.median(values):8.1f}  {np.percentile(values, 95):9.1f}")


if __name__ == "__main__":
    main()
