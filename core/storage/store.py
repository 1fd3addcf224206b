"""The library on disk: one catalogue, its originals, its lock. Every other module here works on a ``Store``."""

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
from core.settings import DIVERSITIES, FORMER_RERANKERS, GROWING, Settings
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
    """The moment as ISO 8601 text in UTC, to the second."""
    return datetime.now(UTC).isoformat("T", "seconds")


class Store:
    """One library's truth. Every method may be called from any thread; make one with ``open``.

    ``writable``: this process holds the writer's lock. ``projection``: Chroma, once something needed it; only
    ``core.storage.index`` touches it, under ``projection_lock``. ``reading``, ``transaction``, ``afresh`` and
    ``after_commit`` are those of ``Connections``; what one statement reads or changes, ``rows``, ``row``, ``value``,
    ``write``, ``insert`` and ``write_many`` do. A list, tuple or set among their values is bound as JSON, for
    ``json_each(?)``.
    """

    def __init__(self, home: Path, lock: WriterLock | None) -> None:
        self.home = home
        self.writable = lock is not None
        self.files = FileStore(home / "files", writable=self.writable)
        self.projection: Projection | None = None
        self.projection_lock = threading.RLock()
        self.questions = RightOfWay()  # before Chroma's writing
        self.growing: threading.Thread | None = None  # while Chroma is opened, or made anew, beside the questions
        self.growing_anew = False
        self.chroma_rests_until, self.chroma_fault = 0.0, ""  # a server that did not answer, and the sentence for it
        self.closing = False  # from ``close`` on: what is made beside the questions ends
        self._lock = lock
        self._connections = Connections(home / CATALOGUE, write=self.writable)
        self.reading, self.transaction = self._connections.reading, self._connections.transaction
        self.afresh, self.after_commit = self._connections.afresh, self._connections.after_commit

    @classmethod
    def open(cls, home: Path, *, write: bool, repair: bool = False) -> Store:
        """Open the library in ``home``; with ``write`` it is made when missing, and half-done work is swept away.

        With ``repair`` too, a damaged catalogue is set aside and the newest backup, or an empty one, takes its place.
        Raises ``LibraryLockedError`` naming the process that writes it, ``LibraryDamagedError`` without ``repair`` for
        a catalogue that is not the one of the originals beside it, ``StorageError`` for a place that cannot be
        used, a catalogue of a newer Lectern, or (without ``write``) no library at all.
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
                rescue.begin_anew(home)
            elif damage:
                raise LibraryDamagedError(damage, rescue.REMEDY.format(home=home))
            with disk_faults(home):
                there = path.is_file()
            if there:
                # Looked at before anything is written: a foreign database is left as it was found.
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
        """Let go of the catalogue, Chroma and the lock. Twice is once."""
        self.closing = True
        with self.projection_lock:  # till the catalogue is closed: a thread that waits to open Chroma must not after it
            try:
                self.close_projection()
            except StorageError as error:  # what was not closed is examined, and made anew where need be
                _LOG.info("%s", error)
            self._connections.close()
        if self._lock is not None:
            self._lock.release()

    def close_projection(self) -> None:
        """Let Chroma go, and keep what its files are now; whatever needs it next opens it again."""
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
        """All rows that a query finds."""
        with self.reading() as connection:
            return connection.execute(query, _bound(values)).fetchall()

    def row(self, query: str, *values: Any) -> Any:
        """The first row that a query finds; ``None`` for none."""
        with self.reading() as connection:
            return connection.execute(query, _bound(values)).fetchone()

    def value(self, query: str, *values: Any) -> Any:
        """The first value of the first row that a query finds; ``None`` for no row."""
        found = self.row(query, *values)
        return None if found is None else found[0]

    def write(self, statement: str, *values: Any, contents: bool | None = None) -> int:
        """Carry a statement out and return how many rows it changed. ``contents``: as ``touch`` has it, ``None``: the
        library's revision stays, and so it does where nothing was changed.
        """
        with self.transaction() as connection:
            changed = connection.execute(statement, _bound(values)).rowcount
            if contents is not None and changed:
                self.touch(contents=contents)
        return changed

    def insert(self, statement: str, *values: Any, contents: bool | None = None) -> int:
        """As ``write``, of a statement that adds a row: the number of that row."""
        with self.transaction():
            self.write(statement, *values, contents=contents)
            return int(self.value("SELECT last_insert_rowid()"))

    def write_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Carry a statement out for each row of values, all or none, and return how many rows that changed."""
        with self.transaction() as connection:
            return connection.executemany(statement, rows).rowcount

    def touch(self, *, contents: bool = True) -> None:
        """The surrounding transaction changes what the library holds: its revision grows with the commit.

        ``contents`` ``False``: labels and notes changed, which no search looks at.
        """
        with self.transaction() as connection:
            connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
            if contents:
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'contents'")

    def revision(self) -> int:
        """Grows with every committed change of sources, labels, chunks, generation or settings; not with jobs."""
        return self._count("revision")

    def contents(self) -> int:
        """Grows as ``revision`` does, but for labels and notes: what was read of leaves and tokens stays true."""
        return self._count("contents")

    def _count(self, key: str) -> int:
        with suppress(ValueError):
            return int(self.meta(key) or 0)
        return 0  # garbled: what was written down is then of a later revision, and is put back

    def meta(self, key: str) -> str | None:
        """One of the library's own values, ``None`` where it was never set."""
        found = self.value("SELECT value FROM meta WHERE key = ?", key)
        return None if found is None else str(found)

    def set_meta(self, key: str, value: str | None) -> None:
        """Keep one of the library's own values; ``None`` forgets it."""
        if value == self.meta(key):
            return
        with self.transaction() as connection:
            if value is None:
                connection.execute("DELETE FROM meta WHERE key = ?", (key,))
            else:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            if key.startswith("preference."):  # no change of what the library holds, yet one to write down
                connection.execute(
                    "INSERT INTO meta VALUES ('preferences', '1') ON CONFLICT(key) DO UPDATE SET value = value + 1"
                )

    def settings(self) -> Settings | None:
        """The library's own settings; ``None`` before the first ``save_settings``. New fields take their defaults.

        Raises ``SettingsError`` where a stored value is outside what this Lectern allows.
        """
        stored = self.meta("settings")
        if stored is None:
            return None
        with row_faults("The settings of the library"):
            values = json.loads(stored)
            if "format" not in values:
                values["reranking"] = _of_now(values.get("reranking", {}))
            answering = values.get("answering", {})
            if values.get("format", 1) < 3 and answering.get("least_support") == _EARLIER_SUPPORT:
                del answering["least_support"]
            retrieval = values.get("retrieval", {})
            if values.get("format", 1) < 4 and retrieval.get("exact_below") == _EARLIER_EXACT:
                del retrieval["exact_below"]
            return settings_from(values)

    def save_settings(self, settings: Settings) -> None:
        """Make these the library's own settings."""
        with self.transaction():
            self.set_meta("settings", json.dumps({**settings.to_dict(), "format": SETTINGS_FORMAT}, sort_keys=True))
            self.touch()

    def wanted_files(self) -> set[str]:
        """Hashes of the originals that a version, or an item of a job still to be done or retried, names."""
        return {name for (name,) in self.rows(WANTED)}

    def release_file(self, content_hash: str) -> None:
        """Delete an original after the commit of the surrounding transaction, unless something still names it then."""
        self.files.unnamed(content_hash)
        self.after_commit(lambda: self._remove_unwanted(content_hash))

    def _remove_unwanted(self, content_hash: str) -> None:
        if self.row(f"SELECT 1 FROM ({WANTED}) WHERE id = ?", content_hash) is None:
            self.files.remove(content_hash)
        else:
            self.files.named(content_hash)

    def compact(self) -> None:
        """Write the catalogue anew, without what deleted rows left in its free pages, and empty its log.

        Raises ``StorageError`` where a reader keeps the old pages in their place.
        """
        with catalogue_faults(self.home), self._connections.alone() as writer:
            writer.execute("PRAGMA temp_store = FILE")  # in memory it would be all of the catalogue
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
        rescue.notice_older(self.home, self.revision())
        deleted, aside = self.files.sweep(self.wanted_files())
        if deleted:
            _LOG.info("Removed %d files that no document ever named.", deleted)
        if aside:
            _LOG.warning("Moved %d originals that the catalogue does not name to %s.", aside, self.files.set_aside)


