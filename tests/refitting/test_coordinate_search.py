"""The dials that are fitted, and the walk along them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.errors import CancelledError
from core.refitting.coordinate_search import BLEND, FUSION, MOST_TRIED, Grid, changes, walk
from core.settings import Settings

SHARE = some.integers(0, 20).map(lambda step: step / 20)


def wish(name: str, value: float):
    """Worth more, the nearer one dial stands to a value."""
    stage, _, field = name.partition(".")
    return lambda settings: 0.9 - abs(getattr(getattr(settings, stage), field) - value)


def nowhere(done: int, total: int) -> None:
    assert done <= total


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retrieval.dense_weight", 0.3),
        ("retrieval.coverage_weight", 0.0),
        ("retrieval.parent_share", 1.0),
        ("retrieval.document_share", 0.9),
        ("retrieval.neighbour_share", 0.55),
    ],
)
def test_the_walk_comes_to_what_is_worth_most_and_turns_nothing_else(name: str, value: float) -> None:
    *_, best = walk(Grid(Settings(), FUSION), wish(name, value), nowhere)
    turned = changes(Settings(), best)
    assert turned[name][1] == pytest.approx(value)
    assert set(turned) <= {name, "retrieval.lexical_weight"}
    assert best.retrieval.dense_weight + best.retrieval.lexical_weight == pytest.approx(1.0)


def test_where_nothing_is_gained_nothing_is_turned() -> None:
    assert walk(Grid(Settings(), FUSION), lambda settings: 0.5, nowhere) == [Settings()]
    slight = walk(Grid(Settings(), FUSION), lambda settings: 0.5 + 0.0004 * settings.retrieval.parent_share, nowhere)
    assert slight == [Settings()]  # less than a step costs


@given(SHARE, SHARE, SHARE, some.integers(0, 40).map(lambda step: step / 20))
def test_all_that_is_tried_are_settings_and_a_search_that_is_off_stays_off(
    dense: float, lexical: float, coverage: float, parent: float
) -> None:
    if not dense + lexical:
        return
    present = Settings().with_values(
        {
            "retrieval.dense_weight": dense,
            "retrieval.lexical_weight": lexical,
            "retrieval.coverage_weight": coverage,
            "retrieval.parent_share": parent,
        }
    )
    tried: list[Settings] = []
    path = walk(Grid(present, FUSION), lambda settings: tried.append(settings) or len(tried) / 200, nowhere)
    assert path[0] == present == tried[0]
    assert len(tried) <= MOST_TRIED + 6  # a dial that was begun is gone through
    for settings in tried:
        assert bool(settings.retrieval.dense_weight) == bool(dense)
        assert bool(settings.retrieval.lexical_weight) == bool(lexical)


def test_a_walk_is_stopped_by_what_it_tells() -> None:
    def stop(done: int, total: int) -> None:
        if done == 3:
            raise CancelledError("This was stopped.")

    with pytest.raises(CancelledError):
        walk(Grid(Settings(), FUSION), lambda settings: 0.5, stop)


def test_the_blend_keeps_within_its_way() -> None:
    assert list(BLEND.grid(0.35).values()) == [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    assert max(BLEND.grid(1.0).values()) == 1.0
