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


def blend(passages: Sequence[Passage]) -> list[Passage]:
    """Documents by their best passage, the anchor; inside a document every passage at its distance from the anchor.

    Distance is signed, in characters: what the text says before the anchor is read before it. So a reader meets the
    best document first and never a document's end before its beginning (Yu et al., "In Defense of RAG in the Era of
    Long-Context Language Models", 2024, section 3, finds text order worth keeping).
    """
    anchors: dict[str, Passage] = {}
    for passage in sorted(passages, key=lambda passage: passage.rank):
        anchors.setdefault(passage.version_id, passage)

    def place(passage: Passage) -> tuple[int, int]:
        anchor = anchors[passage.version_id]
        return anchor.rank, passage.start - anchor.start

    return sorted(passages, key=place)


def arrange(passages: Sequence[Passage], order: str) -> list[Passage]:
    """A permutation of passages given in relevance order; ``order``: one of ``core.settings.ORDERS``.

    "document": by title, then as the text goes. "edges" and "blend": as the functions of that name.
    """
    if order == "document":
        return sorted(passages, key=lambda passage: (passage.document, passage.version_id, passage.start))
    if order == "edges":
        return [passages[position] for position in edges(len(passages))]
    if order == "blend":
        return blend(passages)
    return list(passages)
