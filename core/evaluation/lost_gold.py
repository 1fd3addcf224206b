"""Where gold was lost: each character of it, by the stage it did not get past.

Read from the reader back to the file:

- "read": it stands in the context.
- "budget": its leaf was kept, and the context was full before it, or held another part of its parent.
- "threshold": its leaf fell below the similarity asked for.
- "ranking": one of the searches had its leaf among its first k, and the fused ranking did not keep it.
- "search": no search had its leaf among its first k.
- "condition": a condition that the question itself states ("type:pdf", "in the handbook") left its leaf out.
- "cutting": no leaf holds it.
- "reading": its document could not be read, or has no such place.

The best of several leaves that hold a character counts. Together the parts are the whole gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.regions import Placed, Region, region
from core.evaluation.reporting.report import LOST, READ
from core.search.ranking.fusion import best_first, ranks
from core.search.ranking.stage_scores import Ranking

EXCLUDED = "condition"
_FROM_THE_READER = LOST[: LOST.index("cutting")]


@dataclass(frozen=True, slots=True)
class GoldLeaf:
    """A leaf that holds gold: its index in the snapshot, and the gold it holds, as the suite places it."""

    index: int
    held: tuple[Placed, ...]


def gold_leaves(
    gold: Sequence[Placed],
    documents: Mapping[str, int],
    places: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[GoldLeaf, ...]:
    """The leaves that share a character with ``gold``, ascending by index.

    ``documents``: the place of each document by name; one that is missing could not be read. ``places``: of each
    leaf's document, ascending; ``starts`` and ``ends``: of each leaf.
    """
    held: dict[int, list[Placed]] = {}
    for leaf, (name, start, end) in touching_leaves(gold, documents, places, starts, ends):
        inside = max(start, int(starts[leaf])), min(end, int(ends[leaf]))
        if inside[0] < inside[1]:
            held.setdefault(leaf, []).append((name, *inside))
    return tuple(GoldLeaf(leaf, tuple(held[leaf])) for leaf in sorted(held))


def touching_leaves(
    gold: Sequence[Placed],
    documents: Mapping[str, int],
    places: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Iterator[tuple[int, Placed]]:
    """Every leaf with every gold span that it touches, be it at an edge alone. Arguments as of ``gold_leaves``."""
    for name, start, end in gold:
        if name in documents:
            first, last = np.searchsorted(places, [documents[name], documents[name] + 1])
            touching = np.flatnonzero((starts[first:last] <= end) & (ends[first:last] >= start)) + first
            for leaf in touching.tolist():
                yield leaf, (name, start, end)


def fates(ranking: Ranking, leaves: Sequence[GoldLeaf]) -> tuple[str, ...]:
    """How far each leaf came, aligned with ``leaves``: "budget", "threshold", "ranking", "search" or ``EXCLUDED``."""
    positions = {int(index): position for position, index in enumerate(ranking.pool[ranking.kept])}
    pool = _positions(ranking, leaves)
    limit = ranking.settings.k
    found = np.zeros(len(leaves), dtype=bool)
    known = pool >= 0
    for stage in ("dense", "alias", "lexical"):
        if stage not in ranking.scores:
            continue
        places = ranks(ranking.scores[stage])[pool[known]]
        found[known] |= (places > 0) & (places <= limit)
    similar = np.fmax(ranking.scores["dense"], ranking.scores.get("alias", np.nan))
    result = []
    for leaf, position, near in zip(leaves, pool.tolist(), found.tolist(), strict=True):
        if leaf.index in positions:
            result.append("budget")
        elif ranking.passing is not None and not ranking.passing.mask[leaf.index]:
            result.append(EXCLUDED)
        elif position >= 0 and similar[position] < ranking.settings.min_similarity:
            result.append("threshold")
        else:
            result.append("ranking" if near else "search")
    return tuple(result)


def best_ranks(ranking: Ranking, leaves: Sequence[GoldLeaf]) -> dict[str, int]:
    """1-based rank of the best of ``leaves`` by stage, "kept" among what was kept; a stage without one is absent."""
    pool = _positions(ranking, leaves)
    pool = pool[pool >= 0]
    best: dict[str, int] = {}
    for stage, scores in ranking.scores.items():
        places = ranks(scores)[pool]
        if (places > 0).any():
            best[stage] = int(places[places > 0].min())
    kept = np.flatnonzero(np.isin(ranking.kept, pool))
    if len(kept):
        best["kept"] = int(kept[0]) + 1
    return best


def lost(
    gold: Region, readable: Region, taken: Region, leaves: Sequence[GoldLeaf], fate: Sequence[str]
) -> dict[str, int]:
    """Characters of ``gold`` by where they went; parts with none are left out.

    ``readable``: the gold that lies in text the library has. ``taken``: what was read. ``fate``: of each leaf, as
    ``fates`` tells it, or ``EXCLUDED`` for one that was not searched.

    >>> gold = region([("a", 0, 10)])
    >>> lost(gold, gold, region([("a", 0, 4)]), [GoldLeaf(0, (("a", 2, 8),))], ["ranking"])
    {'read': 4, 'ranking': 4, 'cutting': 2}
    """
    counted = {READ: taken.common(gold)}
    seen = taken.shared(gold)
    for name in _FROM_THE_READER:
        before = region(seen).size
        seen += [place for leaf, came in zip(leaves, fate, strict=True) if came == name for place in leaf.held]
        counted[name] = region(seen).size - before
    before = region(seen).size
    seen += [(name, span.start, span.end) for name, spans in readable.spans.items() for span in spans]
    counted["cutting"] = region(seen).size - before
    counted["reading"] = gold.size - region(seen).size
    return {name: count for name, count in counted.items() if count}


def top_leaves(ranking: Ranking, count: int) -> list[int]:
    """Indices of the first ``count`` kept leaves, best first."""
    return [int(index) for index in ranking.pool[ranking.kept[:count]]]


def ranked_documents(ranking: Ranking, count: int) -> tuple[str, ...]:
    """Document versions ranked by their best leaf, best first, at most ``count``."""
    final = ranking.final.copy()
    final[list(ranking.dropped)] = np.nan
    documents = ranking.leaves.documents[ranking.pool[best_first(final)]]
    distinct, first = np.unique(documents, return_index=True)
    best = distinct[np.argsort(first)][:count]
    return tuple(ranking.leaves.version_ids[index] for index in best.tolist())


def _positions(ranking: Ranking, leaves: Iterable[GoldLeaf]) -> NDArray[np.int64]:
    """Of each leaf its position in the pool, -1 where it is not in it."""
    wanted = np.array([leaf.index for leaf in leaves], dtype=np.int64)
    if not len(ranking.pool):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(ranking.pool, wanted), len(ranking.pool) - 1)
    return np.where(ranking.pool[places] == wanted, places, -1).astype(np.int64)
