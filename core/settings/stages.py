"""The dials of every stage but chunking, one frozen dataclass each."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import SettingsError
from core.settings.checks import one_of, within

FUSIONS = ("zscore", "rrf")
EXPANSIONS = ("flat", "parent")
ORDERS = ("relevance", "document", "edges")
READERS = ("own", "unstructured")
LEXICAL_ENGINES = ("fts5", "rank-bm25")


@dataclass(frozen=True, slots=True)
class ParsingSettings:
    """Limits for the worker that reads a file, and who reads it. ``timeout_seconds`` is per file.

    ``reader``: "own", or "unstructured" for the formats that library reads; PDF, spreadsheets of OpenDocument and
    source code are always our own.
    """

    timeout_seconds: int = 600
    memory_megabytes: int = 2048
    reader: str = "own"

    def __post_init__(self) -> None:
        one_of("parsing.reader", self.reader, READERS)
        within("parsing.timeout_seconds", self.timeout_seconds, 1, 36_000)
        within("parsing.memory_megabytes", self.memory_megabytes, 256, 65_536)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which encoder. ``model``: "packaged" is the all-MiniLM-L6-v2 of the requirements; else a path or name.

    ``precision``: "auto" takes bfloat16 where the processor has it. ``batch_size``: texts per forward pass.
    """

    model: str = "packaged"
    precision: str = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        one_of("embedding.precision", self.precision, ("auto", "float32", "bfloat16"))
        within("embedding.batch_size", self.batch_size, 1, 1024)


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """From a question to ranked leaves.

    ``fusion``: "zscore" adds weighted standard scores, "rrf" weighted reciprocal ranks with constant ``rrf_k``.
    A weight of 0 switches that search off. ``neighbour_share``: the share of each neighbouring leaf's score a leaf
    gains, 0 is off. ``k``: leaves kept. ``min_similarity``: cosine below which a leaf is dropped, -1 is off.
    ``lexical_engine``: "fts5" on disk, "rank-bm25" in memory; both rank by BM25. ``*_boost``: weight of a field in
    the lexical score.
    """

    dense_weight: float = 0.5
    lexical_weight: float = 0.5
    fusion: str = "zscore"
    rrf_k: int = 60
    neighbour_share: float = 0.3
    k: int = 50
    min_similarity: float = -1.0
    title_boost: float = 0.5
    headings_boost: float = 0.5
    text_boost: float = 1.0
    lexical_engine: str = "fts5"
    exact_below: int = 200_000

    def __post_init__(self) -> None:
        one_of("retrieval.fusion", self.fusion, FUSIONS)
        one_of("retrieval.lexical_engine", self.lexical_engine, LEXICAL_ENGINES)
        within("retrieval.dense_weight", self.dense_weight, 0, 1)
        within("retrieval.lexical_weight", self.lexical_weight, 0, 1)
        if not self.dense_weight + self.lexical_weight:
            raise SettingsError("Both retrieval weights are 0.", "Give at least one search a weight.")
        within("retrieval.rrf_k", self.rrf_k, 1, 1000)
        within("retrieval.neighbour_share", self.neighbour_share, 0, 1)
        within("retrieval.k", self.k, 1, 1000)
        within("retrieval.min_similarity", self.min_similarity, -1, 1)
        for name in ("title_boost", "headings_boost", "text_boost"):
            within(f"retrieval.{name}", getattr(self, name), 0, 10)
        within("retrieval.exact_below", self.exact_below, 0, 100_000_000)


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """How a child grows before it is read. ``strategy``: "flat" leaves it, "parent" takes its parent.

    ``max_share``: the share of the budget the best child's passage may fill; a larger parent is cut to whole leaves
    around the child. 1 is off. ``share_decay``: the share of the child at rank r is ``max_share / r ** share_decay``,
    so that the best evidence is read with its surroundings and the rest leaves room; 0 is off.
    """

    strategy: str = "parent"
    max_share: float = 0.25
    share_decay: float = 0.5

    def __post_init__(self) -> None:
        one_of("expansion.strategy", self.strategy, EXPANSIONS)
        within("expansion.max_share", self.max_share, 0.01, 1)
        within("expansion.share_decay", self.share_decay, 0, 2)


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """What the reader gets. ``budget_tokens``: room for passages. ``order``: of the passages in the prompt."""

    budget_tokens: int = 2000
    order: str = "relevance"

    def __post_init__(self) -> None:
        within("assembly.budget_tokens", self.budget_tokens, 50, 1_000_000)
        one_of("assembly.order", self.order, ORDERS)
