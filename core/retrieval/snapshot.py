"""One state of the leaves, with the way from catalogue rows back to their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.storage.leaves import LeafTable


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """``leaves`` in text order; ``order`` sorts their rows, so that a row's index is found by bisection."""

    leaves: LeafTable
    order: NDArray[np.int64]

    @classmethod
    def of(cls, leaves: LeafTable) -> Snapshot:
        """The snapshot of a leaf table."""
        return cls(leaves, np.argsort(leaves.rows, kind="stable"))

    def index_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices into ``leaves`` of catalogue rows; -1 for a row this state does not know."""
        known = self.leaves.rows
        if not len(known):
            return np.full(len(rows), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(known, rows, sorter=self.order), len(known) - 1)
        found = self.order[places]
        return np.where(known[found] == rows, found, -1).astype(np.int64)
