"""Applies the outbox, the catalogue's queue of changes, to Chroma, and queries Chroma.

A batch is deleted from the outbox only after it has been applied. A crash in between causes it to be applied again,
which is harmless: all operations are idempotent. If Chroma is missing, stale or damaged, it is rebuilt. Only the
process with the write lock applies changes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.storage.index.collections import Projection, ProjectionDamagedError
from core.storage.index.projection import (
    BATCH,
    STATE,
    Progress,
    new_state,
    open_projection,
    projection_directory,
    rebuild_projection,
    upsert,
)
from core.storage.index.server import ServerUnreachableError, is_on_server
from core.storage.store import Store
from core.types import Vectors

_LOG = logging.getLogger(__name__)
MAX_PENDING = (
    1024  # with more pending changes, searches do not use Chroma; an ingest applies its changes in such batches
)
_LOCK_SECONDS = 0.3  # a search waits so long for the lock: about the time of an exact search over 100,000 leaves
_RETRY_SECONDS = 10.0  # after a failure of the server
_TOMBSTONES = 1000
_TOMBSTONE_SHARE = 0.3


def pending(store: Store) -> int:
    """The number of changes in the outbox."""
    return int(store.value("SELECT count(*) FROM outbox"))


def apply_outbox(store: Store, progress: Progress | None = None) -> int:
    """Apply all pending changes to Chroma and return their number; rebuild Chroma if it is missing, stale or damaged.

    Without pending changes, chromadb is not even imported. ``progress(done, total)`` may raise to stop; the remaining
    changes stay in the outbox. Raises ``StorageError`` inside a transaction, ``ServerUnreachableError``.
    """
    with store.afresh(), store.projection_lock, _retry_later(store):
        total = pending(store)
        if not total:
            return 0
        if store.chroma_retry_at > monotonic():
            raise ServerUnreachableError(store.chroma_fault)
        if store.meta("projection") is None:
            rebuild_projection(store, progress)  # Chroma does not exist yet
            return total
        try:
            projection = open_projection(store)
            _apply(store, projection, total, progress)
        except ProjectionDamagedError as error:
            _LOG.warning("%s", error)
            rebuild_projection(store, progress)
        else:
            if _has_many_tombstones(store):
                _LOG.info("Rebuilding Chroma: too many deleted vectors lie in its files.")
                rebuild_projection(store, progress)
        return total


def apply_if_possible(store: Store, progress: Progress | None = None) -> None:
    """``apply_outbox``, but errors are only logged: searches work without Chroma, and the next call tries again."""
    try:
        apply_outbox(store, progress)
    except StorageError as error:
        _LOG.warning("The vector index could not be brought up to date: %s", error)


def can_query(store: Store) -> bool:
    """Whether this process may query Chroma: a local one only with the write lock, a server always."""
    return store.writable or is_on_server(store)


def query_projection(
    store: Store, vector: Vectors, k: int, generation: int
) -> tuple[NDArray[np.int64], Vectors] | None:
    """``(rows int64, similarities float32)`` of the ``k`` leaves nearest to a unit vector in Chroma, nearest first.

    The result lacks up to ``MAX_PENDING`` pending changes: see ``pending_upserts`` and ``pending_deletes``. ``None``:
    use exact search, because another generation serves now, Chroma is busy, being opened, updated or rebuilt, or its
    server does not answer. If necessary, this call starts that work in a background thread. Raises ``StorageError`` if
    this process may not query Chroma.
    """
    if not can_query(store):
        raise StorageError(f"The library {store.home} was opened for reading.", "Search exactly instead.")
    waiting = store.chroma_retry_at > monotonic()
    if waiting or _is_preparing(store) or not store.projection_lock.acquire(timeout=_LOCK_SECONDS):
        return None
    try:
        with store.afresh(), _retry_later(store):
            # Check again: the previous holder of the lock may have started the background thread.
            if _is_preparing(store) or int(store.meta("serving") or 0) != generation:
                return None
            too_many = pending(store) > MAX_PENDING
            if store.projection is None or (too_many and store.writable):
                _make_ready(store, rebuild=not is_on_server(store) and projection_directory(store) is None)
                return None
            if not store.writable and (too_many or store.projection.name != store.meta("projection")):
                store.close_projection()  # the next search opens the current one
                return None
            state = None if store.writable else store.meta(STATE) or ""
            rows, distances = store.projection.query(generation, vector, k, state)
            store.chroma_fault = ""
            return rows, 1.0 - distances
    except ServerUnreachableError:
        return None
    except ProjectionDamagedError as error:
        _LOG.warning("%s", error)
        if store.writable:
            _make_ready(store, rebuild=True)
        return None
    finally:
        store.projection_lock.release()


@contextmanager
def _retry_later(store: Store) -> Iterator[None]:
    """After an unreachable server, suspend all calls for ``_RETRY_SECONDS``, so that not every search waits for it."""
    try:
        yield
    except ServerUnreachableError as error:
        store.chroma_fault = error.problem
        store.chroma_retry_at = monotonic() + _RETRY_SECONDS
        raise


def pending_upserts(store: Store) -> NDArray[np.int64]:
    """Rows of leaves of the serving generation, at most ``MAX_PENDING``, that may be missing in Chroma.

    Call it before Chroma is queried: then each leaf is in one of the two.
    """
    query = "SELECT row FROM outbox WHERE generation = ? AND op = 'upsert' ORDER BY seq LIMIT ?"
    rows = store.rows(query, int(store.meta("serving") or 0), MAX_PENDING)
    return np.array([row for (row,) in rows], np.int64)


def pending_deletes(store: Store) -> int:
    """The number of deleted rows that Chroma may still return. Call it before Chroma is queried."""
    query = "SELECT count(*) FROM outbox WHERE generation = ? AND op = 'delete'"
    return int(store.value(query, int(store.meta("serving") or 0)))


def _is_preparing(store: Store) -> bool:
    return store.chroma_thread is not None and store.chroma_thread.is_alive()


def _make_ready(store: Store, *, rebuild: bool = False) -> None:
    """Start a thread that opens Chroma and applies the outbox; it rebuilds Chroma if ``rebuild`` or damaged."""

    def stop_if_closing(*_: int) -> None:
        if store.closing:
            raise StorageError(f"The library {store.home} is closed.", "Open it again.")

    def run() -> None:
        try:
            try:
                if not rebuild:
                    with _retry_later(store):
                        open_projection(store)
                    if store.writable:
                        apply_outbox(store, stop_if_closing)
                    return
            except ProjectionDamagedError as error:
                _LOG.warning("%s", error)
                if not store.writable:
                    raise ServerUnreachableError(error.problem) from error
                store.chroma_rebuilding = True
            with _retry_later(store):
                rebuild_projection(store, stop_if_closing)
        except StorageError as error:  # closed, unreachable or disk full: the next search tries again
            _LOG.warning("Chroma could not be made ready: %s", error)
        finally:
            store.chroma_rebuilding = False

    store.chroma_rebuilding = rebuild
    store.chroma_thread = Thread(target=run, name="lectern-chroma", daemon=True)
    store.chroma_thread.start()


def _apply(store: Store, projection: Projection, total: int, progress: Progress | None) -> None:
    """Apply the outbox batch by batch.

    Each batch moves Chroma and the catalogue to a new state. While it is applied, Chroma is marked with both states, so
    that it is recognised whichever of them the catalogue has after a crash.
    """
    done = 0
    state = store.meta(STATE) or ""
    projection.confirm(state)
    while batch := store.rows("SELECT seq, generation, op, row FROM outbox ORDER BY seq LIMIT ?", BATCH):
        state, previous = new_state(), state
        projection.mark(previous, state)
        last_op = {(generation, row): op for _, generation, op, row in batch}
        by_generation: dict[int, dict[str, list[int]]] = {}
        for (generation, row), op in last_op.items():
            rows = by_generation.setdefault(generation, {"upsert": [], "delete": [], "drop": []})
            rows[op].append(row)
        deleted = 0
        for generation, rows in by_generation.items():
            if rows["drop"]:
                projection.drop(generation)
                continue
            projection.delete(generation, rows["delete"])
            deleted += len(rows["delete"])
            upsert(store, projection, generation, rows["upsert"])
        with store.transaction():
            store.write("DELETE FROM outbox WHERE seq <= ?", batch[-1][0])
            store.set_meta("projection_deleted", str(int(store.meta("projection_deleted") or 0) + deleted))
            store.set_meta(STATE, state)
        projection.mark(state)
        done += len(batch)
        if progress is not None:
            progress(done, max(done, total))


def _has_many_tombstones(store: Store) -> bool:
    deleted = int(store.meta("projection_deleted") or 0)
    alive = int(store.value("SELECT count(*) FROM chunk WHERE level = 0"))
    return deleted > _TOMBSTONES and deleted > _TOMBSTONE_SHARE * (alive + deleted)
