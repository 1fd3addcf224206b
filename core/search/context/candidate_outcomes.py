"""The trace of a search, with the fate of every candidate.

The columns of the trace are those of ``Ranking.scores``: a stage that adds one there is in the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import overload

import numpy as np

from core.evidence import Candidate, Trace
from core.search.ranking.fusion import best_first
from core.search.ranking.fusion import ranks as ranks_of
from core.search.ranking.stage_scores import Ranking

# The trace has every leaf that any stage ranks this high, so that near misses can be seen.
TRACED = 100
NO_READS: Mapping[str, int] = MappingProxyType({})


def build_trace(
    ranking: Ranking,
    fates: Mapping[int, str],
    chunk_ids: Callable[[Sequence[int]], Mapping[int, str]],
    timings_ms: Mapping[str, float],
    reads: Mapping[str, int] = NO_READS,
) -> Trace:
    """The trace: one candidate for every leaf that a stage ranked high or expansion added, in final order.

    ``fates``: by leaf index, from ``assemble``. ``chunk_ids``: maps leaf indices to public ids. Leaves outside the
    pool, added by expansion, come last and have no ranks. ``reads``: number of catalogue reads by stage.
    """
    leaves, columns = ranking.leaves, ranking.scores
    context_leaves = np.array(sorted(fates), dtype=np.int64)
    positions = ranking.positions(context_leaves)
    in_pool = positions >= 0
    best = [best_first(scores, TRACED) for scores in columns.values()]
    entries = np.unique(np.concatenate([ranking.kept, positions[in_pool], *best]))
    ranked_leaves, added_leaves = ranking.pool[entries], context_leaves[~in_pool]
    all_leaves = np.concatenate([ranked_leaves, added_leaves])
    ids = chunk_ids(all_leaves.tolist())
    facts = [column[all_leaves] for column in (leaves.rows, leaves.documents, leaves.starts, leaves.ends)]
    fate, matched, versions = fate_of(ranking, fates), ranking.matched, leaves.version_ids
    dropped = np.array([entry in ranking.dropped for entry in entries.tolist()], dtype=bool)

    def make_candidates() -> Iterator[Candidate]:
        # This closure must not refer to the ranking: a cached result would keep the whole leaf table in memory.
        ranks = {stage: ranks_of(scores)[entries] for stage, scores in columns.items()}
        final_ranks = ranks[list(columns)[-1]]
        order = np.lexsort((final_ranks, dropped))
        # Converted to plain numbers column by column: reading arrays one number at a time is much slower.
        rank_rows = zip(*(column[order].tolist() for column in ranks.values()), strict=True)
        score_rows = zip(*(column[entries[order]].tolist() for column in columns.values()), strict=True)
        outcomes: list[tuple[dict[str, int], dict[str, float], str, str]] = [
            (
                {stage: rank for stage, rank in zip(columns, stage_ranks, strict=True) if rank},
                {stage: score for stage, score in zip(columns, scores, strict=True) if not math.isnan(score)},
                fate(entry, leaf, stage_ranks[-1]),
                matched.get(entry, ""),
            )
            for entry, leaf, stage_ranks, scores in zip(
                entries[order].tolist(), ranked_leaves[order].tolist(), rank_rows, score_rows, strict=True
            )
        ]
        outcomes += [({}, {}, fates[leaf], "") for leaf in added_leaves.tolist()]
        final_order = np.concatenate([order, np.arange(len(order), len(all_leaves))])
        fact_rows = zip(all_leaves[final_order].tolist(), *(fact[final_order].tolist() for fact in facts), strict=True)
        for (leaf, row, document, start, end), outcome in zip(fact_rows, outcomes, strict=True):
            yield Candidate(row, ids[leaf], versions[document], start, end, *outcome)

    return Trace(ranking.question, tuple(columns), LazyCandidates(make_candidates), dict(timings_ms), dict(reads))


class LazyCandidates(Sequence[Candidate]):
    """Candidates that are made at the first access: there are hundreds, and most users open none."""

    def __init__(self, make: Callable[[], Iterable[Candidate]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Candidate, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | Sequence[Candidate]:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)


def fate_of(ranking: Ranking, fates: Mapping[int, str]) -> Callable[[int, int, int], str]:
    """A function that returns the fate of a leaf: (position in the pool, leaf index, final rank) to a sentence.

    ``fates``: by leaf index, from ``assemble``.
    """
    kept, dropped = set(ranking.kept.tolist()), ranking.dropped

    def fate(entry: int, leaf: int, rank: int) -> str:
        if entry in kept or leaf in fates:  # expansion may add leaves that the ranking did not keep
            return fates.get(leaf, "kept")
        return dropped.get(entry, f"ranked {rank:,}: the best {len(kept):,} go on")

    return fate
