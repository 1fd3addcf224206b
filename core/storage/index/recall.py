"""Measures the recall of Chroma's approximate search on the library's own vectors, against exact search."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from core.storage.catalogue.texts.meaning import ENCODED
from core.storage.faults import row_faults
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.outbox import pending, query_projection
from core.storage.store import Store, now
from core.text.pooling import of_unit_length
from core.types import Vectors

_QUERIES = 64
_MIN_CHANGE = 0.05  # it is measured again when the number of leaves has changed by this share
_KEY = "recall"


@dataclass(frozen=True, slots=True)
class Recall:
    """A measurement: ``share``, 0 to 1, of the exact ``nearest`` leaves that are among the ``handed`` ones of Chroma.

    ``leaves``: the number of leaves. ``day``: of the measurement, ISO 8601. ``generation``: whose vectors.
    """

    share: float
    nearest: int
    handed: int
    leaves: int
    day: str
    generation: int = 0


@row_faults("The recall of Chroma")
def last_recall(store: Store) -> Recall | None:
    """The last measurement, or ``None``."""
    stored = store.meta(_KEY)
    return Recall(**json.loads(stored)) if stored else None


def measure_recall(store: Store, nearest: int, handed: int, above: int = 0) -> Recall | None:
    """Measure the recall and store it; return the last measurement if the index has hardly changed since.

    ``None`` if the library has at most ``above`` leaves or Chroma is not ready. The queries are midpoints of two leaf
    vectors, because a question is near several leaves and equal to none. The exact search is one pass over all leaves,
    some thousands in memory at a time: about a third of a second for 100,000 leaves.
    """
    encoded = f"SELECT row FROM chunk WHERE generation = ? AND level = 0 AND {ENCODED} ORDER BY row"
    with store.reading():
        serving = int(store.meta("serving") or 0)
        dimension = int(store.value("SELECT dimension FROM generation WHERE number = ?", serving) or 0)
        rows = np.array([row for (row,) in store.rows(encoded, serving)], np.int64)
        last = last_recall(store)
        changed = last is None or abs(len(rows) - last.leaves) > _MIN_CHANGE * last.leaves
        if last is not None and last.generation == serving and not changed:
            return last
        if len(rows) <= above or pending(store):
            return None
        vectors = LeafVectors.stored(store, rows, dimension)
        queries = _midpoints(vectors)
        exact = _nearest(vectors, queries, min(nearest, len(rows)))
    shares = []
    for query, expected in zip(queries, exact, strict=True):
        answer = query_projection(store, query, handed, serving)
        if answer is None:
            return None
        shares.append(float(np.isin(rows[expected], answer[0]).mean()))
    measured = Recall(float(np.mean(shares)), nearest, handed, len(rows), now()[:10], serving)
    store.set_meta(_KEY, json.dumps(asdict(measured)))
    return measured


def _midpoints(vectors: LeafVectors) -> Vectors:
    """(queries, dimension) unit vectors, each the midpoint of two leaves; the leaves are spread evenly over all."""
    indexes = np.linspace(0, len(vectors) - 1, 2 * _QUERIES).astype(np.int64)
    sample = vectors.of(indexes)
    return of_unit_length(sample[::2] + sample[1::2])


def _nearest(vectors: LeafVectors, queries: Vectors, count: int) -> list[NDArray[np.int64]]:
    """For each query, the indexes of the ``count`` nearest leaves, nearest first."""
    best_indexes = [np.zeros(0, np.int64)] * len(queries)
    best_scores = [np.zeros(0, np.float32)] * len(queries)
    offset = 0
    for block in vectors.blocks():
        for query, block_scores in enumerate(queries @ block.T):
            indexes = np.append(best_indexes[query], np.arange(offset, offset + len(block)))
            scores = np.append(best_scores[query], block_scores)
            best = np.argsort(-scores, kind="stable")[:count]
            best_indexes[query], best_scores[query] = indexes[best], scores[best]
        offset += len(block)
    return best_indexes
