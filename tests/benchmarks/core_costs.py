"""What the house costs beside the bare encoder, measured side by side in one run.

Usage: python tests/benchmarks/core_costs.py SUITE_DIR [--rounds 3] [--questions 200] [--documents N]

Prints a table: ingesting a suite against a bare ``SentenceTransformer.encode`` of the same encoder inputs at the same
precision (alternating, so that a busy machine slows both), a second ingest, one after a dial was changed and changed
back, and a warm question against the encoding of that question. Nothing is asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from core.chunking import encoder_input  # noqa: E402
from core.embedding import packaged  # noqa: E402
from core.evaluation.staging import Staged, stage_documents  # noqa: E402
from core.evaluation.suites import load_suite  # noqa: E402
from core.library import Incoming, Library  # noqa: E402
from core.settings import Settings  # noqa: E402

DIAL = "chunking.max_tokens"


def seconds_of(action: Callable[..., object], given: object) -> float:
    started = perf_counter()
    action(given)
    return perf_counter() - started


def bare_encoder(settings: Settings, half: bool) -> Callable[[list[str]], object]:
    """The model without the house around it, at the precision the house chose."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(packaged.model_directory()), local_files_only=True)

    def encode(texts: list[str]) -> object:
        with torch.autocast("cpu", dtype=torch.bfloat16) if half else nullcontext():
            return model.encode(texts, batch_size=settings.embedding.batch_size, show_progress_bar=False)

    return encode


def inputs_of(library: Library) -> list[str]:
    """Every distinct text the encoder was given, in the order of the documents."""
    prefix = library.settings.chunking.prefix
    versions = dict.fromkeys(source.version_id for source in library.sources())
    leaves = (leaf for version in versions for leaf in library.tree(version).leaves)
    return list(dict.fromkeys(encoder_input(leaf, prefix) for leaf in leaves))


def measure_ingest(place: Path, staged: tuple[Staged, ...], rounds: int) -> list[tuple[str, str]]:
    items = [Incoming(item.path.name, item.path) for item in staged]
    house: list[float] = []
    bare: list[float] = []
    encode: Callable[[list[str]], object] | None = None
    texts: list[str] = []
    for turn in range(rounds):
        with Library.open(place / f"library-{turn}") as library:
            library.warm(["Load the weights before the clock starts.", "And run a batch."])
            if encode is None:
                encode = bare_encoder(library.settings, library.model.encoder._half_precision)
                encode(["Load the weights before the clock starts.", "And run a batch."])
            if texts and turn % 2:
                bare.append(seconds_of(encode, texts))
            house.append(seconds_of(library.ingest, items))
            texts = texts or inputs_of(library)
            if len(bare) < len(house):
                bare.append(seconds_of(encode, texts))
            assert library.stats().vectors == len(texts), "the bare encoder must be given what the library encoded"
    ratios = sorted(one / other for one, other in zip(house, bare, strict=True))
    rows = [
        ("encoder inputs", f"{len(texts):,}"),
        ("bare encode, seconds", ", ".join(f"{value:.2f}" for value in bare)),
        ("ingest, seconds", ", ".join(f"{value:.2f}" for value in house)),
        ("ingest / bare encode", f"{statistics.median(ratios):.3f} (from {ratios[0]:.3f} to {ratios[-1]:.3f})"),
    ]
    with Library.open(place / "library-0") as library:
        own = library.settings
        second = library.ingest(items)
        other = own.with_value(DIAL, max(16, own.chunking.max_tokens - 30))
        changed = library.apply(other)
        back = library.apply(own)
        third = library.ingest(items)
    for name, report in (
        ("second ingest", second),
        (f"{DIAL} to {other.chunking.max_tokens}", changed),
        (f"{DIAL} back to {own.chunking.max_tokens}", back),
        ("ingest after that", third),
    ):
        rows.append((name, f"{report.seconds:.2f} s, {report.encoded:,} texts encoded"))
    return rows


def measure_questions(home: Path, questions: list[str]) -> list[tuple[str, str]]:
    encoding: list[float] = []
    searching: list[float] = []
    with Library.open(home) as library:
        leaves = library.stats().chunks
        library.search("Load the weights and the leaves before the clock starts.")
        for number, question in enumerate(questions):
            # A new text each time: a question that was asked before is not encoded again.
            asked, alone = f"{question} ", f"{question}  "
            if number % 2:
                encoding.append(seconds_of(library.model.encoder.encode, [alone]))
            searching.append(seconds_of(library.search, asked))
            if not number % 2:
                encoding.append(seconds_of(library.model.encoder.encode, [alone]))
        again = [seconds_of(library.search, f"{question} ") for question in questions]
    encode, search = (1000 * statistics.median(values) for values in (encoding, searching))
    return [
        ("leaves", f"{leaves:,}"),
        ("questions", f"{len(questions):,}"),
        ("encode a question, median ms", f"{encode:.1f}"),
        ("a warm question, median ms", f"{search:.1f}"),
        ("difference of the medians, ms", f"{search - encode:.1f}"),
        ("the same question again, median ms", f"{1000 * statistics.median(again):.1f}"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--documents", type=int, help="only the first so many (default: all)")
    options = parser.parse_args()
    suite = load_suite(options.suite)
    with tempfile.TemporaryDirectory(prefix="lectern-costs-") as folder:
        place = Path(folder)
        staged = stage_documents(suite, place / "documents")[: options.documents]
        rows = [("suite", f"{suite.name}, {len(staged)} documents")]
        rows += measure_ingest(place, staged, options.rounds)
        asked = list(dict.fromkeys(question.question for question in suite.questions))[: options.questions]
        rows += measure_questions(place / "library-0", asked)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


if __name__ == "__main__":
    main()
