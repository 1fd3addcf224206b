"""How leaves are searched and their scores fused."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.errors import SettingsError
from core.settings.checks import one_of, within

FUSIONS = ("zscore", "minmax", "rrf")
LEXICAL_ENGINES = ("fts5", "rank-bm25")
_BOOSTS = ("title_boost", "headings_boost", "captions_boost", "text_boost")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """From a question to ranked leaves.

    ``fusion``: "zscore" adds weighted standard scores, "minmax" weighted scores between the worst and the best leaf,
    "rrf" weighted reciprocal ranks with constant ``rrf_k``. A weight of 0 switches that search off.
    ``coverage_weight``: of the share of the question's words that are found around a leaf, a third score in the fusion.

    To the fused score three shares of others' fused scores are added, each off at 0: ``parent_share`` of the best leaf
    of its parent, ``document_share`` of the best leaf of its document, ``neighbour_share`` of each neighbouring leaf.

    ``feedback_share``: how far the question's vector moves to the mean of the first ``feedback_leaves`` before the
    search by meaning is fused anew, 0 is off.

    ``k``: leaves kept. ``min_similarity``: cosine below which a leaf is dropped, -1 is off. ``lexical_engine``: "fts5"
    on disk, "rank-bm25" in memory; both rank by BM25. ``*_boost``: weight of a field in the lexical score.
    """

    dense_weight: float = 0.7
    lexical_weight: float = 0.3
    fusion: str = "zscore"
    rrf_k: int = 60
    neighbour_share: float = 0.15
    k: int = 50
    min_similarity: float = -1.0
    title_boost: float = 0.5
    headings_boost: float = 0.5
    captions_boost: float = 0.5
    text_boost: float = 1.0
    lexical_engine: str = "fts5"
    exact_below: int = 200_000
    coverage_weight: float = 0.4
    parent_share: float = 0.5
    document_share: float = 0.3
    feedback_share: float = 0.0
    feedback_leaves: int = 5

    def __post_init__(self) -> None:
        one_of("retrieval.fusion", self.fusion, FUSIONS)
        one_of("retrieval.lexical_engine", self.lexical_engine, LEXICAL_ENGINES)
        within("retrieval.dense_weight", self.dense_weight, 0, 1)
        within("retrieval.lexical_weight", self.lexical_weight, 0, 1)
        if not self.dense_weight + self.lexical_weight:
            raise SettingsError("Both retrieval weights are 0.", "Give at least one search a weight.")
        within("retrieval.rrf_k", self.rrf_k, 1, 1000)
        within("retrieval.coverage_weight", self.coverage_weight, 0, 1)
        within("retrieval.neighbour_share", self.neighbour_share, 0, 1)
        within("retrieval.parent_share", self.parent_share, 0, 2)
        within("retrieval.document_share", self.document_share, 0, 2)
        within("retrieval.feedback_share", self.feedback_share, 0, 2)
        within("retrieval.feedback_leaves", self.feedback_leaves, 1, 100)
        within("retrieval.k", self.k, 1, 1000)
        within("retrieval.min_similarity", self.min_similarity, -1, 1)
        for name in _BOOSTS:
            within(f"retrieval.{name}", getattr(self, name), 0, 10)
        within("retrieval.exact_below", self.exact_below, 0, 100_000_000)

    @property
    def feeds_back(self) -> bool:
        """Whether the question's vector is moved: without a search by meaning there is none."""
        return bool(self.feedback_share and self.dense_weight)

    @property
    def boosts(self) -> dict[str, float]:
        """The weight of each field of the lexical index, by its name.

        >>> RetrievalSettings(captions_boost=2).boosts
        {'title': 0.5, 'headings': 0.5, 'captions': 2, 'text': 1.0}
        """
        return {name.removesuffix("_boost"): getattr(self, name) for name in _BOOSTS}

    def telling(self) -> dict[str, Any]:
        """The values that are read: a constant of another fusion or a dial of what is off is left out.

        >>> RetrievalSettings(rrf_k=10).telling() == RetrievalSettings().telling()
        True
        >>> RetrievalSettings(fusion="rrf", rrf_k=10).telling()["rrf_k"]
        10
        """
        unread = {"feedback_share", "feedback_leaves"} if not self.feeds_back else set()
        if self.fusion != "rrf":
            unread.add("rrf_k")
        if not self.lexical_weight:
            unread |= {"lexical_engine", *_BOOSTS}
        return {name: value for name, value in asdict(self).items() if name not in unread}
