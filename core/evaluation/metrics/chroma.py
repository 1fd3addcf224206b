"""The four metrics of Chroma's chunking report: recall, precision and IoU of the retrieved chunks, and Precision Ω.

Source: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", Chroma technical report, 2024, and its code
(brandonstarxel/chunking_evaluation). As in the code, lengths are in characters where the report says tokens. Unlike the
code, gold characters in two excerpts count once; Chroma's own questions have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.evaluation.regions import Placed, region


@dataclass(frozen=True, slots=True)
class ChromaScores:
    """The metrics of one question, each in [0, 1]."""

    recall: float
    precision: float
    iou: float


def chroma_scores(items: Sequence[Placed], gold: Sequence[Placed]) -> ChromaScores:
    """Scores of the retrieved ``items`` against ``gold``, which has at least one character.

    With n the number of gold characters in the items and ``length`` the sum of the items' lengths (overlap counts
    twice): recall is ``n / |gold|``, precision ``n / length`` (0 without items), IoU ``n / (length + |gold| - n)``.

    >>> chroma_scores([("a", 0, 8), ("a", 4, 12), ("b", 0, 4)], [("a", 2, 6), ("a", 10, 16)])
    ChromaScores(recall=0.6, precision=0.3, iou=0.25)
    """
    gold_region = region(gold)
    common = gold_region.common(region(items))
    length = sum(end - start for _, start, end in items)
    return ChromaScores(
        recall=common / gold_region.size,
        precision=common / length if length else 0.0,
        iou=common / (length + gold_region.size - common),
    )


def precision_omega(chunks: Sequence[Placed], gold: Sequence[Placed]) -> float:
    """The report's Precision Ω: the precision of retrieving all chunks with gold and no others.

    ``chunks``: all of the library. The result is ``|gold ∩ chosen| / |gold ∪ chosen|``, with ``chosen`` the union of
    the chunks that overlap a gold excerpt or are adjacent to one. Chroma's code includes adjacent chunks, and so do
    all its published figures.

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
    gold_region = region(gold)
    common = gold_region.common(chosen)
    return common / (chosen.size + gold_region.size - common)
