"""Assigns each character of gold to the stage at which it was lost.

From the last stage to the first:

- "read": not lost; the context holds it.
- "budget": its leaf was kept, but the budget was spent before it, or the context holds another part of its parent.
- "threshold": its leaf is below the minimum similarity.
- "ranking": a search has its leaf among its first k, but the fused ranking did not keep it.
- "search": no search has its leaf among its first k.
- "condition": a condition stated in the question ("type:pdf", "in the handbook") excludes its leaf.
- "cutting": no leaf holds it.
- "reading": its document could not be read, or is shorter.

Where several leaves hold a character, the one that came furthest counts. The counts add up to the whole gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.regions import Placed, Region, region
from core.evaluation.reporting.report import LOST, READ
from core.search.ranking.fusion import best_first, ranks
from core.search.ranking.stage_scores import Ranking

EXCLUDED = "condition"
_LEAF_FATES = LOST[: LOST.index("cutting")]  # from the last stage to the first


@dataclass(frozen=True, slots=True)
class GoldLeaf:
    """A leaf that holds gold: its index in the snapshot, and the spans of gold in it under the suite's names."""

    index: int
    held: tuple[Placed, ...]


def gold_leaves(
    gold: Sequence[Placed],
    documents: Mapping[str, int],
    leaf_documents: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[GoldLeaf, ...]:
    """The leaves that share a character with ``gold``, ascending by index.

    ``documents``: document name -> its number; documents that could not be read are absent. ``leaf_documents``,
    ``starts``, ``ends``: ``(leaves,)``, each leaf's document number (ascending) and span.
    """
    overlaps: dict[int, list[Placed]] = {}
    for leaf, (name, start, end) in touching_leaves(gold, documents, leaf_documents, starts, ends):
        overlap_start, overlap_end = max(start, int(starts[leaf])), min(end, int(ends[leaf]))
        if overlap_start < overlap_end:
            overlaps.setdefault(leaf, []).append((name, overlap_start, overlap_end))
    return tuple(GoldLeaf(leaf, tuple(overlaps[leaf])) for leaf in sorted(overlaps))


def touching_leaves(
    gold: Sequence[Placed],
    documents: Mapping[str, int],
    leaf_documents: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Iterator[tuple[int, Placed]]:
    """Pairs (leaf, gold span) that overlap or are adjacent. Arguments as for ``gold_leaves``."""
    for name, start, end in gold:
        if name in documents:
            first, last = np.searchsorted(leaf_documents, [documents[name], documents[name] + 1])
            touching = np.flatnonzero((starts[first:last] <= end) & (ends[first:last] >= start)) + first
            for leaf in touching.tolist():
                yield leaf, (name, start, end)


def fates(ranking: Ranking, leaves: Sequence[GoldLeaf]) -> tuple[str, ...]:
    """Where each leaf was lost before the context: "budget", "threshold", "ranking", "search" or ``EXCLUDED``.

    Aligned with ``leaves``. "budget" means kept: the context alone decides whether its gold was read.
    """
    kept = {int(index) for index in ranking.pool[ranking.kept]}
    positions = ranking.positions([leaf.index for leaf in leaves])
    in_pool = positions >= 0
    in_top_k = np.zeros(len(leaves), dtype=bool)
    for stage in ("dense", "alias", "lexical"):
        if stage not in ranking.scores:
            continue
        stage_ranks = ranks(ranking.scores[stage])[positions[in_pool]]
        in_top_k[in_pool] |= (stage_ranks > 0) & (stage_ranks <= ranking.settings.k)
    similarities = np.fmax(ranking.scores["dense"], ranking.scores.get("alias", np.nan))
    result = []
    for leaf, position, is_top in zip(leaves, positions.tolist(), in_top_k.tolist(), strict=True):
        if leaf.index in kept:
            result.append("budget")
        elif ranking.passing is not None and not ranking.passing.mask[leaf.index]:
            result.append(EXCLUDED)
        elif position >= 0 and similarities[position] < ranking.settings.min_similarity:
            result.append("threshold")
        else:
            result.append("ranking" if is_top else "search")
    return tuple(result)


def best_ranks(ranking: Ranking, leaves: Sequence[GoldLeaf]) -> dict[str, int]:
    """The best 1-based rank of any of ``leaves`` in each stage, and in the final ranking ("kept").

    A stage that ranks none of them is absent.
    """
    positions = ranking.positions([leaf.index for leaf in leaves])
    positions = positions[positions >= 0]
    best: dict[str, int] = {}
    for stage, scores in ranking.scores.items():
        stage_ranks = ranks(scores)[positions]
        if (stage_ranks > 0).any():
            best[stage] = int(stage_ranks[stage_ranks > 0].min())
    kept = np.flatnonzero(np.isin(ranking.kept, positions))
    if len(kept):
        best["kept"] = int(kept[0]) + 1
    return best


def lost(
    gold: Region, readable: Region, retrieved: Region, leaves: Sequence[GoldLeaf], fate: Sequence[str]
) -> dict[str, int]:
    """The number of characters of ``gold`` by the stage at which they were lost; zeros are left out.

    ``readable``: the gold that lies in text the library has. ``retrieved``: the context. ``fate``: of each leaf, from
    ``fates``, or ``EXCLUDED`` for a leaf that was not searched.

    >>> gold = region([("a", 0, 10)])
    >>> lost(gold, gold, region([("a", 0, 4)]), [GoldLeaf(0, (("a", 2, 8),))], ["ranking"])
    {'read': 4, 'ranking': 4, 'cutting': 2}
    """
    counts = {READ: retrieved.common(gold)}
    counted_spans = retrieved.shared(gold)
    for name in _LEAF_FATES:
        before = region(counted_spans).size
        counted_spans += [
            span for leaf, leaf_fate in zip(leaves, fate, strict=True) if leaf_fate == name for span in leaf.held
        ]
        counts[name] = region(counted_spans).size - before
    before = region(counted_spans).size
    counted_spans += [(name, span.start, span.end) for name, spans in readable.spans.items() for span in spans]
    counts["cutting"] = region(counted_spans).size - before
    counts["reading"] = gold.size - region(counted_spans).size
    return {name: count for name, count in counts.items() if count}


def top_leaves(ranking: Ranking, count: int) -> list[int]:
    """Indices of the first ``count`` kept leaves, best first."""
    return [int(index) for index in ranking.pool[ranking.kept[:count]]]


def ranked_documents(ranking: Ranking, count: int) -> tuple[str, ...]:
    """The versions of the first ``count`` documents, ranked by their best leaf."""
    scores = ranking.final.copy()
    scores[list(ranking.dropped)] = np.nan
    documents = ranking.leaves.documents[ranking.pool[best_first(scores)]]
    distinct, first = np.unique(documents, return_index=True)
    best = distinct[np.argsort(first)][:count]
    return tuple(ranking.leaves.version_ids[index] for index in best.tolist())
