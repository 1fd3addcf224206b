"""The one applier: carries what the catalogue decided to Chroma, then acknowledges; rebuilds Chroma when in doubt.

A crash between the two repeats an upsert or a delete, which changes nothing. All of it needs the writer's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.storage.catalogue.meaning import ENCODED
from core.storage.faults import disk_faults
from core.storage.index.vectors import (
    ChromaProjection,
    ProjectionDamagedError,
    digest,
    discard,
    examine,
    left_open,
    new_directory,
)
from core.storage.store import Store
from core.types import Vectors

_LOG = logging.getLogger(__name__)
_BATCH = 4096
MOST_UNTOLD = 1024  # changes that a question does without: as many as an ingest gathers before it carries them
_PATIENCE = 0.3  # seconds a question waits for another one's turn: about what comparing 100,000 leaves takes
_TOMBSTONES = 1000
_TOMBSTONE_SHARE = 0.3
_SAMPLE = 200
_LOST_SHARE = 0.25
_FEW = 10
_APART = 1e-4  # by coordinate; what Chroma finds is scored by the catalogue's own vectors
_REPEATED = (
    "SELECT row FROM chunk WHERE row IN (SELECT value FROM json_each(?))"
    " AND row > (SELECT min(row) FROM chunk AS other WHERE other.vector = chunk.vector)"
)

Progress = Callable[[int, int], None]


def pending(store: Store) -> int:
    """Changes Chroma has yet to be told."""
    return int(store.value("SELECT count(*) FROM outbox"))


def apply_outbox(store: Store, progress: Progress | None = None) -> int:
    """Carry all pending changes to Chroma and return how many; rebuild Chroma where it is missing, stale or damaged.

    Costs nothing, not even chromadb's import, when nothing is pending. ``progress(done, total)`` may raise to stop;
    what is left is carried next time. Raises
    ``StorageError`` inside a transaction.
    """
    with store.afresh(), store.projection_lock:
        total = pending(store)
        if not total:
            return 0
        if store.meta("projection") is None:
            rebuild_projection(store, progress)  # the first time there is nothing to open
            return total
        try:
            projection = open_projection(store)
            _carry(store, projection, total, progress)
        except ProjectionDamagedError as error:
            _LOG.warning("%s", error)
            rebuild_projection(store, progress)
        else:
            if _has_many_tombstones(store):
                _LOG.info("Rebuilding Chroma: too many deleted vectors lie in its files.")
                rebuild_projection(store, progress)
        return total


def carry_if_possible(store: Store, progress: Progress | None = None) -> None:
    """Bring Chroma up to date where it can be: without it every question is answered, and the next change carries.

    ``progress``: as of ``apply_outbox``.
    """
    try:
        apply_outbox(store, progress)
    except StorageError as error:
        _LOG.warning("The vector index could not be brought up to date: %s", error)


def query_projection(
    store: Store, vector: Vectors, k: int, generation: int
) -> tuple[NDArray[np.int64], Vectors] | None:
    """``(rows int64, similarities float32)`` of the ``k`` leaves nearest to a unit vector, by Chroma, nearest first.

    Only the lock's holder may ask; readers search exactly. Few changes that are pending are not waited for: see
    ``untold``. ``None``: search exactly, for another than this ``generation`` serves by now, or Chroma is opened, told
    of much, or made anew where it is seen to be damaged, beside the questions from now on, or busy for long.
    """
    if not store.writable:
        raise StorageError(f"The library {store.home} was opened for reading.", "Search exactly instead.")
    if _growing(store) or not store.projection_lock.acquire(timeout=_PATIENCE):
        return None
    try:
        with store.afresh():
            # Looked at again: who had the lock before may have begun to make Chroma ready.
            if _growing(store) or int(store.meta("serving") or 0) != generation:
                return None
            if store.projection is None or pending(store) > MOST_UNTOLD:
                _make_ready(store)
                return None
            rows, distances = store.projection.query(generation, vector, k)
            return rows, 1.0 - distances
    except ProjectionDamagedError as error:
        _LOG.warning("%s", error)
        _make_ready(store, anew=True)
        return None
    finally:
        store.projection_lock.release()


def untold(store: Store) -> NDArray[np.int64]:
    """Rows of the serving generation's leaves that Chroma may not have been told of yet, ``MOST_UNTOLD`` at most.

    To be read before Chroma is asked: then each leaf is in one or the other.
    """
    waiting = "SELECT row FROM outbox WHERE generation = ? AND op = 'upsert' ORDER BY seq LIMIT ?"
    found = store.rows(waiting, int(store.meta("serving") or 0), MOST_UNTOLD)
    return np.array([row for (row,) in found], np.int64)


def departed(store: Store) -> int:
    """How many rows of the serving generation Chroma may still name that have left; to be read before it is asked."""
    gone = "SELECT count(*) FROM outbox WHERE generation = ? AND op = 'delete'"
    return int(store.value(gone, int(store.meta("serving") or 0)))


def _growing(store: Store) -> bool:
    return store.growing is not None and store.growing.is_alive()


def _make_ready(store: Store, *, anew: bool = False) -> None:
    """Open Chroma in a thread of its own and tell it what is pending, or make it ``anew``, also where that fails."""

    def going_on(*_: int) -> None:
        if store.closing:
            raise StorageError(f"The library {store.home} is closed.", "Open it again.")

    def ready() -> None:
        try:
            try:
                if not anew:
                    open_projection(store)
                    apply_outbox(store, going_on)
                    return
            except ProjectionDamagedError as error:
                _LOG.warning("%s", error)
                store.growing_anew = True
            rebuild_projection(store, going_on)
        except StorageError as error:  # the library was closed, or its disk is full: the next question tries again
            _LOG.warning("Chroma could not be made ready: %s", error)
        finally:
            store.growing_anew = False

    store.growing_anew = anew
    store.growing = Thread(target=ready, name="lectern-chroma", daemon=True)
    store.growing.start()


def open_projection(store: Store) -> ChromaProjection:
    """Chroma, opened once, after it was seen to hold what the catalogue says. Raises ``ProjectionDamagedError``."""
    with store.afresh(), store.projection_lock:
        if store.projection is not None:
            return store.projection
        if not store.writable:
            raise StorageError(f"The library {store.home} was opened for reading.", "Open it for writing.")
        directory = projection_directory(store)
        if directory is None:
            raise ProjectionDamagedError(f"{store.home}: Chroma has not been built yet.")
        if problem := compare_projection(store) if left_open(directory) else _changed(store, directory):
            raise ProjectionDamagedError(f"{store.home}: {problem}")
        with disk_faults(directory):
            _discard_others(directory)
            projection = ChromaProjection(directory, store.meta("library") or "")
        store.projection = projection
        for generation, leaves, waiting in _expected_counts(store):
            count = projection.count(generation)
            if abs(count - leaves) > waiting:
                raise ProjectionDamagedError(f"{store.home}: Chroma holds {count} vectors, the catalogue {leaves}.")
        return projection


def projection_directory(store: Store) -> Path | None:
    """Chroma's present directory; ``None`` where it is missing."""
    name = store.meta("projection")
    directory = store.home / "chroma" / name if name else None
    return directory if directory is not None and (directory / "chroma.sqlite3").is_file() else None


