"""The vectors of a table's leaves: in the catalogue, and in memory only where all of them are asked for together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.errors import NotFoundError, StorageError
from core.storage.faults import row_faults
from core.storage.store import Store
from core.types import Vectors

_AT_ONCE = 8192  # read and compared together, and kept in one piece: 13 MB of 384 numbers each
_DEAD = 0.25  # the share of what is kept that leaves may have left before it is made anew
_ALONE = 2  # so many pieces are compared sooner than another thread is woken
_HELPERS = ThreadPoolExecutor(4, "compare")
_FEW = 8  # one leaf in so many is compared by itself: copying the vectors of more costs more than comparing all

Read = Callable[[NDArray[np.int64]], Vectors]  # of leaves, by their indices


@dataclass(frozen=True, slots=True)
class VectorNumbers:
    """``of``: (n,) int64, of the vectors of leaves while ``Store.contents`` is this; later they may be of others."""

    contents: int
    of: NDArray[np.int64]


class LeafVectors:
    """(n, dimension) float32 by the index of a leaf, as the encoder gave them; zero for a leaf that waits for its own.

    ``keep`` reads all and keeps them; what is asked one by one is read each time, unless they are there. Ask within a
    reading transaction of the state that the leaves are of. Any thread may ask.
    """

    def __init__(self, rows: NDArray[np.int64], dimension: int, read: Read) -> None:
        self.rows, self.dimension = rows, dimension
        self._read = read
        self._pieces: _Pieces | None = None  # shared with the states before and after, and with parts of the leaves
        self._places = np.full(len(rows), -1)  # of each leaf in the pieces, -1: to be read
        self._all = False
        self._kept: tuple[NDArray[np.int64], Vectors] | None = None
        self._lock = Lock()

    @classmethod
    def held(cls, matrix: Vectors) -> LeafVectors:
        """Vectors that are in memory already."""
        made = cls(np.arange(len(matrix)), matrix.shape[1], lambda places: matrix[places])
        made.keep()
        return made

    @classmethod
    def stored(
        cls, store: Store, rows: NDArray[np.int64], dimension: int, numbers: VectorNumbers | None = None
    ) -> LeafVectors:
        """Those of the leaves that stand in these rows of the catalogue. ``numbers``: of the vectors, where known."""

        def read(places: NDArray[np.int64]) -> Vectors:
            numbered = None if numbers is None else VectorNumbers(numbers.contents, numbers.of[places])
            return read_vectors(store, rows[places], dimension, numbered)

        return cls(rows, dimension, read)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def in_memory(self) -> bool:
        """Whether all of them are kept."""
        return self._all

    @property
    def nbytes(self) -> int:
        """What all of them take in memory, or would."""
        return 4 * len(self.rows) * self.dimension

    def keep(self) -> None:
        """Have all in memory from now on. Raises what ``read_vectors`` raises."""
        with self._lock:
            if self._all:
                return
            if self._pieces is None or self._pieces.count > (1 + _DEAD) * len(self) + _AT_ONCE:
                before, self._pieces = self._pieces, _Pieces(self.dimension)
                if before is not None:
                    for some in _in_turn(np.flatnonzero(self._places >= 0)):
                        self._places[some] = self._pieces.add(before.of(self._places[some]))
            for some in _in_turn(np.flatnonzero(self._places < 0)):
                self._places[some] = self._pieces.add(self._read(some))
            self._all = True

    def of(self, places: NDArray[np.int64] | None = None) -> Vectors:
        """(m, dimension) of some leaves, ``None``: of all. Raises ``NotFoundError`` where one left the library
        meanwhile.
        """
        if self._all and self._pieces is not None:
            return self._pieces.of(self._places if places is None else self._places[places])
        return self._read(np.arange(len(self)) if places is None else places)

    def kept(self, places: NDArray[np.int64]) -> Vectors:
        """As ``of``, remembered until others are asked for: a sample is asked for with every question."""
        with self._lock:
            if self._kept is None or not np.array_equal(self._kept[0], places):
                self._kept = places, self.of(places)
            return self._kept[1]

    def cosines(self, query: Vectors, places: NDArray[np.int64] | None = None) -> Vectors:
        """(m,) float32 with a unit vector, of some leaves, ``None``: of all; none of which are kept that are not.

        A leaf's is the same to the last digit whichever others are asked for.
        """
        if not self._all or self._pieces is None:
            blocks = self.blocks() if places is None else iter([self.of(places)])
            return np.concatenate([np.zeros(0, np.float32), *(products(block, query) for block in blocks)])
        if places is not None and _FEW * len(places) <= len(self):
            return products(self.of(places), query)
        return np.asarray(self._pieces.products(query)[self._places if places is None else self._places[places]])

    def blocks(self) -> Iterator[Vectors]:
        """All of them in order, some thousands at a time."""
        return map(self.of, _in_turn(np.arange(len(self))))

    def taken(self, kept: NDArray[np.bool_]) -> LeafVectors:
        """Those of the leaves for which ``kept`` is true. Nothing is copied."""
        mine = np.flatnonzero(kept)
        made = LeafVectors(self.rows[mine], self.dimension, lambda places: self._read(mine[places]))
        made._pieces, made._places, made._all = self._pieces, self._places[mine], self._all
        return made

    def following(self, before: LeafVectors, known: NDArray[np.bool_]) -> LeafVectors:
        """These, of which those ``known`` are among ``before``: what is in memory there is here, and not read again."""
        if before._pieces is None:
            return self
        order = np.argsort(before.rows)
        found = order[np.searchsorted(before.rows, self.rows[known], sorter=order)]
        made = LeafVectors(self.rows, self.dimension, self._read)
        made._pieces = before._pieces
        made._places[known] = before._places[found]
        return made


class _Pieces:
    """Vectors in memory that stay where they are while others come, so that no state of the leaves copies another's."""

    def __init__(self, dimension: int) -> None:
        self._dimension, self.count = dimension, 0
        self._pieces: list[Vectors] = []
        self._lock = Lock()

    def add(self, vectors: Vectors) -> NDArray[np.int64]:
        """Keep these, and return their places."""
        with self._lock:
            places = np.arange(self.count, self.count + len(vectors))
            done = 0
            while done < len(vectors):
                piece, at = divmod(self.count + done, _AT_ONCE)
                if piece == len(self._pieces):
                    self._pieces.append(np.empty((_AT_ONCE, self._dimension), np.float32))
                some = vectors[done : done + _AT_ONCE - at]
                self._pieces[piece][at : at + len(some)] = some
                done += len(some)
            self.count += done
            return places

    def of(self, places: NDArray[np.int64]) -> Vectors:
        """(m, dimension), copied."""
        found = np.empty((len(places), self._dimension), np.float32)
        inside, at = np.divmod(places, _AT_ONCE)
        for piece in np.unique(inside):
            mine = np.flatnonzero(inside == piece)
            found[mine] = self._pieces[piece][at[mine]]
        return found

    def products(self, query: Vectors) -> Vectors:
        """(count,) with all: piece by piece, by this thread and another, while that one finds a core for itself."""
        whole, rest = divmod(self.count, _AT_ONCE)
        pieces = [*self._pieces[:whole], *(piece[:rest] for piece in self._pieces[whole : whole + bool(rest)])]
        found, left = [np.zeros(0, np.float32)] * len(pieces), iter(range(len(pieces)))

        def work() -> None:
            for at in left:
                found[at] = products(pieces[at], query)

        helping = _HELPERS.submit(work) if len(pieces) > _ALONE else None
        work()
        if helping is not None and not helping.cancel():
            helping.result()
        return np.concatenate([np.zeros(0, np.float32), *found])


