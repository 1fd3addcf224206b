"""The truncation meter: which words at the end of a leaf its encoder never reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.chunking.prefixes import encoder_input
from core.settings import PREFIX_KINDS
from core.types import ChunkTree, TokenCounter


@dataclass(frozen=True, slots=True)
class Unread:
    """``[start, end)`` of the text, the tail of leaf ``leaf`` (an index), is not read: ``tokens`` of the body."""

    leaf: int
    start: int
    end: int
    tokens: int


def unread(
    tree: ChunkTree, counter: TokenCounter, limit: int, kinds: Sequence[str] = PREFIX_KINDS
) -> tuple[Unread, ...]:
    """The tails of leaves that the encoder cuts off, in text order; () when it reads everything.

    ``limit``: ``Encoder.max_tokens``, special tokens included. ``kinds``: the prefix parts that the encoder reads,
    ``ChunkingSettings.read_prefix``; they stand before the body and use up its room.
    """
    found: list[Unread] = []
    room = max(0, limit - counter.specials)
    for index, leaf in enumerate(tree.leaves):
        if leaf.encoder_tokens <= limit:
            continue
        before = len(encoder_input(leaf, kinds)) - len(leaf.text)
        starts = [int(start) - before for start, _ in counter.offsets(encoder_input(leaf, kinds))]
        missed = [max(0, start) for start in starts[room:] if start >= 0]
        if missed:
            found.append(Unread(index, leaf.start + missed[0], leaf.end, len(missed)))
    return tuple(found)
