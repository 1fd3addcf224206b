"""Every dial, one frozen dataclass per stage, validated where it is made; and the named presets.

A fingerprint is a hash of all values that matter, so two equal settings are the same recipe on any machine.
"""

from core.settings.answering import AnsweringSettings
from core.settings.assembling import ORDERS, READING_UNITS, AssemblySettings
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
from core.settings.diversity import DIVERSITIES, DiversitySettings
from core.settings.enriching import FEATURE_GROUPS, INDEXED_FEATURES, EnrichingSettings
from core.settings.expanding import EXPANSIONS, ExpansionSettings
from core.settings.preparing import READERS, EmbeddingSettings, ParsingSettings
from core.settings.presets import BASELINES, CAREFUL_MODEL, PRESETS, carefully, preset
from core.settings.reranking import LATE_INTERACTION, OWN_RERANKER, RERANKING_UNITS, RerankingSettings
from core.settings.retrieving import FUSIONS, LEXICAL_ENGINES, RetrievalSettings
from core.settings.understanding import UnderstandingSettings
from core.settings.whole import OF_DOCUMENTS, Settings, stage_fingerprint

__all__ = [
    "ANCHOR_PLACES",
    "BASELINES",
    "CAREFUL_MODEL",
    "CHUNKERS",
    "DIALS",
    "DIVERSITIES",
    "EXPANSIONS",
    "FEATURE_GROUPS",
    "FUSIONS",
    "INDEXED_FEATURES",
    "LATE_INTERACTION",
    "LEXICAL_ENGINES",
    "OF_DOCUMENTS",
    "ORDERS",
    "OVERLAPS",
    "OWN_RERANKER",
    "PARENTS",
    "PREFIX_KINDS",
    "PRESETS",
    "READERS",
    "READING_UNITS",
    "RERANKING_UNITS",
    "THRESHOLDS",
    "UNITS",
    "VECTORS",
    "AnsweringSettings",
    "AssemblySettings",
    "ChunkingSettings",
    "DiversitySettings",
    "EmbeddingSettings",
    "EnrichingSettings",
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
