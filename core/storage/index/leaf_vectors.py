"""The vectors of a table's leaves: in the catalogue, and in memory only where all of them are asked for together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.errors import NotFoundError, StorageError
from core.storage.faults import row_faults
from core.storage.store import Store
from core.types import Vectors

_AT_ONCE = 8192  # read and compared together where all are looked at and none are kept: 13 MB of 384 numbers each

Read = Callable[[NDArray[np.int64]], Vectors]


class LeafVectors:
    """(n, dimension) float32 by the index of a leaf, as the encoder gave them; zero for a leaf that waits for its own.

    ``matrix`` reads all and keeps them; what is asked one by one is read each time, unless they are there. Ask within a
    reading transaction of the state that the leaves are of. Any thread may ask.
    """

    def __init__(
        self, rows: NDArray[np.int64], dimension: int, read: Read, known: tuple[NDArray[np.bool_], Read] | None = None
    ) -> None:
        self.rows, self.dimension = rows, dimension
        self._read, self._known = read, known
        self._matrix: Vectors | None = None
        self._kept: tuple[NDArray[np.int64], Vectors] | None = None
        self._lock = Lock()

    @classmethod
    def held(cls, matrix: Vectors) -> LeafVectors:
        """Vectors that are in memory already."""
        made = cls(np.arange(len(matrix)), matrix.shape[1], lambda _: matrix[:0])
        made._matrix = matrix
        return made

    @classmethod
    def stored(cls, store: Store, rows: NDArray[np.int64], dimension: int) -> LeafVectors:
        """Those of the leaves that stand in these rows of the catalogue."""
        return cls(rows, dimension, lambda wanted: read_vectors(store, wanted, dimension))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def in_memory(self) -> bool:
        """Whether all of them are kept."""
        return self._matrix is not None

    @property
    def nbytes(self) -> int:
        """What all of them take in memory, or would."""
        return 4 * len(self.rows) * self.dimension

    def matrix(self) -> Vectors:
        """All, C-contiguous, kept from now on. Raises what ``read_vectors`` raises."""
        with self._lock:
            if self._matrix is None:
                matrix = np.empty((len(self), self.dimension), np.float32)
                wanted = np.ones(len(self), bool)
                if self._known is not None:
                    known, read = self._known
                    matrix[known] = read(self.rows[known])
                    wanted = ~known
                places = np.flatnonzero(wanted)
                for first in range(0, len(places), _AT_ONCE):
                    some = places[first : first + _AT_ONCE]
                    matrix[some] = self._read(self.rows[some])
                self._matrix, self._known = matrix, None
            return self._matrix

    def of(self, places: NDArray[np.int64]) -> Vectors:
        """(m, dimension) of some leaves. Raises ``NotFoundError`` where one left the library meanwhile."""
        if self._matrix is not None:
            return self._matrix[places]
        return self._read(self.rows[places])

    def kept(self, places: NDArray[np.int64]) -> Vectors:
        """As ``of``, remembered until others are asked for: a sample is asked for with every question."""
        with self._lock:
            if self._kept is None or not np.array_equal(self._kept[0], places):
                self._kept = places, self.of(places)
            return self._kept[1]

    def cosines(self, query: Vectors) -> Vectors:
        """(n,) float32 with a unit vector, of all leaves, none of which are kept that are not."""
        if self._matrix is not None:
            return np.asarray(self._matrix @ query)
        return np.concatenate([np.zeros(0, np.float32), *(block @ query for block in self.blocks())])

    def blocks(self) -> Iterator[Vectors]:
        """All of them in order, some thousands at a time."""
        for first in range(0, len(self), _AT_ONCE):
            yield self.of(np.arange(first, min(first + _AT_ONCE, len(self))))

    def taken(self, kept: NDArray[np.bool_]) -> LeafVectors:
        """Those of the leaves for which ``kept`` is true: copied at once where these are in memory, else read when they
        are asked for.
        """
        made = LeafVectors(self.rows[kept], self.dimension, self._read)
        if self._matrix is not None:
            made._matrix = self._matrix[kept]
        return made

    def following(self, before: LeafVectors, known: NDArray[np.bool_]) -> LeafVectors:
        """These, of which those ``known`` are among ``before``, in memory there: the others alone will be read."""
        if before._matrix is None:
            return self
        matrix, order = before._matrix, np.argsort(before.rows)
        ascending = before.rows[order]
        held = lambda rows: matrix[order[np.searchsorted(ascending, rows)]]  # noqa: E731 - what ``Read`` names
        return LeafVectors(self.rows, self.dimension, self._read, (known, held))


@row_faults("The vectors of leaves")
def read_vectors(store: Store, rows: NDArray[np.int64], dimension: int) -> Vectors:
    """(m, dimension) float32 of some rows of the catalogue, in their order; zero for one that waits for its vector.

    Raises ``StorageError`` for a vector of the wrong length or missing, ``NotFoundError`` for a row that is gone.
    """
    # Row by row along the list, which needs no sorting: a sort would carry the vectors through memory once more.
    found = store.rows(
        "SELECT data FROM json_each(?) AS wanted CROSS JOIN chunk ON chunk.row = wanted.value"
        " LEFT JOIN vector ON vector.number = chunk.vector",
        rows.tolist(),
    )
    if len(found) != len(rows):
        raise NotFoundError("The library changed while this question was answered.", "Ask it again.")
    blobs = [blob for (blob,) in found]
    sizes = {-1 if blob is None else len(blob) for blob in blobs}
    if not sizes <= {0, 4 * dimension}:
        raise StorageError(f"{store.home}: some vectors are missing or have the wrong length.", "Run verify on it.")
    if 0 in sizes:
        blobs = [blob or bytes(4 * dimension) for blob in blobs]
    return np.frombuffer(b"".join(blobs), "<f4").astype(np.float32, copy=False).reshape(len(rows), dimension)
