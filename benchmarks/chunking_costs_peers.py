"""What cutting costs in LangChain, LlamaIndex and Chonkie. ``chunking_costs.py`` starts this in their environment.

Usage: python chunking_costs_peers.py CASE.json RESULT.json --model FOLDER [--rounds 3] [--half]

It must not import ``core``: only their packages are there. CASE: a list of suites, each ``{"suite", "texts",
"languages", "sample", "sentences"}``; RESULT: ``{"rows": [[system, figure...], ...], "skipped": [sentence,
...], "versions"}``. What cuts by tokens is a ratio to the tokenizer's ``encode_batch`` of the same texts, one a call,
what encodes is a ratio to the SentenceTransformer encoding the sample's ``sentences`` once, in batches of 32; both
sides in turn, medians. Sizes are ours, 110 tokens by the same tokenizer, where a splitter can count with it; all else
is theirs. ``--half``: bfloat16 autocast, as the house uses where the processor has it.

``langchain-experimental`` and ``tree-sitter-language-pack`` are not among the peers' requirements: with them installed
LangChain's SemanticChunker and LlamaIndex's CodeSplitter are measured too, without them they are named as skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

OFFLINE = {"HF_HUB_OFFLINE": "1", "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1"}
TOKENS = 110
BATCH = 32
PACKAGES = (
    "langchain-text-splitters",
    "langchain-experimental",
    "llama-index-core",
    "tree-sitter-language-pack",
    "chonkie",
)
GRAMMARS = {"c++": "cpp", "c#": "csharp", "shell": "bash"}

Split = Callable[[str], object]
"""A text cut by one library."""


class Model:
    """The weights at ``folder``, 256 word pieces a text, and their tokenizer."""

    def __init__(self, folder: Path, half: bool) -> None:
        import torch
        from sentence_transformers import SentenceTransformer
        from tokenizers import Tokenizer

        self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        self._model.max_seq_length = 256
        self._precision = (lambda: torch.autocast("cpu", dtype=torch.bfloat16)) if half else nullcontext
        self.folder = folder
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> Any:
        """``(n, 384)``, of length 1."""
        with self._precision():
            return self._model.encode(
                list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
            ).astype("float32")


def langchain_recursive(model: Model) -> Split:
    """Its length function is the tokenizer, asked at every step."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model.folder)
    splitter = RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
        tokenizer, chunk_size=TOKENS, chunk_overlap=0, add_start_index=True
    )
    return lambda text: splitter.create_documents([text])


def llama_sentence(model: Model) -> Split:
    from llama_index.core import Document
    from llama_index.core.node_parser import SentenceSplitter

    def tokens(text: str) -> list[str]:
        return model.tokenizer.encode(text, add_special_tokens=False).tokens

    splitter = SentenceSplitter(chunk_size=TOKENS, chunk_overlap=0, tokenizer=tokens)
    return lambda text: splitter.get_nodes_from_documents([Document(text=text)])


def chonkie_recursive(model: Model) -> Split:
    from chonkie import RecursiveChunker

    return RecursiveChunker(tokenizer=model.tokenizer, chunk_size=TOKENS).chunk


def chonkie_sentence(model: Model) -> Split:
    from chonkie import SentenceChunker

    return SentenceChunker(tokenizer=model.tokenizer, chunk_size=TOKENS).chunk


def llama_code(model: Model, language: str) -> Split:
    """It counts characters and lines, and is given no size in tokens: 40 lines, 1,500 characters."""
    from llama_index.core import Document
    from llama_index.core.node_parser import CodeSplitter

    splitter = CodeSplitter(language=GRAMMARS.get(language, language))
    return lambda text: splitter.get_nodes_from_documents([Document(text=text)])


