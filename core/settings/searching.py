"""From a question to its ranking: what is read out of it, how leaves are searched, spread and read again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.errors import SettingsError
from core.settings.checks import check, dial

MOST_ANSWERS = 8  # as many as HyDE's paper takes


@dataclass(frozen=True, slots=True)
class UnderstandingSettings:
    """From a question's words to conditions, without a model; and what a language model may write for it.

    ``filters``: operators (``type:pdf``, ``in:handbook``, ``"exact phrase"``, ``-word``) filter; off, they are words
    like any others.

    With a language model, and not at all without: ``rewrite``: the question is searched in the model's words.
    ``decompose``: it is searched in the parts that the model sees in it as well. ``imagined_answers``: the search by
    meaning looks for the mean of the question and so many answers that the model makes up, 0 is off.
    """

    filters: bool = True
    rewrite: bool = False
    decompose: bool = False
    imagined_answers: int = dial(0, 0, MOST_ANSWERS)

    def __post_init__(self) -> None:
        check("understanding", self)

    @property
    def writes(self) -> bool:
        """A language model is asked to write something."""
        return self.rewrite or self.decompose or self.imagined_answers > 0

    def active_values(self) -> dict[str, Any]:
        """The values that change a ranking: what is off is left out.

        >>> UnderstandingSettings(rewrite=True).active_values()
        {'filters': True, 'rewrite': True}
        """
        return {name: value for name, value in asdict(self).items() if value}


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

    ``k``: leaves kept. ``min_similarity``: cosine below which a leaf is dropped, -1 is off. ``lexical_engine``: "fts5"
    on disk, "rank-bm25" in memory; both rank by BM25. ``*_boost``: weight of a field in the lexical score.
    ``exact_below``: up to so many leaves every vector is compared and kept in memory; above, Chroma names the nearest.
    """

    dense_weight: float = dial(0.7, 0, 1)
    lexical_weight: float = dial(0.3, 0, 1)
    fusion: str = dial("zscore", among=FUSIONS)
    rrf_k: int = dial(60, 1, 1000)
    neighbour_share: float = dial(0.15, 0, 1)
    k: int = dial(50, 1, 1000)
    min_similarity: float = dial(-1.0, -1, 1)
    title_boost: float = dial(0.5, 0, 10)
    headings_boost: float = dial(0.5, 0, 10)
    captions_boost: float = dial(0.5, 0, 10)
    text_boost: float = dial(1.0, 0, 10)
    lexical_engine: str = dial("fts5", among=LEXICAL_ENGINES)
    exact_below: int = dial(80_000, 0, 100_000_000)
    coverage_weight: float = dial(0.4, 0, 1)
    parent_share: float = dial(0.5, 0, 2)
    document_share: float = dial(0.3, 0, 2)

    def __post_init__(self) -> None:
        check("retrieval", self)
        if not self.dense_weight + self.lexical_weight:
            raise SettingsError("Both retrieval weights are 0.", "Give at least one search a weight.")

    @property
    def boosts(self) -> dict[str, float]:
        """The weight of each field of the lexical index, by its name.

        >>> RetrievalSettings(captions_boost=2).boosts
        {'title': 0.5, 'headings': 0.5, 'captions': 2, 'text': 1.0}
        """
        return {name.removesuffix("_boost"): getattr(self, name) for name in _BOOSTS}

    def active_values(self) -> dict[str, Any]:
        """The values that are read: a constant of another fusion or a dial of what is off is left out.

        >>> RetrievalSettings(rrf_k=10).active_values() == RetrievalSettings().active_values()
        True
        >>> RetrievalSettings(fusion="rrf", rrf_k=10).active_values()["rrf_k"]
        10
        """
        unread: set[str] = set()
        if self.fusion != "rrf":
            unread.add("rrf_k")
        if not self.lexical_weight:
            unread |= {"lexical_engine", *_BOOSTS}
        return {name: value for name, value in asdict(self).items() if name not in unread}


DIVERSITIES = ("none", "mmr")


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """From ranked leaves to leaves that do not all say the same.

    ``method``: "mmr" weighs each leaf's relevance against its likeness to those before it, "none" is off.
    ``relevance``: the share of relevance against novelty, 1 is relevance by itself. ``candidates``: how many of the
    best are reordered; those behind them follow as they were.
    """

    method: str = dial("none", among=DIVERSITIES)
    relevance: float = dial(0.7, 0, 1)
    candidates: int = dial(100, 2, 1000)

    def __post_init__(self) -> None:
        check("diversity", self)

    @property
    def off(self) -> bool:
        """Whether the stage leaves everything as it is: then it need not run, and costs nothing."""
        return self.method == "none"

    def active_values(self) -> dict[str, Any]:
        """The values that are read; nothing where the stage is off.

        >>> DiversitySettings(relevance=0.4, candidates=50).active_values()
        {}
        >>> DiversitySettings("mmr", relevance=0.4).active_values()
        {'method': 'mmr', 'relevance': 0.4, 'candidates': 100}
        """
        return {} if self.off else asdict(self)


PACKAGED_RERANKER = "packaged"
FORMER_RERANKERS = {"lectern": PACKAGED_RERANKER, "late-interaction": ""}  # what older settings name: what it is now
RERANKING_UNITS = ("child", "window", "parent")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class RerankingSettings:
    """A second, slower opinion of the best leaves.

    ``model``: "" is off; "packaged" is the small CrossEncoder that comes with Lectern; else the name or folder of a
    sentence-transformers CrossEncoder that lies on this machine. A former name (``FORMER_RERANKERS``) is read as what
    it means now.

    ``unit``: what is read of a leaf: the "child" itself, a "window" of ``window_sentences`` on each side of it, or its
    "parent". ``prefix``: its title, headings and table header are read before it. ``candidates``: how many of the best
    are read; the others follow as they were. ``keep``: how many leaves go on after it, 0 keeps all.
    ``neighbour_share``: the share that a leaf's score takes of the best of its own and those of the two leaves beside
    it, of those that were read; 0 is off. ``blend``: the share of the re-ranker's score against the ranking before it,
    both standardised; 1 decides alone. Both are as measured (``docs/reranker.md``). ``timeout_seconds``: after it no
    further batch is begun, 0 is off. ``batch_size``: passages per forward pass. ``max_tokens``: of question and passage
    together, 0 is the model's limit. ``precision``: "auto" takes bfloat16 where the processor is quicker in it.
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
    prefix: bool = True
    neighbour_share: float = dial(1.0, 0, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", FORMER_RERANKERS.get(self.model, self.model))
        check("reranking", self)

    @property
    def off(self) -> bool:
        """Whether the stage leaves everything as it is: then it need not run, and loads nothing."""
        return not self.model

    def active_values(self) -> dict[str, Any]:
        """The values that are read; nothing where the stage is off.

        How many are read at once changes no order, and is left out.

        >>> RerankingSettings(candidates=50, keep=3).active_values()
        {}
        >>> RerankingSettings("lectern").active_values()["model"]
        'packaged'
        """
        if self.off:
            return {}
        unread = {"batch_size"}
        if self.unit != "window":
            unread.add("window_sentences")
        return {name: value for name, value in asdict(self).items() if name not in unread}
