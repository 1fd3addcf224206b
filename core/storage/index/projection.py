"""Opening a library's Chroma, local or on a server, comparing it with the catalogue, rebuilding and moving it.

All of it needs the write lock, except opening Chroma on a server.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.storage.catalogue.texts.meaning import ENCODED
from core.storage.faults import disk_faults
from core.storage.index.collections import Projection, ProjectionDamagedError
from core.storage.index.server import Server, ServerProjection, is_on_server, new_epoch, server_of, set_server
from core.storage.index.vectors import ChromaProjection, digest, discard, examine, left_open, new_directory
from core.storage.store import Store
from core.types import Vectors

_LOG = logging.getLogger(__name__)
BATCH = 1024  # vectors written to Chroma at once; it holds the interpreter lock meanwhile, which delays searches
_GIVE_WAY_SECONDS = 2.0  # before each batch, wait so long at most for running searches
_SAMPLE = 200  # vectors to compare per generation
_MAX_LOST_SHARE = 0.25  # of the sample, not found by their own vectors
_MAX_LOST = 10
_JITTER = 1e-4  # per component; results of Chroma are scored again with the exact vectors of the catalogue
STATE = "projection_closed"  # meta key: the state in which Chroma was left; for a local one the digest of its files
_HALF = "projection_half"
_REPEATED = (
    "SELECT row FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
    " AND row > (SELECT min(row) FROM chunk AS other WHERE other.vector = chunk.vector)"
)

Progress = Callable[[int, int], None]
Inspect = Callable[[int, list[int]], tuple[set[int], dict[int, Vectors], set[int]]]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The location of a library's Chroma, which can be changed with ``move``."""

    store: Store

    @property
    def server(self) -> Server | None:
        """The Chroma server; ``None``: Chroma is local, in the library's folder."""
        return server_of(self.store)

    def move(self, server: Server | None, progress: Progress | None = None) -> int:
        """As ``move_projection``."""
        return move_projection(self.store, server, progress)


def open_projection(store: Store) -> Projection:
    """The store's Chroma, opened and checked against the catalogue on the first call.

    Raises ``ProjectionDamagedError``, ``ServerUnreachableError``, and ``StorageError`` for a local one without the
    write lock.
    """
    with store.afresh(), store.projection_lock:
        if store.projection is None:
            server = server_of(store)
            store.projection = _open_directory(store) if server is None else _open_server(store, server)
            for generation, leaves, pending in _expected_counts(store):
                count = store.projection.count(generation)
                if abs(count - leaves) > pending:
                    raise ProjectionDamagedError(f"{store.home}: Chroma holds {count} vectors, the catalogue {leaves}.")
        return store.projection


def _open_directory(store: Store) -> ChromaProjection:
    if not store.writable:
        raise StorageError(f"The library {store.home} was opened for reading.", "Open it for writing.")
    directory = projection_directory(store)
    if directory is None:
        raise ProjectionDamagedError(f"{store.home}: Chroma has not been built yet.")
    if problem := compare_projection(store) if left_open(directory) else _changed(store, directory):
        raise ProjectionDamagedError(f"{store.home}: {problem}")
    with disk_faults(directory):
        _discard_others(directory)
        return ChromaProjection(directory, store.meta("library") or "")


def _open_server(store: Store, server: Server) -> ServerProjection:
    epoch, state = store.meta("projection"), store.meta(STATE)
    if not epoch:
        raise ProjectionDamagedError(f"{store.home}: nothing was put on {server.host} yet.")
    projection = ServerProjection(server, store.meta("library") or "", epoch)
    projection.confirm(state or "")
    return projection


def projection_directory(store: Store) -> Path | None:
    """The directory of the local Chroma; ``None`` if it is missing."""
    name = store.meta("projection")
    directory = store.home / "chroma" / name if name else None
    return directory if directory is not None and (directory / "chroma.sqlite3").is_file() else None


def compare_projection(store: Store) -> str:
    """Compare Chroma with the catalogue and the outbox; the first difference as a sentence, or "".

    Compares all ids and a sample of vectors. A local Chroma is closed and read by a separate process. Raises
    ``ServerUnreachableError``.
    """
    with store.afresh(), store.projection_lock:
        if is_on_server(store):
            try:
                projection = open_projection(store)
            except ProjectionDamagedError as error:
                return error.problem
            if isinstance(projection, ServerProjection):
                return _differences(store, projection.inspect)
        store.close_projection()
        directory = projection_directory(store)
        if directory is None:
            return "Chroma's files are missing."
        problem = _changed(store, directory) or _differences(store, lambda *sample: examine(directory, *sample))
        if not problem and not left_open(directory):
            # Examining may have changed the files, since SQLite writes when it reads: record them as they are now.
            store.set_meta(STATE, digest(directory))
    return problem


