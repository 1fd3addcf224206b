"""Dense and lexical search over one snapshot of the leaves, and term coverage; no fusion yet.

Up to a few thousand leaves, all are scored. In larger libraries only a pool is: the best leaves of each search, their
neighbours and their siblings. An even sample of all leaves, the background, then estimates the distribution of each
score over the whole library, by which fusion scales scores. So a leaf gets about the same score either way, and the
cost of the stages after the searches does not grow with the library.
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
from core.storage.catalogue.filing.conditions import Passing
from core.storage.index.leaf_vectors import LeafVectors, products
from core.storage.index.leaves import LeafTable
from core.types import LexicalIndex, Vectors

# Above ``SCORE_ALL`` leaves, each search contributes this many to the pool; ten times the default k keeps recall at k
# near 1.
POOL = 500
# The pool also gets the neighbours and siblings of this many best leaves of each search, whose scores depend on them.
WITH_RELATIVES = 200
# Up to this many leaves, all are scored: choosing a pool would cost as much.
SCORE_ALL = RUNS * RUN

_DENSE_THREADS = ThreadPoolExecutor(16, "encode")  # bounds the questions encoded at once; threads start on demand

Nearest = Callable[[Vectors, int], NDArray[np.int64] | None]
QueryVector = Callable[[], Vectors]


@dataclass(frozen=True, slots=True, eq=False)
class SearchScores:
    """The scores of a pool of leaves before fusion. Settings with the same ``search_scores_key`` share it.

    ``pool``: indices into ``leaves``, ascending; the score arrays are aligned with it. ``dense`` (cosine), ``lexical``:
    float64, ``nan`` where a search did not rank the leaf. ``coverage``: from ``fusion.coverage``; ``None`` when off.
    ``alias``: the highest cosine of a leaf's aliases, further texts it can be found by; ``nearest_alias``: int64, the
    index of that alias in ``leaves.aliases``, -1 for none; both ``None`` without aliases. ``passing``: the snapshot's.
    ``timings_ms`` by stage.

    When the pool is not all that was searched: ``background``, the scores of an even sample of all leaves;
    ``distributions``, of the scores "lexical" and "coverage" over all leaves, and of "dense" if all were compared.
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
    nearest_alias: NDArray[np.int64] | None = None
    background: SearchScores | None = None
    distributions: Mapping[str, fusion.ScoreDistribution] = field(default_factory=dict)


def search_scores_key(settings: Settings) -> Hashable:
    """A key that is equal for settings under which ``Searcher.find`` returns the same.

    >>> search_scores_key(Settings()) == search_scores_key(Settings().with_value("retrieval.neighbour_share", 0.5))
    True
    """
    retrieval = settings.retrieval
    lexical, coverage = bool(retrieval.lexical_weight), bool(retrieval.coverage_weight)
    engine = retrieval.lexical_engine if lexical or coverage else None
    return bool(retrieval.dense_weight), lexical, coverage, engine, retrieval.exact_below, settings.understanding


