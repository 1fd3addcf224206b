"""One state of the leaves, as both searches and what stands behind them look at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.search.ranking import fusion
from core.storage.catalogue.conditions import Passing
from core.storage.index.leaves import LeafTable
from core.types import Vectors

# Rows are numbered once and for all: after many edits there are more numbers than leaves. A table of so many places a
# leaf is worth its memory, 4 bytes each; where numbers are farther apart, bisection finds a row in ten times the time.
_SPARSEST = 16
# The background: so many runs of so many leaves, evenly apart. Runs, for what stands beside a leaf lends to it.
RUNS, RUN = 128, 32


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """``leaves`` in text order. ``groups``, ``begins``, ``joined``: of all of them, as ``fusion.parent_groups``,
    ``fusion.begins`` and ``fusion.joined`` make them.

    ``order`` sorts their rows, so that a row's index is found by bisection. ``indices``: (last row + 1,) int32, the
    index of every row, -1 for none; empty where that would be too long. ``passing``: which of the leaves conditions let
    through, ``None`` for all. What does not pass is in no pool, but keeps its place: the leaves beside a leaf, its
    parent and the leaf at a place are those of its whole document.
    """

    leaves: LeafTable
    groups: fusion.Groups
    begins: NDArray[np.int64]
    joined: NDArray[np.bool_]
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
        groups = fusion.parent_groups(leaves.documents, leaves.parent_rows)
        order = np.argsort(rows, kind="stable")
        return cls(leaves, groups, fusion.begins(groups), fusion.joined(leaves.documents), order, indices)

    @property
    def count(self) -> int:
        """How many leaves are searched."""
        return len(self.leaves) if self.passing is None else int(np.count_nonzero(self.passing.mask))

    @property
    def asked(self) -> NDArray[np.int64]:
        """Indices of the leaves that are searched, ascending."""
        return np.arange(len(self.leaves)) if self.passing is None else np.flatnonzero(self.passing.mask)

    @property
    def background(self) -> tuple[NDArray[np.int64], Callable[[], Vectors]]:
        """Indices of leaves drawn evenly from those that are searched, ascending, and what reads their vectors: once,
        where all leaves are searched.
        """
        places = drawn(len(self.leaves))
        if self.passing is not None:
            places = self.asked[drawn(len(self.asked))]
            return places, lambda: self.leaves.vectors.of(places)
        return places, lambda: self.leaves.vectors.of_sample(places)

    def index_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices into ``leaves`` of catalogue rows; -1 for a row this state does not know."""
        known = self.leaves.rows
        if not len(known):
            return np.full(len(rows), -1, dtype=np.int64)
        if len(self.indices):
            found = self.indices.take(rows, mode="clip").astype(np.int64)
            found[(rows < 0) | (rows >= len(self.indices))] = -1
            return found
        places = np.minimum(np.searchsorted(known, rows, sorter=self.order), len(known) - 1)
        found = self.order[places]
        return np.where(known[found] == rows, found, -1).astype(np.int64)


def drawn(count: int) -> NDArray[np.int64]:
    """``RUNS`` runs of ``RUN`` places among so many, evenly apart, ascending; all where there are no more.

    >>> drawn(3).tolist(), len(drawn(10**6)), drawn(10**6)[[0, -1]].tolist()
    ([0, 1, 2], 4096, [0, 999999])
    """
    if count <= RUNS * RUN:
        return np.arange(count)
    begins = np.linspace(0, count - RUN, RUNS).astype(np.int64)
    return (begins[:, None] + np.arange(RUN)).ravel()
