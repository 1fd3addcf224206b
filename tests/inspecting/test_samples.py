"""Real documents cut by every chunker there is: all views can be made of them and agree with each other."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.chunking import cut
from core.chunking.auditing import audit
from core.chunking.chunkers import CHUNKERS
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.inspecting.boundaries import cuts
from core.inspecting.comparing import Agreement, compare
from core.inspecting.curves import curve
from core.inspecting.findings import Defect
from core.inspecting.health import diagnose
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.text.sentences import sentence_spans
from tests.fast_encoder import FastEncoder

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples" / "documents"
NAMES = ("handbook.md", "key_loader.py", "quarterly-report.pdf", "device-register.csv", "security-policy.docx")
SOME = ("fixed", "semantic", "code", "table", "clause")
ENCODER = FastEncoder()


@cache
def document(name):
    return parse((SAMPLES / name).read_bytes(), name, ParsingSettings())


def tree_of(name, counter, settings):
    return cut(PreparedDocument(document(name), counter, ChunkerResources(encoder=ENCODER)), settings)


@pytest.mark.parametrize(
    ("chunker", "name"),
    [
        # Some chunkers on one document, and the default one on all.
        pytest.param(
            chunker,
            name,
            marks=() if chunker == "structure" or (chunker in SOME and at % len(NAMES) == which) else pytest.mark.long,
        )
        for at, chunker in enumerate(CHUNKERS)
        for which, name in enumerate(NAMES)
    ],
)
def test_every_view_of_a_real_document(chunker, name, counter):
    settings = ChunkingSettings(chunker)
    tree, plain = tree_of(name, counter, settings), tree_of(name, counter, ChunkingSettings())
    text = tree.document.text
    sentences = sentence_spans(text)
    health = diagnose(tree, ENCODER.max_tokens, settings, counter, sentences, audit(tree))
    assert health == diagnose(tree, ENCODER.max_tokens, settings, counter, sentences)
    assert Defect.LOST not in health.counts
    assert Defect.TRUNCATED not in health.counts
    assert sum(health.counts.values()) == len(health.findings)
    for finding in health.findings:
        assert 0 <= finding.leaf < len(tree.leaves)
        assert text[finding.start : finding.end].strip()
        assert finding.sentence.endswith(".")
    found = compare(plain, tree, sentences)
    assert {place.position for place in found.cuts if place.agreement is not Agreement.REMOVED} == set(cuts(tree))
    assert len(found.gold) == len(sentences)
    vectors = ENCODER.encode([text[span.start : span.end] for span in sentences])
    line = curve(sentences, vectors, settings, tree)
    assert set(line.positions[line.cuts].tolist()) == set(cuts(tree)) & set(line.positions.tolist())
    assert found.sizes_b.leaves == len(tree.leaves)


def test_structure_severs_less_than_fixed(counter):
    """The handbook's prose: fixed tokens cut most of its sentences' neighbours, structure none."""
    found = {}
    for chunker in ("structure", "fixed"):
        settings = ChunkingSettings(chunker)
        found[chunker] = diagnose(tree_of("handbook.md", counter, settings), 256, settings, counter).counts
    assert Defect.ENDS_MID_SENTENCE not in found["structure"]
    assert Defect.ORPHAN_HEADING not in found["structure"]
    assert found["fixed"][Defect.ENDS_MID_SENTENCE] > 50
