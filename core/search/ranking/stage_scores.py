"""``Ranking``, and the stages that score the whole pool: fusion, and the shares of parent, document and neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.embedding.answer_reader import Marks
from core.search.question.analysis import NOTHING, Understanding
from core.search.ranking import fusion
from core.search.ranking.finding import SearchScores, StageTimer
from core.settings import RetrievalSettings
from core.storage.catalogue.filing.conditions import Passing
from core.storage.index.leaves import LeafTable

STAGES = ("dense", "lexical", "fused", "neighbours")
"""The stages of every ranking. ``Ranking.scores`` names all stages of one, as far as they are on."""

UNFOUND = "neither search found it, nor a neighbour of it"


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The scores of every stage for every leaf in the pool.

    ``pool``: indices into ``leaves``, ascending. ``scores[stage]``: float64, aligned with ``pool``, ``nan`` where the
    stage did not rank the leaf; in the order of the stages, the last of which decides. ``kept``: positions in ``pool``
    of the leaves that go on, best first. ``dropped``: the reason, by position in ``pool``, for leaves that a threshold
    or a later stage removed or that no search found. ``timings_ms`` by stage.

    ``passing``: which of ``leaves`` the conditions let through, and the text they exclude; ``None`` without conditions.
    ``matched``: by position in ``pool``, the alias that is nearer to the question than the leaf's own text.
    ``probabilities``: float64, aligned with ``pool``, that a leaf answers the question, ``nan`` for one that the
    re-ranker did not read; ``None`` without a calibrated re-ranker. ``marks``: by index into ``leaves``, where answers
    may stand in the document, from a re-ranker that marks them. ``known_distribution``: see ``distribution``; ``None``
    when the pool holds all searched leaves.
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
    known_distribution: fusion.ScoreDistribution | None = None

    @property
    def distribution(self) -> fusion.ScoreDistribution:
        """The distribution of ``pool_scores`` over all searched leaves, including those outside the pool."""
        return self.known_distribution or fusion.ScoreDistribution.of(self.pool_scores[~np.isnan(self.pool_scores)])

    @property
    def final(self) -> fusion.Scores:
        """The scores of the last stage, which decide the order."""
        return self.scores[list(self.scores)[-1]]

    @property
    def pool_scores(self) -> fusion.Scores:
        """The scores of the last stage that scored the whole pool; later stages score the kept leaves only."""
        return self.scores["neighbours"]

    def positions(self, leaves: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """``(n,)``: the position of each leaf in ``pool``, -1 for a leaf outside it."""
        indices = np.asarray(leaves, np.int64)
        if not len(self.pool):
            return np.full(len(indices), -1, np.int64)
        positions = np.minimum(np.searchsorted(self.pool, indices), len(self.pool) - 1)
        return np.where(self.pool[positions] == indices, positions, -1)

    def values(self, column: fusion.Scores, leaves: Sequence[int] | NDArray[np.int64]) -> fusion.Scores:
        """``(n,)``: the leaves' values in a column aligned with ``pool``; ``nan`` for a leaf outside it."""
        return np.append(column, np.nan)[self.positions(leaves)]

    @property
    def likeliest(self) -> float | None:
        """The highest of the ``probabilities``; ``None`` without any."""
        if self.probabilities is None or np.isnan(self.probabilities).all():
            return None
        return float(np.nanmax(self.probabilities))


def order_leaves(search_scores: SearchScores, settings: RetrievalSettings) -> Ranking:
    """The fused scores with the shares of neighbours, parent and document added, cut to the best ``settings.k``."""
    timer = StageTimer()
    if search_scores.background is None:
        scores, raised = _stage_scores(search_scores, settings, timer, None)
        distribution = fusion.ScoreDistribution.of(scores["neighbours"][~np.isnan(scores["neighbours"])])
    else:
        # The background is scored together with the pool, which may hold the best leaf of a sampled leaf's document.
        combined, sampled = _with_background(search_scores, search_scores.background)
        over = _distributions(search_scores, _dense_or_alias(combined)[sampled])
        scores, raised = _stage_scores(search_scores, settings, timer, over)
        combined_scores, _ = _stage_scores(combined, settings, StageTimer(), over)
        sample = combined_scores["neighbours"][sampled]
        distribution = fusion.ScoreDistribution.of(scores["neighbours"], sample, over["dense"].count)
    dense = _dense_or_alias(search_scores)
    below = dense < settings.min_similarity  # nan compares as False: without dense search nothing is dropped
    threshold = f"its similarity is below the threshold of {settings.min_similarity:.2f}"
    # Without dense search no search ranks most leaves: a question without a known term must find nothing.
    unfound = np.isnan(dense) & np.isnan(search_scores.lexical) & ~raised
    dropped = dict.fromkeys(np.flatnonzero(unfound).tolist(), UNFOUND)
    dropped |= dict.fromkeys(np.flatnonzero(below).tolist(), threshold)
    kept = fusion.best_first(np.where(below | unfound, np.nan, scores["neighbours"]), settings.k)
    timer.end("neighbours")
    timings = {**search_scores.timings_ms, **timer.milliseconds}
    return Ranking(
        search_scores.question,
        search_scores.leaves,
        settings,
        search_scores.pool,
        scores,
        kept,
        dropped,
        timings,
        search_scores.understood,
        search_scores.notes,
        passing=search_scores.passing,
        matched=_matched_aliases(search_scores),
        known_distribution=distribution,
    )


