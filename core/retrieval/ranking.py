"""The ranking stages over one snapshot of leaves: both searches, the evidence beside them, fused, shared, kept.

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

from core.retrieval import evidence, feedback, fusion
from core.retrieval.analysis import NOTHING, Understanding
from core.retrieval.leaning import lean
from core.retrieval.snapshot import Snapshot
from core.settings import RetrievalSettings
from core.storage.conditions import Passing
from core.storage.leaves import LeafTable
from core.types import LexicalIndex, Vectors

STAGES = ("dense", "lexical", "fused", "neighbours")
"""What every ranking has; one of its own has more where more takes part: ``Ranking.scores`` names them all."""

# Above the exact size each search hands on this many candidates; ten times the default k keeps recall at k near 1.
POOL = 500

Nearest = Callable[[Vectors, int], NDArray[np.int64]]
Query = Callable[[], Vectors]

UNFOUND = "neither search found it, nor a neighbour of it"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """What every stage thought of every leaf in the pool.

    ``pool``: indices into ``leaves``, ascending. ``scores[stage]``: float64, aligned with ``pool``, ``nan`` where the
    stage did not rank the leaf; in the order of the stages, the last of which decides. ``kept``: positions in ``pool``,
    best first. ``dropped``: reason by position, for those a threshold removed or no search found. ``timings_ms`` by
    stage. ``probabilities``: float64, aligned with ``pool``, that a leaf answers, ``nan`` where no re-ranker read it;
    ``None`` where none did whose scores are calibrated. ``passing``: which of ``leaves`` conditions let through, and
    what must not be read beside them; ``None`` where they leave out nothing.
    """

    question: str
    leaves: LeafTable
    settings: RetrievalSettings
    pool: NDArray[np.int64]
    scores: Mapping[str, fusion.Scores]
    kept: NDArray[np.int64]
    dropped: Mapping[int, str]
    timings_ms: Mapping[str, float]
    understood: Understanding = NOTHING
    notes: tuple[str, ...] = ()
    probabilities: fusion.Scores | None = None
    passing: Passing | None = None

    @property
    def final(self) -> fusion.Scores:
        """The scores that decided the order."""
        return self.scores[list(self.scores)[-1]]

    @property
    def broad(self) -> fusion.Scores:
        """The last scores that the whole pool was given: the stages behind them looked at the kept leaves alone."""
        return self.scores["leaning" if "leaning" in self.scores else "neighbours"]

    @property
    def likeliest(self) -> float | None:
        """The highest of the ``probabilities``, ``None`` where there is none."""
        known = () if self.probabilities is None else self.probabilities[~np.isnan(self.probabilities)]
        return float(np.max(known)) if len(known) else None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the searches alone say, before any fusion: settings that search alike (``search_key``) share it.

    ``pool``: indices into ``leaves``, ascending. ``dense``, ``lexical``: float64, aligned with it, ``nan`` where a
    search did not rank the leaf. ``coverage``: as them, by ``evidence.coverage``; ``None`` where it is off.
    ``timings_ms`` by stage. ``passing``: of the snapshot.
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

    def with_timing(self, stage: str, milliseconds: float) -> Found:
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


def search_leaves(
    question: str,
    searches: Sequence[tuple[Query, Sequence[str]]],
    snapshot: Snapshot,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    nearest: Nearest,
) -> Found:
    """Both searches over the leaves, for a question and its parts: of every leaf what the most favourable one says.

    Each of ``searches``: ``query()``, ``(d,)`` float32, unit norm; a thread of its own encodes and compares while the
    words are searched here, and the time that either still takes behind them are the stages "encode" and "dense". It is
    not called where the search by meaning is off. And the analysed tokens. ``nearest(query, n)`` returns the catalogue
    rows nearest to the question, and is asked only above ``settings.exact_below`` leaves; then all that any of the
    searches finds is scored by every one of them.
    """
    laps, within = _Laps(), _Within.of(snapshot)
    exact = len(within.asked) <= settings.exact_below
    looked = [_looked(*one, within, exact, lexical, settings, laps) for one in searches]
    pool, at = within.asked, None
    if not exact:
        pool = np.unique(np.concatenate([_pool(within, one, nearest) for one in looked]))
        at = within.places[pool] if within.places is not None else pool
    dense = _most([one.scored(snapshot.leaves.vectors, pool) for one in looked])
    laps.end("dense")
    words = _most([one.lexical if at is None else one.lexical[at] for one in looked])
    covered = [one.coverage if at is None else one.coverage[at] for one in looked if one.coverage is not None]
    coverage = _most(covered) if covered else None
    timings = laps.milliseconds
    return Found(question, snapshot.leaves, pool, dense, words, timings, coverage, passing=snapshot.passing)


@dataclass(frozen=True, slots=True, eq=False)
class _Within:
    """The leaves that are searched, by which a search's arrays go. ``asked``: their indices, ascending.

    ``places``: (n,) where each leaf of the snapshot stands among them, -1 for nowhere; ``None`` where all are asked.
    """

    snapshot: Snapshot
    asked: NDArray[np.int64]
    places: NDArray[np.int64] | None

    @classmethod
    def of(cls, snapshot: Snapshot) -> _Within:
        places = None
        if snapshot.passing is not None:
            mask = snapshot.passing.mask
            places = np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int64)
        return cls(snapshot, snapshot.asked, places)

    def places_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of catalogue rows; -1 for one that is not searched, or was written after the snapshot."""
        found = self.snapshot.index_of(rows)
        return found if self.places is None or not len(self.places) else np.where(found < 0, -1, self.places[found])

    def similar(self, query: Vectors) -> Vectors:
        """The products of their vectors with a query; copying the vectors of many would cost more than using all."""
        vectors = self.snapshot.leaves.vectors
        if self.places is None:
            return vectors @ query
        return vectors[self.asked] @ query if 4 * len(self.asked) <= len(vectors) else (vectors @ query)[self.asked]


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """What one search says of the leaves that are searched. ``query`` ``None``: the search by meaning is off.

    ``similar`` ``None``: not compared, or not yet.
    """

    query: Vectors | None
    similar: Vectors | None
    lexical: fusion.Scores
    coverage: fusion.Scores | None

    def scored(self, vectors: Vectors, pool: NDArray[np.int64]) -> fusion.Scores:
        """By meaning, aligned with the pool."""
        similar = self.similar
        if similar is None and self.query is not None and len(pool):
            similar = vectors[pool] @ self.query
        return np.full(len(pool), np.nan) if similar is None else similar.astype(np.float64)


