"""Lexical cohesion against its definition, valleys against a walk, and the chunker at a seam of vocabularies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.chunking.chunkers.texttiling import cohesion, deep_valleys, valleys
from core.settings import ChunkingSettings
from core.types import Document
from tests.chunking import checker

SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=14)
CURVES = st.lists(st.integers(0, 5).map(lambda height: height / 4), max_size=16).map(np.array)
BREAD = "The baker kneads the dough. Flour and water make the dough rise. The oven bakes the bread. Bread needs yeast. "
STARS = "The telescope shows a star. Stars and planets orbit. A planet crosses the star. The star has an orbit. "


@given(SENTENCES, st.integers(1, 6))
def test_cohesion_is_the_cosine_of_word_counts(sentences, window):
    found = cohesion(sentences, window)
    assert found.shape == (max(0, len(sentences) - 1),)
    for gap, value in enumerate(found):
        left = Counter(word for words in sentences[max(0, gap + 1 - window) : gap + 1] for word in words)
        right = Counter(word for words in sentences[gap + 1 : gap + 1 + window] for word in words)
        norms = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
        expected = sum(left[word] * right[word] for word in left) / norms**0.5 if norms else 0.0
        assert value == pytest.approx(expected)


@given(CURVES)
def test_valleys_are_what_a_walk_finds(curve):
    gaps, depths = valleys(curve)
    expected = list(walked(curve))
    assert gaps.tolist() == [gap for gap, _ in expected]
    assert depths.tolist() == pytest.approx([depth for _, depth in expected])


def walked(curve):
    first = 0
    while first < len(curve):
        last = first
        while last + 1 < len(curve) and curve[last + 1] == curve[first]:
            last += 1
        lower = (first == 0 or curve[first - 1] > curve[first]) and (
            last == len(curve) - 1 or curve[last + 1] > curve[first]
        )
        if lower and (first > 0 or last < len(curve) - 1):
            left, right = first, last
            while left > 0 and curve[left - 1] >= curve[left]:
                left -= 1
            while right < len(curve) - 1 and curve[right + 1] >= curve[right]:
                right += 1
            yield (first + last) // 2, curve[left] + curve[right] - 2 * curve[first]
        first = last + 1


@given(CURVES, st.floats(-3, 3), st.floats(-3, 3))
def test_a_deeper_bound_never_adds_a_cut(curve, one, other):
    low, high = sorted((one, other))
    assert set(deep_valleys(*valleys(curve), high).tolist()) <= set(deep_valleys(*valleys(curve), low).tolist())


def test_the_cut_falls_where_the_words_change(counter):
    text = (BREAD * 2 + STARS * 2).strip()
    settings = ChunkingSettings("texttiling", max_tokens=400)
    tree = chunk(Document("v", "text", "Two", text), settings, counter)
    checker.check_tree(tree, settings, counter)
    assert text.index("The telescope") in {leaf.start for leaf in tree.leaves}
    second = next(leaf for leaf in tree.leaves if leaf.text.startswith("The telescope shows"))
    assert second.reasons[0].startswith("begins: the words change: a valley ")
