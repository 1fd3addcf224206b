"""One state of the leaves, and both searches over it, with the evidence beside them, before any fusion.

Below a measured size every leaf is scored exactly, so scores are standardised over all leaves. Above it, over the
union of both searches' candidates and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.settings import RetrievalSettings, Settings
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaves import LeafTable
from core.types import LexicalIndex, Vectors

# Rows are numbered once and for all: after many edits there are more numbers than leaves. A table of so many places a
# leaf is worth its memory, 4 bytes each; where numbers are farther apart, bisection finds a row in ten times the time.
_SPARSEST = 16


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """``leaves`` in text order. ``groups``: of all of them, as ``fusion.parent_groups`` makes them.

    ``order`` sorts their rows, so that a row's index is found by bisection. ``indices``: (last row + 1,) int32, the
    index of every row, -1 for none; empty where that would be too long. ``passing``: which of the leaves conditions let
    through, ``None`` for all. What does not pass is in no pool, but keeps its place: the leaves beside a leaf, its
    parent and the leaf at a place are those of its whole document.
    """

    leaves: LeafTable
    groups: fusion.Groups
    order: NDArray[np.int64]
    indices: NDArray[np.int32]
    passing: Passing | None = None

    @classmethod
    def of(cls, leaves: LeafTable) -> Snapshot:
        """The snapshot of a leaf table."""
        rows = leaves.rows
        length = int(rows.max()) + 1 if len(rows) else 0
        indices = np.full(length if length <= _SPARSEST * len(rows) else 0, -1, np.int32)
        if len(indices):
            indices[rows] = np.arange(len(rows))
        groups = fusion.parent_groups(leaves.documents, leaves.parent_rows)
        return cls(leaves, groups, np.argsort(rows, kind="stable"), indices)

    @property
    def asked(self) -> NDArray[np.int64]:
        """Indices of the leaves that are searched, ascending."""
        return np.arange(len(self.leaves)) if self.passing is None else np.flatnonzero(self.passing.mask)

    def index_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices into ``leaves`` of catalogue rows; -1 for a row this state does not know."""
        known = self.leaves.rows
        if not len(known):
            return np.full(len(rows), -1, dtype=np.int64)
        if len(self.indices):
            inside = (rows >= 0) & (rows < len(self.indices))
            return np.where(inside, self.indices[np.where(inside, rows, 0)], -1).astype(np.int64)
        places = np.minimum(np.searchsorted(known, rows, sorter=self.order), len(known) - 1)
        found = self.order[places]
        return np.where(known[found] == rows, found, -1).astype(np.int64)


# Above the exact size each search hands on this many candidates; ten times the default k keeps recall at k near 1.
POOL = 500

Nearest = Callable[[Vectors, int], NDArray[np.int64]]
Query = Callable[[], Vectors]


@dataclass(frozen=True, slots=True, eq=False)
class SearchScores:
    """What the searches say of every leaf before fusion. Settings with the same ``search_scores_key`` share it.

    ``pool``: indices into ``leaves``, ascending. ``dense``, ``lexical``: float64, aligned with it, ``nan`` where a
    search did not rank the leaf. ``coverage``: as them, by ``fusion.coverage``; ``None`` where it is off.
    ``timings_ms`` by stage. ``passing``: of the snapshot. ``alias``: as ``dense``, the best cosine of what else a leaf
    is found by, and ``matched``, int64, the place of that in ``leaves.aliases``, -1 for none; ``None`` without any.
    """

    question: str
    leaves: LeafTable
    pool: NDArray[np.int64]
    dense: fusion.Scores
    lexical: fusion.Scores
    timings_ms: Mapping[str, float]
    coverage: fusion.Scores | None = None
    understood: Understanding = NOTHING
    notes: tuple[str, ...] = ()
    passing: Passing | None = None
    alias: fusion.Scores | None = None
    matched: NDArray[np.int64] | None = None


def search_scores_key(settings: Settings) -> Hashable:
    """Equal for settings under which ``Searcher.find`` finds the same.

    >>> search_scores_key(Settings()) == search_scores_key(Settings().with_value("retrieval.neighbour_share", 0.5))
    True
    """
    asked, retrieval = settings.understanding, settings.retrieval
    lexical = (retrieval.lexical_engine, *retrieval.boosts.items()) if retrieval.lexical_weight else None
    covering = retrieval.lexical_engine if retrieval.coverage_weight else None
    return bool(retrieval.dense_weight), lexical, covering, retrieval.exact_below, asked


