"""Both searches over one state of the leaves, with the evidence beside them, before any fusion.

Of a few thousand leaves every one is scored. Of more the best of both searches and those beside them are, and a
background of leaves drawn evenly tells how scores lie over all of them: so a leaf is worth the same either way, and
what is done for a question behind its searches does not grow with the library.
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
from core.search.ranking.snapshot import RUN, RUNS, Snapshot
from core.settings import RetrievalSettings, Settings
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaf_vectors import LeafVectors, products
from core.storage.index.leaves import LeafTable
from core.types import LexicalIndex, Vectors

# Of more leaves than ``WHOLE`` each search hands on this many; ten times the default k keeps recall at k near 1.
POOL = 500
# What stands in the parent of one of so many of each search's best, or beside it, is scored too: these lend to it.
LIFTED = 200
# Up to so many leaves every one is a candidate: that costs as much as choosing some of them.
WHOLE = RUNS * RUN

_BESIDE = ThreadPoolExecutor(16, "encode")  # questions that are read at once; a thread is begun when one is needed

Nearest = Callable[[Vectors, int], NDArray[np.int64] | None]
QueryVector = Callable[[], Vectors]


@dataclass(frozen=True, slots=True, eq=False)
class SearchScores:
    """What the searches say of a pool of leaves before fusion. Settings with the same ``search_scores_key`` share it.

    ``pool``: indices into ``leaves``, ascending. ``dense``, ``lexical``: float64, aligned with it, ``nan`` where a
    search did not rank the leaf. ``coverage``: as them, by ``fusion.coverage``; ``None`` where it is off.
    ``timings_ms`` by stage. ``passing``: of the snapshot. ``alias``: as ``dense``, the best cosine of what else a leaf
    is found by, and ``matched``, int64, the place of that in ``leaves.aliases``, -1 for none; ``None`` without any.

    Where the pool is not all that was searched: ``background``, as these, of leaves drawn evenly from all, and
    ``spreads``, how the scores "lexical" and "coverage" lie over all; "dense" too, where all were compared.
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
    searches: Sequence[tuple[QueryVector, Sequence[str]]],
    snapshot: Snapshot,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    nearest: Nearest,
) -> SearchScores:
    """Both searches over the leaves, for a question and its parts; a leaf gets the best score of any of them.

    ``searches``: for each text to look for, ``query()`` and its analysed tokens. ``query()`` returns the text's vector,
    ``(d,)`` float32 of unit norm; it is not called where ``settings.dense_weight`` is 0.
    ``nearest(query, n)``: the catalogue rows of the ``n`` leaves nearest to a vector; ``None``: compare all of them.
    It is asked only above ``settings.exact_below`` leaves; then no vectors are read but those of the leaves that any
    search finds, which all of them score, and the background's.

    Vectors are encoded and compared in a thread of their own while words are searched in this one. The stages "encode"
    and "dense" are what either still takes after that.
    """
    timer, leaves, count = StageTimer(), snapshot.leaves, snapshot.count
    exact, every = count <= settings.exact_below, leaves.vectors
    if exact and settings.dense_weight:  # read here, for another thread would read another state of the catalogue
        # What a phrase leaves of a large library is read by itself, and the others' vectors stay where they are.
        if snapshot.passing is not None and len(leaves) > settings.exact_below:
            every = every.subset(snapshot.passing.mask)
        every.load()
    near = None if exact else nearest
    searched = [
        _one_search(query, tokens, snapshot, every, near, lexical, settings, timer) for query, tokens in searches
    ]
    by_alias = _by_alias(leaves, searched)
    words = _joined_words([one.words for one in searched])
    meant = any(one.query is not None for one in searched)

    def similar(places: NDArray[np.int64], own: Vectors | None) -> fusion.Scores:
        dense = _most([one.scored(snapshot, places, own) for one in searched])
        if leaves.unencoded is not None:
            dense[leaves.unencoded[places]] = np.nan
        return dense

    def scores(places: NDArray[np.int64], vectors: Callable[[], Vectors]) -> SearchScores:
        """What was found of some leaves. ``vectors``: theirs, read where not all were compared."""
        dense = similar(places, vectors() if meant and not exact else None)
        covered = [one.coverage[places] for one in searched if one.coverage is not None]
        return SearchScores(
            question,
            leaves,
            places,
            dense,
            words.of(leaves.rows[places]),
            timer.milliseconds,
            _most(covered) if covered else None,
            passing=snapshot.passing,
            alias=None if by_alias is None else by_alias[0][places],
            matched=None if by_alias is None else by_alias[1][places],
        )

    if exact and count <= WHOLE:
        made = scores(snapshot.asked, leaves.vectors.of)
        timer.end("dense")
        return made
    found = [best for one in searched for best in _candidates(snapshot, one)]
    if by_alias is not None:
        asked = snapshot.asked
        found.append(asked[fusion.best_first(by_alias[0][asked], POOL)])
    pool = _with_family(snapshot, found)
    made = scores(pool, lambda: leaves.vectors.of(pool))
    behind = scores(*snapshot.background)
    spreads = {"lexical": words.spread(count)}
    if exact and meant:
        every_leaf = similar(snapshot.asked, None)
        if by_alias is not None:
            every_leaf = np.fmax(every_leaf, by_alias[0][snapshot.asked])
        spreads["dense"] = fusion.Spread.of(fusion.averaged(every_leaf))
    if made.coverage is not None:
        covered = _most([one.coverage for one in searched if one.coverage is not None])
        spreads["coverage"] = fusion.Spread.of(covered if snapshot.passing is None else covered[snapshot.asked])
    timer.end("dense")
    return replace(made, background=behind, spreads=spreads)


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
class _Words:
    """What words find of the leaves that are searched. ``rows``: (m,) int64, ascending. ``scores``: (m,) float64.

    ``places``: (m,) int64, indices of the leaves.
    """

    rows: NDArray[np.int64]
    scores: fusion.Scores
    places: NDArray[np.int64]

    @classmethod
    def found(cls, rows: NDArray[np.int64], scores: Vectors, snapshot: Snapshot) -> _Words:
        """Of what an index found. A row the snapshot does not know is of another part, or was written after it."""
        places = snapshot.index_of(rows)
        inside = places >= 0
        if snapshot.passing is not None:
            inside &= snapshot.passing.mask[places]
        if not inside.all():
            rows, scores, places = rows[inside], scores[inside], places[inside]
        return cls(rows, scores.astype(np.float64), places)

    def of(self, rows: NDArray[np.int64]) -> fusion.Scores:
        """The scores of some rows, ``nan`` for one without any of the words."""
        if not len(self.rows):
            return np.full(len(rows), np.nan)
        at = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[at] == rows, self.scores[at], np.nan)

    def spread(self, count: int) -> fusion.Spread:
        """Over so many leaves, these among them."""
        return fusion.Spread.of(self.scores, np.zeros(1) if len(self.scores) < count else None, count)


