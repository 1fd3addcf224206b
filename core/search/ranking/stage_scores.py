"""What the searches found as a ranking: fused, shared among leaves that stand together, and cut to the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.embedding.answer_reader import Marks
from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.search.ranking.finding import SearchScores, StageTimer
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
    ``None`` where none did whose scores are calibrated. ``marks``: where answers may stand, in characters of the
    document, by index into ``leaves``, where a re-ranker read that marks them. ``matched``: what a leaf is found by
    besides its text, where that is nearer to the question, by position in ``pool``. ``passing``: which of ``leaves``
    conditions let through, and what must not be read beside them; ``None`` where they leave out nothing. ``reckoned``:
    the ``spread``, ``None`` where it is still to be, of the pool.
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
    marks: Mapping[int, Marks] = field(default_factory=dict)
    passing: Passing | None = None
    matched: Mapping[int, str] = field(default_factory=dict)
    reckoned: fusion.Spread | None = None

    @property
    def spread(self) -> fusion.Spread:
        """How the ``broad`` scores lie over all leaves that were searched, those outside the pool as well."""
        return self.reckoned or fusion.Spread.of(self.broad[~np.isnan(self.broad)])

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
    timer = StageTimer()
    if found.background is None:
        scores, lifted = _scored(found, settings, timer, None)
        spread = fusion.Spread.of(scores["neighbours"][~np.isnan(scores["neighbours"])])
    else:
        every, behind = _joined(found, found.background)  # for the best of a document may be in the pool
        over = _spreads(found, _meant(every)[behind])
        scores, lifted = _scored(found, settings, timer, over)
        around, _ = _scored(every, settings, StageTimer(), over)
        spread = fusion.Spread.of(scores["neighbours"], around["neighbours"][behind], over["dense"].count)
    dense, words, final = _meant(found), found.lexical, scores["neighbours"]
    below = dense < settings.min_similarity  # nan compares as False: without dense search nothing is dropped
    threshold = f"its similarity is below the threshold of {settings.min_similarity:.2f}"
    # Without dense search most leaves are ranked by nothing: a question without a known word must find nothing.
    unfound = np.isnan(dense) & np.isnan(words) & ~lifted
    dropped = dict.fromkeys(np.flatnonzero(unfound).tolist(), UNFOUND)
    dropped |= dict.fromkeys(np.flatnonzero(below).tolist(), threshold)
    kept = fusion.best_first(np.where(below | unfound, np.nan, final), settings.k)
    timer.end("neighbours")
    timings = {**found.timings_ms, **timer.milliseconds}
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
        reckoned=spread,
    )


def _spreads(found: SearchScores, others: fusion.Scores) -> dict[str, fusion.Spread]:
    """How each search's scores lie over all leaves: as they were counted, or by how near ``others`` are, which were
    drawn evenly from those not found.
    """
    if "dense" in found.spreads:
        return dict(found.spreads)
    pool, count = _meant(found), found.spreads["lexical"].count
    if found.leaves.unencoded is not None:
        # Of what waits for its vector nothing is known: it counts as an average leaf.
        known, behind = pool[~np.isnan(pool)], others[~np.isnan(others)]
        there = len(known) + (count - len(pool)) * len(behind) / max(1, len(others))
        average = fusion.Spread.of(known, behind, round(there)).mean
        pool, others = (np.where(np.isnan(one), average, one) for one in (pool, others))
    return {**found.spreads, "dense": fusion.Spread.of(pool, others, count)}


def _joined(found: SearchScores, background: SearchScores) -> tuple[SearchScores, NDArray[np.bool_]]:
    """What was found of the leaves of either, each once, in text order, and which the background alone has."""
    pool, first = np.unique(np.concatenate([found.pool, background.pool]), return_index=True)

    def both(one: fusion.Scores | None, other: fusion.Scores | None) -> fusion.Scores | None:
        return None if one is None or other is None else np.concatenate([one, other])[first]

    joined = replace(
        background,
        pool=pool,
        dense=np.concatenate([found.dense, background.dense])[first],
        lexical=np.concatenate([found.lexical, background.lexical])[first],
        coverage=both(found.coverage, background.coverage),
        alias=both(found.alias, background.alias),
    )
    return joined, first >= len(found.pool)


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
    found: SearchScores, settings: RetrievalSettings, timer: StageTimer, over: Mapping[str, fusion.Spread] | None
) -> tuple[dict[str, fusion.Scores], NDArray[np.bool_]]:
    """The scores of every stage that takes part, in their order, and which leaves a neighbour lifted.

    ``over``: how each search's scores lie over all leaves; ``None``: those found are all.
    """
    documents, parents = found.leaves.documents, found.leaves.parent_rows
    if len(found.pool) < len(documents):
        documents, parents = documents[found.pool], parents[found.pool]
    beside = {} if found.alias is None else {"alias": found.alias}
    scores = {"dense": found.dense, **beside, "lexical": found.lexical}
    dense = _meant(found)
    if found.leaves.unencoded is not None:
        dense = fusion.averaged(dense) if over is None else np.where(np.isnan(dense), over["dense"].mean, dense)
    weighed = [("dense", dense, settings.dense_weight), ("lexical", found.lexical, settings.lexical_weight)]
    if found.coverage is not None and settings.coverage_weight:
        scores["coverage"] = found.coverage
        weighed.append(("coverage", found.coverage, settings.coverage_weight))
    searches = [(values, weight) for _, values, weight in weighed if weight]
    spreads = [] if over is None else [over[name] for name, _, weight in weighed if weight]
    fused = _FUSERS[settings.fusion](searches, spreads, settings)
    scores["fused"] = score = fused
    timer.end("fused")
    if settings.parent_share:
        groups = fusion.parent_groups(documents, parents)
        scores["parent"] = score = fusion.share_best(score, fused, groups, settings.parent_share)
    if settings.document_share:
        scores["document"] = score = fusion.share_best(score, fused, documents, settings.document_share)
    shared = fusion.share_neighbours(fused, documents, found.pool, settings.neighbour_share) - fused
    scores["neighbours"] = score + shared
    return scores, shared > 0


_Fuser = Callable[[Sequence[tuple[fusion.Scores, float]], Sequence[fusion.Spread], RetrievalSettings], fusion.Scores]
_FUSERS: Mapping[str, _Fuser] = {
    "zscore": lambda searches, over, _: fusion.fuse_scaled(searches, fusion.standardise, over),
    "minmax": lambda searches, over, _: fusion.fuse_scaled(searches, fusion.rescale, over),
    "rrf": lambda searches, _, settings: fusion.fuse_reciprocal(searches, settings.rrf_k),
}
