"""A library's Chroma, in its folder or on a server: opened once it was seen to hold what the catalogue says, compared
with it, made anew from it, moved. All of it but opening a server needs the writer's lock.
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
from core.storage.catalogue.meaning import ENCODED
from core.storage.faults import disk_faults
from core.storage.index.collections import Projection, ProjectionDamagedError
from core.storage.index.server import Server, ServerProjection, is_on_server, new_epoch, server_of, set_server
from core.storage.index.vectors import ChromaProjection, digest, discard, examine, left_open, new_directory
from core.storage.store import Store
from core.types import Vectors

_LOG = logging.getLogger(__name__)
BATCH = 1024  # what Chroma is told at once; nothing else of this process runs meanwhile, and a question may wait for it
_PATIENCE = 2.0  # seconds that are left to questions before each
_SAMPLE = 200
_LOST_SHARE = 0.25
_FEW = 10
_APART = 1e-4  # by coordinate; what Chroma finds is scored by the catalogue's own vectors
STATE = "projection_closed"  # what tells that Chroma is as it was left: of a folder its digest
_HALF = "projection_half"
_REPEATED = (
    "SELECT row FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
    " AND row > (SELECT min(row) FROM chunk AS other WHERE other.vector = chunk.vector)"
)

Progress = Callable[[int, int], None]
Look = Callable[[int, list[int]], tuple[set[int], dict[int, Vectors], set[int]]]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Where a library's index of vectors stands, and how it gets elsewhere."""

    store: Store

    @property
    def server(self) -> Server | None:
        """The server that holds it; ``None``: the library's folder does."""
        return server_of(self.store)

    def move(self, server: Server | None, progress: Progress | None = None) -> int:
        """As ``move_projection``."""
        return move_projection(self.store, server, progress)


def open_projection(store: Store) -> Projection:
    """Chroma, opened once, after it was seen to hold what the catalogue says.

    Raises ``ProjectionDamagedError``, ``ServerUnreachableError``, and ``StorageError`` for a folder without the lock.
    """
    with store.afresh(), store.projection_lock:
        if store.projection is None:
            server = server_of(store)
            store.projection = _open_directory(store) if server is None else _open_server(store, server)
            for generation, leaves, waiting in _expected_counts(store):
                count = store.projection.count(generation)
                if abs(count - leaves) > waiting:
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
    """Chroma's present directory; ``None`` where it is missing."""
    name = store.meta("projection")
    directory = store.home / "chroma" / name if name else None
    return directory if directory is not None and (directory / "chroma.sqlite3").is_file() else None


def compare_projection(store: Store) -> str:
    """What is wrong with Chroma against the catalogue and its outbox, as a sentence; "" when nothing is.

    Looks at all ids and a sample of vectors: into a folder from a process of its own, for which Chroma is closed.
    Raises ``ServerUnreachableError``.
    """
    with store.afresh(), store.projection_lock:
        if is_on_server(store):
            try:
                projection = open_projection(store)
            except ProjectionDamagedError as error:
                return error.problem
            if isinstance(projection, ServerProjection):
                return _differences(store, projection.look)
        store.close_projection()
        directory = projection_directory(store)
        if directory is None:
            return "Chroma's files are missing."
        problem = _changed(store, directory) or _differences(store, lambda *asked: examine(directory, *asked))
        if not problem and not left_open(directory):
            # Who looks may write, as SQLite does: what was found sound is what was closed.
            store.set_meta(STATE, digest(directory))
    return problem


def _changed(store: Store, directory: Path) -> str:
    """That files which were closed are others since, as a sentence: Chroma reads past damage that ends who writes."""
    if left_open(directory) or digest(directory) == store.meta(STATE):
        return ""
    return "Chroma's files are not those that were closed."