def order_key(settings: Settings) -> Hashable:
    """Equal for settings under which ``Searcher.order`` gives the same of what ``Searcher.find`` found.

    >>> order_key(Settings()) == order_key(Settings().with_value("assembly.order", "edges"))
    True
    """
    return settings.understanding, settings.retrieval, settings.diversity, settings.reranking


def search_leaves(
    question: str,
    searches: Sequence[tuple[Query, Sequence[str]]],
    snapshot: Snapshot,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    nearest: Nearest,
) -> SearchScores:
    """Both searches over the leaves, for a question and its parts; a leaf gets the best score of any of them.

    ``searches``: for each text to look for, ``query()`` and its analysed tokens. ``query()`` returns the text's vector,
    ``(d,)`` float32 of unit norm; it is not called where ``settings.dense_weight`` is 0.
    ``nearest(query, n)``: the catalogue rows of the ``n`` leaves nearest to a vector. It is asked only above
    ``settings.exact_below`` leaves; then every search scores all leaves that any of them finds.

    Vectors are encoded and compared in a thread of their own while words are searched in this one. The stages "encode"
    and "dense" are what either still takes after that.
    """
    laps, asked = Laps(), snapshot.asked
    exact = len(asked) <= settings.exact_below
    searched = [_one_search(*one, snapshot, exact, lexical, settings, laps) for one in searches]
    by_alias, pool = _by_alias(snapshot.leaves, searched), asked
    if not exact:
        found = [_candidates(snapshot, one, nearest) for one in searched]
        if by_alias is not None:
            found.append(asked[fusion.best_first(by_alias[0][asked], POOL)])
        pool = _with_neighbours(snapshot, np.concatenate(found))
    dense = _most([one.scored(snapshot.leaves.vectors, pool) for one in searched])
    if snapshot.leaves.unencoded is not None:
        dense[snapshot.leaves.unencoded[pool]] = np.nan
    laps.end("dense")
    words = _most([one.lexical[pool] for one in searched])
    covered = [one.coverage[pool] for one in searched if one.coverage is not None]
    coverage = _most(covered) if covered else None
    alias, matched = (None, None) if by_alias is None else (by_alias[0][pool], by_alias[1][pool])
    return SearchScores(
        question,
        snapshot.leaves,
        pool,
        dense,
        words,
        laps.milliseconds,
        coverage,
        passing=snapshot.passing,
        alias=alias,
        matched=matched,
    )


def _by_alias(leaves: LeafTable, searched: Sequence[_OneSearch]) -> tuple[fusion.Scores, NDArray[np.int64]] | None:
    """Of every leaf the cosine of the alias nearest to any of the texts, and which it is; ``None`` where none is asked.

    Exact, whatever the number of leaves: Chroma knows the leaves' own vectors alone.
    """
    aliases, queries = leaves.aliases, [one.query for one in searched if one.query is not None]
    if aliases is None or not queries:
        return None
    similar = np.max([aliases.vectors @ query for query in queries], axis=0).astype(np.float64)
    best, matched = np.full(len(leaves), -np.inf), np.full(len(leaves), -1)
    np.maximum.at(best, aliases.owners, similar)
    nearest = np.flatnonzero(similar == best[aliases.owners])
    matched[aliases.owners[nearest]] = nearest
    return np.where(matched < 0, np.nan, best), matched


@dataclass(frozen=True, slots=True, eq=False)
class _OneSearch:
    """What one text finds. ``query``: its vector, ``None`` where the search by meaning is off.

    ``similar``: cosines of the leaves that are searched, ``None`` where they are computed for a pool alone.
    ``lexical``, ``coverage``: of all leaves, ``nan`` for one without any of its words or that is not searched;
    ``coverage`` ``None``: off.
    """

    query: Vectors | None
    similar: Vectors | None
    lexical: fusion.Scores
    coverage: fusion.Scores | None

    def scored(self, vectors: Vectors, pool: NDArray[np.int64]) -> fusion.Scores:
        """Cosines of the leaves in ``pool``, float64; ``nan`` where the search by meaning is off."""
        similar = self.similar
        if similar is None and self.query is not None and len(pool):
            similar = vectors[pool] @ self.query
        return np.full(len(pool), np.nan) if similar is None else similar.astype(np.float64)


