"""Stopping early: the higher the least gain, the sooner the context ends, as a beginning of the longer one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search import context as assembly
from core.search.context.candidates import gain, worths
from core.settings import AssemblySettings, ExpansionSettings
from tests.search.context.test_context import filled
from tests.search.context.worlds import repeating_worlds, worlds

WORDS = st.sets(st.sampled_from("abcdefgh"))


def kept(made):
    return [child for child, fate in made.fates.items() if fate == "kept"]


@given(worlds(overlapping=False), st.floats(0, 1), st.floats(0, 1), st.integers(100, 2000))
def test_a_higher_threshold_reads_a_beginning_of_what_a_lower_one_reads(world, one, other, amount):
    low, high = sorted((one, other))
    budget = assembly.characters(amount)
    _, more = filled(world, ExpansionSettings("flat"), budget, AssemblySettings(least_gain=low))
    _, less = filled(world, ExpansionSettings("flat"), budget, AssemblySettings(least_gain=high))
    assert kept(less) == kept(more)[: len(kept(less))]
    assert less.used <= more.used


@given(worlds(), st.integers(1, 1200))
def test_the_first_passage_is_always_worth_reading(world, amount):
    """Where it has words at all: what gains nothing is not read under any threshold."""
    extents, made = filled(
        world, ExpansionSettings("parent"), assembly.characters(amount), AssemblySettings(least_gain=1.0)
    )
    _, whole = filled(world, ExpansionSettings("parent"), assembly.characters(amount))
    if extents and whole.passages and "gains less than" not in made.fates[extents[0].child]:
        assert made.passages


@given(repeating_worlds(), st.floats(0.01, 1))
def test_what_says_nothing_new_ends_the_context(world, least):
    _, made = filled(world, ExpansionSettings("flat"), assembly.characters(10**6), AssemblySettings(least_gain=least))
    texts = [passage.text for passage in made.passages]
    whole = {word for text in texts for word in text.lower().split()}
    assert len(texts) <= max(1, len(whole)), "each passage brought a word"


@given(WORDS, WORDS, WORDS, st.floats(0, 1))
def test_gain_falls_with_what_is_read_and_rises_with_worth(words, read, more, worth):
    assert 0 <= gain(worth, words, read | more) <= gain(worth, words, read) <= gain(1.0, words, read) <= 1
    if words:
        assert gain(1.0, words, set()) == 1


@given(st.lists(st.floats(-50, 50)), st.floats(-50, 50), st.floats(0.1, 10), st.floats(-50, 50))
def test_worth_is_a_share_whatever_the_scores_unit(relevances, floor, scale, shift):
    worth = worths(relevances, floor)
    assert all(0 <= each <= 1 for each in worth)
    assert [each for _, each in sorted(zip(relevances, worth, strict=True))] == sorted(worth)
    if relevances and max(relevances) - floor > 1e-3:
        assert max(worth) == 1
        moved = worths([scale * each + shift for each in relevances], scale * floor + shift)
        assert moved == pytest.approx(worth, abs=1e-6)
