"""What the searches found as a ranking: fused, shared among leaves that stand together, and cut to the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.search.ranking.finding import Laps, SearchScores
from core.settings import RetrievalSettings
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaves import LeafTable

STAGES = ("dense", "lexical", "fused", "neighbours")
"""What every ranking has; one of its own has more where more takes part: ``Ranking.scores`` names them all."""

UNFOUND = "neither search found it, nor a neighbour of it"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """What every stage thought of every leaf in the pool.

    ``pool``: indices into ``leaves``, ascending. ``scores[stage]``: float64, aligned with ``pool``, ``nan`` where the
    stage did not rank the leaf; in the order of the stages, the last of which decides. ``kept``: positions in ``pool``,
    best first. ``dropped``: reason by position, for those a threshold removed or no search found. ``timings_ms`` by
    stage. ``probabilities``: float64, aligned with ``pool``, that a leaf answers, ``nan`` where no re-ranker read it;
    ``None`` where none did whose scores are calibrated. ``matched``: what a leaf is found by besides its text, where
    that is nearer to the question, by position in ``pool``. ``passing``: which of ``leaves`` conditions let through,
    and what must not be read beside them; ``None`` where they leave out nothing.
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
    matched: Mapping[int, str] = field(default_factory=dict)

    @property
    def final(self) -> fusion.Scores:
        """The scores that decided the order."""
        return self.scores[list(self.scores)[-1]]

    @property
    def broad(self) -> fusion.Scores:
        """The last scores that the whole pool was given: the stages behind them looked at the kept leaves alone."""
        return self.scores["neighbours"]

    @property
    def likeliest(self) -> float | None:
        """The highest of the ``probabilities``, ``None`` where there is none."""
        known = () if self.probabilities is None else self.probabilities[~np.isnan(self.probabilities)]
        return float(np.max(known)) if len(known) else None


def order_leaves(found: SearchScores, settings: RetrievalSettings) -> Ranking:
    """What was found, fused, shared among leaves that stand together and cut to the first ``settings.k``."""
    laps = Laps()
    scores, lifted = _scored(found, settings, laps)
    dense, words, final = _meant(found), found.lexical, scores["neighbours"]
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
        matched=_matched(found),
    )


def _meant(found: SearchScores) -> fusion.Scores:
    """How near each leaf is by its text, or by what else it is found by."""
    return found.dense if found.alias is None else np.fmax(found.dense, found.alias)


def _matched(found: SearchScores) -> dict[int, str]:
    aliases = found.leaves.aliases
    if aliases is None or found.alias is None or found.matched is None:
        return {}
    nearer = np.flatnonzero(found.alias > np.nan_to_num(found.dense, nan=-2.0))
    return {int(at): aliases.names[found.matched[at]] for at in nearer}


def _scored(
    found: SearchScores, settings: RetrievalSettings, laps: Laps
) -> tuple[dict[str, fusion.Scores], NDArray[np.bool_]]:
    """The scores of every stage that takes part, in their order, and which leaves a neighbour lifted."""
    documents, parents = found.leaves.documents[found.pool], found.leaves.parent_rows[found.pool]
    beside = {} if found.alias is None else {"alias": found.alias}
    scores = {"dense": found.dense, **beside, "lexical": found.lexical}
    dense = _meant(found)
    dense = dense if found.leaves.unencoded is None else fusion.averaged(dense)
    searches = [(dense, settings.dense_weight), (found.lexical, settings.lexical_weight)]
    if found.coverage is not None and settings.coverage_weight:
        scores["coverage"] = found.coverage
        searches.append((found.coverage, settings.coverage_weight))
    fused = _FUSERS[settings.fusion]([search for search in searches if search[1]], settings)
    scores["fused"] = score = fused
    laps.end("fused")
    if settings.parent_share:
        groups = fusion.parent_groups(documents, parents)
        scores["parent"] = score = fusion.share_best(score, fused, groups, settings.parent_share)
    if settings.document_share:
        scores["document"] = score = fusion.share_best(score, fused, documents, settings.document_share)
    shared = fusion.share_neighbours(fused, documents, found.pool, settings.neighbour_share) - fused
    scores["neighbours"] = score + shared
    return scores, shared > 0


_FUSERS: Mapping[str, Callable[[list[tuple[fusion.Scores, float]], RetrievalSettings], fusion.Scores]] = {
    "zscore": lambda searches, _: fusion.fuse_scaled(searches),
    "minmax": lambda searches, _: fusion.fuse_scaled(searches, fusion.rescale),
    "rrf": lambda searches, settings: fusion.fuse_reciprocal(searches, settings.rrf_k),
}
