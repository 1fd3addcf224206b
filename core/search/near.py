"""Who is asked for the leaves nearest to a question where there are too many to compare them all: Chroma, if it can be.

Chroma is asked for all leaves, and what a part of the library leaves out is passed over here. Its own filters collect
the ids that pass before they search: at 10,000 leaves that took ten times as long as to ask for more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.ranking.snapshot import Snapshot
from core.storage.index.outbox import can_query, pending_deletes, pending_upserts, query_projection
from core.storage.store import Store
from core.types import Vectors

# Of a part of so small a share Chroma is not asked: so many would have to be passed over.
LEAST_SHARE = 0.05
# A part may lie farther from a question than the rest: so many times its share are asked for.
MORE = 2.0
COMPARED = "All vectors were compared, which takes longer."
GROWING = f"Chroma's index was being made anew when this was asked. {COMPARED}"


class NearestLeaves:
    """One question's asking. ``everything``: how many leaves the library has, of which ``snapshot`` may be a part.

    ``notes``: sentences on what was not as usual.
    """

    def __init__(self, store: Store, snapshot: Snapshot, everything: int) -> None:
        self._store, self._snapshot, self._everything = store, snapshot, everything
        self.notes: tuple[str, ...] = ()

    def rows(self, query: Vectors, count: int) -> NDArray[np.int64] | None:
        """Catalogue rows of the ``count`` leaves nearest to a vector, and of those that Chroma does not know yet;
        ``None``: all must be compared.

        Where too few of what it finds are of the part, all must be compared.
        """
        share = len(self._snapshot.asked) / max(1, self._everything)
        if share < LEAST_SHARE or not can_query(self._store):
            return None
        wanted = (count if share == 1 else int(MORE * count / share)) + pending_deletes(self._store)
        waiting = pending_upserts(self._store)
        found = query_projection(self._store, query, wanted, self._snapshot.leaves.generation)
        if found is None:
            if self._store.chroma_fault:
                self.notes = (f"{self._store.chroma_fault} {COMPARED}",)
            elif self._store.chroma_rebuilding:
                self.notes = (GROWING,)
            return None
        places = self._snapshot.index_of(found[0])
        inside = places >= 0
        if self._snapshot.passing is not None:
            inside &= self._snapshot.passing.mask[places]
        rows = found[0][inside][:count]
        enough = share == 1 or len(rows) == count or len(found[0]) >= self._everything
        return np.append(rows, waiting) if enough else None
