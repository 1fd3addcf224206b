"""Every dial, one frozen dataclass per stage, validated where it is made; and the named presets.

A fingerprint is a hash of all values, so two equal settings are the same recipe on any machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from core.errors import SettingsError


def _fingerprint(value: object) -> str:
    """Sixteen hex digits of the SHA-256 of the value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Dials younger than the first recipes, each at the value that says what was always done: a fingerprint leaves them out
# there, so that a new dial does not make every document stale and change the id of every chunk.
_ALWAYS_SO = {"unit": "tokens"}


def _telling(stage: Any) -> dict[str, Any]:
    """The values of a stage that its fingerprint is made of."""
    return {name: value for name, value in asdict(stage).items() if _ALWAYS_SO.get(name) != value}


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}.", f"Choose a value from {low:g} to {high:g}.")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingsError(f"{name} is {value!r}.", f"Choose one of: {', '.join(allowed)}.")


CHUNKERS = ("structure", "recursive", "fixed")
UNITS = ("tokens", "characters")
FUSIONS = ("zscore", "rrf")
EXPANSIONS = ("flat", "parent")
ORDERS = ("relevance", "document", "edges")
READERS = ("own", "unstructured")
LEXICAL_ENGINES = ("fts5", "rank-bm25")
PREFIX_KINDS = ("title", "heading", "table_header")


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
        _one_of("parsing.reader", self.reader, READERS)
        _within("parsing.timeout_seconds", self.timeout_seconds, 1, 36_000)
        _within("parsing.memory_megabytes", self.memory_megabytes, 256, 65_536)


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How a document becomes a tree. Sizes are tokens of the embedder's own tokenizer, unless ``unit`` says otherwise.

    ``max_tokens``: a leaf's limit, its prefix included, special tokens not. ``overlap_tokens``: 0 is off.
    ``parent_max_tokens``: a parent's limit. ``prefix``: kinds of prefix parts the embedder reads, () is off.
    ``prefix_max_tokens``: the cap on a leaf's whole prefix, which never takes more than half of the leaf.
    ``unit``: what all these sizes count. With "characters" (code points) they are what other libraries call chunk size,
    and nothing holds a leaf within what the embedder reads: leaves it reads only in part are counted as truncated.
    """

    chunker: str = "structure"
    max_tokens: int = 110
    overlap_tokens: int = 0
    parent_max_tokens: int = 700
    prefix: tuple[str, ...] = PREFIX_KINDS
    prefix_max_tokens: int = 32
    unit: str = "tokens"

    def __post_init__(self) -> None:
        _one_of("chunking.chunker", self.chunker, CHUNKERS)
        _within("chunking.max_tokens", self.max_tokens, 8, 8192)
        _within("chunking.overlap_tokens", self.overlap_tokens, 0, self.max_tokens // 2)
        _within("chunking.parent_max_tokens", self.parent_max_tokens, self.max_tokens, 65_536)
        _within("chunking.prefix_max_tokens", self.prefix_max_tokens, 0, 4096)
        _one_of("chunking.unit", self.unit, UNITS)
        for kind in self.prefix:
            _one_of("chunking.prefix", kind, PREFIX_KINDS)

    @property
    def prefix_room(self) -> int:
        """What a prefix may take, in ``unit``: small leaves need no other dial turned with them.

        >>> ChunkingSettings(max_tokens=20, prefix_max_tokens=32).prefix_room
        10
        """
        return min(self.prefix_max_tokens, self.max_tokens // 2)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which encoder. ``model``: "packaged" is the all-MiniLM-L6-v2 of the requirements; else a path or name.

    ``precision``: "auto" takes bfloat16 where the processor has it. ``batch_size``: texts per forward pass.
    """

    model: str = "packaged"
    precision: str = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        _one_of("embedding.precision", self.precision, ("auto", "float32", "bfloat16"))
        _within("embedding.batch_size", self.batch_size, 1, 1024)


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
        _one_of("retrieval.fusion", self.fusion, FUSIONS)
        _one_of("retrieval.lexical_engine", self.lexical_engine, LEXICAL_ENGINES)
        _within("retrieval.dense_weight", self.dense_weight, 0, 1)
        _within("retrieval.lexical_weight", self.lexical_weight, 0, 1)
        if not self.dense_weight + self.lexical_weight:
            raise SettingsError("Both retrieval weights are 0.", "Give at least one search a weight.")
        _within("retrieval.rrf_k", self.rrf_k, 1, 1000)
        _within("retrieval.neighbour_share", self.neighbour_share, 0, 1)
        _within("retrieval.k", self.k, 1, 1000)
        _within("retrieval.min_similarity", self.min_similarity, -1, 1)
        for name in ("title_boost", "headings_boost", "text_boost"):
            _within(f"retrieval.{name}", getattr(self, name), 0, 10)
        _within("retrieval.exact_below", self.exact_below, 0, 100_000_000)


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
        _one_of("expansion.strategy", self.strategy, EXPANSIONS)
        _within("expansion.max_share", self.max_share, 0.01, 1)
        _within("expansion.share_decay", self.share_decay, 0, 2)


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """What the reader gets. ``budget_tokens``: room for passages. ``order``: of the passages in the prompt."""

    budget_tokens: int = 2000
    order: str = "relevance"

    def __post_init__(self) -> None:
        _within("assembly.budget_tokens", self.budget_tokens, 50, 1_000_000)
        _one_of("assembly.order", self.order, ORDERS)


