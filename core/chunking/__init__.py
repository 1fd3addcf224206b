"""Document to chunk tree: one way to run the chunkers, and the audit of what they covered."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from core.chunking.chunkers import CHUNKERS
from core.chunking.edits.edited_tree import Remaker
from core.chunking.edits.edits import Edit, edits_fingerprint
from core.chunking.edits.replay import Replayed, replay
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.situating import situated
from core.settings import ChunkingSettings, stage_fingerprint
from core.types import ChunkTree, Document, TokenCounter

CHUNKING_VERSION = 4


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
    made = replay(tree, edits, Remaker(context, recipe, prepared.counter, reads)) if edits else Replayed(tree)
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
