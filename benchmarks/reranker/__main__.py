"""Mine lists from questions and their passages, for ``benchmarks.reranker.by_clock`` to train a re-ranker on.

``python -m benchmarks.reranker pairs.jsonl.gz --code --work training --out lists.xz --words words.npz``; stopped, it
encodes nothing again.
"""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.reranker.code_pairs import code_pairs, default_pairs
from benchmarks.reranker.packing import packed, words
from benchmarks.reranker.pairs import folder_pairs, read_pairs
from benchmarks.reranker.run import Remembered, mined
from core.cli import console
from core.cli.main import run_command
from core.embedding import load_model
from core.embedding.reranker_file import untrained
from core.errors import LecternError
from core.settings import EmbeddingSettings


def build_parser() -> argparse.ArgumentParser:
    """Every option of the command."""
    mine = argparse.ArgumentParser(prog="python -m benchmarks.reranker", description=__doc__)
    mine.add_argument("pairs", nargs="*", type=Path, metavar="PAIRS", help="files of pairs, JSON lines, gzipped or not")
    for name, text in (("documents", "also learn from their sections"), ("sources", "also learn from code below it")):
        mine.add_argument(f"--{name}", type=Path, metavar="FOLDER", action="append", default=[], help=text)
    mine.add_argument("--code", action="store_true", help="also learn from the code of Python's own library")
    mine.add_argument("--without", metavar="SOURCE", action="append", default=[], help="leave a source of pairs out")
    mine.add_argument("--work", type=Path, required=True, metavar="DIR", help="kept between runs: what was encoded")
    mine.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the lists go (.xz)")
    mine.add_argument("--words", type=Path, required=True, metavar="FILE", help="where the word vectors go (.npz)")
    for name, default, text in (
        ("readings", 2, "lists of a pair, each with other wrong answers"),
        ("passages", 12, "of a list"),
        ("processes", 1, "that mine side by side"),
        ("seed", 0, "of all that is drawn"),
    ):
        mine.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default: {default})")
    return mine


def mine_lists(options: Namespace) -> int:
    """Mine from pairs of files, of documents or of Python's own library, and write the lists and the word vectors."""
    for folder in [*options.documents, *options.sources]:
        if not folder.is_dir():
            raise LecternError(f"There is no folder {folder}.", "Check --documents and --sources.")
    pairs = [pair for path in options.pairs for pair in read_pairs(path)]
    for folder in options.documents:  # each a source of its own, whose passages are told apart from each other
        pairs += [replace(pair, source=f"{pair.source}-{folder.name}") for pair in folder_pairs(folder)]
    pairs += [pair for folder in options.sources for pair in code_pairs(folder)]
    pairs += [*code_pairs(), *default_pairs()] if options.code else []
    pairs = [pair for pair in pairs if pair.source not in options.without]
    if not pairs:
        raise LecternError("There is nothing to train on.", "Name a file of pairs, --documents, --sources or --code.")
    encoder = Remembered(load_model(EmbeddingSettings()).encoder, options.work)
    found = mined(pairs, encoder, options.readings, options.passages, options.seed, options.processes, console.complain)
    module, tokenizer = untrained(seed=0)
    lists = packed(
        [one.listed for one in found],
        [one.source for one in found],
        [one.held_out for one in found],
        options.passages,
        tokenizer,
    )
    lists.write(options.out)
    words(module, lists, options.words)
    held_out = sum(one.held_out for one in found)
    sources = sorted({pair.source for pair in pairs})
    print(f"{len(pairs):,} pairs gave {len(found) - held_out:,} lists to learn from and {held_out:,} to look at.")
    print("Sources by number: " + ", ".join(f"{number} {source}" for number, source in enumerate(sources)))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. Expected failures are a sentence on stderr and exit code 2."""
    return run_command(mine_lists, build_parser().parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
