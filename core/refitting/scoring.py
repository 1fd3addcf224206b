"""Recall of a judged question's gold under given settings: exact or, a hundred times faster, estimated."""

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
"""``(budgets,)`` for one question, ``(questions, budgets)`` for several: recall in [0, 1] at ``BUDGETS`` characters."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSearch:
    """The search scores of a judged question. ``gold``: by version. ``gold_characters``: ``(leaves,)``."""

    question: Question
    gold: Region
    found: SearchScores
    gold_characters: NDArray[np.int64]


@dataclass(slots=True)
class Scorer:
    """Scores a library's judged questions. Only ``ask`` searches; the other methods order and assemble its scores."""

    searcher: Searcher
    judged: Judged
    _reads: dict[Hashable, tuple[LeafTable, CatalogueReads]] = field(default_factory=dict)
    _versions: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._versions = {name: version for version, name in self.judged.names.items()}

    def ask(self, question: Question, settings: Settings) -> JudgedSearch:
        """Search for a question. Coverage is always computed, so that settings with any weight of it can be scored."""
        weight = settings.retrieval.coverage_weight or 1.0
        found = self.searcher.find(Query(question.question), settings.with_value("retrieval.coverage_weight", weight))
        gold = region((self._versions[span.document], span.start, span.end) for span in question.gold)
        return JudgedSearch(question, gold, found, gold_characters(found.leaves, gold))

    def estimate(self, asked: JudgedSearch, settings: Settings) -> float:
        """The estimated mean recall over ``BUDGETS``: of the chunks in ranking order, without expansion and merging.

        Includes the settings' re-ranker, which scores only passages that it has not scored before.
        """
        ranking = self.searcher.order(asked.found, settings)
        return float(estimated_recalls(ranking, asked.gold_characters, asked.gold.size).mean())

    def has_candidate(self, asked: JudgedSearch, settings: Settings) -> bool:
        """Whether any candidate of the settings' re-ranker holds gold. The re-ranker is not run."""
        ranking = self.searcher.order(asked.found, without_reranking(settings))
        return bool(asked.gold_characters[ranking.pool[ranking.kept[: settings.reranking.candidates]]].any())

    def recalls(self, asked: JudgedSearch, settings: Settings, progress: Progress | None = None) -> Recalls:
        """The recall of full contexts at each of ``BUDGETS``. ``progress``: of the re-ranker."""
        ranking = self.searcher.order(asked.found, settings, progress)
        key = id(ranking.leaves)
        if key not in self._reads:  # the table is stored too, so that its id is not used again
            self._reads[key] = ranking.leaves, self.searcher.reads(ranking.leaves)
        values, full = [], settings.with_value("assembly.stop_below", 0)
        for budget in BUDGETS:
            context, _ = self.searcher.assemble(ranking, full, budget, self._reads[key][1])
            values.append(recall(passages_region(context.passages, budget), asked.gold, budget))
        return np.array(values)


def without_reranking(settings: Settings) -> Settings:
    """The settings with the re-ranker off."""
    return replace(settings, reranking=RerankingSettings())


def gold_characters(leaves: LeafTable, gold: Region) -> NDArray[np.int64]:
    """``(leaves,)``: the number of gold characters in each leaf."""
    counts = np.zeros(len(leaves), dtype=np.int64)
    numbers = {version: number for number, version in enumerate(leaves.version_ids)}
    for version, spans in gold.spans.items():
        if version in numbers:
            in_document = leaves.documents == numbers[version]
            for span in spans:
                overlap = np.minimum(leaves.ends, span.end) - np.maximum(leaves.starts, span.start)
                counts += np.where(in_document, np.maximum(overlap, 0), 0)
    return counts


def estimated_recalls(ranking: Ranking, gold_characters: NDArray[np.int64], gold: int) -> Recalls:
    """Recall at each of ``BUDGETS`` of the kept leaves in ranking order, the last one counted in part.

    ``gold_characters``: of each leaf. ``gold``: of the question.
    """
    order = ranking.pool[ranking.kept]
    leaves = ranking.leaves
    lengths = np.concatenate([[0], np.cumsum(leaves.ends[order] - leaves.starts[order])])
    gold_read = np.concatenate([[0], np.cumsum(gold_characters[order])])
    return np.asarray(np.minimum(np.interp(BUDGETS, lengths, gold_read) / gold, 1.0))
