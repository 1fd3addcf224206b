"""Chroma's four: recall, precision and IoU of retrieved items, and the precision that the chunks allow.

Source: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", Chroma technical report, 2024, and its code
(brandonstarxel/chunking_evaluation). They count characters where the report says tokens. Gold characters in two
excerpts count once here and twice there; Chroma's own questions have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.evaluation.regions import Placed, region


@dataclass(frozen=True, slots=True)
class ChromaScores:
    """Shares in [0, 1] of one question."""

    recall: float
    precision: float
    iou: float


def chroma_scores(items: Sequence[Placed], gold: Sequence[Placed]) -> ChromaScores:
    """Retrieved ``items`` against ``gold``, which has at least one character.

    With n the number of gold characters in the items and ``paid`` the sum of the items' lengths (overlap paid twice,
    wrong documents too): recall is ``n / |gold|``, precision ``n / paid`` (0 without items), IoU
    ``n / (paid + |gold| - n)``.

    >>> chroma_scores([("a", 0, 8), ("a", 4, 12), ("b", 0, 4)], [("a", 2, 6), ("a", 10, 16)])
    ChromaScores(recall=0.6, precision=0.3, iou=0.25)
    """
    wanted = region(gold)
    common = wanted.common(region(items))
    paid = sum(end - start for _, start, end in items)
    return ChromaScores(common / wanted.size, common / paid if paid else 0.0, common / (paid + wanted.size - common))


def precision_omega(chunks: Sequence[Placed], gold: Sequence[Placed]) -> float:
    """The precision of retrieving every chunk with gold and nothing else, overlap paid once (the report's Precision Ω).

    ``|gold ∩ ∪chosen| / |gold ∪ ∪chosen|`` over the chunks that meet a gold excerpt; ``chunks`` are all of the library.
    A chunk that ends where an excerpt starts, or the other way round, meets it without sharing a character: so Chroma's
    code has it, and so has every figure of theirs.

    >>> precision_omega([("a", 0, 10), ("a", 10, 20), ("a", 20, 30)], [("a", 12, 17)])
    0.5
    >>> precision_omega([("a", 0, 10), ("a", 10, 20), ("a", 20, 30)], [("a", 10, 15)])
    0.25
    """
    excerpts: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in gold:
        excerpts.setdefault(name, []).append((start, end))
    chosen = region(
        (name, start, end)
        for name, start, end in chunks
        if any(start <= last and first <= end for first, last in excerpts.get(name, ()))
    )
    wanted = region(gold)
    common = wanted.common(chosen)
    return common / (chosen.size + wanted.size - common)
