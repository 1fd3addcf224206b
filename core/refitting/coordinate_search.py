"""The settings ("dials") that are fitted, and the coordinate search over them.

One dial at a time is moved on a grid of a few steps. Every step away from the present value costs ``STEP_COST``, so
that a dial moves only for a gain, and of equally good values the nearest to the present one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import SettingsError
from core.settings import Settings

STEP_COST = 0.0005  # recall, in [0, 1], that each step away costs
MOST_TRIED = 90  # settings scored in one search
_REACH = (1, -1, 2, -2, 4, -4)  # steps tried from the current value; long ones cross plateaus of recall


@dataclass(frozen=True, slots=True)
class Dial:
    """A setting to fit, on a grid of multiples of ``step`` away from its present value, within ``[low, high]``."""

    name: str
    low: float
    high: float
    step: float

    def grid(self, present: float) -> dict[int, float]:
        """Number of steps from the present value -> value.

        >>> Dial("x", 0.0, 1.0, 0.4).grid(0.5)
        {-1: 0.1, 0: 0.5, 1: 0.9}
        """
        below, above = int((present - self.low) / self.step + 1e-9), int((self.high - present) / self.step + 1e-9)
        return {n: round(present + n * self.step, 3) for n in range(-max(0, below), max(0, above) + 1)}


BALANCE = "balance"
"""A dial for two settings: the share of ``retrieval.dense_weight`` in its sum with ``retrieval.lexical_weight``."""

FUSION: tuple[Dial, ...] = (
    Dial(BALANCE, 0.1, 0.9, 0.1),
    Dial("retrieval.coverage_weight", 0.0, 1.0, 0.2),
    Dial("retrieval.parent_share", 0.0, 1.0, 0.25),
    Dial("retrieval.document_share", 0.0, 0.9, 0.15),
    Dial("retrieval.neighbour_share", 0.0, 0.6, 0.1),
)
BLEND = Dial("reranking.blend", 0.1, 1.0, 0.1)
# For Careful only up to 0.9: 1 is the default, which Careful takes for a blend that was never set.
CAREFUL_BLEND = Dial(BLEND.name, BLEND.low, 0.9, BLEND.step)

Place = tuple[int, ...]
"""A point of the grid: for each dial the number of steps from its present value."""


class Grid:
    """The settings that the dials can reach from ``present``."""

    def __init__(self, present: Settings, dials: Sequence[Dial]) -> None:
        self.present = present
        # A search whose weight is 0 was turned off by the user, and stays off.
        both = bool(present.retrieval.dense_weight and present.retrieval.lexical_weight)
        self._dials = [dial for dial in dials if dial.name != BALANCE or both]
        self._grids = [dial.grid(_value(present, dial.name)) for dial in self._dials]

    @property
    def start(self) -> Place:
        return (0,) * len(self._dials)

    def neighbours(self, place: Place) -> list[list[Place]]:
        """For each dial the places to try along it from ``place``, its present value among them."""
        return [
            [
                (*place[:index], steps, *place[index + 1 :])
                for steps in dict.fromkeys([*(place[index] + reach for reach in _REACH), 0])
                if steps in grid and steps != place[index]
            ]
            for index, grid in enumerate(self._grids)
        ]

    def settings(self, place: Place) -> Settings | None:
        """The settings at a place; ``None`` where they are invalid."""
        values: dict[str, float] = {}
        for dial, grid, steps in zip(self._dials, self._grids, place, strict=True):
            if steps:
                values |= _both_weights(self.present, grid[steps]) if dial.name == BALANCE else {dial.name: grid[steps]}
        try:
            return self.present.with_values(values)
        except SettingsError:
            return None


def walk(grid: Grid, recall: Callable[[Settings], float], report: Callable[[int, int], None]) -> list[Settings]:
    """Coordinate search for the settings with the highest recall less step costs.

    Returns the path of improvements, from the present settings to the best. ``recall``: of settings, in [0, 1].
    ``report(done, most)`` is called after each settings that are scored; it may raise to stop.
    """
    scores: dict[Place, float] = {}

    def net_recall(place: Place) -> float:
        if place not in scores:
            settings = grid.settings(place)
            scores[place] = -1.0 if settings is None else recall(settings) - STEP_COST * sum(map(abs, place))
            report(min(len(scores), MOST_TRIED), MOST_TRIED)
        return scores[place]

    best, path, has_moved = grid.start, [grid.present], True
    net_recall(best)
    while has_moved and len(scores) < MOST_TRIED:
        has_moved = False
        for index in range(len(grid.start)):
            if len(scores) >= MOST_TRIED:
                break
            candidate = max(grid.neighbours(best)[index], key=net_recall, default=best)
            if net_recall(candidate) > net_recall(best) + 1e-9:
                best, has_moved = candidate, True
                settings = grid.settings(best)
                if settings is not None:
                    path.append(settings)
    report(MOST_TRIED, MOST_TRIED)
    return path


def changes(before: Settings, after: Settings) -> Mapping[str, tuple[float, float]]:
    """Setting -> (value before, value after), for the fitted settings that differ.

    >>> changes(Settings(), Settings().with_value("retrieval.parent_share", 0.25))
    {'retrieval.parent_share': (0.5, 0.25)}
    """
    names = [name for dial in (*FUSION, BLEND) for name in (_BOTH if dial.name == BALANCE else (dial.name,))]
    both = {name: (_value(before, name), _value(after, name)) for name in names}
    return {name: values for name, values in both.items() if values[0] != values[1]}


_BOTH = ("retrieval.dense_weight", "retrieval.lexical_weight")


def _value(settings: Settings, name: str) -> float:
    if name == BALANCE:
        weights = settings.retrieval
        return weights.dense_weight / (weights.dense_weight + weights.lexical_weight)
    return float(settings.value(name))


def _both_weights(present: Settings, share: float) -> dict[str, float]:
    """Both weights, with ``share`` for the dense one. Their sum stays, unless one of them would exceed 1."""
    total = present.retrieval.dense_weight + present.retrieval.lexical_weight
    total = min(total, 1 / max(share, 1 - share))
    return dict(zip(_BOTH, (round(total * share, 3), round(total * (1 - share), 3)), strict=True))
