"""Approximate nearest neighbours from Chroma, for libraries with too many leaves to compare all of them.

Chroma always searches all leaves; those outside the searched part are filtered out afterwards. Chroma's own filters
collect the ids that pass before they search: at 10,000 leaves that took ten times as long as to ask for more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.snapshot import Snapshot
from core.storage.index.outbox import can_query, pending_deletes, pending_upserts, query_projection
from core.storage.store import Store
from core.types import Vectors

# Below this fraction of the library a part is searched exactly: Chroma would return too many leaves outside it.
SMALLEST_FRACTION = 0.05
# A part may be farther from the question than the rest, so this many times its expected number is requested.
OVERSAMPLING = 2.0
COMPARED = "All vectors were compared, which takes longer."
GROWING = f"Chroma's index was being made anew when this was asked. {COMPARED}"


class NearestLeaves:
    """The nearest leaves for the vectors of one question.

    ``snapshot``: the searched leaves, all or a part of the library, which has ``library_leaves`` leaves. ``notes``:
    sentences for the user on why Chroma was not used.
    """

    def __init__(self, store: Store, snapshot: Snapshot, library_leaves: int) -> None:
        self._store, self._snapshot, self._library_leaves = store, snapshot, library_leaves
        self.notes: tuple[str, ...] = ()

    def rows(self, query: Vectors, count: int) -> NDArray[np.int64] | None:
        """Catalogue rows of the ``count`` leaves nearest to a vector, and of the leaves not yet in Chroma.

        ``None`` when all vectors must be compared instead: Chroma cannot be used, the searched part is small, or Chroma
        returned too few leaves of it.
        """
        fraction = self._snapshot.count / max(1, self._library_leaves)
        if fraction < SMALLEST_FRACTION or not can_query(self._store):
            return None
        # Both are read before Chroma is asked, as the outbox requires.
        requested = (count if fraction == 1 else int(OVERSAMPLING * count / fraction)) + pending_deletes(self._store)
        pending = pending_upserts(self._store)
        answer = query_projection(self._store, query, requested, self._snapshot.leaves.generation)
        if answer is None:
            if self._store.chroma_fault:
                self.notes = (f"{self._store.chroma_fault} {COMPARED}",)
            elif self._store.chroma_rebuilding:
                self.notes = (GROWING,)
            return None
        neighbours, _ = answer
        indices = self._snapshot.index_of(neighbours)
        searched = indices >= 0
        if self._snapshot.passing is not None:
            searched &= self._snapshot.passing.mask[indices]
        rows = neighbours[searched][:count]
        enough = fraction == 1 or len(rows) == count or len(neighbours) >= self._library_leaves
        return np.append(rows, pending) if enough else None
