"""Both searches over one snapshot of leaves, and the evidence beside them, before any fusion.

Below a measured size every leaf is scored exactly, so scores are standardised over all leaves. Above it, over the
union of both searches' candidates and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.search.ranking.snapshot import Snapshot
from core.settings import RetrievalSettings, Settings
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaves import LeafTable
from core.types import LexicalIndex, Vectors

# Above the exact size each search hands on this many candidates; ten times the default k keeps recall at k near 1.
POOL = 500

Nearest = Callable[[Vectors, int], NDArray[np.int64]]
Query = Callable[[], Vectors]


@dataclass(frozen=True, slots=True, eq=False)
class SearchScores:
    """What the searches say of every leaf before fusion. Settings with the same ``search_key`` share it.

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

    def with_timing(self, stage: str, milliseconds: float) -> SearchScores:
        """A copy that also accounts for a stage that ran before the searches."""
        return replace(self, timings_ms={stage: milliseconds, **self.timings_ms})


def search_key(settings: RetrievalSettings) -> Hashable:
    """Equal for settings under which ``search_leaves`` finds the same.

    >>> search_key(RetrievalSettings()) == search_key(RetrievalSettings(fusion="rrf", neighbour_share=0))
    True
    """
    lexical = (settings.lexical_engine, *settings.boosts.items()) if settings.lexical_weight else None
    covering = settings.lexical_engine if settings.coverage_weight else None
    return bool(settings.dense_weight), lexical, covering, settings.exact_below


def search_scores_key(settings: Settings) -> Hashable:
    """Equal for settings under which ``Searcher.find`` finds the same.

    >>> search_scores_key(Settings()) == search_scores_key(Settings().with_value("retrieval.neighbour_share", 0.5))
    True
    """
    asked = settings.understanding
    written = asked.rewrite, asked.decompose, asked.imagined_answers
    return search_key(settings.retrieval), asked.filters, written


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
    laps, within = Laps(), _SearchedLeaves.of(snapshot)
    exact = len(within.asked) <= settings.exact_below
    searched = [_one_search(*one, within, exact, lexical, settings, laps) for one in searches]
    by_alias, pool, at = _by_alias(snapshot.leaves, searched), within.asked, None
    if not exact:
        found = (
            []
            if by_alias is None
            else [_around(within, within.asked[fusion.best_first(by_alias[0][within.asked], POOL)])]
        )
        pool = np.unique(np.concatenate([*(_pool(within, one, nearest) for one in searched), *found]))
        at = within.places[pool] if within.places is not None else pool
    dense = _most([one.scored(snapshot.leaves.vectors, pool) for one in searched])
    if snapshot.leaves.unencoded is not None:
        dense[snapshot.leaves.unencoded[pool]] = np.nan
    laps.end("dense")
    words = _most([one.lexical if at is None else one.lexical[at] for one in searched])
    covered = [one.coverage if at is None else one.coverage[at] for one in searched if one.coverage is not None]
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
class _SearchedLeaves:
    """The leaves that are searched; every array of a search is aligned with ``asked``.

    ``asked``: their indices in the snapshot, ascending. ``places``: ``(n,)`` int64, the position of each leaf of the
    snapshot in ``asked``, -1 for a leaf that is not searched; ``None`` where all leaves are.
    """

    snapshot: Snapshot
    asked: NDArray[np.int64]
    places: NDArray[np.int64] | None

    @classmethod
    def of(cls, snapshot: Snapshot) -> _SearchedLeaves:
        places = None
        if snapshot.passing is not None:
            mask = snapshot.passing.mask
            places = np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int64)
        return cls(snapshot, snapshot.asked, places)

    def places_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in ``asked`` of catalogue rows; -1 for a row that is not searched or is newer than the snapshot."""
        found = self.snapshot.index_of(rows)
        return found if self.places is None or not len(self.places) else np.where(found < 0, -1, self.places[found])

    def similar(self, query: Vectors) -> Vectors:
        """``(len(asked),)`` float32: cosines of the searched leaves to a query of unit norm."""
        # Copying the vectors of many leaves costs more than multiplying all of them.
        vectors = self.snapshot.leaves.vectors
        if self.places is None:
            return vectors @ query
        return vectors[self.asked] @ query if 4 * len(self.asked) <= len(vectors) else (vectors @ query)[self.asked]


@dataclass(frozen=True, slots=True, eq=False)
class _OneSearch:
    """What one text finds. Arrays are aligned with ``_SearchedLeaves.asked``.

    ``query``: its vector, ``None`` where the search by meaning is off. ``similar``: cosines, ``None`` where they are
    not computed for all leaves. ``lexical``: ``nan`` for a leaf without any of its words. ``coverage``: ``None``: off.
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
    within: _SearchedLeaves,
    exact: bool,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    laps: Laps,
) -> _OneSearch:
    with ThreadPoolExecutor(1, "encode") as beside:
        asking = beside.submit(_compared, query, within if exact else None) if settings.dense_weight else None
        words = _lexical_scores(tokens, within, lexical, settings)
        laps.end("lexical")
        covered = None
        if settings.coverage_weight:
            covered = _coverage(tokens, within, lexical)
            laps.end("coverage")
        asked = asking.result() if asking else None
    laps.end("encode", None if asked is None else asked.encoded)
    laps.end("dense")
    return _OneSearch(asked.query if asked else None, asked.similar if asked else None, words, covered)


