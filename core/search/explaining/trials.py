"""A question asked under many settings, and what becomes of one place of one document under each of them."""

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
from core.storage.catalogue.names import Scope
from core.storage.index.leaves import LeafTable
from core.types import Span

# A place is in the context when the context holds at least this share of its characters.
ADMITTED = 0.5
# So many orders made and contexts filled, then no further change is begun: a place of the samples takes about half.
PATIENCE = 400

Keys = frozenset[Key]
Front = Mapping[int, frozenset[int]]
"""Leaves that go on, each with those before it."""


@dataclass(frozen=True, slots=True)
class Fate:
    """One leaf that touches the place: 1-based rank and score at each stage that ranked it, and what became of it,
    in the words of the trace.
    """

    start: int
    end: int
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    said: str


class Trial:
    """The same question under many settings, searched once for all that search alike.

    ``runs``: contexts filled. ``orders``: rankings made.
    """

    def __init__(self, searcher: Searcher, query: Query, version_id: str, place: Span) -> None:
        self.query, self.runs, self.orders = query, 0, 0
        self._searcher, self._version_id, self._place = searcher, version_id, place
        self._ranked: dict[Any, Ranking] = {}
        self._reads: CatalogueReads | None = None
        self._reads_of: LeafTable | None = None

    def ignoring(self, keys: Keys) -> Trial:
        """The same without some conditions of the question."""
        query = replace(self.query, ignored=self.query.ignored | keys)
        return Trial(self._searcher, query, self._version_id, self._place)

    def whole(self, scope: Scope) -> LeafTable:
        """The leaves of a scope, whatever the question asks for."""
        return self._searcher.snapshot(scope).leaves

    def found(self, settings: Settings) -> SearchScores:
        """What the searches say; settings that search alike share it."""
        return self._searcher.find(self.query, settings)

    def understood(self, settings: Settings) -> Understanding:
        """What was read out of the question."""
        return self.found(settings).understood

    def searched(self, settings: Settings) -> NDArray[np.int64]:
        """The place's leaves among those that were searched."""
        found = self.found(settings)
        own = self.leaves_in(found.leaves)
        return own if found.passing is None else own[found.passing.mask[own]]

    def stands_in(self, leaves: LeafTable) -> bool:
        """Whether a table has leaves of the document."""
        return self._version_id in leaves.version_ids and bool((leaves.documents == self._document(leaves)).any())

    def leaves_in(self, leaves: LeafTable) -> NDArray[np.int64]:
        """The leaves of a table that touch the place."""
        if self._version_id not in leaves.version_ids:
            return np.zeros(0, dtype=np.int64)
        touching = (leaves.starts < self._place.end) & (leaves.ends > self._place.start)
        return np.flatnonzero(touching & (leaves.documents == self._document(leaves)))

    def _document(self, leaves: LeafTable) -> int:
        return leaves.version_ids.index(self._version_id)

    def ranking(self, settings: Settings) -> Ranking:
        """The first, to which the dials behind it come back again and again, and the latest are kept."""
        key = order_key(settings)
        if key not in self._ranked:
            for stale in list(self._ranked)[1:]:
                del self._ranked[stale]
            self.orders += 1
            self._ranked[key] = self._searcher.order(self.found(settings), settings)
        return self._ranked[key]

    @property
    def tired(self) -> bool:
        """Whether so much was tried that it should end."""
        return self.runs + self.orders >= PATIENCE

    def filled(self, settings: Settings) -> tuple[Ranking, Context, Mapping[int, str]]:
        """The ranking, the context, and the fates of leaves in assembly."""
        ranking = self.ranking(settings)
        self.runs += 1
        context, made, _ = self._searcher.fill(ranking, settings, None, self._facts(ranking.leaves))
        return ranking, context, made.fates

    def _facts(self, leaves: LeafTable) -> CatalogueReads:
        """Read once for all that asks the same leaves."""
        if self._reads is None or self._reads_of is not leaves:
            self._reads, self._reads_of = self._searcher.reads(leaves), leaves
        return self._reads

    @cached_property
    def _letters(self) -> NDArray[np.bool_]:
        text = self._searcher.text(self._version_id)[self._place.start : self._place.end]
        return np.array([not letter.isspace() for letter in text], dtype=bool)

    def held(self, context: Context) -> float:
        """The share of the place's characters, blanks left out, that the context holds."""
        inside = np.zeros(len(self._letters), dtype=bool)
        for passage in context.passages:
            if passage.version_id == self._version_id:
                first, last = passage.start - self._place.start, passage.end - self._place.start
                inside[max(0, first) : max(0, last)] = True
        letters = int(self._letters.sum())
        return float((inside & self._letters).sum() / letters) if letters else 0.0

    def read(self, settings: Settings) -> float:
        """The share that is read under these settings although no chunk of the place was searched."""
        return self.held(self.filled(settings)[1]) if len(self.leaves_in(self.found(settings).leaves)) else 0.0

    def front(self, settings: Settings) -> Front:
        """What goes on of the place and of what stands around it: the leaves beside it and those of its parents."""
        ranking = self.ranking(settings)
        order, leaves = ranking.pool[ranking.kept], ranking.leaves
        own = self.leaves_in(leaves)
        parents = leaves.parent_rows[own]
        near = np.isin(leaves.parent_rows[order], parents[parents >= 0])
        near |= np.isin(order, np.concatenate([own - 1, own, own + 1]))
        return {int(order[at]): frozenset(order[:at].tolist()) for at in np.flatnonzero(near)}

    def admits(self, settings: Settings) -> float:
        """The share held under these settings where that is enough, else 0."""
        held = self.held(self.filled(settings)[1])
        return held if held >= ADMITTED else 0.0

    def genre(self, settings: Settings) -> str:
        """Of the place's document, "" where it is not known."""
        leaves = self.ranking(settings).leaves
        return self._facts(leaves).genre(self._document(leaves))

    def fates(self, ranking: Ranking, assembled: Mapping[int, str]) -> tuple[Fate, ...]:
        """Of the place's leaves, the best by the final order first. ``assembled``: as ``filled`` gives them."""
        leaves, became = self.leaves_in(ranking.leaves), fate_of(ranking, assembled)
        last = list(ranking.scores)[-1]
        places = {stage: ranks(scores) for stage, scores in ranking.scores.items()}
        told: list[Fate] = []
        for leaf in leaves.tolist():
            span = int(ranking.leaves.starts[leaf]), int(ranking.leaves.ends[leaf])
            entry = int(np.searchsorted(ranking.pool, leaf))
            if entry == len(ranking.pool) or ranking.pool[entry] != leaf:
                told.append(Fate(*span, {}, {}, assembled.get(leaf, _unranked(ranking, leaf))))
                continue
            own = {stage: int(places[stage][entry]) for stage in places if places[stage][entry]}
            scores = {stage: float(ranking.scores[stage][entry]) for stage in own}
            told.append(Fate(*span, own, scores, became(entry, leaf, own.get(last, 0))))
        return tuple(sorted(told, key=lambda fate: (fate.ranks.get(last) or len(ranking.pool) + 1, fate.start)))


def _unranked(ranking: Ranking, leaf: int) -> str:
    """Why a leaf is not in the pool."""
    passing = ranking.passing
    if passing is None or passing.mask[leaf]:
        return "it is not among the best of any search"
    held = " and ".join(f"“{one.value}”" for one in excluding_conditions(ranking.leaves, passing, leaf))
    return f"the question leaves out what holds {held}" if held else "it does not hold what the question asks for"


def nearer(after: Front, before: Front) -> bool:
    """Whether a leaf goes on that did not, stands further forward, or as far forward behind other leaves.

    Only then may an order bring in what another one did not; and to order costs a fraction of filling a context.

    >>> fronts = [{5: frozenset(others)} for others in ({1}, {1, 3}, {1, 2}, {1, 2, 3})]
    >>> [nearer(front, {5: frozenset({1, 2})}) for front in fronts]
    [True, True, False, False]
    """
    return any(
        leaf not in before or (len(others) <= len(before[leaf]) and others != before[leaf])
        for leaf, others in after.items()
    )
