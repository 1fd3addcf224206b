"""``Trial``: runs one question under many settings and reports what happens to one span of one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.evidence import Context
from core.search.context.candidate_outcomes import fate_of
from core.search.expansion.expanding import excluding_conditions
from core.search.question.analysis import Key, Understanding
from core.search.question.query import Query
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.finding import SearchScores, order_key
from core.search.ranking.fusion import ranks
from core.search.ranking.stage_scores import Ranking
from core.search.searcher import Searcher
from core.settings import Settings
from core.storage.catalogue.filing.names import Scope
from core.storage.index.leaves import LeafTable
from core.types import Span

# A span counts as being in the context when the context has at least this share of its characters.
ADMITTED = 0.5
# After this many rankings and contexts no further change is tried; in the samples a span takes about half.
MOST_TRIALS = 400

Keys = frozenset[Key]
Front = Mapping[int, frozenset[int]]
"""For kept leaves, those that are ranked before each."""


@dataclass(frozen=True, slots=True)
class Fate:
    """One leaf that overlaps the span: its 1-based rank and its score at each stage that ranked it.

    ``said``: its fate, in the words of the trace.
    """

    start: int
    end: int
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    said: str


class Trial:
    """One question under many settings, and a span of a document. Settings with equal search scores share a search.

    ``runs``: number of contexts filled. ``orders``: number of rankings made.
    """

    def __init__(self, searcher: Searcher, query: Query, version_id: str, span: Span) -> None:
        self.query, self.runs, self.orders = query, 0, 0
        self._searcher, self._version_id, self._span = searcher, version_id, span
        self._ranked: dict[Any, Ranking] = {}
        self._reads: CatalogueReads | None = None
        self._reads_of: LeafTable | None = None

    def ignoring(self, keys: Keys) -> Trial:
        """A trial that ignores some conditions of the question."""
        query = replace(self.query, ignored=self.query.ignored | keys)
        return Trial(self._searcher, query, self._version_id, self._span)

    def scope_leaves(self, scope: Scope) -> LeafTable:
        """The leaves of a scope, without the question's conditions."""
        return self._searcher.snapshot(scope).leaves

    def search_scores(self, settings: Settings) -> SearchScores:
        """The scores of the searches."""
        return self._searcher.find(self.query, settings)

    def understood(self, settings: Settings) -> Understanding:
        """The analysed question."""
        return self.search_scores(settings).understood

    def searched(self, settings: Settings) -> NDArray[np.int64]:
        """The leaves of the span that were searched."""
        scores = self.search_scores(settings)
        own = self.leaves_in(scores.leaves)
        return own if scores.passing is None else own[scores.passing.mask[own]]

    def has_document(self, leaves: LeafTable) -> bool:
        """Whether a table has leaves of the document."""
        return self._version_id in leaves.version_ids and bool((leaves.documents == self._document(leaves)).any())

    def leaves_in(self, leaves: LeafTable) -> NDArray[np.int64]:
        """The leaves of a table that overlap the span."""
        if self._version_id not in leaves.version_ids:
            return np.zeros(0, dtype=np.int64)
        overlapping = (leaves.starts < self._span.end) & (leaves.ends > self._span.start)
        return np.flatnonzero(overlapping & (leaves.documents == self._document(leaves)))

    def _document(self, leaves: LeafTable) -> int:
        return leaves.version_ids.index(self._version_id)

    def ranking(self, settings: Settings) -> Ranking:
        """The ranking. The first and the latest are cached: changes of later stages use the first again and again."""
        key = order_key(settings)
        if key not in self._ranked:
            for stale in list(self._ranked)[1:]:
                del self._ranked[stale]
            self.orders += 1
            self._ranked[key] = self._searcher.order(self.search_scores(settings), settings)
        return self._ranked[key]

    @property
    def exhausted(self) -> bool:
        """Whether the limit of trials is reached."""
        return self.runs + self.orders >= MOST_TRIALS

    def fill(self, settings: Settings) -> tuple[Ranking, Context, Mapping[int, str]]:
        """The ranking, the context, and the fates of leaves in assembly."""
        ranking = self.ranking(settings)
        self.runs += 1
        context, assembled, _ = self._searcher.fill(ranking, settings, None, self._catalogue_reads(ranking.leaves))
        return ranking, context, assembled.fates

    def _catalogue_reads(self, leaves: LeafTable) -> CatalogueReads:
        """The reads, shared by trials over the same leaves."""
        if self._reads is None or self._reads_of is not leaves:
            self._reads, self._reads_of = self._searcher.reads(leaves), leaves
        return self._reads

    @cached_property
    def _visible(self) -> NDArray[np.bool_]:
        """Which characters of the span are not white space."""
        text = self._searcher.text(self._version_id)[self._span.start : self._span.end]
        return np.array([not character.isspace() for character in text], dtype=bool)

    def covered_share(self, context: Context) -> float:
        """The share of the span's visible characters that the context contains."""
        inside = np.zeros(len(self._visible), dtype=bool)
        for passage in context.passages:
            if passage.version_id == self._version_id:
                first, last = passage.start - self._span.start, passage.end - self._span.start
                inside[max(0, first) : max(0, last)] = True
        visible = int(self._visible.sum())
        return float((inside & self._visible).sum() / visible) if visible else 0.0

    def share_read(self, settings: Settings) -> float:
        """The share that the context contains although no chunk of the span was searched; 0 without chunks."""
        if not len(self.leaves_in(self.search_scores(settings).leaves)):
            return 0.0
        return self.covered_share(self.fill(settings)[1])

    def front(self, settings: Settings) -> Front:
        """The kept leaves that could bring in the span: its own, their neighbours and siblings; each with those ranked
        before it.
        """
        ranking = self.ranking(settings)
        kept, leaves = ranking.pool[ranking.kept], ranking.leaves
        own = self.leaves_in(leaves)
        parents = leaves.parent_rows[own]
        near = np.isin(leaves.parent_rows[kept], parents[parents >= 0])
        near |= np.isin(kept, np.concatenate([own - 1, own, own + 1]))
        return {int(kept[index]): frozenset(kept[:index].tolist()) for index in np.flatnonzero(near)}

    def admitted_share(self, settings: Settings) -> float:
        """The share of the span that the context contains if that is at least ``ADMITTED``, else 0."""
        share = self.covered_share(self.fill(settings)[1])
        return share if share >= ADMITTED else 0.0

    def genre(self, settings: Settings) -> str:
        """The genre of the span's document."""
        leaves = self.ranking(settings).leaves
        return self._catalogue_reads(leaves).genre(self._document(leaves))

    def fates(self, ranking: Ranking, assembled: Mapping[int, str]) -> tuple[Fate, ...]:
        """The fates of the span's leaves, best final rank first. ``assembled``: the fates that ``fill`` returns."""
        describe = fate_of(ranking, assembled)
        last = list(ranking.scores)[-1]
        all_ranks = {stage: ranks(scores) for stage, scores in ranking.scores.items()}
        fates: list[Fate] = []
        for leaf in self.leaves_in(ranking.leaves).tolist():
            start, end = int(ranking.leaves.starts[leaf]), int(ranking.leaves.ends[leaf])
            entry = int(ranking.positions([leaf])[0])
            if entry < 0:
                fates.append(Fate(start, end, {}, {}, assembled.get(leaf, _unranked(ranking, leaf))))
                continue
            own_ranks = {stage: int(column[entry]) for stage, column in all_ranks.items() if column[entry]}
            scores = {stage: float(ranking.scores[stage][entry]) for stage in own_ranks}
            fates.append(Fate(start, end, own_ranks, scores, describe(entry, leaf, own_ranks.get(last, 0))))
        return tuple(sorted(fates, key=lambda fate: (fate.ranks.get(last) or len(ranking.pool) + 1, fate.start)))


def _unranked(ranking: Ranking, leaf: int) -> str:
    """Why a leaf is not in the pool."""
    passing = ranking.passing
    if passing is None or passing.mask[leaf]:
        return "it is not among the best of any search"
    excluded = " and ".join(f"“{one.value}”" for one in excluding_conditions(ranking.leaves, passing, leaf))
    return (
        f"the question leaves out what holds {excluded}" if excluded else "it does not hold what the question asks for"
    )


def moves_forward(after: Front, before: Front) -> bool:
    """Whether a leaf is kept that was not, ranks higher, or ranks the same but behind other leaves.

    Otherwise a new ranking cannot admit the span. This check spares filling a context, which costs far more.

    >>> fronts = [{5: frozenset(others)} for others in ({1}, {1, 3}, {1, 2}, {1, 2, 3})]
    >>> [moves_forward(front, {5: frozenset({1, 2})}) for front in fronts]
    [True, True, False, False]
    """
    return any(
        leaf not in before or (len(others) <= len(before[leaf]) and others != before[leaf])
        for leaf, others in after.items()
    )
