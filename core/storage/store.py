"""``Store``: access to one library on disk. The other modules of this room are functions of a ``Store``."""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from core.errors import LibraryDamagedError, StorageError
from core.settings import DIVERSITIES, EXPANSIONS, FORMER_RERANKERS, FUSIONS, GROWING, Settings
from core.storage import rescue
from core.storage.connections import CATALOGUE, Connections, open_reader
from core.storage.faults import catalogue_faults, disk_faults, row_faults
from core.storage.files import FileStore
from core.storage.lock import WriterLock
from core.storage.right_of_way import RightOfWay
from core.storage.schema.migrations import check, migrate

if TYPE_CHECKING:
    from core.storage.index.collections import Projection

_LOG = logging.getLogger(__name__)
WANTED = (
    "SELECT id FROM version UNION ALL"
    " SELECT content_hash FROM job_item WHERE content_hash IS NOT NULL AND state <> 'done'"
)


def now() -> str:
    """The current time as ISO 8601 text in UTC, to the second."""
    return datetime.now(UTC).isoformat("T", "seconds")


class Store:
    """The catalogue, original files and locks of one library. Thread-safe; make one with ``open``.

    ``reading``, ``transaction``, ``afresh`` and ``after_commit``: see ``Connections``. Single statements go through
    ``rows``, ``row``, ``value``, ``write``, ``insert`` and ``write_many``, which bind a list, tuple or set as JSON for
    ``json_each(?)``. ``writable``: this process holds the write lock. ``projection``: the open Chroma client or
    ``None``; only ``core.storage.index`` uses it, under ``projection_lock``.
    """

    def __init__(self, home: Path, lock: WriterLock | None) -> None:
        self.home = home
        self.writable = lock is not None
        self.files = FileStore(home / "files", writable=self.writable)
        self.projection: Projection | None = None
        self.projection_lock = threading.RLock()
        self.questions = RightOfWay()  # searches take precedence over writes to Chroma
        self.chroma_thread: threading.Thread | None = None  # opens or rebuilds Chroma while searches go on
        self.chroma_rebuilding = False  # that thread rebuilds
        self.chroma_retry_at, self.chroma_fault = 0.0, ""  # when to retry a failed Chroma server, and its error
        self.closing = False  # tells background threads to stop
        self._lock = lock
        self._connections = Connections(home / CATALOGUE, write=self.writable)
        self.reading, self.transaction = self._connections.reading, self._connections.transaction
        self.afresh, self.after_commit = self._connections.afresh, self._connections.after_commit

    @classmethod
    def open(cls, home: Path, *, write: bool, repair: bool = False) -> Store:
        """Open the library in ``home``.

        ``write``: create it if missing, and remove leftovers of interrupted work. ``write`` with ``repair``: replace a
        damaged catalogue by the newest usable backup, or by an empty one; the old one is set aside. Raises
        ``LibraryLockedError`` naming the writing process; ``LibraryDamagedError`` if the catalogue is damaged or not
        the one of these originals, unless repaired; ``StorageError`` for an unusable folder, a catalogue of a newer
        Lectern or, without ``write``, a missing library.
        """
        home = home.expanduser().absolute()
        path = home / CATALOGUE
        with ExitStack() as undo:
            lock = None
            if write:
                with disk_faults(home):
                    (home / "files").mkdir(parents=True, exist_ok=True)
                lock = WriterLock(home)
                undo.callback(lock.release)
            damage = rescue.damage(home, thorough=repair)
            if damage and write and repair:
                _LOG.warning("%s", damage)
                rescue.replace_catalogue(home)
            elif damage:
                raise LibraryDamagedError(damage, rescue.REMEDY.format(home=home))
            with disk_faults(home):
                exists = path.is_file()
            if exists:
                # Check before writing anything: a foreign database must stay unchanged.
                with catalogue_faults(home), closing(open_reader(path)) as reader:
                    check(reader, home, writing=write)
            elif not write:
                raise StorageError(f"There is no library in {home} yet.", "Ingest a document into it first.")
            store = cls(home, lock)
            undo.callback(store.close)
            if write:
                store._prepare()
            undo.pop_all()
        return store

    def close(self) -> None:
        """Close the catalogue and Chroma and release the lock. A second call does nothing."""
        self.closing = True
        with self.projection_lock:  # keeps a waiting thread from opening Chroma before the catalogue is closed
            try:
                self.close_projection()
            except StorageError as error:  # the next opening checks, and if needed rebuilds, what was not closed
                _LOG.info("%s", error)
            self._connections.close()
        if self._lock is not None:
            self._lock.release()

    def close_projection(self) -> None:
        """Close Chroma and record the state of its files. It is reopened on the next use."""
        with self.projection_lock:
            projection, self.projection = self.projection, None
            if projection is not None:
                state = projection.close()
                if self.writable:
                    self.set_meta("projection_closed", state)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows of a query."""
        with self.reading() as connection:
            return connection.execute(query, _bound(values)).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        """The first row of a query, or ``None``."""
        with self.reading() as connection:
            return connection.execute(query, _bound(values)).fetchone()

    def value(self, query: str, *values: Any) -> Any:
        """The first value of the first row of a query; ``None`` without a row."""
        row = self.row(query, *values)
        return None if row is None else row[0]

    def write(self, statement: str, *values: Any, contents: bool | None = None) -> int:
        """Execute a statement and return the number of changed rows.

        ``contents``: if a row changed, call ``touch`` with this value; ``None``: leave the revision as it is.
        """
        with self.transaction() as connection:
            changed = connection.execute(statement, _bound(values)).rowcount
            if contents is not None and changed:
                self.touch(contents=contents)
        return changed

    def insert(self, statement: str, *values: Any, contents: bool | None = None) -> int:
        """Execute an INSERT as ``write`` does and return the id of the new row."""
        with self.transaction():
            self.write(statement, *values, contents=contents)
            return int(self.value("SELECT last_insert_rowid()"))

    def write_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Execute a statement for each tuple of values, in one transaction; return the number of changed rows."""
        with self.transaction() as connection:
            return connection.executemany(statement, rows).rowcount

    def touch(self, *, contents: bool = True) -> None:
        """Increment the library's revision as part of the surrounding transaction.

        ``contents``: also the counter of ``contents()``; ``False`` for labels and notes, which no index contains.
        """
        with self.transaction() as connection:
            connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
            if contents:
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'contents'")

    def revision(self) -> int:
        """A counter of committed changes to sources, labels, chunks, generations and settings; jobs do not count."""
        return self._count("revision")

    def contents(self) -> int:
        """Like ``revision`` without changes to labels and notes: while it is the same, cached leaves are valid."""
        return self._count("contents")

    def _count(self, key: str) -> int:
        with suppress(ValueError):
            return int(self.meta(key) or 0)
        return 0  # unreadable: the saved keepsakes then have a later revision, and are restored

    def meta(self, key: str) -> str | None:
        """A value of the ``meta`` table, or ``None``."""
        value = self.value("SELECT value FROM meta WHERE key = ?", key)
        return None if value is None else str(value)

    def set_meta(self, key: str, value: str | None) -> None:
        """Set a value of the ``meta`` table; ``None`` deletes it."""
        if value == self.meta(key):
            return
        with self.transaction() as connection:
            if value is None:
                connection.execute("DELETE FROM meta WHERE key = ?", (key,))
            else:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            if key.startswith("preference."):  # the revision does not count these, but the keepsakes must follow them
                connection.execute(
                    "INSERT INTO meta VALUES ('preferences', '1') ON CONFLICT(key) DO UPDATE SET value = value + 1"
                )

    def settings(self) -> Settings | None:
        """The stored settings; ``None`` before the first ``save_settings``. Missing fields get their defaults.

        Raises ``SettingsError`` for a stored value that is no longer allowed, ``StorageError`` for unreadable ones.
        """
        stored = self.meta("settings")
        if stored is None:
            return None
        with row_faults("The settings of the library"):
            values = json.loads(stored)
            if "format" not in values:
                values["reranking"] = _without_old_defaults(values.get("reranking", {}))
            answering = values.get("answering", {})
            if values.get("format", 1) < 3 and answering.get("least_support") == _EARLIER_SUPPORT:
                del answering["least_support"]
            retrieval = values.get("retrieval", {})
            if values.get("format", 1) < 4 and retrieval.get("exact_below") == _EARLIER_EXACT:
                del retrieval["exact_below"]
            return settings_from(values)

    def save_settings(self, settings: Settings) -> None:
        """Store the library's settings."""
        with self.transaction():
            self.set_meta("settings", json.dumps({**settings.to_dict(), "format": SETTINGS_FORMAT}, sort_keys=True))
            self.touch()

    def wanted_files(self) -> set[str]:
        """Hashes of the originals that a document or an unfinished job item refers to."""
        return {content_hash for (content_hash,) in self.rows(WANTED)}

    def release_file(self, content_hash: str) -> None:
        """Delete an original when the surrounding transaction commits, unless a row refers to it by then."""
        self.files.stage_removal(content_hash)
        self.after_commit(lambda: self._remove_unwanted(content_hash))

    def _remove_unwanted(self, content_hash: str) -> None:
        if self.row(f"SELECT 1 FROM ({WANTED}) WHERE id = ?", content_hash) is None:
            self.files.remove(content_hash)
        else:
            self.files.commit(content_hash)

    def compact(self) -> None:
        """Rewrite the catalogue without the remains of deleted rows in its free pages, and truncate its log.

        Raises ``StorageError`` while another program reads the old pages.
        """
        with catalogue_faults(self.home), self._connections.alone() as writer:
            writer.execute("PRAGMA temp_store = FILE")  # VACUUM copies the whole catalogue: not into memory
            try:
                writer.execute("VACUUM")
            finally:
                writer.execute("PRAGMA temp_store = MEMORY")
            if writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise StorageError(f"{self.home} is being read by another program.", "Close it and erase again.")

    def _prepare(self) -> None:
        with catalogue_faults(self.home), self._connections.alone() as writer:
            for name in migrate(writer, self.home):
                _LOG.info("Catalogue %s: took step %s.", self.home, name)
        if self.meta("library") is None:
            self.set_meta("library", rescue.library_of(self.home) or uuid.uuid4().hex)
        rescue.set_newer_keepsakes_aside(self.home, self.revision())
        deleted, aside = self.files.sweep(self.wanted_files())
        if deleted:
            _LOG.info("Removed %d files that no document ever named.", deleted)
        if aside:
            _LOG.warning("Moved %d originals that the catalogue does not name to %s.", aside, self.files.set_aside)


