"""The trace: what every stage thought of each candidate, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.retrieval import Ranking
from core.retrieval.fusion import best_first, ranks_at
from core.types import Candidate, Trace

# Candidates any stage ranks this high are in the trace, so that a reader sees what nearly made it.
WATCHED = 100


def build_trace(
    ranking: Ranking,
    fates: Mapping[int, str],
    chunk_ids: Callable[[Sequence[int]], Mapping[int, str]],
    timings_ms: Mapping[str, float],
) -> Trace:
    """One candidate for every leaf some stage ranked among its best or expansion added, in final order.

    ``fates``: by leaf index, from assembly. ``chunk_ids``: leaf indices to public ids. What expansion added without any
    stage having looked at it comes last, without ranks.
    """
    leaves, stages = ranking.leaves, tuple(ranking.scores)
    watched = {int(place) for place in ranking.kept}
    wanted = np.array(list(fates), dtype=np.int64)
    watched.update(np.flatnonzero(np.isin(ranking.pool, wanted)).tolist())
    unseen = np.setdiff1d(wanted, ranking.pool).tolist()
    for stage in stages:
        watched.update(best_first(ranking.scores[stage], WATCHED).tolist())
    entries = np.array(sorted(watched), dtype=np.int64)
    places = {stage: ranks_at(ranking.scores[stage], entries) for stage in stages}
    dropped = np.array([int(entry) in ranking.dropped for entry in entries], dtype=bool)
    order = np.lexsort((places[stages[-1]], dropped))
    entries = entries[order]
    # Plain lists from here on: reading arrays one number at a time costs more than all the rest.
    ranks = {stage: places[stage][order].tolist() for stage in stages}
    scores = {stage: ranking.scores[stage][entries].tolist() for stage in stages}
    indices = ranking.pool[entries].tolist()
    ids = chunk_ids([*indices, *unseen])
    kept = set(ranking.kept.tolist())

    def candidate(index: int, fate: str, at: int | None) -> Candidate:
        return Candidate(
            row=int(leaves.rows[index]),
            chunk_id=ids[index],
            version_id=leaves.version_ids[int(leaves.documents[index])],
            start=int(leaves.starts[index]),
            end=int(leaves.ends[index]),
            ranks={stage: ranks[stage][at] for stage in stages if at is not None and ranks[stage][at]},
            scores={
                stage: scores[stage][at] for stage in stages if at is not None and not math.isnan(scores[stage][at])
            },
            fate=fate,
        )

    candidates: list[Candidate] = []
    for at, (entry, index) in enumerate(zip(entries.tolist(), indices, strict=True)):
        if entry in kept or index in fates:  # expansion may add leaves that did not go on by themselves
            fate = fates.get(index, "kept")
        else:
            fate = ranking.dropped.get(entry, f"ranked {ranks[stages[-1]][at]:,}: the best {len(kept):,} go on")
        candidates.append(candidate(index, fate, at))
    candidates.extend(candidate(index, fates[index], None) for index in unseen)
    return Trace(ranking.question, stages, tuple(candidates), dict(timings_ms))
