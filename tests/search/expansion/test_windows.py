"""Windows: so many sentences on each side, never out of the section, never half a sentence at a far end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import expand
from core.search.expansion.growth import family, leaves_of
from core.settings import ExpansionSettings
from core.text.sentences import sentence_spans
from tests.search.expansion.worlds import World, meant, ranking_of, table, worlds


@given(worlds(), st.integers(0, 4), st.integers(1, 900))
def test_windows_keep_to_their_section(world, wanted, budget):
    leaves = world.ranking.leaves
    settings = ExpansionSettings("window", 1.0, 0.0, window_sentences=wanted)
    for extent in expand(world.ranking, settings, leaves.ends - leaves.starts, budget, world):
        first, last = family(leaves, extent.child)
        if leaves.parent_rows[extent.child] < 0:
            first, last = leaves_of(leaves, extent.document)[0], leaves_of(leaves, extent.document)[1] - 1
        assert leaves.starts[first] <= extent.start
        assert extent.end <= leaves.ends[last]
        text = world.texts[extent.document]
        start, end = int(leaves.starts[extent.child]), int(leaves.ends[extent.child])
        for low, high in ((extent.start, start), (end, extent.end)):
            assert len(sentence_spans(text, low, high)) <= wanted
        assert extent.end - extent.start <= max(budget, end - start)


SECTION = "One is here. Two is here. Three is here. Four is here. Five is here. Six is here. Seven is here."


def section(text=SECTION, child="Four is here.", parent=7, tail=" Another section. It says more."):
    """A document whose leaves are the text before the child, the child, the text after it, and another section."""
    start = text.index(child)
    end = start + len(child)
    cuts = [(0, start - 1), (start, end), (end + 1, len(text)), (len(text) + 1, len(text + tail))]
    rows = [
        (0, low, high, parent if place < 3 else parent + 1 if parent >= 0 else -1)
        for place, (low, high) in enumerate(cuts)
    ]
    leaves = table(rows)
    return World((text + tail,), ranking_of(leaves, [0, 1, 0, 0], [1]), ((),) * 4, {})


def grown(world, strategy="window", budget=10_000, intent="", **dials):
    leaves = world.ranking.leaves
    settings = ExpansionSettings(strategy, dials.pop("share", 1.0), 0.0, **dials)
    (extent,) = expand(meant(world.ranking, intent), settings, leaves.ends - leaves.starts, budget, world)
    return world.texts[0][extent.start : extent.end], extent.reason


@pytest.mark.parametrize(
    ("wanted", "text", "reason"),
    [
        (0, "Four is here.", "the child alone: the window is off"),
        (1, "Three is here. Four is here. Five is here.", "1 sentence before it and 1 after it"),
        (
            2,
            "Two is here. Three is here. Four is here. Five is here. Six is here.",
            "2 sentences before it and 2 after it",
        ),
        (5, SECTION, "3 sentences before it and 3 after it: its section or its share of the budget ends there"),
    ],
)
def test_so_many_sentences_on_each_side(wanted, text, reason):
    assert grown(section(), window_sentences=wanted) == (text, reason)


def test_without_a_parent_the_document_ends_a_window():
    text, _ = grown(section(parent=-1), window_sentences=5)
    assert text.endswith("Seven is here. Another section. It says more.")


def test_a_window_stops_at_the_share():
    text, reason = grown(section(), budget=30, window_sentences=2)
    assert text == "Three is here. Four is here."
    assert "share" in reason
    assert grown(section(), budget=20)[0] == "Four is here."


def test_sentences_longer_than_what_is_read_first_are_whole():
    long = "A sentence of " + "very " * 150 + "many words."
    before, after = f"Short one. {long}", f"{long} Short two."
    world = section(f"{before} The child. {after}", "The child.")
    assert grown(world, window_sentences=1)[0] == f"{long} The child. {long}"
    assert grown(world, window_sentences=2)[0] == f"{before} The child. {after}"