def _looked(
    query: Query,
    tokens: Sequence[str],
    within: _Within,
    exact: bool,
    lexical: LexicalIndex,
    settings: RetrievalSettings,
    laps: _Laps,
) -> _Looked:
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
    return _Looked(asked.query if asked else None, asked.similar if asked else None, words, covered)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A question's vector, when it was ready, and its products with the leaves where each is compared."""

    query: Vectors
    encoded: float
    similar: Vectors | None


def _compared(query: Query, within: _Within | None) -> _Asked:
    asked, encoded = query(), perf_counter()
    if within is None or not len(within.asked):  # an empty library has no dimension yet
        return _Asked(asked, encoded, None)
    return _Asked(asked, encoded, within.similar(asked))


def _most(scores: Sequence[fusion.Scores]) -> fusion.Scores:
    return scores[0] if len(scores) == 1 else np.asarray(np.fmax.reduce(scores))


def order_leaves(found: Found, settings: RetrievalSettings, boosts: fusion.Scores | None = None) -> Ranking:
    """What was found, fused, shared among leaves that stand together and cut to the first ``settings.k``.

    ``boosts``: aligned with the pool, in standard deviations of the score, what the question leans to; a stage of its
    own, ``None`` for none.
    """
    laps = _Laps()
    scores, lifted = _scored(found, settings, found.dense, laps)
    if settings.feeds_back and len(found.pool):
        first = fusion.best_first(scores["neighbours"], settings.feedback_leaves)
        vectors = found.leaves.vectors if len(found.pool) == len(found.leaves) else found.leaves.vectors[found.pool]
        moved = feedback.moved(found.dense, vectors, first, settings.feedback_share)
        laps.end("feedback")
        scores, lifted = _scored(found, settings, moved, laps)

    if boosts is not None:
        scores["leaning"] = lean(scores["neighbours"], boosts)
    dense, words, final = found.dense, found.lexical, scores[list(scores)[-1]]
    below = dense < settings.min_similarity  # nan compares as False: without dense search nothing is dropped
    threshold = f"its similarity is below the threshold of {settings.min_similarity:.2f}"
    # Without dense search most leaves are ranked by nothing: a question without a known word must find nothing.
    unfound = np.isnan(dense) & np.isnan(words) & ~lifted
    dropped = dict.fromkeys(np.flatnonzero(unfound).tolist(), UNFOUND)
    dropped |= dict.fromkeys(np.flatnonzero(below).tolist(), threshold)
    kept = fusion.best_first(np.where(below | unfound, np.nan, final), settings.k)
    laps.end("neighbours")
    timings = {**found.timings_ms, **laps.milliseconds}
    return Ranking(
        found.question,
        found.leaves,
        settings,
        found.pool,
        scores,
        kept,
        dropped,
        timings,
        found.understood,
        found.notes,
        passing=found.passing,
    )


