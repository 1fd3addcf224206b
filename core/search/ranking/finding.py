"""One state of the leaves, and both searches over it, with the evidence beside them, before any fusion.

Below a measured size every leaf is scored. Above it the best of both searches and those beside them are, and a
background of leaves drawn evenly tells how scores lie over all of them: so a leaf is worth the same either way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.settings import RetrievalSettings, Settings
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaf_vectors import LeafVectors, products
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

    @property
    def background(self) -> tuple[NDArray[np.int64], Callable[[], Vectors]]:
        """Indices of leaves drawn evenly from those that are searched, ascending, and what reads their vectors: once,
        where all leaves are searched.
        """
        places = drawn(len(self.leaves))
        if self.passing is not None:
            places = self.asked[drawn(len(self.asked))]
            return places, lambda: self.leaves.vectors.of(places)
        return places, lambda: self.leaves.vectors.kept(places)

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
# What stands in the parent of one of so many of each search's best, or beside it, is scored too: these lend to it.
LIFTED = 200
# The background: so many runs of so many leaves, evenly apart. Runs, for what stands beside a leaf lends to it.
RUNS, RUN = 128, 32

_BESIDE = ThreadPoolExecutor(16, "encode")  # questions that are read at once; a thread is begun when one is needed

Nearest = Callable[[Vectors, int], NDArray[np.int64] | None]
Query = Callable[[], Vectors]


def drawn(count: int) -> NDArray[np.int64]:
    """``RUNS`` runs of ``RUN`` places among so many, evenly apart, ascending; all where there are no more.

    >>> drawn(3).tolist(), len(drawn(10**6)), drawn(10**6)[[0, -1]].tolist()
    ([0, 1, 2], 4096, [0, 999999])
    """
    if count <= RUNS * RUN:
        return np.arange(count)
    begins = np.linspace(0, count - RUN, RUNS).astype(np.int64)
    return (begins[:, None] + np.arange(RUN)).ravel()


@dataclass(frozen=True, slots=True, eq=False)
class SearchScores:
    """What the searches say of every leaf before fusion. Settings with the same ``search_scores_key`` share it.

    ``pool``: indices into ``leaves``, ascending. ``dense``, ``lexical``: float64, aligned with it, ``nan`` where a
    search did not rank the leaf. ``coverage``: as them, by ``fusion.coverage``; ``None`` where it is off.
    ``timings_ms`` by stage. ``passing``: of the snapshot. ``alias``: as ``dense``, the best cosine of what else a leaf
    is found by, and ``matched``, int64, the place of that in ``leaves.aliases``, -1 for none; ``None`` without any.

    Where the pool is not all that was searched: ``background``, as these, of leaves drawn evenly from all, and
    ``spreads``, how the scores "lexical" and "coverage" lie over all.
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
    background: SearchScores | None = None
    spreads: Mapping[str, fusion.Spread] = field(default_factory=dict)


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
    ``nearest(query, n)``: the catalogue rows of the ``n`` leaves nearest to a vector; ``None``: compare all of them.
    It is asked only above ``settings.exact_below`` leaves; then every search scores all leaves that any of them finds,
    and no vectors are read but theirs and the background's.

    Vectors are encoded and compared in a thread of their own while words are searched in this one. The stages "encode"
    and "dense" are what either still takes after that.
    """
    laps, asked, leaves = Laps(), snapshot.asked, snapshot.leaves
    exact, every = len(asked) <= settings.exact_below, leaves.vectors
    if exact and settings.dense_weight:  # read here, for another thread would read another state of the catalogue
        # What a phrase leaves of a large library is read by itself, and the others' vectors stay where they are.
        if snapshot.passing is not None and len(leaves) > settings.exact_below:
            every = every.taken(snapshot.passing.mask)
        every.keep()
    near = None if exact else nearest
    searched = [
        _one_search(query, tokens, snapshot, every, near, lexical, settings, laps) for query, tokens in searches
    ]
    by_alias, pool = _by_alias(leaves, searched), asked
    if not exact:
        found = [_candidates(snapshot, one) for one in searched]
        if by_alias is not None:
            found.append((asked[fusion.best_first(by_alias[0][asked], POOL)],))
        pool = _with_family(snapshot, [best for one in found for best in one])

    def scores(places: NDArray[np.int64], own: Vectors | None) -> SearchScores:
        """What was found of some leaves. ``own``: their vectors, ``None`` where all were compared."""
        dense = _most([one.scored(places, own) for one in searched])
        if leaves.unencoded is not None:
            dense[leaves.unencoded[places]] = np.nan
        covered = [one.coverage[places] for one in searched if one.coverage is not None]
        return SearchScores(
            question,
            leaves,
            places,
            dense,
            _most([one.lexical[places] for one in searched]),
            laps.milliseconds,
            _most(covered) if covered else None,
            passing=snapshot.passing,
            alias=None if by_alias is None else by_alias[0][places],
            matched=None if by_alias is None else by_alias[1][places],
        )

    if exact:
        made = scores(pool, None)
        laps.end("dense")
        return made
    meant = any(one.query is not None for one in searched)
    around, vectors = snapshot.background
    made = scores(pool, leaves.vectors.of(pool) if meant else None)
    behind = scores(around, vectors() if meant else None)
    laps.end("dense")
    words = {"lexical": _most([one.lexical[asked] for one in searched])}
    if made.coverage is not None:
        words["coverage"] = _most([one.coverage[asked] for one in searched if one.coverage is not None])
    return replace(made, background=behind, spreads={name: fusion.Spread.of(one) for name, one in words.items()})


def _by_alias(leaves: LeafTable, searched: Sequence[_OneSearch]) -> tuple[fusion.Scores, NDArray[np.int64]] | None:
    """Of every leaf the cosine of the alias nearest to any of the texts, and which it is; ``None`` where none is asked.

    Exact, whatever the number of leaves: Chroma knows the leaves' own vectors alone.
    """
    aliases, queries = leaves.aliases, [one.query for one in searched if one.query is not None]
    if aliases is None or not queries:
        return None
    similar = np.max([products(aliases.vectors, query) for query in queries], axis=0).astype(np.float64)
    best, matched = np.full(len(leaves), -np.inf), np.full(len(leaves), -1)
    np.maximum.at(best, aliases.owners, similar)
    nearest = np.flatnonzero(similar == best[aliases.owners])
    matched[aliases.owners[nearest]] = nearest
    return np.where(matched < 0, np.nan, best), matched


@dataclass(frozen=True, slots=True, eq=False)
class _OneSearch:
    """What one text finds. ``query``: its vector, ``None`` where the search by meaning is off.

    ``similar``: cosines of the leaves that are searched, ``None`` where they are computed for a pool alone; ``near``:
    indices of the nearest then, unless ``None``.
    ``lexical``, ``coverage``: of all leaves, ``nan`` for one without any of its words or that is not searched;
    ``coverage`` ``None``: off.
    """

    query: Vectors | None
    similar: Vectors | None
    near: NDArray[np.int64] | None
    lexical: fusion.Scores
    coverage: fusion.Scores | None

    def scored(self, pool: NDArray[np.int64], own: Vectors | None) -> fusion.Scores:
        """Cosines of the leaves in ``pool``, float64; ``nan`` where the search by meaning is off."""
        similar = self.similar
        if similar is None and self.query is not None and own is not None and len(pool):
            similar = products(own, self.query)
        return np.full(len(pool), np.nan) if similar is None else similar.astype(np.float64)


def _one_search(
    query: Query,
    tokens: Sequence[str],
    snapshot: Snapshot,
    every: LeafVectors,
    nearest: Nearest | None,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    laps: Laps,
) -> _OneSearch:
    """``nearest`` ``None``: all leaves that are searched are compared, by ``every``: their vectors, or those of all.

    These are in memory then.
    """

    def compared() -> tuple[Vectors, float, Vectors | None, NDArray[np.int64] | None]:
        """The text's vector, when it was ready, and what is like it."""
        vector, encoded = query(), perf_counter()
        asked = snapshot.asked
        if not len(asked):  # an empty library has no dimension yet
            return vector, encoded, None, None
        if nearest is not None:
            return vector, encoded, None, nearest(vector, POOL)
        return vector, encoded, every.cosines(vector, None if len(every) == len(asked) else asked), None

    asking = _BESIDE.submit(compared) if settings.dense_weight else None
    try:
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
    finally:  # nothing goes on beside what has failed
        if asking:
            wait([asking])
    vector, encoded, similar, near = asking.result() if asking else (None, None, None, None)
    laps.end("encode", encoded)
    if nearest is not None and vector is not None and near is None:  # in this thread, for the reason above
        near = _nearest(snapshot, vector, POOL)
    elif near is not None:
        near = snapshot.index_of(near)
    laps.end("dense")
    return _OneSearch(vector, similar, near, words, covered)


