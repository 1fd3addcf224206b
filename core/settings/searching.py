"""The settings that turn a question into a ranking: understanding, retrieval, diversity and re-ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.errors import SettingsError
from core.settings.checks import check, dial

MOST_ANSWERS = 8  # as many as in the HyDE paper


@dataclass(frozen=True, slots=True)
class UnderstandingSettings:
    """How a question is understood before the search.

    ``filters``: whether operators (``type:pdf``, ``in:handbook``, ``"exact phrase"``, ``-word``) restrict the search;
    off, they are ordinary words.

    The others need a language model and are ignored without one. ``rewrite``: search for the model's rewording of the
    question. ``decompose``: also search for the sub-questions that the model finds. ``imagined_answers``: the dense
    search uses the mean vector of the question and this many hypothetical answers (HyDE), 0 is off.
    """

    filters: bool = True
    rewrite: bool = False
    decompose: bool = False
    imagined_answers: int = dial(0, 0, MOST_ANSWERS)

    def __post_init__(self) -> None:
        check("understanding", self)

    @property
    def writes(self) -> bool:
        """Whether a language model is used."""
        return self.rewrite or self.decompose or self.imagined_answers > 0

    def active_values(self) -> dict[str, Any]:
        """The values that affect a ranking, without those that are off.

        >>> UnderstandingSettings(rewrite=True).active_values()
        {'filters': True, 'rewrite': True}
        """
        return {name: value for name, value in asdict(self).items() if value}


FUSIONS = ("zscore", "rrf")
LEXICAL_ENGINES = ("fts5", "rank-bm25")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How leaves are searched and fused into one ranking.

    ``dense_weight``, ``lexical_weight``: weights of the two searches in the fusion; 0 turns a search off.
    ``coverage_weight``: weight of a third score, the share of the question's words found around a leaf. ``fusion``: the
    weighted sum of z-scores ("zscore"), or of reciprocal ranks with constant ``rrf_k`` ("rrf").

    Shares of other leaves' fused scores are added to the fused score of a leaf, each off at 0: ``parent_share`` of the
    best leaf of its parent, ``document_share`` of the best of its document, ``neighbour_share`` of each adjacent leaf.

    ``k``: number of leaves kept. ``min_similarity``: cosine below which a leaf is dropped, -1 is off.
    ``lexical_engine``: BM25 as "fts5" or as "rank-bm25" weighs frequent words. ``exact_below``: up to this many leaves
    the dense search is exact and in memory; above, the nearest leaves come from Chroma's index.
    """

    dense_weight: float = dial(0.7, 0, 1)
    lexical_weight: float = dial(0.3, 0, 1)
    fusion: str = dial("zscore", among=FUSIONS)
    rrf_k: int = dial(60, 1, 1000)
    neighbour_share: float = dial(0.15, 0, 1)
    k: int = dial(50, 1, 1000)
    min_similarity: float = dial(-1.0, -1, 1)
    lexical_engine: str = dial("fts5", among=LEXICAL_ENGINES)
    exact_below: int = dial(80_000, 0, 100_000_000)
    coverage_weight: float = dial(0.4, 0, 1)
    parent_share: float = dial(0.5, 0, 2)
    document_share: float = dial(0.3, 0, 2)

    def __post_init__(self) -> None:
        check("retrieval", self)
        if not self.dense_weight + self.lexical_weight:
            raise SettingsError("Both retrieval weights are 0.", "Give at least one search a weight.")

    def active_values(self) -> dict[str, Any]:
        """The values that affect a ranking, without those of another fusion or of a search that is off.

        >>> RetrievalSettings(rrf_k=10).active_values() == RetrievalSettings().active_values()
        True
        >>> RetrievalSettings(fusion="rrf", rrf_k=10).active_values()["rrf_k"]
        10
        """
        unused: set[str] = set()
        if self.fusion != "rrf":
            unused.add("rrf_k")
        if not self.lexical_weight:
            unused.add("lexical_engine")
        return {name: value for name, value in asdict(self).items() if name not in unused}


DIVERSITIES = ("none", "mmr")


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """How redundant leaves are moved down the ranking.

    ``method``: "mmr" (maximal marginal relevance) or "none". ``relevance``: the weight of relevance against novelty; 1
    is relevance alone. ``candidates``: how many of the best leaves are reordered; the others keep their order.
    """

    method: str = dial("none", among=DIVERSITIES)
    relevance: float = dial(0.7, 0, 1)
    candidates: int = dial(100, 2, 1000)

    def __post_init__(self) -> None:
        check("diversity", self)

    @property
    def off(self) -> bool:
        """Whether the stage is skipped."""
        return self.method == "none"

    def active_values(self) -> dict[str, Any]:
        """The values that affect a ranking; {} where the stage is off.

        >>> DiversitySettings(relevance=0.4, candidates=50).active_values()
        {}
        >>> DiversitySettings("mmr", relevance=0.4).active_values()
        {'method': 'mmr', 'relevance': 0.4, 'candidates': 100}
        """
        return {} if self.off else asdict(self)


PACKAGED_RERANKER = "packaged"
FORMER_RERANKERS = {"lectern": PACKAGED_RERANKER, "late-interaction": ""}  # names in older settings -> present ones
RERANKING_UNITS = ("child", "window", "parent")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class RerankingSettings:
    """How the best leaves are re-ranked by a cross-encoder.

    ``model``: "" is off; "packaged" is the small CrossEncoder that comes with Lectern; else the name or folder of a
    local sentence-transformers CrossEncoder. Former names (``FORMER_RERANKERS``) are replaced.

    ``unit``: the text that is scored for a leaf: the "child" itself, a "window" with ``window_sentences`` on each side,
    or its "parent"; title, headings and table header come before it. ``candidates``: how many of the best leaves are
    scored; the others keep their order. ``keep``: how many leaves remain, 0 keeps all.

    ``blend``: weight of the re-ranker's score against the score before it, both standardised; 1 is the re-ranker alone.
    ``neighbour_share``: weight of the best score among a leaf and its two adjacent leaves (as far as they were scored)
    against its own; 0 is off. ``docs/reranker.md`` has the measurements behind both defaults.

    ``timeout_seconds``: after this no further batch is started, 0 is off. ``batch_size``: passages in one forward pass.
    ``max_tokens``: of question and passage together, 0 is the model's limit. ``precision``: "auto" is bfloat16 where
    the processor is faster with it.
    """

    model: str = ""
    unit: str = dial("child", among=RERANKING_UNITS)
    window_sentences: int = dial(2, 0, 50)
    candidates: int = dial(30, 1, 1000)
    keep: int = dial(0, 0, 1000)
    blend: float = dial(0.4, 0, 1)
    timeout_seconds: float = dial(10.0, 0, 3600)
    batch_size: int = dial(8, 1, 1024)
    max_tokens: int = dial(0, 0, 1_000_000)
    precision: str = dial("auto", among=PRECISIONS)
    neighbour_share: float = dial(1.0, 0, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", FORMER_RERANKERS.get(self.model, self.model))
        check("reranking", self)

    @property
    def off(self) -> bool:
        """Whether the stage is skipped and no model is loaded."""
        return not self.model

    def active_values(self) -> dict[str, Any]:
        """The values that affect a ranking; {} where the stage is off.

        >>> RerankingSettings(candidates=50, keep=3).active_values()
        {}
        >>> RerankingSettings("lectern").active_values()["model"]
        'packaged'
        """
        if self.off:
            return {}
        unused = {"batch_size"}
        if self.unit != "window":
            unused.add("window_sentences")
        return {name: value for name, value in asdict(self).items() if name not in unused}