def _changed(store: Store, directory: Path) -> str:
    """A sentence if the files changed since they were closed: Chroma may read damaged files but crash on writing."""
    if left_open(directory) or digest(directory) == store.meta(STATE):
        return ""
    return "Chroma's files are not those that were closed."


def _differences(store: Store, inspect: Inspect) -> str:
    for generation, _, _ in _expected_counts(store):
        with store.reading():
            encoded = f"SELECT row FROM chunk WHERE generation = ? AND level = 0 AND {ENCODED}"
            leaves = {row for (row,) in store.rows(encoded, generation)}
            pending = {row for (row,) in store.rows("SELECT row FROM outbox WHERE generation = ?", generation)}
            sample = sorted(leaves)[:: max(1, len(leaves) // _SAMPLE)]
            expected = {row: vector for row, _, vector in _vectors(store, sample)}
        try:
            rows, vectors, reached = inspect(generation, sample)
        except ProjectionDamagedError as error:
            return error.problem
        different = (rows ^ leaves) - pending
        if different:
            return f"Chroma and the catalogue differ in {len(different)} rows of generation {generation}."
        settled = [row for row in vectors if row not in pending]
        wrong = [row for row in settled if not np.allclose(vectors[row], expected[row], atol=2 * _JITTER)]
        if wrong:
            return f"Chroma holds other vectors than the catalogue for {len(wrong)} of {len(settled)} rows."
        lost, distinct = _lost(expected, settled, reached)
        if lost and (lost == distinct or lost > max(_MAX_LOST, _MAX_LOST_SHARE * distinct)):
            return f"Chroma does not find {lost} of {distinct} vectors by themselves."
    return ""


def rebuild_projection(store: Store, progress: Progress | None = None) -> int:
    """Rebuild Chroma in its current location from the catalogue's vectors; return their number.

    A crash leaves the old one in use, and an incomplete new one that the next rebuild deletes. Raises ``StorageError``.
    """
    return move_projection(store, server_of(store), progress)


def move_projection(store: Store, server: Server | None, progress: Progress | None = None) -> int:
    """Build Chroma on a server, or locally for ``None``, switch to it and delete the old one.

    Returns the number of vectors; a crash has the same effect as in ``rebuild_projection``. Raises ``StorageError``.
    """
    with store.afresh(), store.projection_lock:
        previous = server_of(store), store.meta("projection"), store.meta(STATE)
        try:
            store.close_projection()
        except ProjectionDamagedError as error:
            _LOG.info("%s", error)
        projection = _new(store, server)
        complete = False
        try:
            count = _fill(store, projection, server, progress)
            complete = True
        finally:
            if not complete:
                with suppress(StorageError):
                    projection.discard()
        store.projection = projection
        _discard_previous(store, projection, *previous)
        return count


def _new(store: Store, server: Server | None) -> Projection:
    """A new, empty Chroma. One on a server is recorded first, so that it can be deleted after a crash."""
    library = store.meta("library") or ""
    if server is None:
        root = store.home / "chroma"
        with disk_faults(root):
            root.mkdir(exist_ok=True)
            return ChromaProjection(new_directory(root), library)
    projection = ServerProjection(server, library, new_epoch())
    if half := store.meta(_HALF):
        with suppress(StorageError):
            ServerProjection(server, library, half).discard()
    store.set_meta(_HALF, projection.name)
    return projection


def _discard_previous(
    store: Store, current: Projection, server: Server | None, name: str | None, state: str | None
) -> None:
    """Delete the Chroma that was used before ``current``.

    ``server``, ``name``, ``state``: of the previous one. On a server it is only deleted if its state is the one that
    this library left: otherwise a copy of the library has used it since.
    """
    if isinstance(current, ChromaProjection):
        _discard_others(current.directory)
    elif (root := store.home / "chroma").is_dir():
        _discard_others(root / "none of them")
    if server is not None and name:
        try:
            previous = ServerProjection(server, store.meta("library") or "", name)
            previous.confirm(state or "")
            previous.discard()
            previous.close()
        except StorageError as error:
            _LOG.warning("What stood on %s before could not be taken away: %s", server.host, error)


def _discard_others(directory: Path) -> None:
    """Delete the directories next to ``directory``, left by earlier and interrupted rebuilds."""
    for other in directory.parent.iterdir():
        if other != directory:
            discard(other)


def _fill(store: Store, projection: Projection, server: Server | None, progress: Progress | None) -> int:
    """Write all vectors into an empty Chroma and make it the library's current one; return their number."""
    with store.reading():
        # The leaves read here include all changes up to ``last``; later ones stay in the outbox.
        last = store.value("SELECT coalesce(max(seq), 0) FROM outbox")
        leaves = store.rows(f"SELECT generation, row FROM chunk WHERE level = 0 AND {ENCODED} ORDER BY generation, row")
    by_generation: dict[int, list[int]] = {}
    for generation, row in leaves:
        by_generation.setdefault(generation, []).append(row)
    done = 0
    for generation, rows in by_generation.items():
        for start in range(0, len(rows), BATCH):
            done += upsert(store, projection, generation, rows[start : start + BATCH])
            if progress is not None:
                progress(done, len(leaves))
    state = new_state()
    projection.mark(state)
    with store.transaction():
        store.set_meta("projection", projection.name)
        store.set_meta("projection_deleted", "0")
        store.set_meta(STATE, state)
        store.set_meta(_HALF, None)
        set_server(store, server)
        store.write("DELETE FROM outbox WHERE seq <= ?", last)
    return done


def new_state() -> str:
    """A new unique name for a state of Chroma."""
    return uuid.uuid4().hex


def upsert(store: Store, projection: Projection, generation: int, rows: list[int]) -> int:
    """Write the vectors of rows to Chroma, after running searches; return how many of the rows still exist."""
    leaves = _vectors(store, rows)
    if leaves:
        repeated = {row for (row,) in store.rows(_REPEATED, rows)}
        store.questions.give_way(_GIVE_WAY_SECONDS)
        projection.upsert(
            generation,
            [row for row, _, _ in leaves],
            np.stack([_jittered(vector, row) if row in repeated else vector for row, _, vector in leaves]),
            [document for _, document, _ in leaves],
        )
    return len(leaves)


def _jittered(vector: NDArray[np.float32], row: int) -> NDArray[np.float32]:
    """The vector with some noise, for repeated texts: a query visits all of thousands of equal vectors in HNSW."""
    return vector + np.random.default_rng(row).uniform(-_JITTER, _JITTER, len(vector)).astype(np.float32)


def _vectors(store: Store, rows: list[int]) -> list[tuple[int, str, NDArray[np.float32]]]:
    """``(row, version id, vector)`` of the rows that still exist, by row."""
    stored = store.rows(
        "SELECT row, version.id, data, dimension FROM chunk JOIN vector ON vector.number = chunk.vector"
        " JOIN version ON version.number = chunk.version JOIN generation ON generation.number = chunk.generation"
        " WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row",
        rows,
    )
    for row, _, data, dimension in stored:
        if len(data) != 4 * dimension:
            raise StorageError(f"The vector of chunk {row} has the wrong length.", "Run verify on the library.")
    return [(row, document, np.frombuffer(data, "<f4")) for row, document, data, _ in stored]


def _expected_counts(store: Store) -> list[tuple[int, int, int]]:
    """``(generation, encoded leaves, pending changes)`` of every generation."""
    return store.rows(
        "SELECT number, (SELECT count(*) FROM chunk"
        f" WHERE generation = generation.number AND level = 0 AND {ENCODED}),"
        " (SELECT count(*) FROM outbox WHERE outbox.generation = number) FROM generation ORDER BY number"
    )


def _lost(vectors: dict[int, Vectors], rows: list[int], reached: set[int]) -> tuple[int, int]:
    """``(lost, distinct)``: the number of distinct vectors with no row in ``reached``, and of all distinct vectors.

    Equal vectors count once, because HNSW links them mostly to each other: a group of them may be unreachable in a
    sound index, too, however often it is rebuilt.

    >>> same, other = np.ones(2, np.float32), np.zeros(2, np.float32)
    >>> _lost({1: same, 2: same, 3: other}, [1, 2, 3], {3})
    (1, 2)
    """
    is_reached: dict[bytes, bool] = {}
    for row in rows:
        key = vectors[row].round(3).tobytes()
        is_reached[key] = is_reached.get(key, False) or row in reached
    return sum(not hit for hit in is_reached.values()), len(is_reached)