def _nearest(snapshot: Snapshot, query: Vectors, count: int) -> NDArray[np.int64]:
    """Indices of the leaves nearest to a vector, of all that are searched."""
    similar = snapshot.leaves.vectors.cosines(query).astype(np.float64)
    if snapshot.passing is not None:
        similar[~snapshot.passing.mask] = np.nan
    return fusion.best_first(similar, count)


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


def _candidates(snapshot: Snapshot, one: _OneSearch) -> tuple[NDArray[np.int64], ...]:
    """What each search finds best, best first, as indices of leaves."""
    near = np.zeros(0, np.int64) if one.near is None else one.near[one.near >= 0]
    return near, fusion.best_first(one.lexical, POOL)


def _with_family(snapshot: Snapshot, found: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The leaves found, each best first, and with the best of them those beside them and in their parents, ascending;
    those that are searched.
    """
    groups, last = snapshot.groups, len(snapshot.leaves) - 1
    best = np.concatenate([one[:LIFTED] for one in found])
    lifted = np.zeros(int(groups[-1]) + 1 if len(groups) else 0, bool)
    lifted[groups[best]] = True
    chosen = lifted[groups]
    chosen[np.concatenate([np.maximum(best - 1, 0), np.minimum(best + 1, last), *found])] = True
    return np.flatnonzero(chosen if snapshot.passing is None else chosen & snapshot.passing.mask)


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