def products(vectors: Vectors, query: Vectors) -> Vectors:
    """(m,) of each vector with the query, by itself and by this thread alone.

    A matrix product is shared out among threads from some twenty vectors on, and these wait for each other: on a busy
    machine that took a hundred times as long. Its last digits also depend on which vectors stand beside one.
    """
    return np.asarray(np.vecdot(vectors, query))


def _in_turn(places: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (places[first : first + _AT_ONCE] for first in range(0, len(places), _AT_ONCE))


@row_faults("The vectors of leaves")
def read_vectors(
    store: Store, rows: NDArray[np.int64], dimension: int, numbers: VectorNumbers | None = None
) -> Vectors:
    """(m, dimension) float32 of some rows of the catalogue, in their order; zero for one that waits for its vector.

    ``numbers``: of these vectors, where known: while they are true, the rows need not be looked up. Raises
    ``StorageError`` for a vector of the wrong length or missing, ``NotFoundError`` for a row that is gone.
    """
    if len(rows) > _AT_ONCE:
        turns = list(_in_turn(np.arange(len(rows))))
        parts = [None if numbers is None else VectorNumbers(numbers.contents, numbers.of[some]) for some in turns]
        with store.reading():
            read = (read_vectors(store, rows[some], dimension, part) for some, part in zip(turns, parts, strict=True))
            return np.concatenate(list(read))
    # Row by row along the list, which needs no sorting, and in one value: that is read while other threads work on.
    with store.reading():
        if numbers is not None and numbers.contents == store.contents():
            listed = "SELECT value AS vector FROM json_each(?1)"
            wanted = numbers.of
        else:
            listed = "SELECT vector FROM json_each(?1) AS wanted CROSS JOIN chunk ON row = wanted.value"
            wanted = rows
        found, wrong, data = store.row(
            "SELECT count(*), sum(typeof(data) <> 'blob' OR length(data) NOT IN (0, ?2)),"
            " CAST(group_concat(iif(length(data), data, zeroblob(?2)), '') AS BLOB)"
            f" FROM ({listed}) LEFT JOIN vector ON number = vector",
            *(wanted.tolist(), 4 * dimension),
        )
    if found != len(rows):
        raise NotFoundError("The library changed while this question was answered.", "Ask it again.")
    if wrong:
        raise StorageError(f"{store.home}: some vectors are missing or have the wrong length.", "Run verify on it.")
    return np.frombuffer(data or b"", "<f4").astype(np.float32, copy=False).reshape(len(rows), dimension)