@dataclass(frozen=True, slots=True)
class Settings:
    """All stages together. Presets differ from ``Settings()`` only in values.

    >>> Settings().with_value("retrieval.k", "20").retrieval.k
    20
    """

    parsing: ParsingSettings = field(default_factory=ParsingSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    expansion: ExpansionSettings = field(default_factory=ExpansionSettings)
    assembly: AssemblySettings = field(default_factory=AssemblySettings)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain nested values, fit for JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Same values, same sixteen hex digits.

        >>> Settings().fingerprint() == Settings().fingerprint()
        True
        """
        return _fingerprint({item.name: _telling(getattr(self, item.name)) for item in fields(self)})

    def with_value(self, name: str, value: Any) -> Settings:
        """A copy with ``stage.field`` set; strings are read as the field's type. Raises ``SettingsError``."""
        return self.with_values({name: value})

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """As ``with_value`` for several at once: only the whole need be valid, in whatever order they are given.

        >>> Settings().with_values({"chunking.max_tokens": 900, "chunking.parent_max_tokens": 900}).chunking.max_tokens
        900
        """
        stages: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            stage_name, _, field_name = name.partition(".")
            stage = getattr(self, stage_name, None) if stage_name in {item.name for item in fields(self)} else None
            known = {item.name for item in fields(stage)} if stage is not None else set()
            if field_name not in known:
                names = ", ".join(f"{stage_name}.{item}" for item in sorted(known)) or ", ".join(
                    item.name for item in fields(self)
                )
                raise SettingsError(f"There is no setting {name!r}.", f"Choose among: {names}.")
            stages.setdefault(stage_name, {})[field_name] = _read_as(name, getattr(stage, field_name), value)
        changed: dict[str, Any] = {name: replace(getattr(self, name), **new) for name, new in stages.items()}
        return replace(self, **changed)


def _read_as(name: str, current: Any, value: Any) -> Any:
    """``value`` in the type of ``current``; text is converted, tuples are written with commas.

    >>> _read_as("x", 3, "4"), _read_as("x", ("a",), "b,c"), _read_as("x", 0.5, 1)
    (4, ('b', 'c'), 1.0)
    """
    try:
        if isinstance(current, tuple):
            items = value.split(",") if isinstance(value, str) else value
            return tuple(item.strip() for item in items if item.strip())
        if isinstance(value, bool) or (isinstance(current, int) and float(value) != int(float(value))):
            raise ValueError(value)
        if isinstance(current, str) and not isinstance(value, str):
            raise ValueError(value)
        return int(float(value)) if isinstance(current, int) else type(current)(value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise SettingsError(
            f"{name} cannot be {value!r}.", f"It is a {type(current).__name__} like {current!r}."
        ) from None


def stage_fingerprint(stage: Any) -> str:
    """Fingerprint of one stage's settings."""
    return _fingerprint(_telling(stage))


def _preset(**values: Any) -> Settings:
    return Settings().with_values({name.replace("__", "."): value for name, value in values.items()})


def _baseline(chunker: str, size: int, parent_size: int, *, overlap: int = 0, **values: Any) -> Settings:
    """Common practice: sizes in characters, meaning alone, the embedder reads the chunk and nothing else."""
    return _preset(
        chunking__chunker=chunker,
        chunking__unit="characters",
        chunking__max_tokens=size,
        chunking__overlap_tokens=overlap,
        chunking__parent_max_tokens=parent_size,
        chunking__prefix=(),
        retrieval__dense_weight=1.0,
        retrieval__lexical_weight=0.0,
        retrieval__neighbour_share=0.0,
        **{"expansion__strategy": "flat", **values},
    )


_WIDEST_PARENT = 65_536  # overlap stays inside a parent: where none is read, one as wide as can be is in nobody's way

PRESETS: dict[str, Settings] = {
    "default": Settings(),
    "flat": _preset(expansion__strategy="flat"),
    "meaning-only": _preset(retrieval__lexical_weight=0.0, retrieval__dense_weight=1.0, retrieval__neighbour_share=0.0),
    "words-only": _preset(retrieval__dense_weight=0.0, retrieval__lexical_weight=1.0, retrieval__neighbour_share=0.0),
    "recursive": _preset(chunking__chunker="recursive"),
    "fixed": _preset(chunking__chunker="fixed"),
    "fixed-1000": _baseline("fixed", 1000, 1000),
    "recursive-1000-200": _baseline("recursive", 1000, _WIDEST_PARENT, overlap=200),
    "parent-2000-400": _baseline(
        "recursive", 400, 2000, expansion__strategy="parent", expansion__max_share=1.0, expansion__share_decay=0.0
    ),
}

BASELINES: tuple[str, ...] = ("fixed-1000", "recursive-1000-200", "parent-2000-400")
"""Presets that do what is common elsewhere, with the same weights: what every other preset has to beat.

``fixed-1000`` cuts every 1,000 characters, at a word. ``recursive-1000-200`` cuts paragraphs and sentences to 1,000
characters with 200 of overlap. ``parent-2000-400`` finds children of 400 characters and hands on their parents of up to
2,000, whole wherever the budget has room for one. ``core.chunking.recursive`` says where ours and the usual recursive
splitter part.
"""


def preset(name: str) -> Settings:
    """The settings of a named preset. Raises ``SettingsError`` for an unknown name."""
    if name not in PRESETS:
        raise SettingsError(f"There is no preset {name!r}.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name]