def _joined_words(found: Sequence[_Words]) -> _Words:
    """Of each leaf the best score that any of the texts has for it."""
    if len(found) == 1:
        return found[0]
    rows, first, inverse = np.unique(
        np.concatenate([one.rows for one in found]), return_index=True, return_inverse=True
    )
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, inverse, np.concatenate([one.scores for one in found]))
    return _Words(rows, best, np.concatenate([one.places for one in found])[first])


@dataclass(frozen=True, slots=True, eq=False)
class _OneSearch:
    """What one text finds. ``query``: its vector, ``None`` where the search by meaning is off.

    ``similar``: cosines of the leaves that are searched, ``None`` where they are computed for a pool alone; ``near``:
    indices of the nearest, ``None`` where all are in the pool.
    ``coverage``: of all leaves, ``nan`` for one without any of the words around it or that is not searched; ``None``:
    off.
    """

    query: Vectors | None
    similar: Vectors | None
    near: NDArray[np.int64] | None
    words: _Words
    coverage: fusion.Scores | None

    def scored(self, snapshot: Snapshot, pool: NDArray[np.int64], own: Vectors | None) -> fusion.Scores:
        """Cosines of the leaves in ``pool``, float64; ``nan`` where the search by meaning is off."""
        similar = self.similar
        if similar is not None and len(pool) < len(similar):
            similar = similar[pool if snapshot.passing is None else np.searchsorted(snapshot.asked, pool)]
        elif similar is None and self.query is not None and own is not None and len(pool):
            similar = products(own, self.query)
        return np.full(len(pool), np.nan) if similar is None else similar.astype(np.float64)


