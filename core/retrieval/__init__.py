"""A question to ranked leaves, every stage's scores kept."""

from core.retrieval.ranking import STAGES, Ranking, rank_leaves
from core.retrieval.snapshot import Snapshot

__all__ = ["STAGES", "Ranking", "Snapshot", "rank_leaves"]