def _bound(values: tuple[Any, ...]) -> list[Any]:
    return [json.dumps(list(value)) if isinstance(value, list | tuple | set) else value for value in values]


SETTINGS_FORMAT = 4  # of stored settings; the first format has no number
_EARLIER_SUPPORT = 0.24  # the default before format 3, which changed how the probability is computed
_EARLIER_EXACT = 200_000  # the default before format 4, when all vectors were held in memory
_EARLIER_RERANKING = {"blend": (1.0, 0.35), "neighbour_share": (0.0,), "candidates": (20,)}


def _without_old_defaults(reranking: dict[str, Any]) -> dict[str, Any]:
    """Re-ranking settings without defaults of earlier versions, if the re-ranker is off or no longer exists."""
    model = str(reranking.get("model", ""))
    if FORMER_RERANKERS.get(model, model):
        return reranking
    return {name: value for name, value in reranking.items() if value not in _EARLIER_RERANKING.get(name, ())}


def settings_from(values: dict[str, Any]) -> Settings:
    """Settings from ``Settings.to_dict()``: unknown names are ignored, missing ones take their defaults.

    Also ignored, from older libraries: values of ``expansion.kinds`` that are file formats, and expansion strategies,
    fusions and diversity methods that no longer exist.

    >>> settings_from({"retrieval": {"k": 7, "gone": 1}}).retrieval.k
    7
    >>> settings_from({"expansion": {"kinds": ["pdf", "guide"]}}).expansion.kinds
    ('guide',)
    """
    base = Settings()
    stages: dict[str, Any] = {}
    for stage in fields(base):
        default = getattr(base, stage.name)
        known = {
            item.name: tuple(value) if isinstance(value := values[stage.name][item.name], list) else value
            for item in fields(default)
            if item.name in values.get(stage.name, {})
        }
        if stage.name == "expansion":
            known["kinds"] = tuple(word for word in known.get("kinds", ()) if word in GROWING)
            if known.get("strategy") not in EXPANSIONS:
                known.pop("strategy", None)
        if stage.name == "retrieval" and known.get("fusion") not in FUSIONS:
            known.pop("fusion", None)
        if stage.name == "diversity" and known.get("method") not in DIVERSITIES:
            known.pop("method", None)
        stages[stage.name] = type(default)(**known)
    return Settings(**stages)
