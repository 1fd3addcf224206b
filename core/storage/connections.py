"""SQLite connections: a pool of readers, each with its snapshot, and one writer behind a lock."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StorageError
from core.storage.faults import catalogue_faults

CATALOGUE = "catalogue.sqlite"
_BUSY_SECONDS = 30.0
# Page cache of each connection. Four times as much makes neither searches nor ingests faster: the operating system
# caches the file as well.
_CACHE_KIBIBYTES = 8 * 1024
_MAX_IDLE_READERS = 4


class Connections:
    """All access of one process to one catalogue. Thread-safe.

    ``reading()`` gives a connection with a consistent snapshot, ``transaction()`` the only writing one. When nested in
    one thread, they return the same connection, so that a transaction sees its own writes.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self.path = path
        self.home = path.parent
        self._pool: list[sqlite3.Connection] = []
        self._pool_lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._local = threading.local()
        self._depth = 0
        self._after_commit: list[Callable[[], None]] = []
        self._closed = False
        self._writer: sqlite3.Connection | None = None
        if write:
            with catalogue_faults(self.home):
                self._writer = _connect(f"{path.absolute().as_uri()}?mode=rwc")
                # 8 KiB pages hold five 384-d vectors with little waste. The size only applies to a new database.
                self._writer.execute("PRAGMA page_size = 8192")
                self._writer.execute("PRAGMA journal_mode = WAL")
                # FULL, not NORMAL: in WAL mode NORMAL survives a killed process but may lose the last commits when
                # the power fails, and a commit here acknowledges work as done. It costs one fsync per document.
                self._writer.execute("PRAGMA synchronous = FULL")
                self._writer.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection whose statements all see the same snapshot of the catalogue. Do not hold it over long waits."""
        current: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if current is not None:
            yield current
            return
        with catalogue_faults(self.home):
            connection = self._acquire()
            self._local.connection = connection
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._local.connection = None
                self._release(connection)

    @contextmanager
    def afresh(self) -> Iterator[None]:
        """Suspend the surrounding ``reading()``: each read inside this block sees the newest state."""
        outer = getattr(self._local, "connection", None)
        if self.in_transaction:
            raise StorageError("A transaction cannot be left before its end.", "Commit first.")
        self._local.connection = None
        try:
            yield
        finally:
            self._local.connection = outer

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The writing connection in a transaction, committed at the end or rolled back by an exception.

        Nested transactions are savepoints. Raises ``StorageError`` if opened read-only or closed.
        """
        with self._write_lock:
            if self._closed or self._writer is None:
                state = "is closed" if self._closed else "was opened for reading"
                raise StorageError(f"The library {self.home} {state}.", "Open it for writing.")
            outer = getattr(self._local, "connection", None)
            hooks = len(self._after_commit)
            savepoint = f"nested_{self._depth}" if self._depth else ""
            committed = False
            self._local.connection = self._writer
            self._depth += 1
            try:
                with catalogue_faults(self.home):
                    self._writer.execute(f"SAVEPOINT {savepoint}" if savepoint else "BEGIN IMMEDIATE")
                    yield self._writer
                    self._writer.execute(f"RELEASE {savepoint}" if savepoint else "COMMIT")
                    committed = True
            finally:
                self._depth -= 1
                self._local.connection = outer
                if not committed:
                    del self._after_commit[hooks:]
                    self._roll_back(savepoint)
            if not savepoint:
                actions, self._after_commit = self._after_commit, []
                for action in actions:
                    action()

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside any transaction, for migrations and VACUUM."""
        with self._write_lock:
            if self._writer is None:
                raise StorageError(f"The library {self.home} was opened for reading.", "Open it for writing.")
            yield self._writer

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run ``action`` after the surrounding transaction is committed, not if it is rolled back."""
        self._after_commit.append(action)

    @property
    def in_transaction(self) -> bool:
        """Whether the calling thread is inside ``transaction()``."""
        return self._writer is not None and getattr(self._local, "connection", None) is self._writer

    def close(self) -> None:
        """Wait for the running transaction, then close. Readers still in use are closed when their block ends."""
        with self._write_lock, self._pool_lock:
            self._closed = True
            while self._pool:
                self._pool.pop().close()
            if self._writer is not None:
                self._writer.close()

    def _roll_back(self, savepoint: str) -> None:
        if self._writer is None or not self._writer.in_transaction:
            return  # SQLite has rolled back by itself, as it does when the disk fails
        with catalogue_faults(self.home):
            if savepoint:
                self._writer.execute(f"ROLLBACK TO {savepoint}")
                self._writer.execute(f"RELEASE {savepoint}")
            else:
                self._writer.execute("ROLLBACK")

    def _acquire(self) -> sqlite3.Connection:
        with self._pool_lock:
            if self._closed:
                raise StorageError(f"The library {self.home} is closed.", "Open it again.")
            if self._pool:
                return self._pool.pop()
        return open_reader(self.path)

    def _release(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._pool_lock:
            if not self._closed and len(self._pool) < _MAX_IDLE_READERS:
                self._pool.append(connection)
                return
        connection.close()


def open_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection; it works in a read-only folder too."""
    address = path.absolute().as_uri()
    log = path.with_name(path.name + "-wal")
    writable = os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    if not writable and not (log.exists() and log.stat().st_size):
        # A WAL reader must create a shared-memory file, which it cannot here; without a log it is not needed.
        return _connect(f"{address}?immutable=1")
    return _connect(f"{address}?mode=ro")


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, cached_statements=256
    )
    # Invalid UTF-8 becomes U+FFFD, which verify reports; an exception would make all rows of the query unreadable.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection
