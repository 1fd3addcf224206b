"""The measures of segmentation by hand and against NLTK where it is installed, and the glued texts."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Document
from tests.benchmarks.segmentation import glue, pk, scores, segments, window_diff

BOUNDARIES = st.sets(st.integers(1, 29)).map(sorted)


def test_by_hand():
    # Ten units, windows of three: seven pairs (0, 3) to (6, 9); a boundary at 5 parts those from (2, 5) to (4, 7).
    assert pk([5], [], 10, 3) == window_diff([5], [], 10, 3) == 3 / 7
    assert pk([5], [6], 10, 3) == window_diff([5], [6], 10, 3) == 2 / 7
    assert pk([5], [5, 6], 10, 3) == 1 / 7  # Pk forgives the second boundary where the first already parts
    assert window_diff([5], [5, 6], 10, 3) == 3 / 7  # WindowDiff counts it


@given(BOUNDARIES, BOUNDARIES, st.integers(2, 12))
def test_nltk_agrees(reference, found, window):
    measures = pytest.importorskip("nltk.metrics.segmentation", reason="NLTK is not installed")
    # NLTK writes a 1 behind a unit that a boundary follows, and slides over all but the last place.
    ours, theirs = ("".join("1" if unit in cuts else "0" for unit in range(1, 30)) for cuts in (reference, found))
    assert pk(reference, found, 30, window) == pytest.approx(measures.pk(ours, theirs, k=window))
    assert window_diff(reference, found, 30, window) == pytest.approx(measures.windowdiff(ours, theirs, window))


@given(BOUNDARIES, BOUNDARIES, st.integers(2, 12))
def test_pk_never_exceeds_window_diff(reference, found, window):
    assert 0 <= pk(reference, found, 30, window) <= window_diff(reference, found, 30, window) <= 1
    assert pk(found, found, 30, window) == window_diff(found, found, 30, window) == 0


def test_glued_texts_know_their_seams():
    said = [" ".join(f"Document {name} says sentence number {n} here." for n in range(9)) for name in "abcdefghijklmn"]
    pool = list(segments([Document("v", "text", "T", text) for text in said], random.Random(1)))
    assert len(pool) == 14
    assert all(4 <= segment.count(".") <= 12 for segment in pool)
    for glued in glue(pool, 20, random.Random(2)):
        edges = [0, *glued.seams, len(glued.text) + 1]
        parts = [glued.text[low : high - 1] for low, high in pairwise(edges)]
        assert 6 <= len(parts) <= 12
        assert len(set(parts)) == len(parts)
        assert set(parts) <= set(pool)
        exact = scores(glued, glued.seams)
        assert exact[:2] == (0.0, 0.0)
        assert exact[2] >= 0.0
