"""Document to chunk tree: ``CHUNKERS`` by name, one way to run them, and the audit of what they covered."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from core.chunking.auditing import audit
from core.chunking.chunkers.anchored import anchored
from core.chunking.chunkers.auto import auto
from core.chunking.chunkers.claim import claim
from core.chunking.chunkers.clause import clause
from core.chunking.chunkers.cluster import cluster
from core.chunking.chunkers.code import code
from core.chunking.chunkers.conversation import conversation
from core.chunking.chunkers.fixed import fixed
from core.chunking.chunkers.learned import learned
from core.chunking.chunkers.log import log
from core.chunking.chunkers.proposed import proposed
from core.chunking.chunkers.recursive import recursive
from core.chunking.chunkers.semantic import semantic
from core.chunking.chunkers.sentence import sentence
from core.chunking.chunkers.structure import structure
from core.chunking.chunkers.table import table
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.edits.edits import Edit, edits_fingerprint
from core.chunking.edits.making import remaker
from core.chunking.edits.replay import Replayed, replay
from core.chunking.plan import BY_VECTORS, Chunker, ChunkerResources, SectionStarts
from core.chunking.prefixes import encoder_input, encoder_inputs, prefix_text
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.captions import captions_of
from core.chunking.situating import situated
from core.settings import ChunkingSettings, stage_fingerprint
from core.types import ChunkTree, Document, TokenCounter

CHUNKING_VERSION = 3

CHUNKERS: dict[str, Chunker] = {
    "auto": auto,
    "structure": structure,
    "recursive": recursive,
    "fixed": fixed,
    "sentence": sentence,
    "semantic": semantic,
    "cluster": cluster,
    "learned": learned,
    "texttiling": texttiling,
    "code": code,
    "table": table,
    "log": log,
    "conversation": conversation,
    "clause": clause,
    "claim": claim,
    "anchored": anchored,
    "proposed": proposed,
}

__all__ = [
    "BY_VECTORS",
    "CHUNKERS",
    "CHUNKING_VERSION",
    "ChunkerResources",
    "Edit",
    "PreparedDocument",
    "Replayed",
    "SectionStarts",
    "audit",
    "captions_of",
    "chunk",
    "cut",
    "cut_edited",
    "encoder_input",
    "encoder_inputs",
    "prefix_text",
    "recipe_fingerprint",
]


_dials_fingerprint = lru_cache(maxsize=64)(stage_fingerprint)  # a library of short documents asks for each


def recipe_fingerprint(
    parser_fingerprint: str,
    settings: ChunkingSettings,
    counter_fingerprint: str,
    resources: ChunkerResources | None = None,
    edits: Sequence[Edit] = (),
) -> str:
    """Names everything that decides a document's chunks; 16 hex digits. Their ids are made without ``edits``.

    >>> small = ChunkingSettings(max_tokens=90)
    >>> recipe_fingerprint("p", ChunkingSettings(), "c") == recipe_fingerprint("p", small, "c")
    False
    """
    parts = [str(CHUNKING_VERSION), parser_fingerprint, _dials_fingerprint(settings), counter_fingerprint]
    if resources and (decisive := resources.fingerprint(settings)):
        parts.append(decisive)
    if edits:
        parts.append(f"edits {edits_fingerprint(edits)}")
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def cut(prepared: PreparedDocument, settings: ChunkingSettings, parser_fingerprint: str = "") -> ChunkTree:
    """The chunk tree of a document; what was made of it for other settings is used again.

    Whatever unit the sizes are in, a chunk's ``tokens`` and ``encoder_tokens`` are the counter's.
    """
    recipe = recipe_fingerprint(parser_fingerprint, settings, prepared.counter.fingerprint, prepared.resources)
    tree = prepared.tree(settings, CHUNKERS[settings.chunker], recipe)
    return situated(tree, prepared.context(settings), prepared.counter)


def cut_edited(
    prepared: PreparedDocument,
    settings: ChunkingSettings,
    edits: Sequence[Edit],
    parser_fingerprint: str = "",
    reads: int = 0,
) -> Replayed:
    """``cut`` with edits by hand carried out. ``reads``: what the encoder reads of a leaf in tokens, 0 unknown.

    The chunks that no edit touches have the ids they have without edits.
    """
    recipe = recipe_fingerprint(parser_fingerprint, settings, prepared.counter.fingerprint, prepared.resources)
    tree, context = prepared.tree(settings, CHUNKERS[settings.chunker], recipe), prepared.context(settings)
    made = replay(tree, edits, remaker(context, recipe, prepared.counter, reads)) if edits else Replayed(tree)
    return replace(made, tree=situated(made.tree, context, prepared.counter))


def chunk(
    document: Document,
    settings: ChunkingSettings,
    counter: TokenCounter,
    parser_fingerprint: str = "",
    resources: ChunkerResources | None = None,
) -> ChunkTree:
    """The chunk tree of a document; the same input gives the same ids, always."""
    return cut(PreparedDocument(document, counter, resources), settings, parser_fingerprint)
