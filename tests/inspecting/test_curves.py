"""The similarity curve: its cuts are the tree's, its threshold the chunker's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from core.chunking import chunk
from core.chunking.chunkers.semantic import semantic
from core.chunking.plan import ChunkerResources
from core.chunking.prepared_document import PreparedDocument
from core.chunking.signals.breakpoints import similarities
from core.inspecting.boundaries import cuts
from core.inspecting.curves import curve
from core.settings import THRESHOLDS, ChunkingSettings
from core.text.sentences import sentence_spans
from tests.chunking import generated
from tests.fast_encoder import FastEncoder
from tests.inspecting.planting import cut_tree

ENCODER = FastEncoder()
TEXT = (
    "The pump starts at noon. The pump stops at one. The pump rests at two. ¦"
    "Invoices leave the ledger daily. The ledger keeps invoices for years. ¦Invoices name the ledger page."
)


def seen(tree, settings):
    sentences = sentence_spans(tree.document.text)
    vectors = ENCODER.encode([tree.document.text[span.start : span.end] for span in sentences])
    return sentences, vectors, curve(sentences, vectors, settings, tree)


@given(generated.documents(), generated.settings())
def test_the_cuts_of_the_curve_are_the_trees_where_sentences_meet(document, dials):
    tree = chunk(document, dials, generated.ThirdsCounter())
    sentences, vectors, found = seen(tree, dials)
    starts = [span.start for span in sentences[1:]]
    assert found.positions.tolist() == starts
    assert {starts[gap] for gap in found.cuts} == set(cuts(tree)) & set(starts)
    assert np.array_equal(found.values, similarities(vectors, dials.semantic_buffer))
    assert found.threshold is None  # none of these three chunkers cuts by similarity


@pytest.mark.parametrize("rule", THRESHOLDS)
def test_semantic_cuts_below_its_line(rule):
    settings = ChunkingSettings("semantic", semantic_threshold=rule, semantic_buffer=0, semantic_zscore=0.5)
    tree = cut_tree(TEXT)
    _, _, found = seen(tree, settings)
    assert found.cuts.tolist() == [2, 4]
    if rule == "gradient":
        assert found.threshold is None  # a slope is no height
    elif rule != "interquartile":  # of five gaps none lies so far out
        assert found.threshold is not None
        assert found.values[2] < found.threshold


def test_a_curve_of_equal_sentences_has_no_line():
    _, _, found = seen(cut_tree("The pump. ¦The pump. The pump."), ChunkingSettings("semantic"))
    assert found.values.tolist() == [1.0, 1.0]
    assert found.threshold is None


def test_a_text_of_one_sentence_has_no_gap():
    _, _, found = seen(cut_tree("One alone."), ChunkingSettings("semantic"))
    assert (len(found.positions), len(found.values)) == (0, 0)


def test_as_many_vectors_as_sentences():
    tree = cut_tree(TEXT)
    with pytest.raises(ValueError, match="must be as many"):
        curve(sentence_spans(tree.document.text), ENCODER.encode(["one"]), ChunkingSettings(), tree)


def test_the_chunker_and_the_curve_agree():
    """What ``semantic`` itself cuts lies under the line that the curve draws for it."""
    document = cut_tree(TEXT.replace("¦", "")).document
    settings = ChunkingSettings("semantic", semantic_percentile=60.0, semantic_buffer=0, max_tokens=200)
    tree = PreparedDocument(document, generated.ThirdsCounter(), ChunkerResources(encoder=ENCODER)).tree(
        settings, semantic, "recipe"
    )
    _, _, found = seen(tree, settings)
    assert found.threshold is not None
    below = set(np.flatnonzero(found.values < found.threshold).tolist())
    assert below
    assert below <= set(found.cuts.tolist())
