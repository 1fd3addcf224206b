"""The dials that are fitted, and the walk along them: one dial at a time, drawn back to where they stand.

Coordinate descent over grids of a few steps. Every step away from the present values costs ``STEP_COST``, so that a
dial moves only for what it brings, and of equals the nearest to the present wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import SettingsError
from core.settings import Settings

STEP_COST = 0.0005  # of recall, from 0 to 1, for each step away
MOST_TRIED = 90  # settings looked at in one walk
_REACH = (1, -1, 2, -2, 4, -4)  # steps tried from where a dial stands: leaps, since recall is flat in places


@dataclass(frozen=True, slots=True)
class Dial:
    """A dial that is fitted: its grid is the present value and every ``step`` from there, within ``[low, high]``."""

    name: str
    low: float
    high: float
    step: float

    def grid(self, present: float) -> dict[int, float]:
        """Steps away from the present value -> the value there.

        >>> Dial("x", 0.0, 1.0, 0.4).grid(0.5)
        {-1: 0.1, 0: 0.5, 1: 0.9}
        """
        least, most = int((present - self.low) / self.step + 1e-9), int((self.high - present) / self.step + 1e-9)
        return {n: round(present + n * self.step, 3) for n in range(-max(0, least), max(0, most) + 1)}


BALANCE = "balance"
"""No setting but two: the share that ``retrieval.dense_weight`` has of the sum of both weights, which stays."""

FUSION: tuple[Dial, ...] = (
    Dial(BALANCE, 0.1, 0.9, 0.1),
    Dial("retrieval.coverage_weight", 0.0, 1.0, 0.2),
    Dial("retrieval.parent_share", 0.0, 1.0, 0.25),
    Dial("retrieval.document_share", 0.0, 0.9, 0.15),
    Dial("retrieval.neighbour_share", 0.0, 0.6, 0.1),
)
BLEND = Dial("reranking.blend", 0.1, 1.0, 0.1)
# Under Careful up to 0.9: 1 is what a library has that never set it, so Careful could not tell that it was fitted.
CAREFUL_BLEND = Dial(BLEND.name, BLEND.low, 0.9, BLEND.step)

Place = tuple[int, ...]
"""Steps away from the present value, a number for each dial; all 0 is the present."""


class Grid:
    """The settings that can be reached from ``present`` by some dials."""

    def __init__(self, present: Settings, dials: Sequence[Dial]) -> None:
        self.present = present
        # A search that is off is a person's decision: no weight is given to it.
        both = bool(present.retrieval.dense_weight and present.retrieval.lexical_weight)
        self._dials = [dial for dial in dials if dial.name != BALANCE or both]
        self._grids = [dial.grid(_value(present, dial.name)) for dial in self._dials]

    @property
    def start(self) -> Place:
        return (0,) * len(self._dials)

    def neighbours(self, place: Place) -> list[list[Place]]:
        """For each dial the places along it that are tried from here, its present value among them."""
        return [
            [
                (*place[:at], steps, *place[at + 1 :])
                for steps in dict.fromkeys([*(place[at] + reach for reach in _REACH), 0])
                if steps in grid and steps != place[at]
            ]
            for at, grid in enumerate(self._grids)
        ]

    def settings(self, place: Place) -> Settings | None:
        """The settings of a place; ``None`` where there are none such."""
        values: dict[str, float] = {}
        for dial, grid, steps in zip(self._dials, self._grids, place, strict=True):
            if steps:
                values |= _weights(self.present, grid[steps]) if dial.name == BALANCE else {dial.name: grid[steps]}
        try:
            return self.present.with_values(values)
        except SettingsError:
            return None


def walk(grid: Grid, worth: Callable[[Settings], float], tell: Callable[[int, int], None]) -> list[Settings]:
    """Settings of which each was worth more than all before it, the present ones first: the last is the best.

    ``worth``: of settings, from 0 to 1; steps are charged here. ``tell(done, most)`` after each; it may raise to stop.
    """
    known: dict[Place, float] = {}

    def net(place: Place) -> float:
        if place not in known:
            settings = grid.settings(place)
            known[place] = -1.0 if settings is None else worth(settings) - STEP_COST * sum(map(abs, place))
            tell(min(len(known), MOST_TRIED), MOST_TRIED)
        return known[place]

    best, path, moved = grid.start, [grid.present], True
    net(best)
    while moved and len(known) < MOST_TRIED:
        moved = False
        for at in range(len(grid.start)):
            if len(known) >= MOST_TRIED:
                break
            around = grid.neighbours(best)[at]
            found = max(around, key=net, default=best)
            if net(found) > net(best) + 1e-9:
                best, moved = found, True
                settings = grid.settings(best)
                if settings is not None:
                    path.append(settings)
    tell(MOST_TRIED, MOST_TRIED)
    return path


def changes(before: Settings, after: Settings) -> Mapping[str, tuple[float, float]]:
    """The dials that stand elsewhere, with both values.

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
    stage, _, field = name.partition(".")
    return float(getattr(getattr(settings, stage), field))


def _weights(present: Settings, share: float) -> dict[str, float]:
    """Both weights with this share of meaning. Their sum stays, unless one of them would then pass 1."""
    total = present.retrieval.dense_weight + present.retrieval.lexical_weight
    total = min(total, 1 / max(share, 1 - share))
    return dict(zip(_BOTH, (round(total * share, 3), round(total * (1 - share), 3)), strict=True))
