"""What cutting costs: beside the tokenizer, beside the encoder, and when a dial is turned on a long document.

Usage: python -m benchmarks.chunking_costs SUITE_DIR... [--rounds 7] [--characters 300000] [--sentences 600]
       [--words 100000] [--peers DIR] [--only PART,...] [--profile CHUNKER]

One process, both sides of every ratio in turn, medians over the rounds; what a busy machine takes from one it takes
from the other. Parts: ``structural`` (every chunker without an encoder, from a parsed document to its tree, against the
tokenizer's own ``encode_batch`` of the text, one document a call, with the time of all cores in brackets),
``semantic`` (against the bare SentenceTransformer encoding the same sentences once), ``warm`` (one long document cut
again under another threshold, audit included), ``peers`` (LangChain, LlamaIndex and Chonkie on the same texts with the
same tokenizer and weights, by ``chunking_costs_peers.py`` in the environment that ``peers.py`` made below ``--peers``).
Nothing is asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks.peers_placing import table
from core.chunking import chunk, cut
from core.chunking.auditing import audit
from core.chunking.chunkers import CHUNKERS
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.embedding import load_model, packaged
from core.evaluation.suites import SuiteDocument, load_suite
from core.parsing import parse
from core.settings import ChunkingSettings, EmbeddingSettings, ParsingSettings
from core.text.tokens import whitespace_windows
from core.types import ChunkTree, Document, Encoder, TokenCounter
from tests.fast_encoder import FastEncoder

HERE = Path(__file__).resolve().parent
PEERS = HERE / "chunking_costs_peers.py"
PARTS = ("structural", "semantic", "warm", "peers")
ENCODED = ("semantic", "cluster", "learned", "proposed")  # what asks an encoder or a writer
STRUCTURAL = tuple(name for name in CHUNKERS if name not in ENCODED)
PROFILED = 25  # functions

Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one action: seconds on the clock, and seconds of all cores together."""

    wall: float
    cores: float

    @classmethod
    def on(cls, action: Action) -> Spent:
        wall, cores = perf_counter(), process_time()
        action()
        return cls(perf_counter() - wall, process_time() - cores)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Medians over the rounds. ``wall``, ``cores``: to the measure taken before and after; ``seconds``: of itself."""

    seconds: float
    wall: float
    cores: float

    @property
    def shown(self) -> str:
        """
        >>> Ratio(0.5, 1.234, 1.1).shown
        '1.23 (1.10)'
        """
        return f"{self.wall:.2f} ({self.cores:.2f})"


def side_by_side(measure: Action, actions: dict[str, Action], rounds: int) -> tuple[float, dict[str, Ratio]]:
    """Seconds of ``measure`` and each action's ratio to it; the two take turns, and warm up once."""
    for action in (measure, *actions.values()):
        action()
    bare: list[Spent] = [Spent.on(measure)]
    found: dict[str, list[tuple[Spent, float, float]]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            spent = Spent.on(action)
            bare.append(Spent.on(measure))
            wall = spent.wall / ((bare[-2].wall + bare[-1].wall) / 2)
            cores = spent.cores / ((bare[-2].cores + bare[-1].cores) / 2)
            found[name].append((spent, wall, cores))
    ratios = {
        name: Ratio(median(s.wall for s, _, _ in rows), median(w for _, w, _ in rows), median(c for _, _, c in rows))
        for name, rows in found.items()
    }
    return median(spent.wall for spent in bare), ratios


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


def windows_of(documents: Iterable[Document]) -> list[list[str]]:
    """Each text as the windows in which a tokenizer reads it on all cores."""
    return [
        [document.text[window.start : window.end] for window in whitespace_windows(document.text)]
        for document in documents
    ]


def cutting(documents: Sequence[Document], name: str, counter: TokenCounter, encoder: Encoder | None = None) -> Action:
    """Every document, from its text to its tree; nothing is kept between calls."""
    settings = ChunkingSettings(chunker=name)
    return lambda: [chunk(document, settings, counter, resources=ChunkerResources(encoder)) for document in documents]


def structural(suites: Sequence[Path], characters: int, rounds: int, counter: TokenCounter) -> str:
    tokenizer = bare_tokenizer()
    columns: dict[str, dict[str, Ratio]] = {}
    heads = ["chunker"]
    for suite in suites:
        documents = documents_of(suite, characters)
        actions = {name: cutting(documents, name, counter) for name in STRUCTURAL}
        actions["(`encode_batch` in windows, on all cores)"] = partial(encode_all, tokenizer, windows_of(documents))
        actions["(the tokens' offsets as an array)"] = lambda texts=documents: [counter.offsets(d.text) for d in texts]
        whole = [[document.text] for document in documents]
        alone, columns[suite.name] = side_by_side(partial(encode_all, tokenizer, whole), actions, rounds)
        size = sum(len(document.text) for document in documents)
        heads.append(f"{suite.name}, {size:,} characters ({1000 * alone:.0f} ms)")
    names = next(iter(columns.values()))
    return table(heads, [[name, *(column[name].shown for column in columns.values())] for name in names])


def bare_tokenizer() -> object:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(packaged.model_directory() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode_all(tokenizer: object, texts: Sequence[list[str]]) -> None:
    """``encode_batch`` of every text, in one piece or in windows, one text a call as a chunker gets them."""
    for pieces in texts:
        tokenizer.encode_batch(pieces, add_special_tokens=False)  # type: ignore[attr-defined]


def semantic(suites: Sequence[Path], sentences: int, rounds: int, counter: TokenCounter, encoder: Encoder) -> str:
    settings = EmbeddingSettings()
    rows = []
    for suite in suites:
        document = beginning(suite, sentences, counter)
        piece = PreparedDocument(document, counter)
        texts = [document.text[span.start : span.end] for span in piece.series.spans]
        encoder.encode(texts[:2])  # the weights
        bare = bare_encoder(settings, encoder)
        actions = {name: cutting([document], name, counter, encoder) for name in ("semantic", "cluster")}
        alone, found = side_by_side(lambda given=texts, encode=bare: encode(given), actions, rounds)
        rows.append([suite.name, f"{len(texts):,}", f"{alone:.2f}", *(found[name].shown for name in actions)])
    return table(["suite", "sentences", "bare encode, s", "semantic", "cluster"], rows)


def bare_encoder(settings: EmbeddingSettings, encoder: Encoder) -> Callable[[list[str]], object]:
    """The model without the house around it, at the precision the house chose."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(packaged.model_directory()), local_files_only=True)
    half = bool(getattr(encoder, "_bfloat16", False))

    def encode(texts: list[str]) -> object:
        with torch.autocast("cpu", dtype=torch.bfloat16) if half else nullcontext():
            return model.encode(texts, batch_size=settings.batch_size, show_progress_bar=False)

    return encode


def beginning(suite: Path, sentences: int, counter: TokenCounter) -> Document:
    """So many sentences of the suite's texts, as one document."""
    text = "\n\n".join(document.text for document in documents_of(suite, 400 * sentences))
    whole = Document("v" * 64, "text", suite.name, text)
    spans = PreparedDocument(whole, counter).series.spans
    return replace(whole, text=text[: spans[min(sentences, len(spans)) - 1].end])


class WideEncoder(FastEncoder):
    """As wide as the packaged embedder: what is timed never waits for a model."""

    dimension = 384


def long_document(suites: Sequence[Path], words: int) -> Document:
    """A document of so many words: the suites' texts one after the other, each below a heading."""
    parts: list[str] = []
    left = words
    while left > 0:
        for number, item in enumerate(item for suite in suites for item in load_suite(suite).documents):
            text = read(item).text.split(" ")[:left]
            parts.append(f"## Part {number + 1}\n\n{' '.join(text)}")
            left -= sum(len(line.split()) for line in text)
            if left <= 0:
                break
    return parse("\n\n".join(parts).encode(), "long.md", ParsingSettings())


def warm(suites: Sequence[Path], words: int, rounds: int, counter: TokenCounter) -> str:
    document = long_document(suites, words)
    piece = PreparedDocument(document, counter, ChunkerResources(WideEncoder()))
    cases: dict[str, Callable[[int], ChunkingSettings]] = {
        "semantic, another percentile": lambda at: ChunkingSettings("semantic", semantic_percentile=60.0 + at),
        "semantic, another buffer": lambda at: ChunkingSettings("semantic", semantic_buffer=1 + at % 5),
        "cluster, another size": lambda at: ChunkingSettings("cluster", max_tokens=90 + at),
        "texttiling, another depth": lambda at: ChunkingSettings("texttiling", tiling_depth=-0.5 + at / 10),
        "structure, another size": lambda at: ChunkingSettings("structure", max_tokens=90 + at),
        "recursive, another size": lambda at: ChunkingSettings("recursive", max_tokens=90 + at),
    }
    rows = []
    for name, settings in cases.items():
        cut(piece, settings(0))
        spent, alone, leaves = [], [], []
        for at in range(1, rounds + 1):
            chosen = settings(at)
            made: list[ChunkTree] = []
            tree = Spent.on(lambda made=made, chosen=chosen: made.append(cut(piece, chosen)))
            audited = Spent.on(partial(audit, made[0]))
            spent.append(Spent(tree.wall + audited.wall, tree.cores + audited.cores))
            alone.append(audited.cores)
            leaves.append(len(made[0].leaves))
        figures = [median(one.wall for one in spent), min(one.wall for one in spent)]
        figures += [median(one.cores for one in spent), median(alone)]
        rows.append([name, f"{round(median(leaves)):,}", *(f"{1000 * seconds:.0f}" for seconds in figures)])
    heads = ["a turned dial", "leaves", "ms on the clock", "fastest", "ms of all cores", "of that, the audit"]
    counted = f"{len(document.text.split()):,} words, {len(document.text):,} characters, "
    return f"{counted}{len(piece.series.spans):,} sentences\n\n{table(heads, rows)}"


def peers(suites: Sequence[Path], folder: Path, characters: int, sentences: int, rounds: int, half: bool) -> str:
    """The table of what is installed there, and a line for each of what is not."""
    python = folder / "environment" / "bin" / "python"
    if not python.exists():
        return f"Skipped: there is no environment below {folder}. `python benchmarks/peers.py` makes one."
    counter = load_model(EmbeddingSettings()).counter
    cases = []
    for suite in suites:
        documents = documents_of(suite, characters)
        sample = beginning(suite, sentences, counter)
        spans = PreparedDocument(sample, counter).series.spans
        cases.append(
            {
                "suite": suite.name,
                "texts": [document.text for document in documents],
                "languages": [next((b.language for b in document.blocks if b.language), "") for document in documents],
                "sample": sample.text,
                "sentences": [sample.text[span.start : span.end] for span in spans],
            }
        )
    with tempfile.TemporaryDirectory(prefix="lectern-costs-") as place:
        case, result = Path(place) / "case.json", Path(place) / "result.json"
        case.write_text(json.dumps(cases), encoding="utf-8")
        command = [str(python), str(PEERS), str(case), str(result), "--model", str(packaged.model_directory())]
        subprocess.run([*command, "--rounds", str(rounds), *(["--half"] if half else [])], check=True)
        found = json.loads(result.read_text(encoding="utf-8"))
    lines = [table(["system", *(suite.name for suite in suites)], found["rows"])]
    lines += [f"Skipped: {reason}" for reason in found["skipped"]]
    return "\n".join([*lines, "", ", ".join(f"{name} {number}" for name, number in found["versions"].items())])


def profile(suites: Sequence[Path], name: str, characters: int, counter: TokenCounter) -> None:
    """Where a chunker's time goes: functions by their own time."""
    for suite in suites:
        action = cutting(documents_of(suite, characters), name, counter)
        action()
        profiler = cProfile.Profile()
        profiler.runcall(action)
        print(f"{name} on {suite.name}")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=Path, nargs="+", metavar="SUITE_DIR")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--characters", type=int, default=300_000, help="of each suite (%(default)s)")
    parser.add_argument("--sentences", type=int, default=600, help="encoded of each suite (%(default)s)")
    parser.add_argument("--words", type=int, default=100_000, help="of the long document (%(default)s)")
    parser.add_argument("--peers", type=Path, default=Path("data/library/peers"), metavar="DIR")
    parser.add_argument("--only", metavar="PART,...", default=",".join(PARTS), help="of %(default)s")
    parser.add_argument("--profile", choices=STRUCTURAL, metavar="CHUNKER")
    options = parser.parse_args(arguments)
    model = load_model(EmbeddingSettings())
    if options.profile:
        profile(options.suites, options.profile, options.characters, model.counter)
        return 0
    wanted = options.only.split(",")
    if "structural" in wanted:
        print("Structural chunkers, as a ratio to `encode_batch` of the same text: on the clock (of all cores' time)\n")
        print(structural(options.suites, options.characters, options.rounds, model.counter), "\n", flush=True)
    if "semantic" in wanted:
        print(
            "Chunkers that encode, as a ratio to the bare encoder on the same sentences: on the clock (of all cores)\n"
        )
        rounds = max(1, options.rounds // 2)
        print(semantic(options.suites, options.sentences, rounds, model.counter, model.encoder), "\n", flush=True)
    if "warm" in wanted:
        print("A warm document cut again\n")
        print(warm(options.suites, options.words, 3 * options.rounds, model.counter), "\n", flush=True)
    if "peers" in wanted:
        model.encoder.encode(["Whether half precision is used is known once the weights are loaded."])
        half = bool(getattr(model.encoder, "_bfloat16", False))
        print("Other libraries on the same texts: on the clock (of all cores' time)\n")
        sizes = options.characters, options.sentences, max(1, options.rounds // 2)
        print(peers(options.suites, options.peers, *sizes, half))
    return 0


if __name__ == "__main__":
    sys.exit(main())
