"""What cutting costs beside the tokenizer: every chunker that asks no encoder, from a parsed document to its tree.

Usage: python -m benchmarks.chunking_costs SUITE_DIR... [--rounds 7] [--characters 300000]

Printed are ratios to the tokenizer's own ``encode_batch`` of the text, one document a call, on the clock and, in
brackets, of the time of all cores. One process, both sides of every ratio in turn, medians over the rounds: what a busy
machine takes from one it takes from the other. Nothing is asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks.peers_placing import table
from core.chunking import chunk
from core.chunking.chunkers import CHUNKERS
from core.chunking.plan import ChunkerResources
from core.embedding import load_model, packaged
from core.evaluation.suites import SuiteDocument, load_suite
from core.parsing import parse
from core.settings import ChunkingSettings, EmbeddingSettings, ParsingSettings
from core.types import Document, TokenCounter

ENCODED = ("semantic", "cluster", "learned", "proposed")  # what asks an encoder or a writer

Action = Callable[[], object]


def spent_on(action: Action) -> tuple[float, float]:
    """Seconds on the clock, and seconds of all cores together."""
    wall, cores = perf_counter(), process_time()
    action()
    return perf_counter() - wall, process_time() - cores


def side_by_side(measure: Action, actions: dict[str, Action], rounds: int) -> tuple[float, dict[str, str]]:
    """Seconds of ``measure`` and each action's ratios to it; the two take turns, and warm up once."""
    for action in (measure, *actions.values()):
        action()
    bare = [spent_on(measure)]
    ratios: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            wall, cores = spent_on(action)
            bare.append(spent_on(measure))
            before, after = bare[-2:]
            ratios[name].append((2 * wall / (before[0] + after[0]), 2 * cores / (before[1] + after[1])))
    shown = {name: "{:.2f} ({:.2f})".format(*map(median, zip(*rows, strict=True))) for name, rows in ratios.items()}
    return median(wall for wall, _ in bare), shown


def read(document: SuiteDocument) -> Document:
    """A suite's document under its own name, so that its kind is told from it."""
    data = document.path.read_bytes() if document.path else (document.text or "").encode()
    return parse(data, document.name, ParsingSettings())


def documents_of(suite: Path, characters: int) -> list[Document]:
    """The first documents of a suite that together hold so many characters; a longer one is cut short."""
    found: list[Document] = []
    left = characters
    for item in load_suite(suite).documents:
        document = read(item)
        if len(document.text) > left:
            document = read(replace(item, path=None, text=document.text[:left]))
        found.append(document)
        left -= len(document.text)
        if left <= 0:
            break
    return found


def cutting(documents: Sequence[Document], name: str, counter: TokenCounter) -> Action:
    """Every document, from its text to its tree; nothing is kept between calls."""
    settings = ChunkingSettings(chunker=name)
    return lambda: [chunk(document, settings, counter, resources=ChunkerResources(None)) for document in documents]


def encoding(documents: Sequence[Document]) -> Action:
    """``encode_batch`` of every text, one text a call as a chunker gets them."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(packaged.model_directory() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda: [tokenizer.encode_batch([document.text], add_special_tokens=False) for document in documents]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE_DIR")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--characters", type=int, default=300_000, help="of each suite (%(default)s)")
    options = parser.parse_args(arguments)
    counter = load_model(EmbeddingSettings()).counter
    names = [name for name in CHUNKERS if name not in ENCODED]
    heads, columns = ["chunker"], []
    for suite in options.suites:
        documents = documents_of(suite, options.characters)
        actions = {name: cutting(documents, name, counter) for name in names}
        alone, ratios = side_by_side(encoding(documents), actions, options.rounds)
        columns.append(ratios)
        size = sum(len(document.text) for document in documents)
        heads.append(f"{suite.name}, {size:,} characters ({1000 * alone:.0f} ms)")
    print(table(heads, [[name, *(column[name] for column in columns)] for name in names]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
