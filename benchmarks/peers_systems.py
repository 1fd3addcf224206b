"""The libraries Lectern is measured against, each run by its own code. ``peers.py`` starts this in their environment.

Usage: python peers_systems.py SYSTEM CASE.json RESULT.json --model FOLDER --vectors FILE [--k 50]

It must not import ``core``: only their packages are there. CASE: ``{"documents": [[name, text], ...], "questions":
[[id, question], ...]}``. RESULT: ``{"indexed": [piece, ...], "returned": [piece, ...] or null, "answers": {id:
[number, ...]}, "versions", "seconds"}``. A piece is ``[document, text, start, end, series]``: the text as the library
holds it, the offsets it claims (null for none), and a series in which pieces stand in the text's order. Answers number
the pieces of ``returned``, most relevant first; null: what is returned is what is indexed.

Defaults are theirs, but for what a function below says, and for ``k``: as many as Lectern keeps. A suite whose
texts repeat themselves has equal passages with equal scores, of which gold is the first: where a library leaves their
order to chance or to the order of insertion, they are inserted so that the first comes first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

AT_ONCE = 512
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1"}

Piece = tuple[str, str, "int | None", "int | None", int]


class Encoder:
    """The weights at ``folder`` in float32, 256 word pieces a text. Vectors are kept in a file between runs."""

    def __init__(self, folder: Path, vectors: Path) -> None:
        self._folder = folder
        self._model: Any = None
        self._kept = sqlite3.connect(vectors)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """One vector a text, of length 1: NumPy's, which both libraries take for a list of floats and read faster."""
        import numpy as np

        keys = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        known = {key: self._read(key) for key in dict.fromkeys(keys)}
        missing = sorted(
            {key: text for key, text in zip(keys, texts, strict=True) if known[key] is None}.items(),
            key=lambda item: len(item[1]),
        )
        for first in range(0, len(missing), AT_ONCE):  # kept as they come: stopped, little is lost
            some = missing[first : first + AT_ONCE]
            made = self._encoded([text for _, text in some]).astype(np.float32)
            rows = [(key, vector.tobytes()) for (key, _), vector in zip(some, made, strict=True)]
            with self._kept:
                self._kept.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            known |= dict(rows)
        return [np.frombuffer(known[key], dtype=np.float32) for key in keys]

    def _read(self, key: str) -> bytes | None:
        row = self._kept.execute("SELECT value FROM vector WHERE key = ?", [key]).fetchone()
        return row and row[0]

    def _encoded(self, texts: list[str]) -> Any:
        if self._model is None:
            from sentence_transformers import SentenceTransformer

            self._model = SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
            self._model.max_seq_length = 256
        return self._model.encode(texts, batch_size=32, normalize_embeddings=True)


@dataclass(slots=True)
class Case:
    """What every system is given."""

    documents: list[tuple[str, str]]
    questions: list[tuple[str, str]]
    encoder: Encoder
    model: Path
    k: int


@dataclass(slots=True)
class Result:
    """What the module's docstring calls RESULT."""

    indexed: list[Piece]
    answers: dict[str, list[int]]
    returned: list[Piece] | None = None


# LangChain