def order_key(settings: Settings) -> Hashable:
    """A key that is equal for settings under which ``Searcher.order`` ranks the same scores alike.

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
    """Dense and lexical search over the leaves, for a question and its parts; a leaf gets its best score of any text.

    ``searches``: for each text, a function that returns its vector, ``(d,)`` float32 of unit norm, and its analysed
    tokens. The function is not called when ``settings.dense_weight`` is 0.
    ``nearest(vector, n)``: the catalogue rows of the ``n`` leaves nearest to a vector; ``None`` to compare all instead.
    It is called only above ``settings.exact_below`` leaves; then only the vectors of the pool and of the background are
    read.

    Encoding and dense search run in a second thread during lexical search. So the timings "encode" and "dense" are the
    time they take beyond it.
    """
    timer, leaves, count = StageTimer(), snapshot.leaves, snapshot.count
    exact, vectors = count <= settings.exact_below, leaves.vectors
    if exact and settings.dense_weight:  # in this thread: another one would read another state of the catalogue
        # Where conditions leave few leaves of a large library, only the vectors of these are loaded into memory.
        if snapshot.passing is not None and len(leaves) > settings.exact_below:
            vectors = vectors.subset(snapshot.passing.mask)
        vectors.load()
    results = [
        _search_text(encode, tokens, snapshot, vectors, None if exact else nearest, lexical, settings, timer)
        for encode, tokens in searches
    ]
    alias_scores = _alias_scores(leaves, results)
    lexical_scores = _best_lexical([result.lexical for result in results])
    searched_by_vector = any(result.vector is not None for result in results)

    def dense_scores(indices: NDArray[np.int64], own_vectors: Vectors | None) -> fusion.Scores:
        scores = _maximum([result.cosines_of(snapshot, indices, own_vectors) for result in results])
        if leaves.unencoded is not None:
            scores[leaves.unencoded[indices]] = np.nan
        return scores

    def scores_of(indices: NDArray[np.int64], read_vectors: Callable[[], Vectors]) -> SearchScores:
        """The scores of some leaves. ``read_vectors``: called for their vectors when not all were compared."""
        dense = dense_scores(indices, read_vectors() if searched_by_vector and not exact else None)
        coverage = [result.coverage[indices] for result in results if result.coverage is not None]
        return SearchScores(
            question,
            leaves,
            indices,
            dense,
            lexical_scores.of(leaves.rows[indices]),
            timer.milliseconds,
            _maximum(coverage) if coverage else None,
            passing=snapshot.passing,
            alias=None if alias_scores is None else alias_scores[0][indices],
            nearest_alias=None if alias_scores is None else alias_scores[1][indices],
        )

    if exact and count <= SCORE_ALL:
        scores = scores_of(snapshot.searched, leaves.vectors.of)
        timer.end("dense")
        return scores
    searched = snapshot.searched
    best = [leaves_found for result in results for leaves_found in _best_leaves(result)]
    if alias_scores is not None:
        best.append(searched[fusion.best_first(alias_scores[0][searched], POOL)])
    pool = _with_relatives(snapshot, best)
    scores = scores_of(pool, lambda: leaves.vectors.of(pool))
    background = scores_of(*snapshot.background)
    distributions = {"lexical": lexical_scores.distribution(count)}
    if exact and searched_by_vector:
        all_dense = dense_scores(searched, None)
        if alias_scores is not None:
            all_dense = np.fmax(all_dense, alias_scores[0][searched])
        distributions["dense"] = fusion.ScoreDistribution.of(fusion.fill_with_mean(all_dense))
    if scores.coverage is not None:
        all_coverage = _maximum([result.coverage for result in results if result.coverage is not None])
        distributions["coverage"] = fusion.ScoreDistribution.of(all_coverage[searched])
    timer.end("dense")
    return replace(scores, background=background, distributions=distributions)


def _alias_scores(leaves: LeafTable, results: Sequence[_TextSearch]) -> tuple[fusion.Scores, NDArray[np.int64]] | None:
    """For every leaf, the cosine of its alias nearest to any of the texts, and the index of that alias, -1 for none.

    ``None`` without aliases or dense search. All are compared, in large libraries too: Chroma has no aliases.
    """
    aliases, queries = leaves.aliases, [result.vector for result in results if result.vector is not None]
    if aliases is None or not queries:
        return None
    cosines = np.max([products(aliases.vectors, query) for query in queries], axis=0).astype(np.float64)
    best, nearest_alias = np.full(len(leaves), -np.inf), np.full(len(leaves), -1)
    np.maximum.at(best, aliases.owners, cosines)
    nearest = np.flatnonzero(cosines == best[aliases.owners])
    nearest_alias[aliases.owners[nearest]] = nearest
    return np.where(nearest_alias < 0, np.nan, best), nearest_alias


@dataclass(frozen=True, slots=True, eq=False)
class _LexicalScores:
    """The searched leaves that contain a query term: ``(m,)`` ``rows`` int64, ascending, their ``scores`` float64, and
    their ``indices`` int64 in the leaf table.
    """

    rows: NDArray[np.int64]
    scores: fusion.Scores
    indices: NDArray[np.int64]

    @classmethod
    def among(cls, snapshot: Snapshot, rows: NDArray[np.int64], scores: Vectors) -> _LexicalScores:
        """An index's result without the rows that are not searched: outside the part, or written after the snapshot."""
        indices = snapshot.index_of(rows)
        searched = indices >= 0
        if snapshot.passing is not None:
            searched &= snapshot.passing.mask[indices]
        if not searched.all():
            rows, scores, indices = rows[searched], scores[searched], indices[searched]
        return cls(rows, scores.astype(np.float64), indices)

    def of(self, rows: NDArray[np.int64]) -> fusion.Scores:
        """The scores of some rows; ``nan`` for a row without a query term."""
        if not len(self.rows):
            return np.full(len(rows), np.nan)
        indices = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[indices] == rows, self.scores[indices], np.nan)

    def distribution(self, count: int) -> fusion.ScoreDistribution:
        """The distribution over ``count`` searched leaves; those without a query term score 0."""
        return fusion.ScoreDistribution.of(self.scores, np.zeros(1) if len(self.scores) < count else None, count)


