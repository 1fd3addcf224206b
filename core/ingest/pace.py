"""Estimates the remaining time of an ingest from its own pace and that of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

_PRIOR_WEIGHT = 5  # in documents: the weight of the earlier pace against that of this batch
# Without an earlier pace, an estimate needs so many documents, or this share of the batch:
_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.2
# The shares of a document's time at the start and end of each stage: roughly half is parsing, half encoding.
_STAGES = {
    "reading": (0.0, 0.02),
    "parsing": (0.02, 0.45),
    "chunking": (0.45, 0.5),
    "encoding": (0.5, 0.95),
    "storing": (0.95, 1.0),
}


def share(stage: str, done: int, total: int) -> float:
    """The progress of one document, 0 to 1, with ``done`` of ``total`` steps of a stage.

    >>> share("parsing", 0, 12), share("encoding", 6, 12)
    (0.02, 0.725)
    """
    low, high = _STAGES.get(stage, (0.0, 1.0))
    return min(1.0, low + (done / total if total else 0.0) * (high - low))


@dataclass(slots=True)
class Pace:
    """The pace of one batch. ``loads``: the work of each document, in units of a typical document.

    ``earlier``: seconds per typical document in earlier batches, or ``None``.

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
    _ended: set[int] = field(default_factory=set)
    _shares: dict[int, float] = field(default_factory=dict)  # progress by document
    _done: float = 0.0  # work, in units of ``loads``
    _total: float = 0.0
    _started: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self._total = sum(self.loads)

    def be_at(self, index: int, share: float) -> None:
        """Set the progress of a document, 0 to 1; ignored for one that has ended."""
        share = 1.0 if index in self._ended else share
        self._done += self.loads[index] * (share - self._shares.get(index, 0.0))
        self._shares[index] = share

    def end_one(self, index: int) -> None:
        """Mark a document as ended, successfully or not."""
        self._ended.add(index)
        self.be_at(index, 1.0)

    @property
    def share(self) -> float:
        """The progress of the batch, 0 to 1."""
        return self._done / self._total if self._total else 0.0

    @property
    def ended(self) -> int:
        """The number of documents that have ended."""
        return len(self._ended)

    @property
    def seconds_left(self) -> float | None:
        """The estimated remaining time; ``None`` if it is too early to tell."""
        pace = self.seconds_a_document
        return None if pace is None else pace * max(0.0, self._total - self._done)

    @property
    def seconds_a_document(self) -> float | None:
        """Seconds per typical document: the mean of the earlier pace and this batch's, for ``earlier`` of the next."""
        done, elapsed = self._done, monotonic() - self._started
        if self.earlier is not None:
            if not done:  # raise the estimate while the first document takes longer than expected
                return max(self.earlier, elapsed / _PRIOR_WEIGHT)
            return (self.earlier * _PRIOR_WEIGHT + elapsed) / (_PRIOR_WEIGHT + done)
        enough = self.ended >= _MIN_DOCUMENTS or done >= _MIN_SHARE * self._total
        return elapsed / done if done and enough else None
