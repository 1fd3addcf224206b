"""A question to ranked leaves, every stage's scores kept."""

from core.search.ranking.finding import SearchScores, search_leaves
from core.search.ranking.snapshot import Snapshot
from core.search.ranking.stage_scores import STAGES, Ranking, order_leaves

__all__ = ["STAGES", "Ranking", "SearchScores", "Snapshot", "order_leaves", "search_leaves"]
