"""How long documents take here: learned from every batch, to say how long the rest of one will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

_COUNTS_AS = 5  # documents: how much of a batch's own pace outweighs what was learned before
_FIRST = 3  # documents after which a batch that nothing is known of before tells its pace


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
    """

    loads: Sequence[float]
    earlier: float | None
    ended: int = 0
    _through: float = 0.0
    _began: float = field(default_factory=monotonic)

    def end_one(self, index: int) -> None:
        """One document more is through, whatever became of it."""
        self.ended += 1
        self._through += self.loads[index]

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take; ``None`` where nothing is known yet."""
        each = self.seconds_a_document
        return None if each is None else each * max(0.0, sum(self.loads) - self._through)

    @property
    def seconds_a_document(self) -> float | None:
        """What later batches may begin with: earlier ones' pace and this one's."""
        if not self.ended:
            return self.earlier
        took = monotonic() - self._began
        if self.earlier is None:
            return took / self._through if self.ended >= _FIRST else None
        return (self.earlier * _COUNTS_AS + took) / (_COUNTS_AS + self._through)