def _langchain_embeddings(encoder: Encoder) -> Any:
    from langchain_core.embeddings import Embeddings

    class Ours(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return encoder.encode(texts)

        def embed_query(self, text: str) -> list[float]:
            return encoder.encode([text])[0]

    return Ours()


def _langchain_store(encoder: Encoder) -> Any:
    """``InMemoryVectorStore``, which hands on the last added of equals first."""
    from langchain_core.vectorstores import InMemoryVectorStore

    class FirstFirst(InMemoryVectorStore):
        def add_documents(self, documents: list[Any], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
            return super().add_documents(documents[::-1], ids[::-1] if ids else None, **kwargs)

    return FirstFirst(_langchain_embeddings(encoder))


def _langchain_documents(case: Case) -> list[Any]:
    from langchain_core.documents import Document

    return [Document(page_content=text, metadata={"document": name}) for name, text in case.documents]


def _langchain_piece(document: Any, series: int = 0) -> Piece:
    start = document.metadata.get("start_index")
    end = None if start is None else start + len(document.page_content)
    return document.metadata["document"], document.page_content, start, end, series


def _numbered(documents: list[Any]) -> list[Any]:
    for number, document in enumerate(documents):
        document.metadata["number"] = number
    return documents


def _langchain_dense(case: Case, splitter: Any) -> Result:
    documents = _numbered(splitter.split_documents(_langchain_documents(case)))
    store = _langchain_store(case.encoder)
    store.add_documents(documents)
    retriever = store.as_retriever(search_kwargs={"k": case.k})
    answers = {id_: [found.metadata["number"] for found in retriever.invoke(text)] for id_, text in case.questions}
    return Result([_langchain_piece(document) for document in documents], answers)


def _tokens_200(case: Case) -> Any:
    """The recursive splitter counting the encoder's own tokens: 200, no overlap (as in Chroma's report)."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from transformers import AutoTokenizer

    return RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
        AutoTokenizer.from_pretrained(case.model), chunk_size=200, chunk_overlap=0, add_start_index=True
    )


def langchain_recursive(case: Case) -> Result:
    """``RecursiveCharacterTextSplitter`` at 1,000 characters with 200 of overlap, and a dense search."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    return _langchain_dense(case, splitter)


def langchain_recursive_tokens(case: Case) -> Result:
    """The same splitter at 200 tokens."""
    return _langchain_dense(case, _tokens_200(case))


def langchain_parent(case: Case) -> Result:
    """``ParentDocumentRetriever``: children of 400 characters, their parents of 2,000 handed to the reader."""
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.stores import InMemoryStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    children = _langchain_store(case.encoder)
    retriever = ParentDocumentRetriever(
        vectorstore=children,
        docstore=InMemoryStore(),
        parent_splitter=RecursiveCharacterTextSplitter(chunk_size=2000, chunk_overlap=0, add_start_index=True),
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0),
        search_kwargs={"k": case.k},
    )
    retriever.add_documents(_langchain_documents(case))
    parents = _numbered(list(retriever.docstore.store.values()))
    answers = {id_: [found.metadata["number"] for found in retriever.invoke(text)] for id_, text in case.questions}
    # A child keeps its parent's start_index: it claims no offset of its own.
    indexed = [(row["metadata"]["document"], row["text"], None, None, 0) for row in reversed(children.store.values())]
    return Result(indexed, answers, [_langchain_piece(parent) for parent in parents])


def langchain_ensemble(case: Case) -> Result:
    """``EnsembleRetriever`` with equal weights over ``BM25Retriever`` and a dense search, on chunks of 200 tokens.

    Its reciprocal ranks put what stands low in both lists before what stands first in one, so ``k`` decides how good it
    is: with 4, its default, far better at 1,000 characters than with 50.
    """
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever

    documents = _numbered(_tokens_200(case).split_documents(_langchain_documents(case)))
    store = _langchain_store(case.encoder)
    store.add_documents(documents)
    words = BM25Retriever.from_documents(documents[::-1], k=case.k)  # it, too, hands on the last of equals first
    both = EnsembleRetriever(retrievers=[words, store.as_retriever(search_kwargs={"k": case.k})], weights=[0.5, 0.5])
    answers = {id_: [found.metadata["number"] for found in both.invoke(text)] for id_, text in case.questions}
    return Result([_langchain_piece(document) for document in documents], answers)


# LlamaIndex


def _llama_embedding(encoder: Encoder) -> Any:
    from llama_index.core.embeddings import BaseEmbedding

    class Ours(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return encoder.encode([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return encoder.encode(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return encoder.encode([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return encoder.encode([query])[0]

    return Ours(embed_batch_size=512)


def _llama_documents(case: Case) -> list[Any]:
    from llama_index.core import Document

    return [Document(text=text, id_=name) for name, text in case.documents]


def _llama_id(number: int, source: Any) -> str:
    """Ids in the text's order for random ones, by which equal scores would be told apart."""
    return f"{source.node_id}/{number:06d}"


def llama_sentence_window(case: Case) -> Result:
    """``SentenceWindowNodeParser``: sentences are found, three on each side handed to the reader with them."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.postprocessor import MetadataReplacementPostProcessor

    parser = SentenceWindowNodeParser.from_defaults(window_size=3, id_func=_llama_id)
    nodes = parser.get_nodes_from_documents(_llama_documents(case))
    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    sentences = [(node.ref_doc_id, node.text, node.start_char_idx, node.end_char_idx, 0) for node in nodes]
    windows: list[Piece] = [(node.ref_doc_id, node.metadata["window"], None, None, 0) for node in nodes]
    index = VectorStoreIndex(nodes, embed_model=_llama_embedding(case.encoder))
    retriever = index.as_retriever(similarity_top_k=case.k)
    widen = MetadataReplacementPostProcessor(target_metadata_key="window")
    answers: dict[str, list[int]] = {}
    for id_, text in case.questions:
        found = widen.postprocess_nodes(retriever.retrieve(text))
        assert all(item.node.text == windows[numbers[item.node.node_id]][1] for item in found)
        answers[id_] = [numbers[item.node.node_id] for item in found]
    return Result(sentences, answers, windows)


def llama_auto_merging(case: Case) -> Result:
    """``AutoMergingRetriever`` over ``HierarchicalNodeParser``'s 2048, 512 and 128 tokens (cl100k), 20 of overlap."""
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
    from llama_index.core.retrievers import AutoMergingRetriever
    from llama_index.core.storage.docstore import SimpleDocumentStore

    # As from_defaults() makes them, but for the ids.
    splitters = {
        f"chunk_size_{size}": SentenceSplitter(chunk_size=size, chunk_overlap=20, id_func=_llama_id)
        for size in (2048, 512, 128)
    }
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(splitters), node_parser_map=splitters)
    nodes = parser.get_nodes_from_documents(_llama_documents(case))
    by_id = {node.node_id: node for node in nodes}

    def depth(node: Any) -> int:
        above = by_id.get(node.parent_node.node_id) if node.parent_node else None
        return 0 if above is None else 1 + depth(above)

    def document(node: Any) -> str:
        above = by_id.get(node.parent_node.node_id) if node.parent_node else None
        return node.ref_doc_id if above is None else document(above)

    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    pieces = [(document(node), node.text, node.start_char_idx, node.end_char_idx, depth(node)) for node in nodes]
    leaves = get_leaf_nodes(nodes)
    docstore = SimpleDocumentStore()
    docstore.add_documents(nodes)
    storage = StorageContext.from_defaults(docstore=docstore)
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=_llama_embedding(case.encoder))
    retriever = AutoMergingRetriever(index.as_retriever(similarity_top_k=case.k), storage)
    answers = {id_: [numbers[item.node.node_id] for item in retriever.retrieve(text)] for id_, text in case.questions}
    return Result([pieces[numbers[leaf.node_id]] for leaf in leaves], answers, pieces)


# Chonkie cuts; the search beside it is the plain dense one


def _chonkie(case: Case, chunker: Any) -> Result:
    import numpy as np

    pieces: list[Piece] = [
        (name, chunk.text, chunk.start_index, chunk.end_index, 0)
        for name, text in case.documents
        for chunk in chunker.chunk(text)
    ]
    vectors = np.array(case.encoder.encode([piece[1] for piece in pieces]))
    answers: dict[str, list[int]] = {}
    for id_, text in case.questions:
        scores = np.round(vectors @ case.encoder.encode([text])[0], 6)  # the same text anywhere scores the same
        answers[id_] = np.argsort(-scores, kind="stable")[: case.k].tolist()
    return Result(pieces, answers)


def chonkie_recursive(case: Case) -> Result:
    """``RecursiveChunker`` at 512 characters."""
    from chonkie import RecursiveChunker

    return _chonkie(case, RecursiveChunker(tokenizer="character", chunk_size=512))


def chonkie_sentence(case: Case) -> Result:
    """``SentenceChunker`` at 256 characters."""
    from chonkie import SentenceChunker

    return _chonkie(case, SentenceChunker(tokenizer="character", chunk_size=256))


SYSTEMS: dict[str, Callable[[Case], Result]] = {
    "langchain-recursive-1000-200": langchain_recursive,
    "langchain-recursive-200-tokens": langchain_recursive_tokens,
    "langchain-parent-2000-400": langchain_parent,
    "langchain-ensemble-bm25-dense": langchain_ensemble,
    "llamaindex-sentence-window-3": llama_sentence_window,
    "llamaindex-auto-merging": llama_auto_merging,
    "chonkie-recursive-512": chonkie_recursive,
    "chonkie-sentence-256": chonkie_sentence,
}
PACKAGES = {
    "langchain": ("langchain-text-splitters", "langchain-core", "langchain-classic", "langchain-community"),
    "llamaindex": ("llama-index-core",),
    "chonkie": ("chonkie",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("case", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--k", type=int, default=50)
    options = parser.parse_args()
    os.environ.update(OFFLINE)
    given = json.loads(options.case.read_text(encoding="utf-8"))
    documents = [(name, text) for name, text in given["documents"]]
    questions = [(id_, text) for id_, text in given["questions"]]
    encoder = Encoder(options.model, options.vectors)
    encoder.encode([text for _, text in questions])  # together: one by one they take longer
    started = perf_counter()
    result = SYSTEMS[options.system](Case(documents, questions, encoder, options.model, options.k))
    row = asdict(result) | {
        "versions": {name: version(name) for name in PACKAGES[options.system.partition("-")[0]]},
        "seconds": perf_counter() - started,
    }
    options.result.write_text(json.dumps(row), encoding="utf-8")


if __name__ == "__main__":
    main()