def _best_lexical(results: Sequence[_LexicalScores]) -> _LexicalScores:
    """The best score of each leaf over all texts."""
    if len(results) == 1:
        return results[0]
    rows, first, inverse = np.unique(
        np.concatenate([result.rows for result in results]), return_index=True, return_inverse=True
    )
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, inverse, np.concatenate([result.scores for result in results]))
    return _LexicalScores(rows, best, np.concatenate([result.indices for result in results])[first])


@dataclass(frozen=True, slots=True, eq=False)
class _TextSearch:
    """The result of searching one text.

    ``vector``: the text's vector, ``None`` when dense search is off. ``cosines``: of all searched leaves, ``None`` when
    they are computed for the pool only. ``nearest``: indices of the nearest leaves, -1 for one that is not searched;
    ``None`` when all leaves are in the pool. ``coverage``: of every leaf, ``nan`` for one that is not searched or has
    no query term around it; ``None`` when off.
    """

    vector: Vectors | None
    cosines: Vectors | None
    nearest: NDArray[np.int64] | None
    lexical: _LexicalScores
    coverage: fusion.Scores | None

    def cosines_of(self, snapshot: Snapshot, indices: NDArray[np.int64], own_vectors: Vectors | None) -> fusion.Scores:
        """The cosines of some searched leaves, float64; ``nan`` when dense search is off.

        ``own_vectors``: the vectors of these leaves, needed when not all leaves were compared.
        """
        cosines = self.cosines
        if cosines is not None and len(indices) < len(cosines):
            cosines = cosines[indices if snapshot.passing is None else np.searchsorted(snapshot.searched, indices)]
        elif cosines is None and self.vector is not None and own_vectors is not None and len(indices):
            cosines = products(own_vectors, self.vector)
        return np.full(len(indices), np.nan) if cosines is None else cosines.astype(np.float64)


def _search_text(
    encode: QueryVector,
    tokens: Sequence[str],
    snapshot: Snapshot,
    vectors: LeafVectors,
    nearest: Nearest | None,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    timer: StageTimer,
) -> _TextSearch:
    """Dense search, lexical search and coverage of one text.

    ``nearest`` ``None``: the text is compared with all searched leaves by ``vectors``, which are in memory and those of
    either the searched leaves or all leaves.
    """

    def dense_search() -> tuple[Vectors, float, Vectors | None, NDArray[np.int64] | None]:
        """The text's vector, the time when it was encoded, and either all cosines or the rows of the nearest."""
        vector, encoded_at = encode(), perf_counter()
        if not snapshot.count:  # an empty library has no dimension yet
            return vector, encoded_at, None, None
        if nearest is not None:
            return vector, encoded_at, None, nearest(vector, POOL)
        compared = None if len(vectors) == snapshot.count else snapshot.searched
        return vector, encoded_at, vectors.cosines(vector, compared), None

    dense = _DENSE_THREADS.submit(dense_search) if settings.dense_weight else None
    try:
        rows, scores = np.zeros(0, np.int64), np.zeros(0, np.float32)
        if tokens and settings.lexical_weight and len(snapshot.leaves):
            rows, scores = lexical.search(tokens)
        lexical_scores = _LexicalScores.among(snapshot, rows, scores)
        timer.end("lexical")
        coverage = None
        if settings.coverage_weight:
            coverage = _coverage(tokens, snapshot, lexical)
            timer.end("coverage")
    finally:  # if lexical search failed, the other thread must not go on without this one
        if dense:
            wait([dense])
    vector, encoded_at, cosines, nearest_rows = dense.result() if dense else (None, None, None, None)
    timer.end("encode", encoded_at)
    indices = None
    if nearest_rows is not None:
        indices = snapshot.index_of(nearest_rows)
    elif nearest is not None and vector is not None:  # in this thread, which reads one state of the catalogue
        indices = _nearest_exactly(snapshot, vector, POOL)
    elif cosines is not None and len(cosines) > SCORE_ALL:
        indices = snapshot.searched[fusion.best_first(cosines, POOL)]
    timer.end("dense")
    return _TextSearch(vector, cosines, indices, lexical_scores, coverage)


