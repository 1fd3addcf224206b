"""Every dial, one frozen dataclass per stage, validated where it is made; and the named presets.

A fingerprint is a hash of all values that matter, so two equal settings are the same recipe on any machine.
"""

from core.settings.chunking import (
    ANCHOR_PLACES,
    CHUNKERS,
    DIALS,
    OVERLAPS,
    PARENTS,
    PREFIX_KINDS,
    THRESHOLDS,
    UNITS,
    VECTORS,
    ChunkingSettings,
)
from core.settings.context import (
    EXPANSIONS,
    ORDERS,
    READING_UNITS,
    AnsweringSettings,
    AssemblySettings,
    ExpansionSettings,
)
from core.settings.preparing import (
    ENDPOINT,
    GENRES,
    READERS,
    SCANS,
    WEB_PAGES,
    EmbeddingSettings,
    ParsingSettings,
)
from core.settings.presets import BASELINES, CAREFUL_MODEL, PRESETS, carefully, preset
from core.settings.searching import (
    DIVERSITIES,
    FORMER_RERANKERS,
    FUSIONS,
    LEXICAL_ENGINES,
    PACKAGED_RERANKER,
    RERANKING_UNITS,
    DiversitySettings,
    RerankingSettings,
    RetrievalSettings,
    UnderstandingSettings,
)
from core.settings.whole import OF_DOCUMENTS, Settings, stage_fingerprint

__all__ = [
    "ANCHOR_PLACES",
    "BASELINES",
    "CAREFUL_MODEL",
    "CHUNKERS",
    "DIALS",
    "DIVERSITIES",
    "ENDPOINT",
    "EXPANSIONS",
    "FORMER_RERANKERS",
    "FUSIONS",
    "GENRES",
    "LEXICAL_ENGINES",
    "OF_DOCUMENTS",
    "ORDERS",
    "OVERLAPS",
    "PACKAGED_RERANKER",
    "PARENTS",
    "PREFIX_KINDS",
    "PRESETS",
    "READERS",
    "READING_UNITS",
    "RERANKING_UNITS",
    "SCANS",
    "THRESHOLDS",
    "UNITS",
    "VECTORS",
    "WEB_PAGES",
    "AnsweringSettings",
    "AssemblySettings",
    "ChunkingSettings",
    "DiversitySettings",
    "EmbeddingSettings",
    "ExpansionSettings",
    "ParsingSettings",
    "RerankingSettings",
    "RetrievalSettings",
    "Settings",
    "UnderstandingSettings",
    "carefully",
    "preset",
    "stage_fingerprint",
]
