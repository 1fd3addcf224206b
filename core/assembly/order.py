"""The order in which a reader gets the passages."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import Passage

# Characters between a passage and its anchor up to which both are read together: about a page.
REACH = 3000


def edges(count: int) -> list[int]:
    """Positions of ``count`` items, best first given, so that the best stand at both edges and the worst inside.

    Readers overlook the middle of a long context: Liu et al., "Lost in the Middle", TACL 2024.

    >>> edges(5)
    [0, 2, 4, 3, 1]
    """
    return [*range(0, count, 2), *reversed(range(1, count, 2))]


def blend(passages: Sequence[Passage], reach: int = REACH) -> list[Passage]:
    """Groups by the score of their anchors, of what lies near each anchor, read as the document has it.

    The best passage is an anchor. Going down in relevance, each further passage joins the nearest anchor so far of its
    document, the better one of two equally near, where at most ``reach`` characters lie between them; else it is an
    anchor itself. Groups come in the order of their anchors; inside a group the passages come as the text goes. So
    score decides between groups, distance what belongs together, and document order inside.

    It is "relevance" where no two passages of a document are within reach of each other; where all of a document are
    within reach of its best, it is read in one go, never its end before its beginning. That text order is worth
    keeping: Yu et al., "In Defense of RAG in the Era of Long-Context Language Models", 2024, section 3.
    """
    groups: list[list[Passage]] = []  # each with its anchor first
    for passage in sorted(passages, key=lambda passage: passage.rank):
        near = [
            (distance, number)
            for number, group in enumerate(groups)
            if (distance := _between(passage, group[0])) is not None and distance <= reach
        ]
        if near:
            groups[min(near)[1]].append(passage)
        else:
            groups.append([passage])
    return [passage for group in groups for passage in sorted(group, key=lambda passage: passage.start)]


def _between(one: Passage, other: Passage) -> int | None:
    """Characters between two passages of one document, 0 where they touch; ``None`` of two documents."""
    if one.version_id != other.version_id:
        return None
    return max(0, one.start - other.end, other.start - one.end)


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