def _nearest_exactly(snapshot: Snapshot, vector: Vectors, count: int) -> NDArray[np.int64]:
    """Indices of the ``count`` searched leaves nearest to a vector, after comparing all."""
    cosines = snapshot.leaves.vectors.cosines(vector)
    if snapshot.passing is not None:
        cosines[~snapshot.passing.mask] = np.nan
    return fusion.best_first(cosines, count)


def _maximum(scores: Sequence[fusion.Scores]) -> fusion.Scores:
    return scores[0] if len(scores) == 1 else np.asarray(np.fmax.reduce(scores))


def _coverage(tokens: Sequence[str], snapshot: Snapshot, lexical: LexicalIndex) -> fusion.Scores:
    """``fusion.coverage`` of every leaf; ``nan`` for one that is not searched, whose terms count for no other leaf."""
    coverage, searched = np.full(len(snapshot.leaves), np.nan), snapshot.searched
    if not tokens or not len(searched):
        return coverage
    indices = (snapshot.index_of(rows) for rows in lexical.holding(tokens).values())
    postings = [leaves[leaves >= 0] for leaves in indices]
    if snapshot.passing is None:
        return fusion.coverage(postings, snapshot.continues_document, snapshot.group_starts)
    mask = snapshot.passing.mask
    index_among_searched = np.cumsum(mask) - 1
    postings = [index_among_searched[leaves[mask[leaves]]] for leaves in postings]
    # Searched leaves are neighbours only if no other leaf stands between them.
    adjacent = snapshot.continues_document[searched] & np.append(False, searched[1:] == searched[:-1] + 1)
    coverage[searched] = fusion.coverage(postings, adjacent, fusion.group_starts(snapshot.groups[searched]))
    return coverage


def _best_leaves(result: _TextSearch) -> tuple[NDArray[np.int64], ...]:
    """Indices of the leaves that dense search and lexical search rank highest, best first."""
    nearest = np.zeros(0, np.int64) if result.nearest is None else result.nearest[result.nearest >= 0]
    return nearest, result.lexical.indices[fusion.best_first(result.lexical.scores, POOL)]


def _with_relatives(snapshot: Snapshot, results: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The pool: the leaves of all results, and the neighbours and siblings of the best of each; searched ones only.

    ``results``: indices of leaves, each best first. Returns ascending indices.
    """
    best, last = np.concatenate([result[:WITH_RELATIVES] for result in results]), len(snapshot.leaves) - 1
    groups = np.unique(snapshot.groups[best])
    bounds = np.append(snapshot.group_starts, last + 1)
    sizes = bounds[groups + 1] - bounds[groups]
    # All ranges [bounds[group], bounds[group + 1]) in one array.
    siblings = np.arange(sizes.sum()) + np.repeat(bounds[groups + 1] - np.cumsum(sizes), sizes)
    pool = np.unique(np.concatenate([siblings, np.maximum(best - 1, 0), np.minimum(best + 1, last), *results]))
    return pool if snapshot.passing is None else pool[snapshot.passing.mask[pool]]


class StageTimer:
    """Milliseconds by stage, each measured from the end of the previous one; a stage that runs twice is summed."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._clock = perf_counter()

    def end(self, stage: str, at: float | None = None) -> None:
        """Record that a stage ended now, or earlier ``at`` a ``perf_counter`` time, in another thread.

        A stage that ended before the previous one took no time.
        """
        now = perf_counter() if at is None else max(at, self._clock)
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._clock) * 1000
        self._clock = now
