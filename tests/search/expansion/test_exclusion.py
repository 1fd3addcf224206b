"""What a question leaves out is in no extent, whatever the strategy; all else is as if nothing were left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import clear_span, excluding_conditions, expand
from core.settings import ExpansionSettings
from core.storage.catalogue.filing.conditions import Condition, ExcludedText, Passing
from core.types import Span
from tests.search.expansion.test_extents import BUDGETS, INTENTS, WAYS, kept
from tests.search.expansion.worlds import meant, ranking_of, table, worlds

WORDS = ["otter", "section", "Why", "Open", "日本語", "Page", "stop", "nowhere"]


def left_out_words(leaves, texts, words, positive=None):
    """What ``resolve`` says, by trying every leaf. ``positive``: (n,) bool, what passes the other conditions."""
    conditions = tuple(Condition("not", word, 0, 1, f"not: {word}") for word in words)
    own = list(zip(leaves.documents.tolist(), leaves.starts.tolist(), leaves.ends.tolist(), strict=True))
    spans, passes = [], np.ones(len(leaves), bool) if positive is None else positive.copy()
    for at, word in enumerate(words):
        found = [(place, start) for place, text in enumerate(texts) for start in range(len(text))]
        found = [(place, start, start + len(word)) for place, start in found if texts[place].startswith(word, start)]
        spans += [(*one, at) for one in found]
        for leaf, (document, start, end) in enumerate(own):
            if any(place == document and first < end and start < last for place, first, last in found):
                spans.append((document, start, end, at))
                passes[leaf] = False
    columns = np.array(sorted(spans), np.int64).reshape(-1, 4).T
    excluded = ExcludedText(conditions, columns[0].astype(np.int32), columns[1], columns[2], columns[3])
    return Passing(passes, (), (), excluded if len(excluded) else None)


@st.composite
def asked(draw, overlapping=False):
    """A world that a question leaves some words out of, and asks for some of the rest."""
    world = draw(worlds(overlapping))
    leaves = world.ranking.leaves
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True))
    positive = np.array(draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves))))
    passing = left_out_words(leaves, world.texts, words, positive if draw(st.booleans()) else None)
    before = world.ranking
    there = passing.mask[before.pool]
    places = np.cumsum(there) - 1
    found = before.kept[there[before.kept]]
    scores = {stage: values[there] for stage, values in before.scores.items()}
    ranking = replace(before, pool=before.pool[there], scores=scores, kept=places[found], passing=passing)
    return replace(world, ranking=ranking), words


@given(asked(), WAYS, BUDGETS, INTENTS)
def test_no_extent_holds_what_is_left_out_and_every_child_is_whole(case, settings, budget, intent):
    world, words = case
    leaves = world.ranking.leaves
    extents = expand(meant(world.ranking, intent), settings, leaves.tokens, budget, world)
    assert {extent.child for extent in extents} >= set(kept(world))
    for extent in extents:
        text = world.texts[extent.document][extent.start : extent.end]
        assert not any(word in text for word in words), extent
        assert text == text.strip()
        assert extent.start <= leaves.starts[extent.child] < leaves.ends[extent.child] <= extent.end
        for leaf in range(len(leaves)):
            if leaves.documents[leaf] == extent.document and excluding_conditions(leaves, world.ranking.passing, leaf):
                assert leaves.ends[leaf] <= extent.start or extent.end <= leaves.starts[leaf]


@given(asked(overlapping=True), WAYS, BUDGETS)
def test_overlapping_leaves_too(case, settings, budget):
    world, words = case
    leaves = world.ranking.leaves
    for extent in expand(world.ranking, settings, leaves.tokens, budget, world):
        assert not any(word in world.texts[extent.document][extent.start : extent.end] for word in words)
        assert extent.start <= leaves.starts[extent.child] < leaves.ends[extent.child] <= extent.end


@given(asked(), WAYS, BUDGETS, INTENTS)
def test_an_extent_is_what_it_were_without_what_is_left_out(case, settings, budget, intent):
    """Cut where it must be and nowhere else: between its old edges and its new ones stands what is left out."""
    world, _ = case
    leaves, passing = world.ranking.leaves, world.ranking.passing
    free = replace(world, ranking=replace(world.ranking, passing=None))
    extents = expand(meant(world.ranking, intent), settings, leaves.tokens, budget, world)
    before = {one.child: one for one in expand(meant(free.ranking, intent), settings, leaves.tokens, budget, free)}
    assert before.keys() >= {one.child for one in extents}
    for gone in before.keys() - {one.child for one in extents}:
        assert excluding_conditions(leaves, passing, gone), "only what was added beside a child, and is left out itself"
    for one in extents:
        old = before[one.child]
        assert (one.document, one.relevance) == (old.document, old.relevance)
        assert ("begins behind" in one.reason) == (one.start > old.start)
        assert ("ends before" in one.reason) == (one.end < old.end)
        if one.reason == old.reason:
            assert one == old
        own = np.flatnonzero(leaves.documents == one.document)
        if one.start > old.start:  # what stands before it, up to the leaf there, is excluded
            edge = max(leaves.ends[own][leaves.ends[own] <= one.start], default=0)
            _, ends, _ = passing.excluded.within(one.document, old.start, one.start)
            assert any(edge <= end <= one.start for end in ends)
        if one.end < old.end:
            edge = min(leaves.starts[own][leaves.starts[own] >= one.end], default=old.end)
            starts, _, _ = passing.excluded.within(one.document, one.end, old.end)
            assert any(one.end <= start <= edge for start in starts)
        assert clear_span(leaves, passing, one.child, Span(old.start, old.end)) == Span(one.start, one.end)


@pytest.mark.parametrize(
    ("children", "spans", "reasons"),
    [
        ([2], [(20, 39)], ["the whole parent: 5 leaves; it begins behind and ends before text with “a” or “b”"]),
        ([0], [(0, 9)], ["the whole parent: 5 leaves; it ends before text with “a”"]),
    ],
)
def test_the_reason_says_where_and_why(children, spans, reasons):
    leaves = table([(0, 10 * at, 10 * at + 9, 7) for at in range(5)])
    conditions = tuple(Condition("not", word, 0, 1, "") for word in "ab")
    place = np.array([1, 4])
    excluded = ExcludedText(conditions, np.zeros(2, np.int32), leaves.starts[place], leaves.ends[place], np.arange(2))
    mask = np.array([True, False, True, True, False])
    ranking = replace(ranking_of(leaves, [1.0] * 5, children), passing=Passing(mask, (), (), excluded))
    extents = expand(ranking, ExpansionSettings("parent", 1.0), leaves.ends - leaves.starts, 1000, None)
    assert [(one.start, one.end) for one in extents] == spans
    assert [one.reason for one in extents] == [f"{reason}, which the question leaves out" for reason in reasons]
