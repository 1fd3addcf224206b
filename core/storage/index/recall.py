"""How much of what is nearest Chroma finds: measured on the library itself, against comparing every vector."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from core.storage.catalogue.meaning import ENCODED
from core.storage.faults import row_faults
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.outbox import pending, query_projection
from core.storage.store import Store, now
from core.text.pooling import of_unit_length
from core.types import Vectors

_ASKED = 64
_GROWN = 0.05  # from this share of new or lost leaves on it is measured again
_KEY = "recall"


@dataclass(frozen=True, slots=True)
class Recall:
    """``share``, 0..1: of the ``nearest`` leaves to each of some vectors, those among the ``handed`` that Chroma named.

    ``leaves``: there were, and ``day``: when it was measured, ISO 8601. ``generation``: whose vectors.
    """

    share: float
    nearest: int
    handed: int
    leaves: int
    day: str
    generation: int = 0


@row_faults("The recall of Chroma")
def last_recall(store: Store) -> Recall | None:
    """What was measured last; ``None`` before."""
    kept = store.meta(_KEY)
    return Recall(**json.loads(kept)) if kept else None


def measure_recall(store: Store, nearest: int, handed: int, above: int = 0) -> Recall | None:
    """Measure it and keep it, where more than ``above`` leaves are, and others than the last time or encoded otherwise.

    The vectors asked with lie half-way between two leaves each, as a question lies near several and on none. All are
    compared with every leaf in one pass, some thousands of leaves in memory at a time: about a third of a second for
    100,000 leaves. ``None``: there are too few, or Chroma is not ready; what it was is still kept.
    """
    encoded = f"SELECT row FROM chunk WHERE generation = ? AND level = 0 AND {ENCODED} ORDER BY row"
    with store.reading():
        serving = int(store.meta("serving") or 0)
        dimension = int(store.value("SELECT dimension FROM generation WHERE number = ?", serving) or 0)
        rows = np.array([row for (row,) in store.rows(encoded, serving)], np.int64)
        before = last_recall(store)
        grown = before is None or abs(len(rows) - before.leaves) > _GROWN * before.leaves
        if before is not None and before.generation == serving and not grown:
            return before
        if len(rows) <= above or pending(store):
            return None
        vectors = LeafVectors.stored(store, rows, dimension)
        queries = _between(vectors)
        best = _nearest(vectors, queries, min(nearest, len(rows)))
    found = []
    for query, expected in zip(queries, best, strict=True):
        named = query_projection(store, query, handed, serving)
        if named is None:
            return None
        found.append(float(np.isin(rows[expected], named[0]).mean()))
    measured = Recall(float(np.mean(found)), nearest, handed, len(rows), now()[:10], serving)
    store.set_meta(_KEY, json.dumps(asdict(measured)))
    return measured


def _between(vectors: LeafVectors) -> Vectors:
    """(m, dimension) unit vectors, each half-way between two leaves drawn evenly from all."""
    places = np.linspace(0, len(vectors) - 1, 2 * _ASKED).astype(np.int64)
    drawn = vectors.of(places)
    return of_unit_length(drawn[::2] + drawn[1::2])


def _nearest(vectors: LeafVectors, queries: Vectors, count: int) -> list[NDArray[np.int64]]:
    """For each query the indices of the ``count`` leaves nearest to it."""
    best = [np.zeros(0, np.int64)] * len(queries)
    likeness = [np.zeros(0, np.float32)] * len(queries)
    first = 0
    for block in vectors.blocks():
        similar = queries @ block.T
        for at, values in enumerate(similar):
            places = np.append(best[at], np.arange(first, first + len(block)))
            values = np.append(likeness[at], values)
            kept = np.argsort(-values, kind="stable")[:count]
            best[at], likeness[at] = places[kept], values[kept]
        first += len(block)
    return best
