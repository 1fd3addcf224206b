"""The order in which a reader gets the passages."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Passage


def edges(count: int) -> list[int]:
    """Positions of ``count`` items, best first given, so that the best stand at both edges and the worst inside.

    Readers overlook the middle of a long context: Liu et al., "Lost in the Middle", TACL 2024.

    >>> edges(5)
    [0, 2, 4, 3, 1]
    """
    return [*range(0, count, 2), *reversed(range(1, count, 2))]


def arrange(passages: Sequence[Passage], order: str) -> list[Passage]:
    """A permutation of passages given in relevance order: "relevance", "document" or "edges"."""
    if order == "document":
        return sorted(passages, key=lambda passage: (passage.document, passage.version_id, passage.start))
    if order == "edges":
        return [passages[position] for position in edges(len(passages))]
    return list(passages)
