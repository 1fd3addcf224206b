"""Sizes and shares are the plain counts they claim to be."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given

from core.chunking import chunk
from core.inspecting.sizes import sections, sizes
from core.types import ChunkTree, Document
from tests.chunking import generated


@given(generated.documents(), generated.settings())
def test_figures_and_shares(document, dials):
    tree = chunk(document, dials, generated.ThirdsCounter())
    tokens = [leaf.tokens for leaf in tree.leaves]
    found = sizes(tree)
    assert found.leaves == len(tokens)
    assert found.parents == sum(chunk.level == 1 for chunk in tree.chunks)
    shares = sections(tree)
    assert len({section.path for section in shares}) == len(shares)
    assert sum(section.leaves for section in shares) == len(tokens)
    if tokens:
        assert (found.smallest, found.largest) == (min(tokens), max(tokens))
        assert found.median == statistics.median(tokens)
        assert found.smallest <= found.lower <= found.median <= found.upper <= found.largest
        assert sum(section.share for section in shares) == pytest.approx(1.0)
        assert sum(section.characters for section in shares) == len(
            {at for leaf in tree.leaves for at in range(leaf.start, leaf.end)}
        )


def test_nothing_has_no_size():
    empty = ChunkTree(Document("v", "text", "T", ""), ())
    assert sizes(empty).leaves == 0
    assert sections(empty) == ()
