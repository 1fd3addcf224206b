"""Where a context ends: the higher the dial the sooner, as a beginning of the longer one; 0 fills the room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.context import assembling, ending, filling
from core.search.context.candidates import SMALL
from core.search.context.ending import LEAST_ANSWERABLE, UNSURE_BUDGET, ending_features, predict_gold_ahead
from core.settings import AssemblySettings, ExpansionSettings
from tests.search.context.test_context import filled
from tests.search.context.worlds import worlds


@pytest.fixture(scope="module", autouse=True)
def small_worlds_count():
    with pytest.MonkeyPatch.context() as patch:
        for module in (assembling, ending):
            patch.setattr(module, "FEWEST_LEAVES", 1)
        yield


FULL = AssemblySettings(stop_below=0)


def kept(made):
    return [child for child, fate in made.fates.items() if fate == "kept"]


def lies_in(part, whole):
    return part.version_id == whole.version_id and whole.start <= part.start and part.end <= whole.end


def children(world):
    return world.ranking.pool[world.ranking.kept].tolist()


@given(worlds(overlapping=False), st.floats(0, 1), st.floats(0, 1), st.integers(100, 4000))
def test_a_higher_threshold_reads_a_beginning_of_what_a_lower_one_reads(world, one, other, amount):
    low, high = sorted((one, other))
    budget = filling.character_budget(amount)
    _, more = filled(world, ExpansionSettings("flat"), budget, AssemblySettings(stop_below=low))
    _, less = filled(world, ExpansionSettings("flat"), budget, AssemblySettings(stop_below=high))
    assert all(any(lies_in(part, whole) for whole in more.passages) for part in less.passages)
    assert less.used <= more.used
    if amount > SMALL["characters"]:  # no sentences, which come in another order than their chunks
        assert kept(less) == kept(more)[: len(kept(less))]


@given(worlds(), st.integers(1, 4000), st.floats(0, 1))
def test_the_first_passage_is_always_read_and_the_last_fate_names_the_dial(world, amount, stop_below):
    settings = AssemblySettings(stop_below=stop_below)
    _, made = filled(world, ExpansionSettings("flat"), filling.character_budget(amount), settings)
    _, whole = filled(world, ExpansionSettings("flat"), filling.character_budget(amount), FULL)
    assert bool(made.passages) == bool(whole.passages)
    if made.used < whole.used:
        assert made.ending is not None
        assert made.ending.sentence in made.fates.values()


@given(worlds())
def test_little_is_read_where_the_library_hardly_answers(world):
    likely = predict_gold_ahead(ending_features(world.ranking, children(world)))
    _, made = filled(
        world, ExpansionSettings("parent"), filling.character_budget(10**6), AssemblySettings(stop_below=0.01)
    )
    if len(likely) and likely[0] < LEAST_ANSWERABLE:
        assert made.used <= UNSURE_BUDGET["characters"]


@given(worlds(), st.floats(0.1, 10), st.floats(-50, 50))
def test_the_probability_is_the_same_whatever_the_scores_unit(world, scale, shift):
    ranking = world.ranking
    moved = {**ranking.scores, "neighbours": ranking.pool_scores * scale + shift}
    before, after = (ending_features(one, children(world)) for one in (ranking, replace(ranking, scores=moved)))
    assert after == pytest.approx(before, abs=1e-4)
    assert ((predict_gold_ahead(before) >= 0) & (predict_gold_ahead(before) <= 1)).all()


@given(worlds())
def test_what_a_calibrated_reader_likes_is_read_on_for(world):
    ranking = world.ranking
    low, high = (
        predict_gold_ahead(
            ending_features(replace(ranking, probabilities=np.full(len(ranking.pool), chance)), children(world))
        )
        for chance in (0.01, 0.9)
    )
    assert (high >= low).all()
    assert (high > low)[high > 1e-20].all()  # below, the log-odds are clipped
