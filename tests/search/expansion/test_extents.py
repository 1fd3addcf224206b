"""The laws of growing, whatever the strategy: never without the child, out of its document, or over its share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingsError
from core.search.expansion.expanding import EXPANDERS, expand
from core.search.expansion.growth import family, leaf_at, leaves_of, leaves_within
from core.settings import EXPANSIONS, ExpansionSettings
from core.types import Span
from tests.search.expansion.worlds import meant, ranking_of, table, worlds

STRATEGIES = st.sampled_from(EXPANSIONS)
SHARES = st.sampled_from([0.1, 0.3, 0.5, 0.9, 1.0])
DECAYS = st.sampled_from([0.0, 0.5, 1.0])
WAYS = st.builds(
    ExpansionSettings,
    STRATEGIES,
    SHARES,
    DECAYS,
    window_sentences=st.integers(0, 3),
    kinds=st.sampled_from([(), ("paper",)]),
    confidence=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
    merge_share=st.sampled_from([0.05, 0.3, 0.8]),
)
BUDGETS = st.integers(1, 900)
INTENTS = st.sampled_from(["", "procedure", "definition"])
# What each may read; an empty set reads nothing of the catalogue.
READ = {
    "flat": set(),
    "parent": {"genre"},
    "needed": {"genre", "text", "kind"},
    "window": {"text"},
    "auto-merge": {"ancestors"},
    "anchored": {"text"},
    "neighbours": {"references"},
}


def characters(leaves):
    return leaves.ends - leaves.starts


def kept(world):
    return world.ranking.pool[world.ranking.kept].tolist()


def test_every_setting_has_its_expander():
    assert tuple(EXPANDERS) == EXPANSIONS == tuple(READ)


@given(worlds(), WAYS, BUDGETS, INTENTS, st.booleans())
def test_laws_of_every_strategy(world, settings, budget, intent, in_tokens):
    leaves = world.ranking.leaves
    sizes = leaves.tokens if in_tokens else characters(leaves)
    extents = expand(meant(world.ranking, intent), settings, sizes, budget, world)
    assert world.asked <= (READ[settings.strategy] if settings.kinds else READ[settings.strategy] - {"genre"})
    assert extents == expand(meant(world.ranking, intent), settings, sizes, budget, world), "the same every time"
    children = [extent.child for extent in extents]
    assert len(set(children)) == len(children), "each leaf once"
    assert set(children) >= set(kept(world))
    if settings.strategy != "neighbours":
        assert len(children) == len(kept(world))
    relevances = [extent.relevance for extent in extents]
    assert relevances == sorted(relevances, reverse=True)
    if settings.strategy not in ("auto-merge", "neighbours"):
        assert children == kept(world), "the ranking's order"
    for extent in extents:
        assert extent.document == leaves.documents[extent.child]
        assert extent.start <= leaves.starts[extent.child] < leaves.ends[extent.child] <= extent.end
        first, end = leaves_of(leaves, extent.document)
        assert leaves.starts[first] <= extent.start < extent.end <= leaves.ends[end - 1], "leaves of its document"
        text = world.texts[extent.document][extent.start : extent.end]
        assert text == text.strip()
        assert extent.reason


@given(worlds(overlapping=True), WAYS, BUDGETS)
def test_overlapping_leaves_keep_their_documents(world, settings, budget):
    leaves = world.ranking.leaves
    for extent in expand(world.ranking, settings, leaves.tokens, budget, world):
        first, end = leaves_of(leaves, extent.document)
        assert leaves.starts[first] <= extent.start <= leaves.starts[extent.child]
        assert leaves.ends[extent.child] <= extent.end <= leaves.ends[end - 1]


@given(worlds(), WAYS, BUDGETS)
def test_the_share_holds_for_all_that_grows(world, settings, budget):
    """In characters: blanks between leaves cost nothing, and a child larger than its share is left as it is."""
    leaves = world.ranking.leaves
    ranks = {child: rank for rank, child in enumerate(kept(world), start=1)}
    extents = expand(world.ranking, settings, characters(leaves), budget, world)
    spans = {}
    for extent in extents:
        if extent.child in ranks:
            spans.setdefault((extent.document, extent.start, extent.end), []).append(ranks[extent.child])
    for (document, start, end), shared in spans.items():
        first, last = leaves_within(leaves, document, Span(start, end))
        covered = sum(
            max(0, min(end, int(leaves.ends[leaf])) - max(start, int(leaves.starts[leaf])))
            for leaf in range(*leaves_of(leaves, document))
        )
        limit = int(budget * settings.max_share / min(shared) ** settings.share_decay)
        assert covered <= limit or first == last, "only a child too large by itself passes its share"


def test_shares_fall_with_the_rank():
    leaves = table([(0, 10 * at, 10 * at + 9, 7) for at in range(12)])
    world = ranking_of(leaves, [5.0] + [0.0] * 5 + [4.0] + [0.0] * 5, [0, 6])
    first, second = expand(world, ExpansionSettings("parent", 0.5, 1.0), characters(leaves), 110, None)
    assert (first.end - first.start, second.end - second.start) == (59, 29), "six leaves, and half as much: three"


@given(worlds(), st.integers(0, 200))
def test_a_leaf_is_found_by_its_place(world, offset):
    leaves = world.ranking.leaves
    for document in range(len(world.texts)):
        inside = [leaf for leaf in range(len(leaves)) if leaves.documents[leaf] == document]
        assert leaves_of(leaves, document) == (inside[0], inside[-1] + 1)
        begun = [leaf for leaf in inside if leaves.starts[leaf] <= offset]
        assert leaf_at(leaves, document, offset) == (begun or inside)[-1 if begun else 0]


@given(worlds(), st.data())
def test_a_family_is_all_leaves_of_one_parent(world, data):
    leaves = world.ranking.leaves
    child = data.draw(st.integers(0, len(leaves) - 1))
    parent = leaves.parent_rows[child]
    same = [leaf for leaf in range(len(leaves)) if leaves.parent_rows[leaf] == parent >= 0] or [child]
    assert family(leaves, child) == (same[0], same[-1])


@given(worlds(), WAYS, WAYS, BUDGETS)
def test_settings_that_tell_the_same_grow_the_same(world, one, other, budget):
    if one.active_values() == other.active_values():
        sizes = world.ranking.leaves.tokens
        assert expand(world.ranking, one, sizes, budget, world) == expand(world.ranking, other, sizes, budget, world)


def test_a_word_that_is_no_genre_is_refused_with_those_that_are():
    with pytest.raises(SettingsError, match=r"(?s)expansion\.kinds is 'pdf'.*guide.*release notes"):
        ExpansionSettings(kinds=("guide", "pdf"))
