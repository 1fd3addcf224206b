"""What a judged question's gold gets under given settings: exactly, and, a hundred times quicker, about."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.evaluation.exchange.judged import Judged
from core.evaluation.measuring import BUDGETS
from core.evaluation.metrics.spans import recall
from core.evaluation.regions import Region, passages_region, region
from core.evaluation.suites import Question
from core.search.ordering import Progress
from core.search.question.query import Query
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.finding import SearchScores
from core.search.ranking.stage_scores import Ranking
from core.search.searcher import Searcher
from core.settings import RerankingSettings, Settings
from core.storage.index.leaves import LeafTable

Recalls = NDArray[np.float64]
"""(budgets,) of a question, (questions, budgets) of several: recall from 0 to 1 at ``BUDGETS`` characters."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSearch:
    """A judged question, searched once. ``gold``: by version. ``held``: gold characters of every leaf found from."""

    question: Question
    gold: Region
    found: SearchScores
    held: NDArray[np.int64]


@dataclass(slots=True)
class Scorer:
    """Asks a library's judged questions. Nothing is encoded after ``ask``: settings only order and fill anew."""

    searcher: Searcher
    judged: Judged
    _reads: dict[Hashable, tuple[LeafTable, CatalogueReads]] = field(default_factory=dict)
    _versions: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._versions = {name: version for version, name in self.judged.names.items()}

    def ask(self, question: Question, settings: Settings) -> JudgedSearch:
        """Search for a question, whatever weight coverage will have: where it has none it is not read."""
        weight = settings.retrieval.coverage_weight or 1.0
        found = self.searcher.find(Query(question.question), settings.with_value("retrieval.coverage_weight", weight))
        gold = region((self._versions[span.document], span.start, span.end) for span in question.gold)
        return JudgedSearch(question, gold, found, held(found.leaves, gold))

    def about(self, asked: JudgedSearch, settings: Settings) -> float:
        """About the mean recall over ``BUDGETS``: as if chunks were read in their order, neither grown nor merged.

        ``settings``: with their re-ranker, which reads what it has not read yet.
        """
        ranking = self.searcher.order(asked.found, settings)
        return float(read_in_order(ranking, asked.held, asked.gold.size).mean())

    def has_candidate(self, asked: JudgedSearch, settings: Settings) -> bool:
        """Whether a chunk that the settings' re-ranker would read holds gold. Nothing is read for it."""
        ranking = self.searcher.order(asked.found, without_reranking(settings))
        return bool(asked.held[ranking.pool[ranking.kept[: settings.reranking.candidates]]].any())

    def exactly(self, asked: JudgedSearch, settings: Settings, progress: Progress | None = None) -> Recalls:
        """Recall at each of ``BUDGETS``, of contexts that fill it. ``progress``: of a re-ranker."""
        ranking = self.searcher.order(asked.found, settings, progress)
        key = id(ranking.leaves)
        if key not in self._reads:  # the table is kept too, or another could come to its address
            self._reads[key] = ranking.leaves, self.searcher.reads(ranking.leaves)
        found, filling = [], settings.with_value("assembly.stop_below", 0)
        for budget in BUDGETS:
            context, _ = self.searcher.assemble(ranking, filling, budget, self._reads[key][1])
            found.append(recall(passages_region(context.passages, budget), asked.gold, budget))
        return np.array(found)


def without_reranking(settings: Settings) -> Settings:
    """The same with the stages behind the fusion left to themselves: no re-ranker reads."""
    return replace(settings, reranking=RerankingSettings())


def held(leaves: LeafTable, gold: Region) -> NDArray[np.int64]:
    """(leaves,) how many gold characters each leaf has."""
    found = np.zeros(len(leaves), dtype=np.int64)
    places = {version: place for place, version in enumerate(leaves.version_ids)}
    for version, spans in gold.spans.items():
        if version in places:
            inside = leaves.documents == places[version]
            for span in spans:
                overlap = np.minimum(leaves.ends, span.end) - np.maximum(leaves.starts, span.start)
                found += np.where(inside, np.maximum(overlap, 0), 0)
    return found


def read_in_order(ranking: Ranking, held: NDArray[np.int64], gold: int) -> Recalls:
    """Recall at each of ``BUDGETS`` of the kept leaves in their order; of the last the share that there is room for."""
    order = ranking.pool[ranking.kept]
    leaves = ranking.leaves
    read = np.concatenate([[0], np.cumsum(leaves.ends[order] - leaves.starts[order])])
    got = np.concatenate([[0], np.cumsum(held[order])])
    return np.asarray(np.minimum(np.interp(BUDGETS, read, got) / gold, 1.0))
