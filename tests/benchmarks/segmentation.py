"""Whether chunkers find where one text ends and the next begins: texts glued together, and Pk and WindowDiff.

Usage: python -m tests.benchmarks.segmentation SUITE_DIR [--texts 300] [--pool 400] [--seed 20] [--vectors FILE.npz]

From ``--pool`` documents of the suite one run of sentences each is taken; a text is 6 to 12 of them, all of distinct
documents, joined by single spaces, so that nothing but the words tells where the seams are. Every chunker is held
against even windows with exactly as many cuts (the fixed chunker at its best), text by text, with the paired
randomisation test of ``core.evaluation.statistics``, corrected after Holm for all rows. Lower is better. With room for
all, a chunker's own cuts are measured; with small leaves most cuts of every chunker are the size's, and WindowDiff
then rewards whoever spaces them most evenly. Nothing is asserted: it is for people to read. Encoding the pool with the
real embedder takes minutes; ``--vectors`` keeps it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.chunking import Aids, Workpiece, cut
from core.embedding.encoder import load_model
from core.evaluation.statistics import compare, holm
from core.evaluation.suites import SuiteDocument, load_suite
from core.parsing import parse
from core.settings import ChunkingSettings, EmbeddingSettings, ParsingSettings
from core.text.sentences import sentence_spans
from core.types import ChunkTree, Document, Encoder, TokenCounter, Vectors

FEWEST_SEGMENTS, MOST_SEGMENTS = 6, 12
FEWEST_SENTENCES, MOST_SENTENCES = 4, 12
ROOMY = ChunkingSettings(max_tokens=2048, parent_max_tokens=8192)  # so that the size decides no cut
ALL = ("semantic", "cluster", "texttiling", "sentence", "structure", "recursive", "fixed")
ROWS: dict[str, ChunkingSettings] = {
    **{f"{name}, room for all": replace(ROOMY, chunker=name) for name in ("semantic", "texttiling")},
    **{f"{name}, {size} tokens": ChunkingSettings(name, max_tokens=size) for size in (256, 110) for name in ALL},
}


@dataclass(frozen=True, slots=True)
class Glued:
    """A text, and the character at which each segment after the first begins."""

    text: str
    seams: tuple[int, ...]


class RememberingEncoder:
    """An ``Encoder`` that encodes no text twice; what it remembers can be kept in a file."""

    def __init__(self, encoder: Encoder, kept: dict[str, Vectors] | None = None) -> None:
        self._encoder = encoder
        self.fingerprint, self.dimension, self.max_tokens = encoder.fingerprint, encoder.dimension, encoder.max_tokens
        self.known: dict[str, Vectors] = kept or {}

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        if missing:
            self.known |= dict(zip(missing, self._encoder.encode(missing, progress), strict=True))
        return np.array([self.known[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)


def pk(reference: Sequence[int], found: Sequence[int], units: int, window: int) -> float:
    """The share of pairs of units ``window`` apart that one segmentation parts and the other does not, in [0, 1].

    Beeferman, Berger and Lafferty, "Statistical Models for Text Segmentation", Machine Learning 34 (1999). Boundaries
    are numbers of units before them, 1 to ``units - 1``.

    >>> pk([5], [5], 10, 2), pk([5], [], 10, 2)
    (0.0, 0.25)
    """
    ours, theirs = _inside(reference, units, window), _inside(found, units, window)
    return float(np.mean((ours > 0) != (theirs > 0)))


def window_diff(reference: Sequence[int], found: Sequence[int], units: int, window: int) -> float:
    """The share of windows in which the two segmentations have different numbers of boundaries, in [0, 1].

    Pevzner and Hearst, "A Critique and Improvement of an Evaluation Metric for Text Segmentation", Computational
    Linguistics 28 (2002).

    >>> window_diff([5], [5], 10, 2), window_diff([5], [5, 6], 10, 2)
    (0.0, 0.25)
    """
    return float(np.mean(_inside(reference, units, window) != _inside(found, units, window)))


def _inside(boundaries: Sequence[int], units: int, window: int) -> np.ndarray:
    """``(units - window,)``: boundaries between every unit and the one ``window`` after it."""
    before = np.zeros(units + 1, dtype=np.int64)
    before[np.asarray(boundaries, dtype=np.int64)] = 1
    total = np.cumsum(before)  # boundaries at or before each unit's beginning
    return total[window:units] - total[: units - window]


def segments(documents: Sequence[Document], chance: random.Random) -> Iterator[str]:
    """One run of whole sentences of each document that has one long enough, on one line."""
    for document in documents:
        text = document.text
        spans = sentence_spans(text)
        runs = [
            first
            for first in range(len(spans) - FEWEST_SENTENCES + 1)
            if all(text[span.end - 1] in ".!?" and span.length > 20 for span in spans[first : first + FEWEST_SENTENCES])
        ]
        if not runs:
            continue
        first = chance.choice(runs)
        last = first + FEWEST_SENTENCES
        most = first + chance.randint(FEWEST_SENTENCES, MOST_SENTENCES)
        while last < min(most, len(spans)) and text[spans[last].end - 1] in ".!?":
            last += 1
        yield " ".join(text[spans[first].start : spans[last - 1].end].split())


def glue(pool: Sequence[str], texts: int, chance: random.Random) -> list[Glued]:
    """Texts of 6 to 12 segments of the pool, none twice in a text."""
    made: list[Glued] = []
    for _ in range(texts):
        chosen = chance.sample(pool, chance.randint(FEWEST_SEGMENTS, MOST_SEGMENTS))
        starts = np.cumsum([len(segment) + 1 for segment in chosen])[:-1]
        made.append(Glued(" ".join(chosen), tuple(starts.tolist())))
    return made


def cuts_of(tree: ChunkTree) -> list[int]:
    """Where leaves begin, but the first."""
    return [leaf.start for leaf in tree.leaves[1:]]


def scores(glued: Glued, cuts: Sequence[int]) -> tuple[float, float, float, float]:
    """Pk and WindowDiff of the cuts, then of even windows with as many cuts; units are words."""
    starts = [0, *(at + 1 for at, character in enumerate(glued.text) if character == " ")]
    units = len(starts)
    reference = np.searchsorted(starts, glued.seams).tolist()
    found = sorted({int(at) for at in np.searchsorted(starts, cuts)} - {0, units})
    even = sorted({round(units * at / (len(found) + 1)) for at in range(1, len(found) + 1)} - {0, units})
    window = max(2, round(units / (len(reference) + 1) / 2))  # half of the mean segment, as both papers advise
    pairs = [(one(reference, cuts, units, window)) for cuts in (found, even) for one in (pk, window_diff)]
    return pairs[0], pairs[1], pairs[2], pairs[3]


def measure(texts: Sequence[Glued], counter: TokenCounter, encoder: Encoder) -> dict[str, tuple[np.ndarray, float]]:
    """Row to ``(texts, 4)`` scores, and its mean number of cuts."""
    found: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in ROWS}
    cut_counts: dict[str, list[int]] = {name: [] for name in ROWS}
    for glued in texts:
        piece = Workpiece(Document("v" * 64, "text", "Glued", glued.text), counter, Aids(encoder))
        for name, settings in ROWS.items():
            cuts = cuts_of(cut(piece, settings))
            found[name].append(scores(glued, cuts))
            cut_counts[name].append(len(cuts))
    return {name: (np.array(rows), float(np.mean(cut_counts[name]))) for name, rows in found.items()}


def table(measured: dict[str, tuple[np.ndarray, float]]) -> str:
    """Each chunker beside even windows with as many cuts."""
    compared = {name: compare(values[:, :2], values[:, 2:]) for name, (values, _) in measured.items()}
    corrected = [holm([both[metric].p_value for both in compared.values()]) for metric in (0, 1)]
    lines = [
        "| chunker | cuts a text | Pk | even windows | p | WindowDiff | even windows | p |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for at, (name, (values, cuts)) in enumerate(measured.items()):
        pk_, diff, even_pk, even_diff = values.mean(axis=0)
        lines.append(
            f"| {name} | {cuts:.1f} | {pk_:.3f} | {even_pk:.3f} | {corrected[0][at]:.4f}"
            f" | {diff:.3f} | {even_diff:.3f} | {corrected[1][at]:.4f} |"
        )
    return "\n".join(lines)


def read(document: SuiteDocument) -> Document:
    """A suite's document, parsed where it is a file."""
    if document.path is None:
        return Document(document.version_id, "text", document.name, document.text or "")
    return parse(document.path.read_bytes(), document.path.name, ParsingSettings())


