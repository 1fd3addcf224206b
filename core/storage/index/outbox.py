"""The one applier: carries what the catalogue decided to Chroma, then acknowledges; rebuilds Chroma when in doubt.

A crash between the two repeats an upsert or a delete, which changes nothing. All of it needs the writer's lock.
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
MOST_UNTOLD = 1024  # changes that a question does without: as many as an ingest gathers before it carries them
_PATIENCE = 0.3  # seconds a question waits for another one's turn: about what comparing 100,000 leaves takes
_REST = 10.0  # seconds
_TOMBSTONES = 1000
_TOMBSTONE_SHARE = 0.3


def pending(store: Store) -> int:
    """Changes Chroma has yet to be told."""
    return int(store.value("SELECT count(*) FROM outbox"))


def apply_outbox(store: Store, progress: Progress | None = None) -> int:
    """Carry all pending changes to Chroma and return how many; rebuild Chroma where it is missing, stale or damaged.

    Costs nothing, not even chromadb's import, when nothing is pending. ``progress(done, total)`` may raise to stop;
    what is left is carried next time. Raises ``StorageError`` inside a transaction, ``ServerUnreachableError``.
    """
    with store.afresh(), store.projection_lock, _rests_after(store):
        total = pending(store)
        if not total:
            return 0
        if store.chroma_rests_until > monotonic():
            raise ServerUnreachableError(store.chroma_fault)
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


def may_ask(store: Store) -> bool:
    """Whether this process may ask Chroma: in the library's folder the lock's holder alone, a server every reader."""
    return store.writable or is_on_server(store)


def query_projection(
    store: Store, vector: Vectors, k: int, generation: int
) -> tuple[NDArray[np.int64], Vectors] | None:
    """``(rows int64, similarities float32)`` of the ``k`` leaves nearest to a unit vector, by Chroma, nearest first.

    Few changes that are pending are not waited for: see ``untold``. ``None``: search exactly, for another than this
    ``generation`` serves by now, or Chroma is opened, told of much, or made anew where it is seen to be damaged, beside
    the questions from now on, or busy for long, or its server does not answer. Raises ``StorageError`` where this
    process may not ask.
    """
    if not may_ask(store):
        raise StorageError(f"The library {store.home} was opened for reading.", "Search exactly instead.")
    resting = store.chroma_rests_until > monotonic()
    if resting or _growing(store) or not store.projection_lock.acquire(timeout=_PATIENCE):
        return None
    try:
        with store.afresh(), _rests_after(store):
            # Looked at again: who had the lock before may have begun to make Chroma ready.
            if _growing(store) or int(store.meta("serving") or 0) != generation:
                return None
            much = pending(store) > MOST_UNTOLD
            if store.projection is None or (much and store.writable):
                _make_ready(store, anew=not is_on_server(store) and projection_directory(store) is None)
                return None
            if not store.writable and (much or store.projection.name != store.meta("projection")):
                store.close_projection()  # for the next question to open what serves by then
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
            _make_ready(store, anew=True)
        return None
    finally:
        store.projection_lock.release()


@contextmanager
def _rests_after(store: Store) -> Iterator[None]:
    """A server that cannot be reached is left alone for a while: each question would wait for it anew."""
    try:
        yield
    except ServerUnreachableError as error:
        store.chroma_fault = error.problem
        store.chroma_rests_until = monotonic() + _REST
        raise


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
                    with _rests_after(store):
                        open_projection(store)
                    if store.writable:
                        apply_outbox(store, going_on)
                    return
            except ProjectionDamagedError as error:
                _LOG.warning("%s", error)
                if not store.writable:
                    raise ServerUnreachableError(error.problem) from error
                store.growing_anew = True
            with _rests_after(store):
                rebuild_projection(store, going_on)
        except StorageError as error:  # closed, out of reach, or its disk is full: the next question tries again
            _LOG.warning("Chroma could not be made ready: %s", error)
        finally:
            store.growing_anew = False

    store.growing_anew = anew
    store.growing = Thread(target=ready, name="lectern-chroma", daemon=True)
    store.growing.start()


def _carry(store: Store, projection: Projection, total: int, progress: Progress | None) -> None:
    done = 0
    state = store.meta(STATE) or ""
    projection.confirm(state)
    while batch := store.rows("SELECT seq, generation, op, row FROM outbox ORDER BY seq LIMIT ?", BATCH):
        state, before = new_state(), state
        projection.mark(before, state)
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
