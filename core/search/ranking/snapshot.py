"""``Snapshot``: one state of the leaves with the index arrays that the search stages need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.search.ranking import fusion
from core.storage.catalogue.filing.conditions import Passing
from core.storage.index.leaves import LeafTable
from core.types import Vectors

# Row numbers are never reused, so after many edits there are more numbers than leaves. A lookup table with up to this
# many 4-byte slots per leaf is worth its memory; with more, rows are found by bisection, which takes ten times as long.
_MOST_SLOTS_PER_LEAF = 16
# The background sample: this many runs of this many consecutive leaves, evenly spaced. Runs, because a leaf's score
# depends on its neighbours.
RUNS, RUN = 128, 32


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One state of the leaves.

    ``leaves``: in text order. ``groups``, ``group_starts``, ``continues_document``: of all leaves, from
    ``fusion.parent_groups``, ``fusion.group_starts`` and ``fusion.continues_document``. ``order``: sorts
    ``leaves.rows``, to find a row's index by bisection. ``indices``: ``(last row + 1,)`` int32, the index of every row,
    -1 for none; empty where that would be too long. ``passing``: the mask of the leaves that the conditions let
    through, ``None`` for all. The other leaves are not searched but stay in ``leaves``, so that neighbours and parents
    are still those of the whole document.
    """

    leaves: LeafTable
    groups: fusion.Groups
    group_starts: NDArray[np.int64]
    continues_document: NDArray[np.bool_]
    order: NDArray[np.int64]
    indices: NDArray[np.int32]
    passing: Passing | None = None

    @classmethod
    def of(cls, leaves: LeafTable) -> Snapshot:
        """The snapshot of a leaf table."""
        rows = leaves.rows
        length = int(rows.max()) + 1 if len(rows) else 0
        indices = np.full(length if length <= _MOST_SLOTS_PER_LEAF * len(rows) else 0, -1, np.int32)
        if len(indices):
            indices[rows] = np.arange(len(rows))
        groups = fusion.parent_groups(leaves.documents, leaves.parent_rows)
        order = np.argsort(rows, kind="stable")
        return cls(
            leaves, groups, fusion.group_starts(groups), fusion.continues_document(leaves.documents), order, indices
        )

    @property
    def count(self) -> int:
        """The number of searched leaves."""
        return len(self.leaves) if self.passing is None else int(np.count_nonzero(self.passing.mask))

    @property
    def searched(self) -> NDArray[np.int64]:
        """Indices of the searched leaves, ascending."""
        return np.arange(len(self.leaves)) if self.passing is None else np.flatnonzero(self.passing.mask)

    @property
    def background(self) -> tuple[NDArray[np.int64], Callable[[], Vectors]]:
        """Indices of an even sample of the searched leaves, ascending, and a function that reads their vectors.

        When all leaves are searched, these vectors are read once and kept.
        """
        if self.passing is None:
            sample = background_sample(len(self.leaves))
            return sample, lambda: self.leaves.vectors.of_sample(sample)
        sample = self.searched[background_sample(self.count)]
        return sample, lambda: self.leaves.vectors.of(sample)

    def index_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices into ``leaves`` of catalogue rows; -1 for a row that is not among them."""
        leaf_rows = self.leaves.rows
        if not len(leaf_rows):
            return np.full(len(rows), -1, dtype=np.int64)
        if len(self.indices):
            indices = self.indices.take(rows, mode="clip").astype(np.int64)
            indices[(rows < 0) | (rows >= len(self.indices))] = -1
            return indices
        indices = self.order[np.minimum(np.searchsorted(leaf_rows, rows, sorter=self.order), len(leaf_rows) - 1)]
        return np.where(leaf_rows[indices] == rows, indices, -1).astype(np.int64)


def background_sample(count: int) -> NDArray[np.int64]:
    """``RUNS`` evenly spaced runs of ``RUN`` indices below ``count``, ascending; all of them if there are no more.

    >>> background_sample(3).tolist(), len(background_sample(10**6)), background_sample(10**6)[[0, -1]].tolist()
    ([0, 1, 2], 4096, [0, 999999])
    """
    if count <= RUNS * RUN:
        return np.arange(count)
    run_starts = np.linspace(0, count - RUN, RUNS).astype(np.int64)
    return (run_starts[:, None] + np.arange(RUN)).ravel()