@dataclass(frozen=True, slots=True, eq=False)
class _EncodedQuestion:
    """A text's vector, the time by ``perf_counter`` when it was ready, and its cosines to all searched leaves.

    ``similar``: ``None`` where only a pool of leaves will be compared.
    """

    query: Vectors
    encoded: float
    similar: Vectors | None


def _compared(query: Query, within: _SearchedLeaves | None) -> _EncodedQuestion:
    asked, encoded = query(), perf_counter()
    if within is None or not len(within.asked):  # an empty library has no dimension yet
        return _EncodedQuestion(asked, encoded, None)
    return _EncodedQuestion(asked, encoded, within.similar(asked))


def _most(scores: Sequence[fusion.Scores]) -> fusion.Scores:
    return scores[0] if len(scores) == 1 else np.asarray(np.fmax.reduce(scores))


def _lexical_scores(
    tokens: Sequence[str], within: _SearchedLeaves, lexical: LexicalIndex, settings: RetrievalSettings
) -> fusion.Scores:
    """Of every leaf that is searched, ``nan`` where it holds no token."""
    scores = np.full(len(within.asked), np.nan)
    if tokens and settings.lexical_weight and len(scores):
        rows, weights = lexical.search(tokens, settings.boosts)
        places = within.places_of(rows)
        # A row the snapshot does not know was written after it: the next question sees it.
        known = places >= 0
        scores[places[known]] = weights[known]
    return scores


def _coverage(tokens: Sequence[str], within: _SearchedLeaves, lexical: LexicalIndex) -> fusion.Scores:
    """Of every leaf that is searched; the others lend nothing, but still stand between those that are."""
    snapshot, asked = within.snapshot, within.asked
    if not tokens or not len(asked):
        return np.full(len(asked), np.nan)
    places = (within.places_of(rows) for rows in lexical.holding(tokens).values())
    documents, groups = snapshot.leaves.documents, snapshot.groups
    if within.places is not None:
        # Leaves with another between them are no neighbours, as if they were of two documents.
        apart = (documents[asked][1:] != documents[asked][:-1]) | (asked[1:] != asked[:-1] + 1)
        documents, groups = np.append(0, np.cumsum(apart)).astype(np.int32), groups[asked]
    return fusion.coverage([found[found >= 0] for found in places], documents, groups)


def _pool(within: _SearchedLeaves, one: _OneSearch, nearest: Nearest) -> NDArray[np.int64]:
    """Both searches' candidates with their neighbours in text order, as ascending indices of leaves."""
    near = nearest(one.query, POOL) if one.query is not None else np.zeros(0, dtype=np.int64)
    found = within.snapshot.index_of(near)
    held = np.flatnonzero(~np.isnan(one.lexical))
    best = held[np.argsort(-one.lexical[held], kind="stable")[:POOL]]
    return _around(within, np.concatenate([found[found >= 0], within.asked[best]]))


def _around(within: _SearchedLeaves, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leaves with their neighbours in text order, ascending; those that are searched."""
    around = np.concatenate([chosen - 1, chosen, chosen + 1])
    inside = np.unique(around[(around >= 0) & (around < len(within.snapshot.leaves))])
    return inside if within.places is None else inside[within.places[inside] >= 0]


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
