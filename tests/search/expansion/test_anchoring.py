"""Anchored growth: even on both sides, to the share, past sections, and toward the steps of a procedure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import expand
from core.search.expansion.growth import leaves_of
from core.search.expansion.windows import PROCEDURE
from core.settings import ExpansionSettings
from tests.search.expansion.worlds import World, meant, ranking_of, table, worlds


@given(worlds(), st.integers(20, 400))
def test_growth_is_even_where_the_document_allows_it(world, budget):
    leaves = world.ranking.leaves
    for extent in expand(
        world.ranking, ExpansionSettings("anchored", 1.0, 0.0), leaves.ends - leaves.starts, budget, world
    ):
        first, end = leaves_of(leaves, extent.document)
        before = int(leaves.starts[extent.child]) - extent.start
        after = extent.end - int(leaves.ends[extent.child])
        if before and after and extent.start > leaves.starts[first] and extent.end < leaves.ends[end - 1]:
            widest = int((leaves.ends - leaves.starts).max()) + 2
            assert abs(before - after) <= 2 * widest, "no side runs ahead by more than a leaf and the last sentences"


def document(*pieces, child):
    """One leaf for each piece, all in sections of their own."""
    rows, text = [], ""
    for piece in pieces:
        text += "\n\n" if text else ""
        rows.append((0, len(text), len(text) + len(piece), len(rows)))
        text += piece
    leaves = table(rows)
    return World((text,), ranking_of(leaves, np.arange(len(rows)) == child, [child]), ((),) * len(rows), {})


def read(world, budget, intent=""):
    leaves = world.ranking.leaves
    settings = ExpansionSettings("anchored", 1.0, 0.0)
    (extent,) = expand(meant(world.ranking, intent), settings, leaves.ends - leaves.starts, budget, world)
    return world.texts[0][extent.start : extent.end]


PIECES = ["Far before it.", "Near before it.", "The anchor itself.", "Near after it.", "Far after it."]


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (18, "The anchor itself."),
        (32, "The anchor itself.\n\nNear after it."),
        (47, "Near before it.\n\nThe anchor itself.\n\nNear after it."),
        (60, "Near before it.\n\nThe anchor itself.\n\nNear after it.\n\nFar after it."),
        (500, "\n\n".join(PIECES)),
    ],
)
def test_the_side_that_has_grown_less_comes_next(budget, text):
    assert read(document(*PIECES, child=2), budget) == text


def test_at_the_edge_of_the_document_the_other_side_takes_the_rest():
    assert read(document(*PIECES, child=4), 60) == "\n\n".join(PIECES[1:])


def test_the_end_of_the_share_is_filled_with_sentences():
    long = "One goes in. Two goes in as well. Three does not go in any more."
    world = document("The anchor.", long, child=0)
    assert read(world, 46) == "The anchor.\n\nOne goes in. Two goes in as well."


@pytest.mark.parametrize(
    "steps",
    [
        "1. Open the lid. Then close it.",
        "Example: turn the key twice.",
        "Step 2: turn the key.",
        "```\nrun it now\n```",
    ],
)
def test_a_procedure_is_followed_toward_its_steps(steps):
    other = "Nothing of use."
    world = document(steps, "How the lid is opened.", other, "More of the same.", child=1)
    assert read(world, 22 + len(steps), PROCEDURE) == f"{steps}\n\nHow the lid is opened."
    assert read(world, 22 + len(steps), "definition").endswith(f"How the lid is opened.\n\n{other}")


def test_without_steps_a_procedure_grows_evenly():
    for budget in range(17, 80):
        world = document(*PIECES, child=2)
        assert read(world, budget, PROCEDURE) == read(world, budget)