def _distributions(search_scores: SearchScores, others: fusion.Scores) -> dict[str, fusion.ScoreDistribution]:
    """The distribution of each search's scores over all searched leaves, estimated for "dense" where not all were
    compared.

    ``others``: the dense scores of an even sample of the leaves outside the pool.
    """
    if "dense" in search_scores.distributions:
        return dict(search_scores.distributions)
    pool, count = _dense_or_alias(search_scores), search_scores.distributions["lexical"].count
    if search_scores.leaves.unencoded is not None:
        # A leaf without a vector counts as an average one; the mean is estimated over the encoded leaves.
        encoded_pool, encoded_others = pool[~np.isnan(pool)], others[~np.isnan(others)]
        encoded = len(encoded_pool) + (count - len(pool)) * len(encoded_others) / max(1, len(others))
        mean = fusion.ScoreDistribution.of(encoded_pool, encoded_others, round(encoded)).mean
        pool, others = (np.where(np.isnan(scores), mean, scores) for scores in (pool, others))
    return {**search_scores.distributions, "dense": fusion.ScoreDistribution.of(pool, others, count)}


def _with_background(search_scores: SearchScores, background: SearchScores) -> tuple[SearchScores, NDArray[np.bool_]]:
    """The scores of pool and background together, each leaf once, in text order, and a mask of those of the background
    only.
    """
    pool, first = np.unique(np.concatenate([search_scores.pool, background.pool]), return_index=True)

    def both(pool_scores: fusion.Scores | None, sample_scores: fusion.Scores | None) -> fusion.Scores | None:
        if pool_scores is None or sample_scores is None:
            return None
        return np.concatenate([pool_scores, sample_scores])[first]

    combined = replace(
        background,
        pool=pool,
        dense=np.concatenate([search_scores.dense, background.dense])[first],
        lexical=np.concatenate([search_scores.lexical, background.lexical])[first],
        coverage=both(search_scores.coverage, background.coverage),
        alias=both(search_scores.alias, background.alias),
    )
    return combined, first >= len(search_scores.pool)


def _dense_or_alias(search_scores: SearchScores) -> fusion.Scores:
    """The higher cosine of each leaf: that of its text or that of its nearest alias."""
    return search_scores.dense if search_scores.alias is None else np.fmax(search_scores.dense, search_scores.alias)


def _matched_aliases(search_scores: SearchScores) -> dict[int, str]:
    """By position in the pool, the name of the alias that is nearer to the question than the leaf's text."""
    aliases = search_scores.leaves.aliases
    if aliases is None or search_scores.alias is None or search_scores.nearest_alias is None:
        return {}
    nearer = np.flatnonzero(search_scores.alias > np.nan_to_num(search_scores.dense, nan=-2.0))
    return {int(position): aliases.names[search_scores.nearest_alias[position]] for position in nearer}


def _stage_scores(
    search_scores: SearchScores,
    settings: RetrievalSettings,
    timer: StageTimer,
    over: Mapping[str, fusion.ScoreDistribution] | None,
) -> tuple[dict[str, fusion.Scores], NDArray[np.bool_]]:
    """The scores of every stage that is on, in order, and a mask of the leaves whose neighbours raised their score.

    ``over``: the distribution of each search's scores over all leaves; ``None`` when the pool holds all of them.
    """
    documents, parents = search_scores.leaves.documents, search_scores.leaves.parent_rows
    if len(search_scores.pool) < len(documents):
        documents, parents = documents[search_scores.pool], parents[search_scores.pool]
    scores = {"dense": search_scores.dense}
    if search_scores.alias is not None:
        scores["alias"] = search_scores.alias
    scores["lexical"] = search_scores.lexical
    dense = _dense_or_alias(search_scores)
    if search_scores.leaves.unencoded is not None:
        dense = fusion.fill_with_mean(dense) if over is None else np.where(np.isnan(dense), over["dense"].mean, dense)
    weighted = [("dense", dense, settings.dense_weight), ("lexical", search_scores.lexical, settings.lexical_weight)]
    if search_scores.coverage is not None and settings.coverage_weight:
        scores["coverage"] = search_scores.coverage
        weighted.append(("coverage", search_scores.coverage, settings.coverage_weight))
    searches = [(values, weight) for _, values, weight in weighted if weight]
    distributions = [] if over is None else [over[name] for name, _, weight in weighted if weight]
    if settings.fusion == "rrf":
        fused = fusion.fuse_reciprocal(searches, settings.rrf_k)
    else:
        fused = fusion.fuse_standardised(searches, distributions)
    scores["fused"] = total = fused
    timer.end("fused")
    if settings.parent_share:
        groups = fusion.parent_groups(documents, parents)
        scores["parent"] = total = fusion.add_group_share(total, fused, groups, settings.parent_share)
    if settings.document_share:
        scores["document"] = total = fusion.add_group_share(total, fused, documents, settings.document_share)
    gain = fusion.add_neighbour_share(fused, documents, search_scores.pool, settings.neighbour_share) - fused
    scores["neighbours"] = total + gain
    return scores, gain > 0