def _one_search(
    query: QueryVector,
    tokens: Sequence[str],
    snapshot: Snapshot,
    every: LeafVectors,
    nearest: Nearest | None,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    timer: StageTimer,
) -> _OneSearch:
    """``nearest`` ``None``: all leaves that are searched are compared, by ``every``: their vectors, or those of all.

    These are in memory then.
    """

    def compared() -> tuple[Vectors, float, Vectors | None, NDArray[np.int64] | None]:
        """The text's vector, when it was ready, and what is like it."""
        vector, encoded = query(), perf_counter()
        if not snapshot.count:  # an empty library has no dimension yet
            return vector, encoded, None, None
        if nearest is not None:
            return vector, encoded, None, nearest(vector, POOL)
        return vector, encoded, every.cosines(vector, None if len(every) == snapshot.count else snapshot.asked), None

    asking = _BESIDE.submit(compared) if settings.dense_weight else None
    try:
        rows, weights = np.zeros(0, np.int64), np.zeros(0, np.float32)
        if tokens and settings.lexical_weight and len(snapshot.leaves):
            rows, weights = lexical.search(tokens, settings.boosts)
        words = _Words.found(rows, weights, snapshot)
        timer.end("lexical")
        covered = None
        if settings.coverage_weight:
            covered = _coverage(tokens, snapshot, lexical)
            timer.end("coverage")
    finally:  # nothing goes on beside what has failed
        if asking:
            wait([asking])
    vector, encoded, similar, near = asking.result() if asking else (None, None, None, None)
    timer.end("encode", encoded)
    if nearest is not None and vector is not None and near is None:  # in this thread, for the reason above
        near = _nearest(snapshot, vector, POOL)
    elif near is not None:
        near = snapshot.index_of(near)
    elif similar is not None and len(similar) > WHOLE:
        near = fusion.best_first(similar, POOL)
        near = near if snapshot.passing is None else snapshot.asked[near]
    timer.end("dense")
    return _OneSearch(vector, similar, near, words, covered)


def _nearest(snapshot: Snapshot, query: Vectors, count: int) -> NDArray[np.int64]:
    """Indices of the leaves nearest to a vector, of all that are searched."""
    similar = snapshot.leaves.vectors.cosines(query)
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
    if snapshot.passing is None:
        return fusion.coverage(holders, snapshot.joined, snapshot.begins)
    mask = snapshot.passing.mask
    among = np.cumsum(mask) - 1
    # Leaves with another between them are no neighbours, as if they were of two documents.
    joined = snapshot.joined[asked] & np.append(False, asked[1:] == asked[:-1] + 1)
    begins = fusion.begins(snapshot.groups[asked])
    covered[asked] = fusion.coverage([among[held[mask[held]]] for held in holders], joined, begins)
    return covered


def _candidates(snapshot: Snapshot, one: _OneSearch) -> tuple[NDArray[np.int64], ...]:
    """What each search finds best, best first, as indices of leaves."""
    near = np.zeros(0, np.int64) if one.near is None else one.near[one.near >= 0]
    return near, one.words.places[fusion.best_first(one.words.scores, POOL)]


def _with_family(snapshot: Snapshot, found: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The leaves found, each best first, and with the best of them those beside them and in their parents, ascending;
    those that are searched.
    """
    best, last = np.concatenate([one[:LIFTED] for one in found]), len(snapshot.leaves) - 1
    parents = np.unique(snapshot.groups[best])
    ends = np.append(snapshot.begins, last + 1)
    sizes = ends[parents + 1] - ends[parents]
    family = np.arange(sizes.sum()) + np.repeat(ends[parents + 1] - np.cumsum(sizes), sizes)
    chosen = np.unique(np.concatenate([family, np.maximum(best - 1, 0), np.minimum(best + 1, last), *found]))
    return chosen if snapshot.passing is None else chosen[snapshot.passing.mask[chosen]]


class StageTimer:
    """Milliseconds by stage, each from the end of the one before; a stage that runs twice is summed."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._clock = perf_counter()

    def end(self, stage: str, at: float | None = None) -> None:
        """The stage ends now, or did ``at``: one that another thread ended before this one came to it took nothing."""
        now = perf_counter() if at is None else max(at, self._clock)
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._clock) * 1000
        self._clock = now