def prepared(suite: Path, texts: int, pool: int, seed: int) -> list[Glued]:
    """The glued texts of a suite: the same for the same arguments, always."""
    chance = random.Random(seed)
    documents = list(load_suite(suite).documents)
    chance.shuffle(documents)
    found: list[str] = []
    for document in documents:
        found.extend(segments([read(document)], chance))
        if len(found) == pool:
            break
    return glue(found, texts, chance)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--pool", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--vectors", type=Path, help="keeps the sentences' vectors from run to run")
    chosen = parser.parse_args(arguments)
    texts = prepared(chosen.suite, chosen.texts, chosen.pool, chosen.seed)
    model = load_model(EmbeddingSettings())
    kept: dict[str, Vectors] = {}
    if chosen.vectors and chosen.vectors.exists():
        with np.load(chosen.vectors) as stored:
            kept = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
    encoder = RememberingEncoder(model.encoder, kept)
    everything = [text.text for text in texts]
    encoder.encode([text[span.start : span.end] for text in everything for span in sentence_spans(text)])
    if chosen.vectors:
        np.savez(chosen.vectors, texts=np.array(list(encoder.known)), vectors=np.array(list(encoder.known.values())))
    seams = sum(len(text.seams) for text in texts) / len(texts)
    print(f"{len(texts)} texts of {chosen.suite.name}, {seams:.1f} seams each, {len(encoder.known)} sentences\n")
    print(table(measure(texts, model.counter, encoder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
