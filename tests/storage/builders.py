"""Small documents, cuts and vectors for the storage tests: deterministic, and without parser, chunker or model."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np

from core.chunking.auditing import Audit
from core.storage.catalogue.filing.sources import point_source, release_version
from core.storage.catalogue.texts.chunks import NewLeaf, Recipe, swap_chunks
from core.storage.catalogue.texts.documents import put_document
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import query_projection
from core.storage.store import Store
from core.types import Chunk, ChunkTree, Document, PrefixPart, Vectors

DIMENSION = 8
EMBEDDER = "seeded-8"
CAPTION = "Tides"  # of every leaf


def vector(text: str, dimension: int = DIMENSION) -> Vectors:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    drawn = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def key(text: str, embedder: str = EMBEDDER) -> str:
    return hashlib.sha256(f"{embedder}\0{text}".encode()).hexdigest()


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def document(text: str, title: str = "A title", kind: str = "text") -> Document:
    return Document(version_id=hashlib.sha256(text.encode()).hexdigest(), kind=kind, title=title, text=text)


def cut(whole: Document, size: int) -> ChunkTree:
    """Leaves of ``size`` characters under one parent."""
    text, label = whole.text, f"{whole.version_id[:12]}-{size}"
    if not text:
        return ChunkTree(whole, ())
    parent = Chunk(f"{label}-parent", 1, None, 0, len(text), text, len(words(text)), reasons=("It is all there is.",))
    leaves = [
        Chunk(
            f"{label}-{start}",
            0,
            parent.chunk_id,
            start,
            min(start + size, len(text)),
            text[start : start + size],
            tokens=3,
            encoder_tokens=5,
            headings=("Part", str(start)),
            prefix=(PrefixPart("title", whole.title),),
            reasons=("The size is reached.",),
        )
        for start in range(0, len(text), size)
    ]
    return ChunkTree(whole, (parent, *leaves))


def keep_vectors(store: Store, tree: ChunkTree, embedder: str = EMBEDDER, dimension: int = DIMENSION) -> None:
    CatalogueVectors(store).put({key(leaf.text, embedder): vector(leaf.text, dimension) for leaf in tree.leaves})


def swap(store: Store, tree: ChunkTree, generation: int | None = None, embedder: str = EMBEDDER) -> None:
    blank = sum(character.isspace() for character in tree.document.text)
    visible = len(tree.document.text) - blank
    swap_chunks(
        store,
        tree,
        recipe=Recipe(f"recipe-{len(tree.chunks)}", f"{len(tree.leaves)} pieces", {"pieces": len(tree.leaves)}),
        audit=Audit(visible, visible),
        leaves=[
            NewLeaf(
                leaf.chunk_id,
                key(leaf.text, embedder),
                words(tree.document.title),
                ["part"],
                words(leaf.text),
                words(CAPTION),
            )
            for leaf in tree.leaves
        ],
        generation=generation,
    )


def ingest(store: Store, name: str, text: str, size: int = 20, path: Path | None = None) -> int:
    """The whole way of one document, as the ingest walks it; returns the source's id."""
    begin_generation(store, EMBEDDER, DIMENSION)
    whole = document(text)
    tree = cut(whole, size)
    store.files.stage(text.encode())
    keep_vectors(store, tree)
    with store.transaction():
        put_document(store, whole, size_bytes=len(text.encode()), parser="plain-1")
        swap(store, tree)
        return put_source(store, name=name, version_id=whole.version_id, path=path)


def put_source(store: Store, *, name: str, version_id: str, path: Path | None = None, parent: str | None = None) -> int:
    """Point a source at a version, draw the consequences, and return its id."""
    with store.transaction():
        source, left = point_source(store, name=name, version_id=version_id, path=path, parent=parent)
        if left is not None:
            release_version(store, left, successor=version_id)
    return source


def nearest(store, wanted, k):
    """What Chroma finds, once it has grown anew where it was damaged."""
    while (found := query_projection(store, wanted, k, int(store.meta("serving") or 0))) is None:
        if store.chroma_thread:
            store.chroma_thread.join()
    return found
