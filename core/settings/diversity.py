"""How much the leaves that go on may repeat one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.settings.checks import one_of, within

DIVERSITIES = ("none", "mmr", "clusters", "sections")


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """From ranked leaves to leaves that do not all say the same.

    ``method``: "mmr" weighs each leaf's relevance against its likeness to those before it, "clusters" takes the best
    of every group of like leaves before the second of any, "sections" does so with the sections, that is the parents
    that the leaves were cut in: a long section of a document is several of them, short ones may share one;
    "none" is off. ``relevance``: of "mmr" alone, the share of relevance against novelty, 1 is relevance by itself.
    ``cluster_similarity``: of "clusters" alone, the cosine to a group's best leaf from which a leaf belongs to it.
    ``per_section``: at most so many leaves of one section, whatever the method, 0 is off. ``fold_twins``: a leaf that
    says what a better one says is left out, and names it. ``candidates``: how many of the best the method reorders;
    those behind them follow as they were. The cap and the folding hold for all.
    """

    method: str = "none"
    relevance: float = 0.7
    cluster_similarity: float = 0.6
    per_section: int = 0
    fold_twins: bool = False
    candidates: int = 100

    def __post_init__(self) -> None:
        one_of("diversity.method", self.method, DIVERSITIES)
        within("diversity.relevance", self.relevance, 0, 1)
        within("diversity.cluster_similarity", self.cluster_similarity, 0, 1)
        within("diversity.per_section", self.per_section, 0, 1000)
        within("diversity.candidates", self.candidates, 2, 1000)

    @property
    def off(self) -> bool:
        """Whether the stage leaves everything as it is: then it need not run, and costs nothing."""
        return self.method == "none" and not self.per_section and not self.fold_twins

    def telling(self) -> dict[str, Any]:
        """The values that are read; nothing where the stage is off.

        >>> DiversitySettings(relevance=0.4, candidates=50).telling()
        {}
        >>> DiversitySettings("mmr", relevance=0.4).telling()
        {'method': 'mmr', 'relevance': 0.4, 'candidates': 100}
        >>> DiversitySettings(per_section=2, candidates=50).telling()
        {'per_section': 2}
        """
        told: dict[str, Any] = {}
        if self.method != "none":
            told["method"] = self.method
            if self.method == "mmr":
                told["relevance"] = self.relevance
            if self.method == "clusters":
                told["cluster_similarity"] = self.cluster_similarity
            told["candidates"] = self.candidates
        if self.per_section:
            told["per_section"] = self.per_section
        if self.fold_twins:
            told["fold_twins"] = True
        return told
