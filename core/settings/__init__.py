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
from core.settings.enriching import FEATURE_GROUPS, INDEXED_FEATURES, EnrichingSettings
from core.settings.presets import BASELINES, PRESETS, preset
from core.settings.stages import (
    EXPANSIONS,
    FUSIONS,
    LEXICAL_ENGINES,
    ORDERS,
    READERS,
    AssemblySettings,
    EmbeddingSettings,
    ExpansionSettings,
    ParsingSettings,
    RetrievalSettings,
)
from core.settings.whole import Settings, stage_fingerprint

__all__ = [
    "ANCHOR_PLACES",
    "BASELINES",
    "CHUNKERS",
    "DIALS",
    "EXPANSIONS",
    "FEATURE_GROUPS",
    "FUSIONS",
    "INDEXED_FEATURES",
    "LEXICAL_ENGINES",
    "ORDERS",
    "OVERLAPS",
    "PARENTS",
    "PREFIX_KINDS",
    "PRESETS",
    "READERS",
    "THRESHOLDS",
    "UNITS",
    "VECTORS",
    "AssemblySettings",
    "ChunkingSettings",
    "EmbeddingSettings",
    "EnrichingSettings",
    "ExpansionSettings",
    "ParsingSettings",
    "RetrievalSettings",
    "Settings",
    "preset",
    "stage_fingerprint",
]