def langchain_semantic(model: Model) -> Split:
    from langchain_core.embeddings import Embeddings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from langchain_experimental.text_splitter import SemanticChunker

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return model.encode(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return model.encode([text])[0].tolist()

    splitter = SemanticChunker(Ours(), add_start_index=True)
    return lambda text: splitter.create_documents([text])


def llama_semantic(model: Model) -> Split:
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Ours(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return model.encode([text])[0].tolist()

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.encode(texts).tolist()

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    splitter = SemanticSplitterNodeParser.from_defaults(embed_model=Ours(embed_batch_size=512))
    return lambda text: splitter.get_nodes_from_documents([Document(text=text)])


def chonkie_semantic(model: Model) -> Split:
    from chonkie import BaseEmbeddings, SemanticChunker

    class Ours(BaseEmbeddings):
        def embed(self, text: str) -> Any:
            return model.encode([text])[0]

        def embed_batch(self, texts: list[str]) -> list[Any]:
            return list(model.encode(texts))

        @property
        def dimension(self) -> int:
            return 384

        def get_tokenizer(self) -> Any:
            return model.tokenizer

    return SemanticChunker(embedding_model=Ours(), chunk_size=TOKENS).chunk


BY_TOKENS: dict[str, Callable[[Model], Split]] = {
    "LangChain RecursiveCharacterTextSplitter, 110 tokens": langchain_recursive,
    "LlamaIndex SentenceSplitter, 110 tokens": llama_sentence,
    "Chonkie RecursiveChunker, 110 tokens": chonkie_recursive,
    "Chonkie SentenceChunker, 110 tokens": chonkie_sentence,
}
CODE = "LlamaIndex CodeSplitter, 1,500 characters"
BY_MEANING: dict[str, Callable[[Model], Split]] = {
    "LangChain SemanticChunker": langchain_semantic,
    "LlamaIndex SemanticSplitterNodeParser": llama_semantic,
    "Chonkie SemanticChunker, 110 tokens": chonkie_semantic,
}


def spent_on(action: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all cores."""
    wall, cores = perf_counter(), process_time()
    action()
    return perf_counter() - wall, process_time() - cores


def ratio(bare: Callable[[], object], action: Callable[[], object], rounds: int) -> str:
    """Both in turn, the first of both to warm up."""
    bare(), action()
    before = spent_on(bare)
    found: list[tuple[float, float]] = []
    for _ in range(rounds):
        spent, after = spent_on(action), spent_on(bare)
        found.append((2 * spent[0] / (before[0] + after[0]), 2 * spent[1] / (before[1] + after[1])))
        before = after
    return f"{median(wall for wall, _ in found):.2f} ({median(cores for _, cores in found):.2f})"


def rows(cases: Sequence[dict[str, Any]], model: Model, rounds: int, skipped: list[str]) -> Iterator[list[str]]:
    """A row for every splitter whose packages are there; why another's are not goes to ``skipped``."""
    for name, make in BY_TOKENS.items():
        if split := made(name, partial(make, model), skipped):
            yield [name, *(ratio(tokenized(model, c), cut(c["texts"], split), rounds) for c in cases)]
    figures = []
    for case in cases:
        splits = [made(CODE, partial(llama_code, model, language), skipped) for language in code_of(case)]
        action = cut(case["texts"], *splits) if splits and all(splits) else None
        figures.append(ratio(tokenized(model, case), action, rounds) if action else "")
    if any(figures):
        yield [CODE, *figures]
    for name, make in BY_MEANING.items():
        if split := made(name, partial(make, model), skipped):
            bare = (partial(model.encode, case["sentences"]) for case in cases)
            yield [name, *(ratio(b, cut([c["sample"]], split), rounds) for b, c in zip(bare, cases, strict=True))]


def tokenized(model: Model, case: dict[str, Any]) -> Callable[[], object]:
    """``encode_batch`` of every text of the case, one text a call."""
    return lambda: [model.tokenizer.encode_batch([text], add_special_tokens=False) for text in case["texts"]]


def cut(texts: Sequence[str], *splits: Split) -> Callable[[], object]:
    """Every text cut by its own splitter, or all by the one there is."""
    pairs = list(zip(splits if len(splits) > 1 else splits * len(texts), texts, strict=True))
    return lambda: [split(text) for split, text in pairs]


def code_of(case: dict[str, Any]) -> list[str]:
    """The languages of a suite of which every text is code, else nothing."""
    return case["languages"] if all(case["languages"]) else []


def made(name: str, make: Callable[[], Split], skipped: list[str]) -> Split | None:
    """The splitter, ``None`` where a package it needs is not there."""
    try:
        return make()
    except ImportError as error:
        reason = f"{name}: {str(error).splitlines()[0]}"
        if reason not in skipped:
            skipped.append(reason)
        return None


def installed() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--half", action="store_true")
    options = parser.parse_args()
    os.environ.update(OFFLINE)
    model = Model(options.model, options.half)
    cases = json.loads(options.case.read_text(encoding="utf-8"))
    skipped: list[str] = []
    found = list(rows(cases, model, options.rounds, skipped))
    row = {"rows": found, "skipped": skipped, "versions": installed()}
    options.result.write_text(json.dumps(row), encoding="utf-8")


if __name__ == "__main__":
    main()
