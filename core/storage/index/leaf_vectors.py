"""The vectors of leaves: read from the catalogue on demand, or loaded into memory for exact search."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import IO

import numpy as np
from numpy.typing import NDArray

from core.errors import NotFoundError, StorageError
from core.storage.faults import row_faults
from core.storage.store import Store
from core.types import Vectors

_BLOCK = 8192  # vectors that are read, stored and compared together: 13 MB at 384 dimensions
_MAX_GARBAGE = 0.25  # stored vectors of deleted leaves, relative to live ones, above which the store is rebuilt
_MAX_BLOCKS_ALONE = 2  # up to so many blocks one thread is faster than waking a second one
_HELPERS = ThreadPoolExecutor(4, "compare")
_GATHER_RATIO = 8  # gather vectors before comparing if at most 1 in 8 is needed; otherwise compare all of them

Read = Callable[[NDArray[np.int64]], Vectors]  # the vectors of leaves by index


@dataclass(frozen=True, slots=True)
class VectorNumbers:
    """``of``: (n,) int64 row numbers of the leaves' vectors, valid while ``Store.contents()`` is ``contents``."""

    contents: int
    of: NDArray[np.int64]


class LeafVectors:
    """The (n, dimension) float32 vectors of leaves, by leaf index; zero for a leaf that is not encoded. Thread-safe.

    Vectors are read from the catalogue on each access until ``load`` brings all of them into memory, or until all are
    compared a second time. Use it within a ``Store.reading()`` that sees the same state as the leaves.
    """

    def __init__(self, rows: NDArray[np.int64], dimension: int, read: Read) -> None:
        self.rows, self.dimension = rows, dimension
        self._read = read
        self._blocks: _Blocks | None = None  # shared with subsets and with earlier and later states of the leaves
        self._slots = np.full(len(rows), -1)  # the position of each leaf in the blocks; -1: not loaded
        self.in_memory = False  # whether all vectors are loaded, or mapped
        self._compared = False  # whether all vectors were compared without being loaded
        self._sample: tuple[NDArray[np.int64], Vectors] | None = None
        self._lock = Lock()

    @classmethod
    def from_matrix(cls, matrix: Vectors) -> LeafVectors:
        """The vectors in the rows of a matrix."""
        vectors = cls(np.arange(len(matrix)), matrix.shape[1], lambda indexes: matrix[indexes])
        vectors.load()
        return vectors

    @classmethod
    def stored(
        cls, store: Store, rows: NDArray[np.int64], dimension: int, numbers: VectorNumbers | None = None
    ) -> LeafVectors:
        """The vectors of leaves in these catalogue rows. ``numbers``: the row numbers of the vectors, if known."""

        def read(indexes: NDArray[np.int64]) -> Vectors:
            selected = None if numbers is None else VectorNumbers(numbers.contents, numbers.of[indexes])
            return read_vectors(store, rows[indexes], dimension, selected)

        return cls(rows, dimension, read)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The size of all vectors in bytes, loaded or not."""
        return 4 * len(self.rows) * self.dimension

    def load(self, mapped: bool = False) -> None:
        """Load all vectors into memory. Raises as ``read_vectors``.

        ``mapped``: the memory is a file's, so that the system can take it back; the file is gone with this object.
        Raises ``OSError`` where the file finds no room.
        """
        with self._lock:
            if self.in_memory:
                return
            if self._blocks is None or self._blocks.count > (1 + _MAX_GARBAGE) * len(self) + _BLOCK:
                before, self._blocks = self._blocks, _Blocks(self.dimension, mapped)
                if before is not None:
                    for batch in _batches(np.flatnonzero(self._slots >= 0)):
                        self._slots[batch] = self._blocks.add(before.of(self._slots[batch]))
            for batch in _batches(np.flatnonzero(self._slots < 0)):
                self._slots[batch] = self._blocks.add(self._read(batch))
            self.in_memory = True

    def of(self, indexes: NDArray[np.int64] | None = None) -> Vectors:
        """The (m, dimension) vectors of some leaves, or of all for ``None``. Raises as ``read_vectors``."""
        if self.in_memory and self._blocks is not None:
            return self._blocks.of(self._slots if indexes is None else self._slots[indexes])
        return self._read(np.arange(len(self)) if indexes is None else indexes)

    def of_sample(self, indexes: NDArray[np.int64]) -> Vectors:
        """As ``of``, but the result is cached until other indexes are requested: for a sample used in every search."""
        with self._lock:
            if self._sample is None or not np.array_equal(self._sample[0], indexes):
                self._sample = indexes, self.of(indexes)
            return self._sample[1]

    def cosines(self, query: Vectors, indexes: NDArray[np.int64] | None = None) -> Vectors:
        """The (m,) float32 cosines of some leaves, or of all for ``None``, with a unit vector.

        The value of a leaf does not depend, to the last digit, on which other leaves are requested. Nothing is loaded,
        but the second time that all are compared, as a reader of a large library does without Chroma, they are mapped:
        to read them from the catalogue takes ten times as long as to compare them.
        """
        if indexes is None and not self.in_memory:
            if self._compared:
                with suppress(OSError):
                    self.load(mapped=True)
            self._compared = True
        if not self.in_memory or self._blocks is None:
            blocks = self.blocks() if indexes is None else iter([self.of(indexes)])
            return np.concatenate([np.zeros(0, np.float32), *(products(block, query) for block in blocks)])
        if indexes is not None and _GATHER_RATIO * len(indexes) <= len(self):
            return products(self.of(indexes), query)
        return np.asarray(self._blocks.products(query)[self._slots if indexes is None else self._slots[indexes]])

    def blocks(self) -> Iterator[Vectors]:
        """All vectors in order, in blocks of at most ``_BLOCK``."""
        return map(self.of, _batches(np.arange(len(self))))

    def subset(self, mask: NDArray[np.bool_]) -> LeafVectors:
        """The vectors of the leaves selected by an (n,) mask, without copying them."""
        selected = np.flatnonzero(mask)
        vectors = LeafVectors(self.rows[selected], self.dimension, lambda indexes: self._read(selected[indexes]))
        vectors._blocks, vectors._slots, vectors.in_memory = self._blocks, self._slots[selected], self.in_memory
        return vectors

    def reusing(self, previous: LeafVectors, shared: NDArray[np.bool_]) -> LeafVectors:
        """The same vectors, sharing those that ``previous`` has in memory.

        ``shared``: (n,) mask of the leaves whose vectors are also in ``previous``, by catalogue row.
        """
        if previous._blocks is None:
            return self
        order = np.argsort(previous.rows)
        indexes = order[np.searchsorted(previous.rows, self.rows[shared], sorter=order)]
        vectors = LeafVectors(self.rows, self.dimension, self._read)
        vectors._blocks, vectors._compared = previous._blocks, previous._compared
        vectors._slots[shared] = previous._slots[indexes]
        return vectors


class _Blocks:
    """An append-only store of vectors in memory. Slots never change, so that states of the leaves can share it.

    ``mapped``: the memory is that of a temporary file.
    """

    def __init__(self, dimension: int, mapped: bool) -> None:
        self._dimension, self.count = dimension, 0
        self._blocks: list[Vectors] = []
        self._file: IO[bytes] | None = tempfile.TemporaryFile() if mapped else None  # noqa: SIM115 - as long as this lives
        self._lock = Lock()

    def add(self, vectors: Vectors) -> NDArray[np.int64]:
        """Append vectors and return their slots."""
        with self._lock:
            slots = np.arange(self.count, self.count + len(vectors))
            done = 0
            while done < len(vectors):
                block, offset = divmod(self.count + done, _BLOCK)
                if block == len(self._blocks):
                    self._blocks.append(self._new_block())
                part = vectors[done : done + _BLOCK - offset]
                self._blocks[block][offset : offset + len(part)] = part
                done += len(part)
            self.count += done
            return slots

    def _new_block(self) -> Vectors:
        shape = (_BLOCK, self._dimension)
        if self._file is None:
            return np.empty(shape, np.float32)
        start = self._file.tell()
        self._file.write(bytes(4 * _BLOCK * self._dimension))  # a full disk is an error here, and a fault when mapped
        self._file.flush()
        return np.asarray(np.memmap(self._file, np.float32, "r+", start, shape))

    def of(self, slots: NDArray[np.int64]) -> Vectors:
        """A copy of the (m, dimension) vectors in these slots."""
        vectors = np.empty((len(slots), self._dimension), np.float32)
        blocks, offsets = np.divmod(slots, _BLOCK)
        for block in np.unique(blocks):
            inside = np.flatnonzero(blocks == block)
            vectors[inside] = self._blocks[block][offsets[inside]]
        return vectors

    def products(self, query: Vectors) -> Vectors:
        """The (count,) dot products of all vectors with the query. A second thread helps if a core is free."""
        full, rest = divmod(self.count, _BLOCK)
        blocks = [*self._blocks[:full], *(block[:rest] for block in self._blocks[full : full + bool(rest)])]
        results, queue = [np.zeros(0, np.float32)] * len(blocks), iter(range(len(blocks)))

        def work() -> None:
            for index in queue:
                results[index] = products(blocks[index], query)

        helper = _HELPERS.submit(work) if len(blocks) > _MAX_BLOCKS_ALONE else None
        work()
        if helper is not None and not helper.cancel():
            helper.result()
        return np.concatenate([np.zeros(0, np.float32), *results])


def products(vectors: Vectors, query: Vectors) -> Vectors:
    """The (m,) dot products of vectors with the query, each computed independently and in this thread.

    A matrix product is faster on an idle machine only: from some twenty vectors on, it uses several threads that wait
    for each other, which took a hundred times as long on a busy one. Its last digits also depend on the other rows.
    """
    return np.asarray(np.vecdot(vectors, query))


def _batches(indexes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (indexes[start : start + _BLOCK] for start in range(0, len(indexes), _BLOCK))


@row_faults("The vectors of leaves")
def read_vectors(
    store: Store, rows: NDArray[np.int64], dimension: int, numbers: VectorNumbers | None = None
) -> Vectors:
    """The (m, dimension) float32 vectors of leaves in these catalogue rows; zero for a leaf that is not encoded.

    ``numbers``: the row numbers of the vectors, if known; while they are valid, the leaves are not looked up. Raises
    ``StorageError`` for a missing vector or one of the wrong length, ``NotFoundError`` for an unknown row.
    """
    if len(rows) > _BLOCK:
        batches = list(_batches(np.arange(len(rows))))
        parts = [None if numbers is None else VectorNumbers(numbers.contents, numbers.of[batch]) for batch in batches]
        with store.reading():
            pairs = zip(batches, parts, strict=True)
            return np.concatenate([read_vectors(store, rows[batch], dimension, part) for batch, part in pairs])
    # All vectors come as one value, in the order of the list; SQLite builds it without holding the interpreter lock.
    with store.reading():
        if numbers is not None and numbers.contents == store.contents():
            listed = "SELECT value AS vector FROM json_each(?1)"
            keys = numbers.of
        else:
            listed = "SELECT vector FROM json_each(?1) AS wanted CROSS JOIN chunk ON row = wanted.value"
            keys = rows
        count, wrong, data = store.row(
            "SELECT count(*), sum(typeof(data) <> 'blob' OR length(data) NOT IN (0, ?2)),"
            " CAST(group_concat(iif(length(data), data, zeroblob(?2)), '') AS BLOB)"
            f" FROM ({listed}) LEFT JOIN vector ON number = vector",
            *(keys.tolist(), 4 * dimension),
        )
    if count != len(rows):
        raise NotFoundError("The library changed while this question was answered.", "Ask it again.")
    if wrong:
        raise StorageError(f"{store.home}: some vectors are missing or have the wrong length.", "Run verify on it.")
    return np.frombuffer(data or b"", "<f4").astype(np.float32, copy=False).reshape(len(rows), dimension)
