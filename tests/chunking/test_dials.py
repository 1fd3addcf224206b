"""The dials a recipe is named by: one that it leaves out decides nothing, and one that it tells decides something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.chunking import cut
from core.chunking.chunkers import CHUNKERS
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.section_starts import TrainedStarts
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from tests.fast_encoder import FastEncoder

STARTS = TrainedStarts((0.01,) * (2 * FastEncoder.dimension + 5), FastEncoder.fingerprint, 2, 30)
RESOURCES = (ChunkerResources(FastEncoder(), STARTS), ChunkerResources(FastEncoder()), ChunkerResources())
NEED_RESOURCES = ("semantic", "cluster", "learned")
PROSE = "The cat sat on the mat. A dog barked at a tall tree; the fox ran. Prices fell again on Monday. Rain is due. "
ROWS = "".join(f"| {number} | x{number} | the word {number} |\n" for number in range(9))
HANDBOOK = (
    f"# Handbook of things\n\n{PROSE * 3}\n\n## Part\n\n- one item\n- two items\n\n| a | b | c |\n|---|---|---|\n"
    f"{ROWS}\n```python\ndef f(x):\n    return x\n\ndef g(y):\n    return y\n```\n\n{PROSE * 2}"
)
LOG = "\n".join(f"2024-01-01 10:{minute:02d}:40 INFO step {minute} done" for minute in (*range(9), *range(15, 40, 2)))
TALK = "\n".join(f"{('Bob', 'Ann')[turn % 2]}: {PROSE[:60]}{'.?'[turn % 3 == 0]}" for turn in range(12))
TEXTS = {"a.md": HANDBOOK, "b.log": LOG, "c.txt": TALK}
BASE = ChunkingSettings(max_tokens=40, parent_max_tokens=120)
OTHERWISE = {
    "min_tokens": 9,
    "overlap": "adaptive",
    "overlap_tokens": 8,
    "parents": "ratio",
    "parent_max_tokens": 90,
    "parent_ratio": 2.0,
    "levels": 3,
    "sentences": 2,
    "semantic_threshold": "absolute",
    "semantic_percentile": 40.0,
    "semantic_absolute": 0.8,
    "semantic_zscore": 0.1,
    "semantic_interquartile": 0.1,
    "semantic_gradient": 30.0,
    "semantic_buffer": 0,
    "learned_probability": 0.2,
    "tiling_window": 2,
    "tiling_depth": -2.0,
    "table_columns": 2,
    "table_key": "a",
    "clause_sentences": 1,
    "overlap_percent": 20.0,
    "log_minutes": 1,
    "log_gap_minutes": 1,
    "conversation_turns": 2,
    "anchors": ("fox",),
    "anchor_at": "inside",
}


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("around", [{"overlap_tokens": 6}, {"parents": "ratio", "levels": 3}], ids=str)
def test_a_dial_that_a_recipe_leaves_out_changes_no_chunk(chunker, around, counter):
    base = replace(BASE, chunker=chunker, **around)
    untold = [
        name
        for name, value in OTHERWISE.items()
        if replace(base, **{name: value}).active_values() == base.active_values()
    ]
    assert "sentences" in untold or chunker == "sentence"
    for name, text in TEXTS.items():
        document = parse(text.encode(), name, ParsingSettings())
        for resources in RESOURCES if chunker in NEED_RESOURCES else RESOURCES[:1]:
            piece = PreparedDocument(document, counter, resources)
            first = cut(piece, base)
            for dial in untold:
                assert cut(piece, replace(base, **{dial: OTHERWISE[dial]})) == first, dial


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_what_nobody_reads_makes_no_document_stale(chunker):
    base = replace(BASE, chunker=chunker)
    assert replace(base, overlap="adaptive").active_values() == base.active_values(), "there is no overlap"
    ratio = replace(base, parents="ratio")
    assert replace(ratio, parent_max_tokens=4000).active_values() == ratio.active_values()
    assert replace(ratio, parent_ratio=3.0).active_values() != ratio.active_values()
    sliding = replace(base, overlap_tokens=9)
    assert (replace(sliding, overlap="adaptive").active_values() == sliding.active_values()) == (chunker == "fixed")
