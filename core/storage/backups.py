"""Automatic backups of the catalogue, and restoring one.

A backup is a checked SQLite copy; its name holds its time and the library's revision. Originals are not copied, since
they never change. Retention: the three newest backups, so that one made before a mistake outlives one made after it,
and the newest of each of the last seven days, and of the last four weeks, that have one.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.atomic_files import written_whole
from core.errors import NotFoundError, StorageError
from core.storage.connections import CATALOGUE, open_reader
from core.storage.faults import catalogue_faults, disk_faults
from core.storage.lock import WriterLock
from core.storage.schema.migrations import check
from core.storage.schema.steps import NO_VECTOR

if TYPE_CHECKING:
    from core.storage.store import Store

_LOG = logging.getLogger(__name__)

FOLDER = "backups"
RECENT, DAYS, WEEKS = 3, 7, 4
_ENCODED_LEAVES = f"level = 0 AND vector IS NOT (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
REBUILD_PROJECTION = (
    "DELETE FROM meta WHERE key = 'projection'",
    f"INSERT INTO outbox(generation, op, row) SELECT generation, 'upsert', row FROM chunk WHERE {_ENCODED_LEAVES}",
)
_STAMP = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup file. ``made_at``: in UTC. ``revision``: the library's revision that it contains."""

    name: str
    path: Path
    made_at: datetime
    revision: int
    size_bytes: int


def backups(home: Path) -> list[Backup]:
    """All backups, highest revision first; not sorted by time, because clocks jump. Other files are ignored."""
    result = []
    for path in (home / FOLDER).glob("*.sqlite"):
        stamp, _, revision = path.stem.partition("-r")
        try:
            made_at = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
            result.append(Backup(path.stem, path, made_at, int(revision), path.stat().st_size))
        except (ValueError, OSError):
            continue
    return sorted(result, key=lambda backup: (backup.revision, backup.made_at), reverse=True)


def make(store: Store) -> Backup:
    """Back up the catalogue, which may be in use, check the copy, and delete backups past retention.

    Raises ``StorageError``, and deletes nothing, if there is less free space than twice the catalogue's size or the
    copy is damaged. Failures to delete are only logged.
    """
    with disk_faults(store.home):
        size = (store.home / CATALOGUE).stat().st_size
        if shutil.disk_usage(store.home).free < 2 * size:
            raise StorageError(f"There is no room for a backup of {store.home}.", "Free some space on its disk.")
    made_at, revision = datetime.now(UTC).replace(microsecond=0), store.revision()
    name = f"{made_at.strftime(_STAMP)}-r{revision}"
    path = store.home / FOLDER / f"{name}.sqlite"
    with disk_faults(path), catalogue_faults(store.home), written_whole(path) as temporary:
        temporary.unlink(missing_ok=True)
        with closing(open_reader(store.home / CATALOGUE)) as source:
            checked_copy(source, temporary, store.home)
    existing = backups(store.home)
    for old in {backup for backup in existing if backup.name != name} - retained(existing):
        try:
            old.path.unlink(missing_ok=True)
        except OSError as error:
            _LOG.warning("The backup %s was not deleted: %s", old.name, error)
    with disk_faults(path):
        return Backup(name, path, made_at, revision, path.stat().st_size)


def checked_copy(source: sqlite3.Connection, target: Path, home: Path) -> None:
    """Copy a catalogue, which may be in use, and check the copy. Raises ``StorageError`` if it is damaged."""
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        fault = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise StorageError(f"The catalogue of {home} was not copied: {fault}.", "Run verify --repair.")


def make_if_due(store: Store) -> Backup | None:
    """Make a backup if the library has changed since the newest one and that is a day old (or from the future)."""
    newest = next(iter(backups(store.home)), None)
    if newest is not None:
        age = datetime.now(UTC) - newest.made_at
        if newest.revision == store.revision() or timedelta() <= age < timedelta(days=1):
            return None
    return make(store)


def retained(existing: Sequence[Backup]) -> set[Backup]:
    """The backups to retain. ``existing``: all backups, newest first."""
    days: dict[str, Backup] = {}
    weeks: dict[str, Backup] = {}
    for backup in existing:
        days.setdefault(f"{backup.made_at:%Y-%m-%d}", backup)
        weeks.setdefault(f"{backup.made_at:%G-%V}", backup)
    return {*existing[:RECENT], *list(days.values())[:DAYS], *list(weeks.values())[:WEEKS]}


def named(home: Path, name: str) -> Backup:
    """The backup of this name; the newest one for "". Raises ``NotFoundError``."""
    existing = backups(home)
    for backup in existing:
        if name in ("", backup.name):
            return backup
    if not existing:
        raise NotFoundError(f"There is no backup of {home}.", "Make one with `backup make`.")
    names = ", ".join(backup.name for backup in existing)
    raise NotFoundError(f"There is no backup {name!r} of {home}.", f"There are: {names}.")


def restore(home: Path, backup: Backup) -> None:
    """Replace the catalogue by a backup and move it to the folder ``replaced``. The library must not be open.

    If it fails, the catalogue is unchanged. Originals ingested after the backup are set aside at the next opening.
    Raises ``LibraryLockedError``, ``StorageError``.
    """
    from core.storage import keepsakes

    lock = WriterLock(home)
    try:
        # The revision must exceed that of every backup, since they are ordered by it.
        newest = max([keepsakes.header(home)[1] or 0, *(one.revision for one in backups(home))])
        put_in_place(home, backup, newest, aside="replaced")
        with disk_faults(home):
            (home / keepsakes.FILE).unlink(missing_ok=True)
    finally:
        lock.release()


def put_in_place(home: Path, backup: Backup, after_revision: int | None = None, *, aside: str = "") -> None:
    """Make a backup the catalogue of ``home``. Raises ``StorageError``.

    ``after_revision``: the library's revision becomes higher than this one and the backup's; ``None``: the backup's.
    ``aside``: the folder to move the current catalogue to; it is moved back on failure. "": there is no catalogue.
    """
    from core.storage import rescue

    _require_sound(home, backup, backup.path)
    undo = ExitStack()
    with disk_faults(home), catalogue_faults(home), undo, written_whole(home / CATALOGUE) as temporary:
        _write_copy(backup.path, temporary, after_revision)
        _require_sound(home, backup, temporary)
        if aside:
            undo.enter_context(rescue.moved_aside(home, aside))


def _write_copy(path: Path, target: Path, after_revision: int | None) -> None:
    shutil.copyfile(path, target)
    with closing(sqlite3.connect(target)) as copy, copy:
        # Chroma may know other rows by the same numbers: rebuild it.
        for statement in REBUILD_PROJECTION:
            copy.execute(statement)
        if after_revision is not None:
            copy.execute(
                "UPDATE meta SET value = max(CAST(value AS INTEGER), ?) + 1 WHERE key IN ('revision', 'contents')",
                (after_revision,),
            )


def _require_sound(home: Path, backup: Backup, path: Path) -> None:
    with catalogue_faults(home), closing(open_reader(path)) as reader:
        check(reader, home, writing=True)
        fault = reader.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise StorageError(f"The backup {backup.name} is damaged: {fault}.", "Choose another one.")