def compare_projection(store: Store) -> str:
    """What is wrong with Chroma against the catalogue and its outbox, as a sentence; "" when nothing is.

    Looks from a process of its own, at all ids and a sample of vectors; Chroma is closed for it. Needs the lock.
    """
    with store.afresh(), store.projection_lock:
        store.close_projection()
        directory = projection_directory(store)
        if directory is None:
            return "Chroma's files are missing."
        if problem := _changed(store, directory):
            return problem
        for generation, _, _ in _expected_counts(store):
            with store.reading():
                encoded = f"SELECT row FROM chunk WHERE generation = ? AND level = 0 AND {ENCODED}"
                leaves = {row for (row,) in store.rows(encoded, generation)}
                waiting = {row for (row,) in store.rows("SELECT row FROM outbox WHERE generation = ?", generation)}
                sample = sorted(leaves)[:: max(1, len(leaves) // _SAMPLE)]
                truth = {row: vector for row, _, vector in _vectors(store, sample)}
            try:
                rows, vectors, reached = examine(directory, generation, sample)
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
        if not left_open(directory):  # who looks may write, as SQLite does: what was found sound is what was closed
            store.set_meta("projection_closed", digest(directory))
    return ""


def _changed(store: Store, directory: Path) -> str:
    """That files which were closed are others since, as a sentence: Chroma reads past damage that ends who writes."""
    if left_open(directory) or digest(directory) == store.meta("projection_closed"):
        return ""
    return "Chroma's files are not those that were closed."


def rebuild_projection(store: Store, progress: Progress | None = None) -> int:
    """Make Chroma anew from the catalogue's vectors, in a new directory, and return the vectors put in.

    Nothing is encoded. A crash on the way leaves the old directory in place, or a half one that is swept next time.
    """
    with store.afresh(), store.projection_lock:
        try:
            store.close_projection()
        except ProjectionDamagedError as error:
            _LOG.info("%s", error)
        root = store.home / "chroma"
        directory = new_directory(root)
        with disk_faults(root):
            root.mkdir(exist_ok=True)
            projection = ChromaProjection(directory, store.meta("library") or "")
        done = -1
        try:
            done = _fill(store, projection, progress)
        finally:
            if done < 0:
                projection.close()
                discard(directory)
        store.projection = projection
        _discard_others(directory)
        return done


def _discard_others(directory: Path) -> None:
    """Delete what earlier and interrupted rebuilds left beside the present directory."""
    for other in directory.parent.iterdir():
        if other != directory:
            discard(other)


def _fill(store: Store, projection: ChromaProjection, progress: Progress | None) -> int:
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
        for first in range(0, len(rows), _BATCH):
            done += _upsert(store, projection, generation, rows[first : first + _BATCH])
            if progress is not None:
                progress(done, len(leaves))
    with store.transaction():
        store.set_meta("projection", projection.directory.name)
        store.set_meta("projection_deleted", "0")
        store.write("DELETE FROM outbox WHERE seq <= ?", last)
    return done


def _carry(store: Store, projection: ChromaProjection, total: int, progress: Progress | None) -> None:
    done = 0
    while batch := store.rows("SELECT seq, generation, op, row FROM outbox ORDER BY seq LIMIT ?", _BATCH):
        last_op = {(generation, row): op for _, generation, op, row in batch}
        deleted = 0
        for generation in dict.fromkeys(generation for generation, _ in last_op):
            rows: dict[str, list[int]] = {"upsert": [], "delete": [], "drop": []}
            for (owner, row), op in last_op.items():
                if owner == generation:
                    rows[op].append(row)
            if rows["drop"]:
                projection.drop(generation)
                continue
            projection.delete(generation, rows["delete"])
            deleted += len(rows["delete"])
            _upsert(store, projection, generation, rows["upsert"])
        with store.transaction():
            store.write("DELETE FROM outbox WHERE seq <= ?", batch[-1][0])
            store.set_meta("projection_deleted", str(int(store.meta("projection_deleted") or 0) + deleted))
        done += len(batch)
        if progress is not None:
            progress(done, max(done, total))


def _upsert(store: Store, projection: ChromaProjection, generation: int, rows: list[int]) -> int:
    found = _vectors(store, rows)
    if found:
        repeated = {row for (row,) in store.rows(_REPEATED, rows)}
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


def _has_many_tombstones(store: Store) -> bool:
    deleted = int(store.meta("projection_deleted") or 0)
    alive = int(store.value("SELECT count(*) FROM chunk WHERE level = 0"))
    return deleted > _TOMBSTONES and deleted > _TOMBSTONE_SHARE * (alive + deleted)