def _differences(store: Store, look: Look) -> str:
    for generation, _, _ in _expected_counts(store):
        with store.reading():
            encoded = f"SELECT row FROM chunk WHERE generation = ? AND level = 0 AND {ENCODED}"
            leaves = {row for (row,) in store.rows(encoded, generation)}
            waiting = {row for (row,) in store.rows("SELECT row FROM outbox WHERE generation = ?", generation)}
            sample = sorted(leaves)[:: max(1, len(leaves) // _SAMPLE)]
            truth = {row: vector for row, _, vector in _vectors(store, sample)}
        try:
            rows, vectors, reached = look(generation, sample)
        except ProjectionDamagedError as error:
            return error.problem
        astray = (rows ^ leaves) - waiting
        if astray:
            return f"Chroma and the catalogue differ in {len(astray)} rows of generation {generation}."
        settled = [row for row in vectors if row not in waiting]
        wrong = [row for row in settled if not np.allclose(vectors[row], truth[row], atol=2 * _APART)]
        if wrong:
            return f"Chroma holds other vectors than the catalogue for {len(wrong)} of {len(settled)} rows."
        lost, distinct = _lost(truth, settled, reached)
        if lost and (lost == distinct or lost > max(_FEW, _LOST_SHARE * distinct)):
            return f"Chroma does not find {lost} of {distinct} vectors by themselves."
    return ""


def rebuild_projection(store: Store, progress: Progress | None = None) -> int:
    """Make Chroma anew from the catalogue's vectors, where it is now, and return the vectors put in.

    Nothing is encoded. A crash on the way leaves the old one in place, and a half one that goes with the next. Raises
    ``StorageError``.
    """
    return move_projection(store, server_of(store), progress)


def move_projection(store: Store, server: Server | None, progress: Progress | None = None) -> int:
    """As ``rebuild_projection``, on a server, or with ``None`` in the library's folder, which serves from then on; what
    stood where it was before goes.
    """
    with store.afresh(), store.projection_lock:
        before = server_of(store), store.meta("projection"), store.meta(STATE)
        try:
            store.close_projection()
        except ProjectionDamagedError as error:
            _LOG.info("%s", error)
        projection = _new(store, server)
        done = -1
        try:
            done = _fill(store, projection, server, progress)
        finally:
            if done < 0:
                with suppress(StorageError):
                    projection.discard()
        store.projection = projection
        _leave(store, projection, *before)
        return done


def _new(store: Store, server: Server | None) -> Projection:
    """An empty one. On a server it is noted first, so that it is found again should this end on the way."""
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


def _leave(store: Store, now: Projection, server: Server | None, name: str | None, state: str | None) -> None:
    """Take away what served before ``now``; on a server only what no copy of this library has written since."""
    if isinstance(now, ChromaProjection):
        _discard_others(now.directory)
    elif (root := store.home / "chroma").is_dir():
        _discard_others(root / "none of them")
    if server is not None and name:
        try:
            former = ServerProjection(server, store.meta("library") or "", name)
            former.confirm(state or "")
            former.discard()
            former.close()
        except StorageError as error:
            _LOG.warning("What stood on %s before could not be taken away: %s", server.host, error)


def _discard_others(directory: Path) -> None:
    """Delete what earlier and interrupted rebuilds left beside the present directory."""
    for other in directory.parent.iterdir():
        if other != directory:
            discard(other)


def _fill(store: Store, projection: Projection, server: Server | None, progress: Progress | None) -> int:
    """Put everything into an empty projection and make it the library's."""
    with store.reading():
        # Everything up to here is in what is read now; later changes stay in the outbox.
        last = store.value("SELECT coalesce(max(seq), 0) FROM outbox")
        leaves = store.rows(f"SELECT generation, row FROM chunk WHERE level = 0 AND {ENCODED} ORDER BY generation, row")
    by_generation: dict[int, list[int]] = {}
    for generation, row in leaves:
        by_generation.setdefault(generation, []).append(row)
    done = 0
    for generation, rows in by_generation.items():
        for first in range(0, len(rows), BATCH):
            done += upsert(store, projection, generation, rows[first : first + BATCH])
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
    """A name for what Chroma was told, which no other state has."""
    return uuid.uuid4().hex


def upsert(store: Store, projection: Projection, generation: int, rows: list[int]) -> int:
    """Tell Chroma the vectors of some rows, those that are still there, and return how many those were.

    Questions of other threads go first, for a while.
    """
    found = _vectors(store, rows)
    if found:
        repeated = {row for (row,) in store.rows(_REPEATED, rows)}
        store.questions.give_way(_PATIENCE)
        projection.upsert(
            generation,
            [row for row, _, _ in found],
            np.stack([_apart(vector, row) if row in repeated else vector for row, _, vector in found]),
            [document for _, document, _ in found],
        )
    return len(found)


def _apart(vector: NDArray[np.float32], row: int) -> NDArray[np.float32]:
    """The vector of a text that stands elsewhere too, hardly moved: among equal ones by the thousand HNSW walks all."""
    return vector + np.random.default_rng(row).uniform(-_APART, _APART, len(vector)).astype(np.float32)


def _vectors(store: Store, rows: list[int]) -> list[tuple[int, str, NDArray[np.float32]]]:
    found = store.rows(
        "SELECT row, version.id, data, dimension FROM chunk JOIN vector ON vector.number = chunk.vector"
        " JOIN version ON version.number = chunk.version JOIN generation ON generation.number = chunk.generation"
        " WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row",
        rows,
    )
    for row, _, data, dimension in found:
        if len(data) != 4 * dimension:
            raise StorageError(f"The vector of chunk {row} has the wrong length.", "Run verify on the library.")
    return [(row, document, np.frombuffer(data, "<f4")) for row, document, data, _ in found]


def _expected_counts(store: Store) -> list[tuple[int, int, int]]:
    """``(generation, leaves with a vector, changes waiting)`` of every generation."""
    return store.rows(
        "SELECT number, (SELECT count(*) FROM chunk"
        f" WHERE generation = generation.number AND level = 0 AND {ENCODED}),"
        " (SELECT count(*) FROM outbox WHERE outbox.generation = number) FROM generation ORDER BY number"
    )


def _lost(vectors: dict[int, Vectors], rows: list[int], reached: set[int]) -> tuple[int, int]:
    """``(how many different vectors of the rows none was reached of, how many there are)``.

    Equal ones count once: they link to each other alone in the index's graph, so that a page of repetitions may be out
    of its reach however sound the files are and however often it is built.

    >>> same, other = np.ones(2, np.float32), np.zeros(2, np.float32)
    >>> _lost({1: same, 2: same, 3: other}, [1, 2, 3], {3})
    (1, 2)
    """
    found: dict[bytes, bool] = {}
    for row in rows:
        key = vectors[row].round(3).tobytes()
        found[key] = found.get(key, False) or row in reached
    return sum(not hit for hit in found.values()), len(found)
