"""Sizes, histograms and shares are the plain counts they claim to be."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.inspecting.sizes import histogram, level_histogram, sections, sizes
from core.types import ChunkTree, Document
from tests.chunking import generated


@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(1, 40))
def test_every_value_is_in_one_bin_of_round_width(values, most):
    found = histogram(values, most)
    assert sum(found.counts) == len(values)
    assert len(found.counts) == len(found.edges) - 1 <= max(1, most)
    widths = {after - before for before, after in zip(found.edges, found.edges[1:], strict=False)}
    assert len(widths) == 1
    assert str(widths.pop()).rstrip("0") in {"1", "2", "5"}
    for at, count in enumerate(found.counts):
        assert count == sum(found.edges[at] <= value < found.edges[at + 1] for value in values)


def test_sizes_are_not_negative():
    with pytest.raises(ValueError, match="not negative"):
        histogram([1, -1])


@given(generated.documents(), generated.settings())
def test_figures_and_shares(document, dials):
    tree = chunk(document, dials, generated.ThirdsCounter())
    tokens = [leaf.tokens for leaf in tree.leaves]
    found = sizes(tree)
    assert found.leaves == len(tokens)
    assert sum(level_histogram(tree, 0).counts) == len(tokens)
    assert found.parents == sum(level_histogram(tree, 1).counts)
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
