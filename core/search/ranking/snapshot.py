"""One state of the leaves, with the way from catalogue rows back to their places, and which of them are asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.fusion import Groups, parent_groups
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaves import LeafTable

# Rows are numbered once and for all: after many edits there are more numbers than leaves. A table of so many places a
# leaf is worth its memory, 4 bytes each; where numbers are farther apart, bisection finds a row in ten times the time.
_SPARSEST = 16


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """``leaves`` in text order. ``groups``: of all of them, as ``fusion.parent_groups`` makes them.

    ``order`` sorts their rows, so that a row's index is found by bisection. ``indices``: (last row + 1,) int32, the
    index of every row, -1 for none; empty where that would be too long. ``passing``: which of the leaves conditions let
    through, ``None`` for all. What does not pass is in no pool, but keeps its place: the leaves beside a leaf, its
    parent and the leaf at a place are those of its whole document.
    """

    leaves: LeafTable
    groups: Groups
    order: NDArray[np.int64]
    indices: NDArray[np.int32]
    passing: Passing | None = None

    @classmethod
    def of(cls, leaves: LeafTable) -> Snapshot:
        """The snapshot of a leaf table."""
        rows = leaves.rows
        length = int(rows.max()) + 1 if len(rows) else 0
        indices = np.full(length if length <= _SPARSEST * len(rows) else 0, -1, np.int32)
        if len(indices):
            indices[rows] = np.arange(len(rows))
        groups = parent_groups(leaves.documents, leaves.parent_rows)
        return cls(leaves, groups, np.argsort(rows, kind="stable"), indices)

    @property
    def asked(self) -> NDArray[np.int64]:
        """Indices of the leaves that are searched, ascending."""
        return np.arange(len(self.leaves)) if self.passing is None else np.flatnonzero(self.passing.mask)

    def index_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices into ``leaves`` of catalogue rows; -1 for a row this state does not know."""
        known = self.leaves.rows
        if not len(known):
            return np.full(len(rows), -1, dtype=np.int64)
        if len(self.indices):
            inside = (rows >= 0) & (rows < len(self.indices))
            return np.where(inside, self.indices[np.where(inside, rows, 0)], -1).astype(np.int64)
        places = np.minimum(np.searchsorted(known, rows, sorter=self.order), len(known) - 1)
        found = self.order[places]
        return np.where(known[found] == rows, found, -1).astype(np.int64)
