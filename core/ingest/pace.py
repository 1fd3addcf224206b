"""How long documents take here: learned from every batch, to say how long the rest of one will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

_COUNTS_AS = 5  # documents: how much of a batch's own pace outweighs what was learned before
_FIRST = 3  # documents after which a batch that nothing is known of before tells its pace,
_ENOUGH = 0.2  # or the part of it, where it is few large ones
# Of a document's time, roughly: half of it is parsing, half encoding.
_STAGES = {
    "reading": (0.0, 0.02),
    "parsing": (0.02, 0.45),
    "chunking": (0.45, 0.5),
    "encoding": (0.5, 0.95),
    "storing": (0.95, 1.0),
}


def share(stage: str, done: int, total: int) -> float:
    """How much of a document is behind it, 0..1, in a stage that is ``done`` of ``total``.

    >>> share("parsing", 0, 12), share("encoding", 6, 12)
    (0.02, 0.725)
    """
    low, high = _STAGES.get(stage, (0.0, 1.0))
    return min(1.0, low + (done / total if total else 0.0) * (high - low))


@dataclass(slots=True)
class Pace:
    """The pace of one batch. ``loads``: its documents when it begins, each as so many usual ones.

    ``earlier``: seconds a usual document took in batches before, ``None`` where there were none.

    >>> pace = Pace([1, 1, 8], 2.0)
    >>> pace.seconds_left, Pace([1, 1], None).seconds_left
    (20.0, None)
    >>> pace.end_one(2)
    >>> pace.ended, 0 < pace.seconds_left < 4
    (1, True)
    >>> alone = Pace([10], 2.0)
    >>> alone.be_at(0, 0.75)
    >>> 0 < alone.seconds_left < 5
    True
    """

    loads: Sequence[float]
    earlier: float | None
    _over: set[int] = field(default_factory=set)
    _shares: dict[int, float] = field(default_factory=dict)  # of those begun
    _through: float = 0.0
    _all: float = 0.0
    _began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self._all = sum(self.loads)

    def be_at(self, index: int, share: float) -> None:
        """So much of a document is through, as ``share`` has it; of one that ended, all of it."""
        share = 1.0 if index in self._over else share
        self._through += self.loads[index] * (share - self._shares.get(index, 0.0))
        self._shares[index] = share

    def end_one(self, index: int) -> None:
        """One document more is through, whatever became of it."""
        self._over.add(index)
        self.be_at(index, 1.0)

    @property
    def share(self) -> float:
        """How much of the batch is through, 0..1."""
        return self._through / self._all if self._all else 0.0

    @property
    def ended(self) -> int:
        """Documents that are through."""
        return len(self._over)

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take; ``None`` where nothing is known yet."""
        each = self.seconds_a_document
        return None if each is None else each * max(0.0, self._all - self._through)

    @property
    def seconds_a_document(self) -> float | None:
        """What later batches may begin with: earlier ones' pace and this one's."""
        through, took = self._through, monotonic() - self._began
        if self.earlier is not None:
            if not through:  # what takes longer than all was to take tells something, too
                return max(self.earlier, took / _COUNTS_AS)
            return (self.earlier * _COUNTS_AS + took) / (_COUNTS_AS + through)
        told = self.ended >= _FIRST or through >= _ENOUGH * self._all
        return took / through if through and told else None
