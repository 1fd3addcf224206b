"""Document to chunk tree: ``CHUNKERS`` by name, one way to run them, and the audit of what they covered."""

from __future__ import annotations

import hashlib

from core.chunking.auditing import audit
from core.chunking.fixed import fixed
from core.chunking.plan import Chunker, frame
from core.chunking.prefixes import encoder_input, prefix_text
from core.chunking.recursive import recursive
from core.chunking.structure import structure
from core.chunking.tree import build_tree, recounted
from core.settings import ChunkingSettings, stage_fingerprint
from core.text.tokens import CharacterCounter, TokenMap
from core.types import ChunkTree, Document, TokenCounter

CHUNKING_VERSION = 1

CHUNKERS: dict[str, Chunker] = {"structure": structure, "recursive": recursive, "fixed": fixed}

__all__ = [
    "CHUNKERS",
    "CHUNKING_VERSION",
    "audit",
    "chunk",
    "encoder_input",
    "prefix_text",
    "recipe_fingerprint",
]


def recipe_fingerprint(parser_fingerprint: str, settings: ChunkingSettings, counter_fingerprint: str) -> str:
    """Names everything that decides a document's chunks; 16 hex digits.

    >>> small = ChunkingSettings(max_tokens=90)
    >>> recipe_fingerprint("p", ChunkingSettings(), "c") == recipe_fingerprint("p", small, "c")
    False
    """
    parts = (str(CHUNKING_VERSION), parser_fingerprint, stage_fingerprint(settings), counter_fingerprint)
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def chunk(
    document: Document, settings: ChunkingSettings, counter: TokenCounter, parser_fingerprint: str = ""
) -> ChunkTree:
    """The chunk tree of a document; the same input gives the same ids, always.

    Whatever unit the sizes are in, a chunk's ``tokens`` and ``encoder_tokens`` are ``counter``'s.
    """
    recipe = recipe_fingerprint(parser_fingerprint, settings, counter.fingerprint)
    ruler = counter if settings.unit == "tokens" else CharacterCounter()
    work = frame(document, settings, TokenMap(ruler, document.text))
    tree = build_tree(work, CHUNKERS[settings.chunker](work), recipe)
    return tree if ruler is counter else recounted(tree, counter, settings.prefix)
