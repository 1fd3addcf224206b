"""Titles of all settings and their values in words, for tables and lists that name settings of any stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from core.settings import Settings
from pages.ui.ask.dials.sidebar import BY_NAME, LABELS
from pages.ui.settings.recipe_values import SLIDERS, sliders
from pages.ui.settings.recipe_words import (
    ALIAS_WORDS,
    ANCHOR_WORDS,
    CHUNKER_WORDS,
    OVERLAP_WORDS,
    PARENTS_WORDS,
    PREFIX_WORDS,
    THRESHOLD_WORDS,
    WRITTEN_FOR_WORDS,
)

_CUT, _ENCODE, _FILES, _FIND, _RERANK = "Cut", "Encode", "Files", "Find", "Re-rank"
_TITLES: Mapping[str, str] = {
    **{f"chunking.{name}": f"{_CUT} · {slider.label}" for name, slider in SLIDERS.items()},
    **{f"chunking.{name}": f"{_CUT} · {sliders(512, 2)[name].label.rstrip(', ')}" for name in sliders(512, 2)},
    "chunking.chunker": f"{_CUT} · Chunker",
    "chunking.prefix": f"{_CUT} · Read before a chunk",
    "chunking.unit": f"{_CUT} · Sizes count",
    "chunking.overlap": f"{_CUT} · Way of overlapping",
    "chunking.parents": f"{_CUT} · Parents are made of",
    "chunking.vectors": f"{_CUT} · Vectors of a chunk or its window",
    "chunking.written_for": f"{_CUT} · A language model writes of",
    "chunking.aliases": f"{_CUT} · Found besides by",
    "chunking.semantic_threshold": f"{_CUT} · Cuts by",
    "chunking.table_key": f"{_CUT} · Rows grouped by",
    "chunking.anchors": f"{_CUT} · Your anchors",
    "chunking.anchor_at": f"{_CUT} · A window",
    "embedding.model": f"{_ENCODE} · Embedder",
    "embedding.precision": f"{_ENCODE} · Precision",
    "embedding.batch_size": f"{_ENCODE} · Texts at once",
    "parsing.timeout_seconds": f"{_FILES} · Time limit, seconds",
    "parsing.memory_megabytes": f"{_FILES} · Memory limit, megabytes",
    "parsing.reader": f"{_FILES} · Reader",
    "parsing.web_pages": f"{_FILES} · Of web pages",
    "parsing.scans": f"{_FILES} · Scans are read by",
    "parsing.scan_languages": f"{_FILES} · Languages of scans",
    "retrieval.exact_below": f"{_FIND} · Compare all up to, chunks",
    "reranking.batch_size": f"{_RERANK} · Passages at once",
    "reranking.max_tokens": f"{_RERANK} · It reads at most, tokens",
    "reranking.precision": f"{_RERANK} · Precision",
    **LABELS,
}
_VALUES: Mapping[str, Mapping[str, str]] = {
    "chunking.chunker": CHUNKER_WORDS,
    "chunking.prefix": PREFIX_WORDS,
    "chunking.overlap": OVERLAP_WORDS,
    "chunking.parents": PARENTS_WORDS,
    "chunking.written_for": WRITTEN_FOR_WORDS,
    "chunking.aliases": ALIAS_WORDS,
    "chunking.semantic_threshold": THRESHOLD_WORDS,
    "chunking.anchor_at": ANCHOR_WORDS,
}


def setting_names() -> list[str]:
    """All settings, as "stage.name".

    >>> "retrieval.rrf_k" in setting_names()
    True
    """
    settings = Settings()
    return [f"{stage.name}.{item.name}" for stage in fields(settings) for item in fields(getattr(settings, stage.name))]


def setting_title(name: str) -> str:
    """A setting in words; one with a dial on Ask or Chunks has the dial's.

    >>> setting_title("chunking.max_tokens"), setting_title("retrieval.k")
    ('Cut · Chunk, at most', 'Find · Chunks kept (k)')
    """
    return _TITLES.get(name, name)


def value_words(name: str, value: Any) -> str:
    """A value of a setting in words.

    >>> value_words("chunking.chunker", "semantic"), value_words("chunking.prefix", ()), value_words("retrieval.k", 90)
    ('Where the meaning changes', 'none', '90')
    """
    if name in BY_NAME:
        return BY_NAME[name].said(value)
    known = _VALUES.get(name, {})
    if isinstance(value, tuple | list):
        return ", ".join(known.get(str(item), str(item)) for item in value) or "none"
    return known.get(str(value), "none" if value == "" else str(value))


def values_allowed(name: str) -> str:
    """The values that a setting takes, as they are typed; "" where it takes any.

    >>> values_allowed("retrieval.rrf_k"), values_allowed("chunking.unit"), values_allowed("chunking.table_key")
    ('1 to 1,000', 'tokens, characters', '')
    """
    stage, _, field = name.partition(".")
    settings = getattr(Settings(), stage)
    metadata = next(item.metadata for item in fields(settings) if item.name == field)
    if metadata.get("among"):
        return ", ".join(value or "none" for value in metadata["among"])
    if metadata.get("high") is not None:
        return f"{metadata['low']:,} to {metadata['high']:,}"
    return "yes, no" if isinstance(getattr(settings, field), bool) else ""
