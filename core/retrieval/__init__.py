"""A question to ranked leaves, every stage's scores kept."""

from core.retrieval.ranking import STAGES, Found, Ranking, order_leaves, search_key, search_leaves
from core.retrieval.snapshot import Snapshot

__all__ = ["STAGES", "Found", "Ranking", "Snapshot", "order_leaves", "search_key", "search_leaves"]
