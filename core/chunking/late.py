"""What the encoder reads for every leaf of a tree: the leaf itself, or its stretch of a window around it."""

from __future__ import annotations

from core.chunking.prefixes import encoder_input
from core.settings import ChunkingSettings
from core.text.pooling import EncoderInput, pooled
from core.types import ChunkTree, TokenCounter


def encoder_inputs(
    tree: ChunkTree, settings: ChunkingSettings, counter: TokenCounter, reads: int
) -> tuple[EncoderInput, ...]:
    """One input a leaf, in order. ``reads``: tokens the encoder reads at once, its special ones included.

    With ``settings.vectors`` "late" a leaf's vector is pooled from a window of the document, which says what a prefix
    otherwise would: prefixes are not read then.
    """
    if settings.vectors == "late":
        spans = [leaf.span for leaf in tree.leaves]
        return pooled(tree.document.text, spans, counter, max(1, reads - counter.specials))
    return tuple(encoder_input(leaf, settings.read_prefix) for leaf in tree.leaves)
