"""Turns a document into a chunk tree: runs the chosen chunker and applies edits made by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from core.chunking.chunkers import CHUNKERS
from core.chunking.edits.edited_tree import ChunkBuilder
from core.chunking.edits.edits import Edit, edits_fingerprint
from core.chunking.edits.replay import Replayed, replay
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.situating import situated
from core.settings import ChunkingSettings, stage_fingerprint
from core.types import ChunkTree, Document, TokenCounter

CHUNKING_VERSION = 4
# Of chunkers whose cuts changed since: only these cuts are stale.
_LATER_VERSIONS = {"log": 5, "conversation": 5, "recursive": 6, "code": 8, "auto": 10}

_settings_fingerprint = lru_cache(maxsize=64)(stage_fingerprint)  # called once per document, with few settings


def recipe_fingerprint(
    parser_fingerprint: str,
    settings: ChunkingSettings,
    counter_fingerprint: str,
    resources: ChunkerResources | None = None,
    edits: Sequence[Edit] = (),
) -> str:
    """A hash of everything that decides a document's chunks: 16 hex digits.

    Chunk ids are made from the fingerprint without ``edits``, so an edit changes only the ids of the chunks it touches.

    >>> small = ChunkingSettings(max_tokens=90)
    >>> recipe_fingerprint("p", ChunkingSettings(), "c") == recipe_fingerprint("p", small, "c")
    False
    """
    version = str(_LATER_VERSIONS.get(settings.chunker, CHUNKING_VERSION))
    parts = [version, parser_fingerprint, _settings_fingerprint(settings), counter_fingerprint]
    if resources and (resources_fingerprint := resources.fingerprint(settings)):
        parts.append(resources_fingerprint)
    if edits:
        parts.append(f"edits {edits_fingerprint(edits)}")
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def cut(prepared: PreparedDocument, settings: ChunkingSettings, parser_fingerprint: str = "") -> ChunkTree:
    """The chunk tree of a prepared document, which may be cut again under other settings at little cost.

    A chunk's ``tokens`` and ``encoder_tokens`` are always counted by ``prepared.counter``, whatever ``settings.unit``.
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
    """``cut``, then the edits made by hand applied in order.

    ``reads``: the encoder's input limit in tokens, special tokens included; 0 means unknown. Chunks that no edit
    touches keep their ids.
    """
    recipe = recipe_fingerprint(parser_fingerprint, settings, prepared.counter.fingerprint, prepared.resources)
    tree, context = prepared.tree(settings, CHUNKERS[settings.chunker], recipe), prepared.context(settings)
    replayed = replay(tree, edits, ChunkBuilder(context, recipe, prepared.counter, reads)) if edits else Replayed(tree)
    return replace(replayed, tree=situated(replayed.tree, context, prepared.counter))


def chunk(
    document: Document,
    settings: ChunkingSettings,
    counter: TokenCounter,
    parser_fingerprint: str = "",
    resources: ChunkerResources | None = None,
) -> ChunkTree:
    """The chunk tree of a document. Deterministic: the same input always gives the same chunk ids."""
    return cut(PreparedDocument(document, counter, resources), settings, parser_fingerprint)
