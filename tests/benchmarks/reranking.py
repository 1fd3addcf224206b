"""What re-ranking costs beside the bare cross-encoder, measured side by side in one run.

Usage: python -m tests.benchmarks.reranking [--model NAME_OR_FOLDER | lectern] [--candidates 30] [--rounds 15]
       [--processor-time]

Prints a table: reading the same question with the same passages at the same precision, by `CrossEncoder.predict` with
its own batch size and with ours, and by Lectern's `rerank`, in turn, so that a busy machine slows all three. Without
``--model`` the weights are random and of the shape of the usual small re-ranker (6 layers, 384 wide), with the packaged
embedder's word pieces: how long it takes depends on neither what it was trained on nor what it says. "lectern" is
Lectern's own. Late interaction stands beside them. On a busy machine, `--processor-time` with OMP_NUM_THREADS=1 counts
the processor's seconds instead. Nothing is asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from core.embedding import load_model, packaged, reranker_file
from core.embedding.precision import computing, wants_bfloat16
from core.retrieval.reranking import load_reranker, rerank
from core.settings import EmbeddingSettings
from core.settings.reranking import LATE_INTERACTION, OWN_RERANKER, RerankingSettings
from core.text.sentences import sentence_spans

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples" / "documents"
QUESTION = "How long is an access token valid, and what happens when it is not renewed in time?"
UNITS = {"child": (120, 520), "100 tokens": (430, 520), "parent": (1400, 2600)}  # characters of a passage, from and to
Clock = Callable[[], float]
PREDICT_BATCH = 32  # what `CrossEncoder.predict` reads at once when nothing is said


def small_cross_encoder(folder: Path) -> str:
    """Random weights of the usual shape, saved with a tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(packaged.model_directory(), local_files_only=True)
    tokenizer.model_max_length = 512
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def passages_of(low: int, high: int, count: int) -> list[str]:
    """Runs of whole sentences of the samples, each of at least a size drawn between the two, in characters."""
    drawn = random.Random(5)
    found: list[str] = []
    for path in sorted(SAMPLES.rglob("*.md")) + sorted(SAMPLES.rglob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        spans, first = sentence_spans(text), 0
        size = drawn.randint(low, high)
        for last, span in enumerate(spans):
            if span.end - spans[first].start >= size:
                found.append(text[spans[first].start : spans[first].start + high][: span.end - spans[first].start])
                first, size = last + 1, drawn.randint(low, high)
                if first >= len(spans):
                    break
    drawn.shuffle(found)
    return [f"{at + 1}. {found[at % len(found)]}" for at in range(count)]  # numbered: equal ones would be read once


def medians(actions: Mapping[str, Callable[[], object]], rounds: int, clock: Clock) -> dict[str, float]:
    """Milliseconds of each action: all in turn, again and again, after one round that only warms."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for turn in range(rounds + 1):
        for name, action in actions.items():
            started = clock()
            action()
            if turn:
                times[name].append((clock() - started) * 1000)
    return {name: statistics.median(found) for name, found in times.items()}


def measure(model: str, passages: Sequence[str], precision: str, rounds: int, clock: Clock) -> dict[str, float]:
    """Medians in milliseconds of bare prediction and of ours."""
    from sentence_transformers import CrossEncoder

    settings = RerankingSettings(model, precision=precision, candidates=len(passages), timeout_seconds=0)
    bare = reranker_file.load() if model == OWN_RERANKER else CrossEncoder(model, local_files_only=True)
    half = wants_bfloat16(precision, str(bare.device.type))
    reranker = load_reranker(settings, load_model(EmbeddingSettings()).encoder)
    before = -np.arange(len(passages), dtype=np.float64)
    pairs = [(QUESTION, passage) for passage in passages]

    def predict(batch_size: int) -> object:
        with computing(half):
            return bare.predict(pairs, batch_size=batch_size, show_progress_bar=False)

    return medians(
        {
            "bare": lambda: predict(PREDICT_BATCH),
            "bare, our batches": lambda: predict(settings.batch_size),
            "rerank": lambda: rerank(QUESTION, passages, before, reranker, settings),
        },
        rounds,
        clock,
    )


def measure_late(passages: Sequence[str], rounds: int, clock: Clock) -> float:
    """The median in milliseconds of late interaction with the packaged embedder, at the precision it chooses."""
    settings = RerankingSettings(LATE_INTERACTION, candidates=len(passages), timeout_seconds=0)
    reranker = load_reranker(settings, load_model(EmbeddingSettings()).encoder)
    before = -np.arange(len(passages), dtype=np.float64)
    return medians({"late": lambda: rerank(QUESTION, passages, before, reranker, settings)}, rounds, clock)["late"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", help="a CrossEncoder of this machine; without it, random weights")
    parser.add_argument("--candidates", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    clock = process_time if options.processor_time else perf_counter
    unit_of_time = "ms of the processor" if options.processor_time else "ms"
    print(f"{options.candidates} passages, medians of {options.rounds} rounds in {unit_of_time}")
    print("| unit | precision | bare predict | with our batch size | rerank | to bare | to ours | late interaction |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or small_cross_encoder(Path(folder))
        for unit, (low, high) in UNITS.items():
            passages = passages_of(low, high, options.candidates)
            late = measure_late(passages, options.rounds, clock)
            for precision in ("float32", "bfloat16"):
                found = measure(model, passages, precision, options.rounds, clock)
                bare, same, ours = found.values()
                print(
                    f"| {unit} | {precision} | {bare:.0f} | {same:.0f} | {ours:.0f} "
                    f"| {ours / bare:.2f} | {ours / same:.2f} | {late:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