def _bound(values: tuple[Any, ...]) -> list[Any]:
    return [json.dumps(list(one)) if isinstance(one, list | tuple | set) else one for one in values]


SETTINGS_FORMAT = 4  # of stored settings; the first had none
_EARLIER_SUPPORT = 0.24  # the default before format 3, whose probabilities were made otherwise
_EARLIER_EXACT = 200_000  # the default before format 4, when every vector was in memory in any case
_EARLIER_RERANKING = {"blend": (1.0, 0.35), "neighbour_share": (0.0,), "candidates": (20,)}


def _of_now(reranking: dict[str, Any]) -> dict[str, Any]:
    """Stored settings of a re-ranker that is off, or gone, without what were the defaults of an earlier Lectern."""
    model = str(reranking.get("model", ""))
    if FORMER_RERANKERS.get(model, model):
        return reranking
    return {name: value for name, value in reranking.items() if value not in _EARLIER_RERANKING.get(name, ())}


def settings_from(values: dict[str, Any]) -> Settings:
    """Settings from ``Settings.to_dict()``: unknown names are left out, missing ones take their defaults.

    Older libraries may hold formats of files in ``expansion.kinds``, which it does not name, or a way to spread what is
    found that is gone: they are left out as well.

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
        if stage.name == "diversity" and known.get("method") not in DIVERSITIES:
            known.pop("method", None)
        stages[stage.name] = type(default)(**known)
    return Settings(**stages)