def _scored(
    found: Found, settings: RetrievalSettings, dense: fusion.Scores, laps: _Laps
) -> tuple[dict[str, fusion.Scores], NDArray[np.bool_]]:
    """The scores of every stage that takes part, in their order, and which leaves a neighbour lifted.

    ``dense``: as fused, which is not what the search said where the question was moved.
    """
    documents, parents = found.leaves.documents[found.pool], found.leaves.parent_rows[found.pool]
    scores = {"dense": found.dense, "lexical": found.lexical}
    searches = [(dense, settings.dense_weight), (found.lexical, settings.lexical_weight)]
    if dense is not found.dense:
        scores["feedback"] = dense
    if found.coverage is not None and settings.coverage_weight:
        scores["coverage"] = found.coverage
        searches.append((found.coverage, settings.coverage_weight))
    fused = _FUSERS[settings.fusion]([search for search in searches if search[1]], settings)
    scores["fused"] = score = fused
    laps.end("fused")
    if settings.parent_share:
        groups = evidence.parent_groups(documents, parents)
        scores["parent"] = score = evidence.share_best(score, fused, groups, settings.parent_share)
    if settings.document_share:
        scores["document"] = score = evidence.share_best(score, fused, documents, settings.document_share)
    shared = fusion.share_neighbours(fused, documents, found.pool, settings.neighbour_share) - fused
    scores["neighbours"] = score + shared
    return scores, shared > 0


_FUSERS: Mapping[str, Callable[[list[tuple[fusion.Scores, float]], RetrievalSettings], fusion.Scores]] = {
    "zscore": lambda searches, _: fusion.fuse_standard(searches),
    "minmax": lambda searches, _: fusion.fuse_rescaled(searches),
    "rrf": lambda searches, settings: fusion.fuse_reciprocal(searches, settings.rrf_k),
}


class _Laps:
    """Milliseconds by stage, each from the end of the one before; a stage that runs twice is summed."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._clock = perf_counter()

    def end(self, stage: str, at: float | None = None) -> None:
        """The stage ends now, or did ``at``: one that another thread ended before this one came to it took nothing."""
        now = perf_counter() if at is None else max(at, self._clock)
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._clock) * 1000
        self._clock = now


def _lexical_scores(
    tokens: Sequence[str], within: _Within, lexical: LexicalIndex, settings: RetrievalSettings
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


def _coverage(tokens: Sequence[str], within: _Within, lexical: LexicalIndex) -> fusion.Scores:
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
    return evidence.coverage([found[found >= 0] for found in places], documents, groups)


def _pool(within: _Within, one: _Looked, nearest: Nearest) -> NDArray[np.int64]:
    """Both searches' candidates with their neighbours in text order, as ascending indices of leaves."""
    near = nearest(one.query, POOL) if one.query is not None else np.zeros(0, dtype=np.int64)
    found = within.snapshot.index_of(near)
    held = np.flatnonzero(~np.isnan(one.lexical))
    best = held[np.argsort(-one.lexical[held], kind="stable")[:POOL]]
    chosen = np.concatenate([found[found >= 0], within.asked[best]])
    around = np.concatenate([chosen - 1, chosen, chosen + 1])
    inside = np.unique(around[(around >= 0) & (around < len(within.snapshot.leaves))])
    return inside if within.places is None else inside[within.places[inside] >= 0]