def _one_search(
    query: Query,
    tokens: Sequence[str],
    snapshot: Snapshot,
    exact: bool,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    laps: Laps,
) -> _OneSearch:
    def compared() -> tuple[Vectors, float, Vectors | None]:
        """The text's vector, when it was ready, and its cosines."""
        vector, encoded = query(), perf_counter()
        vectors, asked = snapshot.leaves.vectors, snapshot.asked
        if not exact or not len(asked):  # an empty library has no dimension yet
            return vector, encoded, None
        # Copying the vectors of many leaves costs more than multiplying all of them.
        few = 4 * len(asked) <= len(vectors)
        return vector, encoded, vectors[asked] @ vector if few else (vectors @ vector)[asked]

    with ThreadPoolExecutor(1, "encode") as beside:
        asking = beside.submit(compared) if settings.dense_weight else None
        words = np.full(len(snapshot.leaves), np.nan)
        if tokens and settings.lexical_weight and len(words):
            rows, weights = lexical.search(tokens, settings.boosts)
            places = snapshot.index_of(rows)
            # A row the snapshot does not know was written after it: the next question sees it.
            words[places[places >= 0]] = weights[places >= 0]
            if snapshot.passing is not None:
                words[~snapshot.passing.mask] = np.nan
        laps.end("lexical")
        covered = None
        if settings.coverage_weight:
            covered = _coverage(tokens, snapshot, lexical)
            laps.end("coverage")
        vector, encoded, similar = asking.result() if asking else (None, None, None)
    laps.end("encode", encoded)
    laps.end("dense")
    return _OneSearch(vector, similar, words, covered)


def _most(scores: Sequence[fusion.Scores]) -> fusion.Scores:
    return scores[0] if len(scores) == 1 else np.asarray(np.fmax.reduce(scores))


def _coverage(tokens: Sequence[str], snapshot: Snapshot, lexical: LexicalIndex) -> fusion.Scores:
    """Of every leaf; those not searched have and lend none, but still stand between those that are."""
    covered, asked = np.full(len(snapshot.leaves), np.nan), snapshot.asked
    if not tokens or not len(asked):
        return covered
    found = (snapshot.index_of(rows) for rows in lexical.holding(tokens).values())
    holders = [places[places >= 0] for places in found]
    documents, groups = snapshot.leaves.documents, snapshot.groups
    if snapshot.passing is not None:
        mask = snapshot.passing.mask
        among = np.cumsum(mask) - 1
        holders = [among[held[mask[held]]] for held in holders]
        # Leaves with another between them are no neighbours, as if they were of two documents.
        apart = (documents[asked][1:] != documents[asked][:-1]) | (asked[1:] != asked[:-1] + 1)
        documents, groups = np.append(0, np.cumsum(apart)).astype(np.int32), groups[asked]
    covered[asked] = fusion.coverage(holders, documents, groups)
    return covered


def _candidates(snapshot: Snapshot, one: _OneSearch, nearest: Nearest) -> NDArray[np.int64]:
    """What either search finds best, as indices of leaves."""
    near = nearest(one.query, POOL) if one.query is not None else np.zeros(0, dtype=np.int64)
    found = snapshot.index_of(near)
    held = np.flatnonzero(~np.isnan(one.lexical))
    return np.concatenate([found[found >= 0], held[np.argsort(-one.lexical[held], kind="stable")[:POOL]]])


def _with_neighbours(snapshot: Snapshot, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leaves with their neighbours in text order, ascending; those that are searched."""
    around = np.concatenate([chosen - 1, chosen, chosen + 1])
    inside = np.unique(around[(around >= 0) & (around < len(snapshot.leaves))])
    return inside if snapshot.passing is None else inside[snapshot.passing.mask[inside]]


class Laps:
    """Milliseconds by stage, each from the end of the one before; a stage that runs twice is summed."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._clock = perf_counter()

    def end(self, stage: str, at: float | None = None) -> None:
        """The stage ends now, or did ``at``: one that another thread ended before this one came to it took nothing."""
        now = perf_counter() if at is None else max(at, self._clock)
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._clock) * 1000
        self._clock = now
