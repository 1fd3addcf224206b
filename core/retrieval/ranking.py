"""The ranking stages over one snapshot of leaves: dense, lexical, fused, neighbours, kept.

Below a measured size every leaf is scored exactly, so scores are standardised over all leaves. Above it, over the
union of both searches' candidates and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.retrieval import fusion
from core.retrieval.snapshot import Snapshot
from core.settings import RetrievalSettings
from core.storage.leaves import LeafTable
from core.types import LexicalIndex, Vectors

STAGES = ("dense", "lexical", "fused", "neighbours")

# Above the exact size each search hands on this many candidates; ten times the default k keeps recall at k near 1.
POOL = 500

Nearest = Callable[[Vectors, int], NDArray[np.int64]]

UNFOUND = "neither search found it, nor a neighbour of it"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """What every stage thought of every leaf in the pool.

    ``pool``: indices into ``leaves``, ascending. ``scores[stage]``: float64, aligned with ``pool``, ``nan`` where the
    stage did not rank the leaf. ``kept``: positions in ``pool``, best first. ``dropped``: reason by position, for those
    a threshold removed or no search found. ``timings_ms`` by stage.
    """

    question: str
    leaves: LeafTable
    settings: RetrievalSettings
    pool: NDArray[np.int64]
    scores: Mapping[str, fusion.Scores]
    kept: NDArray[np.int64]
    dropped: Mapping[int, str]
    timings_ms: Mapping[str, float]

    @property
    def final(self) -> fusion.Scores:
        """The scores that decided the order."""
        return self.scores["neighbours"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the searches alone say, before any fusion: settings that search alike (``search_key``) share it.

    ``pool``: indices into ``leaves``, ascending. ``dense``, ``lexical``: float64, aligned with it, ``nan`` where a
    search did not rank the leaf. ``timings_ms`` by stage.
    """

    question: str
    leaves: LeafTable
    pool: NDArray[np.int64]
    dense: fusion.Scores
    lexical: fusion.Scores
    timings_ms: Mapping[str, float]

    def with_timing(self, stage: str, milliseconds: float) -> Found:
        """A copy that also accounts for a stage that ran before the searches."""
        return replace(self, timings_ms={stage: milliseconds, **self.timings_ms})


def search_key(settings: RetrievalSettings) -> Hashable:
    """Equal for settings under which ``search_leaves`` finds the same.

    >>> search_key(RetrievalSettings()) == search_key(RetrievalSettings(fusion="rrf", neighbour_share=0))
    True
    """
    boosts = (settings.title_boost, settings.headings_boost, settings.text_boost)
    lexical = (settings.lexical_engine, boosts) if settings.lexical_weight else None
    return bool(settings.dense_weight), lexical, settings.exact_below


def search_leaves(
    question: str,
    query: Vectors,
    tokens: Sequence[str],
    snapshot: Snapshot,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    nearest: Nearest,
) -> Found:
    """Both searches over the leaves.

    ``query``: ``(d,)`` float32, unit norm. ``tokens``: the analysed question. ``nearest(query, n)`` returns the
    catalogue rows nearest to the question, and is asked only above ``settings.exact_below`` leaves.
    """
    leaves = snapshot.leaves
    laps = _Laps()
    matched, weights = _lexical_matches(tokens, snapshot, lexical, settings)
    laps.end("lexical")
    if len(leaves) <= settings.exact_below:
        pool = np.arange(len(leaves.rows), dtype=np.int64)
        vectors: Vectors = leaves.vectors
    else:
        near = nearest(query, POOL) if settings.dense_weight else np.zeros(0, dtype=np.int64)
        pool = _pool(snapshot, near, matched[np.argsort(-weights, kind="stable")[:POOL]])
        vectors = leaves.vectors[pool]
    measured = settings.dense_weight and len(pool)  # an empty library has no dimension yet
    dense = (vectors @ query).astype(np.float64) if measured else np.full(len(pool), np.nan)
    laps.end("dense")
    words = np.full(len(pool), np.nan)
    present = np.isin(matched, pool, assume_unique=True)
    words[np.searchsorted(pool, matched[present])] = weights[present]
    return Found(question, leaves, pool, dense, words, laps.milliseconds)


def order_leaves(found: Found, settings: RetrievalSettings) -> Ranking:
    """What was found, fused, shared among neighbours and cut to the first ``settings.k``."""
    leaves, pool, dense, words = found.leaves, found.pool, found.dense, found.lexical
    laps = _Laps()
    searches = [(dense, settings.dense_weight), (words, settings.lexical_weight)]
    searches = [search for search in searches if search[1]]
    if settings.fusion == "rrf":
        fused = fusion.fuse_reciprocal(searches, settings.rrf_k)
    else:
        fused = fusion.fuse_standard(searches)
    laps.end("fused")
    final = fusion.share_neighbours(fused, leaves.documents[pool], pool, settings.neighbour_share)
    laps.end("neighbours")

    below = dense < settings.min_similarity  # nan compares as False: without dense search nothing is dropped
    threshold = f"its similarity is below the threshold of {settings.min_similarity:.2f}"
    # Without dense search most leaves are ranked by nothing: a question without a known word must find nothing.
    unfound = np.isnan(dense) & np.isnan(words) & (final <= fused)
    dropped = dict.fromkeys(np.flatnonzero(unfound).tolist(), UNFOUND)
    dropped |= dict.fromkeys(np.flatnonzero(below).tolist(), threshold)
    kept = fusion.best_first(np.where(below | unfound, np.nan, final), settings.k)
    scores = {"dense": dense, "lexical": words, "fused": fused, "neighbours": final}
    timings = {**found.timings_ms, **laps.milliseconds}
    return Ranking(found.question, leaves, settings, pool, scores, kept, dropped, timings)


class _Laps:
    """Milliseconds by stage, each from the end of the one before."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._clock = perf_counter()

    def end(self, stage: str) -> None:
        now = perf_counter()
        self.milliseconds[stage] = (now - self._clock) * 1000
        self._clock = now


def _lexical_matches(
    tokens: Sequence[str], snapshot: Snapshot, lexical: LexicalIndex, settings: RetrievalSettings
) -> tuple[NDArray[np.int64], fusion.Scores]:
    """Indices into ``leaves`` that hold a token, ascending, and their scores."""
    if not tokens or not settings.lexical_weight or not len(snapshot.leaves):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    boosts = {"title": settings.title_boost, "headings": settings.headings_boost, "text": settings.text_boost}
    rows, weights = lexical.search(tokens, boosts)
    indices = snapshot.index_of(rows)
    # A row the snapshot does not know was written after it: the next question sees it.
    known = indices >= 0
    order = np.argsort(indices[known], kind="stable")
    return indices[known][order], weights[known][order].astype(np.float64)


def _pool(snapshot: Snapshot, dense_rows: NDArray[np.int64], lexical: NDArray[np.int64]) -> NDArray[np.int64]:
    """Both searches' candidates with their neighbours in text order, as ascending indices."""
    found = snapshot.index_of(dense_rows)
    chosen = np.concatenate([found[found >= 0], lexical])
    around = np.concatenate([chosen - 1, chosen, chosen + 1])
    inside = around[(around >= 0) & (around < len(snapshot.leaves))]
    return np.unique(inside)
