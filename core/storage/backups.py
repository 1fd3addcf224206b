"""Backups of the catalogue, made by itself after work: SQLite's own copies, looked into, few, and put back by one call.

The originals are not copied: they are never changed and lie beside. A copy's name tells when it was made and of which
revision. The newest of each of the last seven days that have one stays, and of the last four weeks.
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
DAYS, WEEKS = 7, 4
_UPSERTED = f"level = 0 AND vector IS NOT (SELECT number FROM vector WHERE key = '{NO_VECTOR}')"
PROJECTED_ANEW = (
    "DELETE FROM meta WHERE key = 'projection'",
    f"INSERT INTO outbox(generation, op, row) SELECT generation, 'upsert', row FROM chunk WHERE {_UPSERTED}",
)
_STAMP = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy. ``name``: what ``backup`` calls it; ``made_at`` in UTC; ``revision``: the library's at that moment."""

    name: str
    path: Path
    made_at: datetime
    revision: int
    size_bytes: int


def backups(home: Path) -> list[Backup]:
    """The copies there are, the newest first, by revision: clocks jump. Files of other names are passed over."""
    found = []
    for path in (home / FOLDER).glob("*.sqlite"):
        stamp, _, revision = path.stem.partition("-r")
        try:
            made_at = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
            found.append(Backup(path.stem, path, made_at, int(revision), path.stat().st_size))
        except (ValueError, OSError):
            continue
    return sorted(found, key=lambda backup: (backup.revision, backup.made_at), reverse=True)


def make(store: Store) -> Backup:
    """Copy the catalogue while it is in use, look into the copy, and let go of copies past their days and weeks.

    Raises ``StorageError`` where there is no room for two more of its size, or where the copy is damaged: then none
    goes. One that cannot be deleted is logged.
    """
    with disk_faults(store.home):
        size = (store.home / CATALOGUE).stat().st_size
        if shutil.disk_usage(store.home).free < 2 * size:
            raise StorageError(f"There is no room for a backup of {store.home}.", "Free some space on its disk.")
    made_at, revision = datetime.now(UTC).replace(microsecond=0), store.revision()
    name = f"{made_at.strftime(_STAMP)}-r{revision}"
    path = store.home / FOLDER / f"{name}.sqlite"
    with disk_faults(path), catalogue_faults(store.home), written_whole(path) as unfinished:
        unfinished.unlink(missing_ok=True)
        with closing(open_reader(store.home / CATALOGUE)) as source:
            sound_copy(source, unfinished, store.home)
    there = backups(store.home)
    for old in {backup for backup in there if backup.name != name} - kept(there):
        try:
            old.path.unlink(missing_ok=True)
        except OSError as error:
            _LOG.warning("The backup %s was not deleted: %s", old.name, error)
    with disk_faults(path):
        return Backup(name, path, made_at, revision, path.stat().st_size)


def sound_copy(source: sqlite3.Connection, target: Path, home: Path) -> None:
    """Copy a catalogue in use, and look into the copy. Raises ``StorageError`` for a damaged one."""
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        fault = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise StorageError(f"The catalogue of {home} was not copied: {fault}.", "Run verify --repair.")


def make_if_due(store: Store) -> Backup | None:
    """As ``make``, where the last copy is a day old, or of another clock, and the library has changed since."""
    newest = next(iter(backups(store.home)), None)
    if newest is not None:
        age = datetime.now(UTC) - newest.made_at
        if newest.revision == store.revision() or timedelta() <= age < timedelta(days=1):
            return None
    return make(store)


def kept(there: Sequence[Backup]) -> set[Backup]:
    """Those that stay, of ``there``, the newest first."""
    days: dict[str, Backup] = {}
    weeks: dict[str, Backup] = {}
    for backup in there:
        days.setdefault(f"{backup.made_at:%Y-%m-%d}", backup)
        weeks.setdefault(f"{backup.made_at:%G-%V}", backup)
    return {*list(days.values())[:DAYS], *list(weeks.values())[:WEEKS]}


def named(home: Path, name: str) -> Backup:
    """The copy of this name, or the newest one for "". Raises ``NotFoundError``."""
    there = backups(home)
    for backup in there:
        if name in ("", backup.name):
            return backup
    known = ", ".join(backup.name for backup in there) or "none"
    raise NotFoundError(f"There is no backup {name!r} of {home}.", f"There are: {known}.")


def restore(home: Path, backup: Backup) -> None:
    """Put a copy in the place of the catalogue, which is kept in ``replaced``. No process may have the library open.

    What fails leaves the catalogue as it was. What was ingested since is set aside at the next opening. Raises
    ``LibraryLockedError``, ``StorageError``.
    """
    from core.storage import keepsakes

    lock = WriterLock(home)
    try:
        # Past what any copy is of: the newest is the one of the highest revision.
        past = max([keepsakes.head(home)[1] or 0, *(one.revision for one in backups(home))])
        put_in_place(home, backup, past, aside="replaced")
        with disk_faults(home):
            (home / keepsakes.FILE).unlink(missing_ok=True)
    finally:
        lock.release()


def put_in_place(home: Path, backup: Backup, past: int | None = None, *, aside: str = "") -> None:
    """Make a copy the catalogue. From then on the library is past the revision ``past``. Raises ``StorageError``.

    ``aside``: the folder that a catalogue there is moved to once the copy is finished; it comes back where that fails.
    """
    from core.storage import rescue

    _require_whole(home, backup, backup.path)
    moved = ExitStack()
    with disk_faults(home), catalogue_faults(home), moved, written_whole(home / CATALOGUE) as unfinished:
        _write_copy(backup.path, unfinished, past)
        _require_whole(home, backup, unfinished)
        if aside:
            moved.enter_context(rescue.moved_aside(home, aside))


def _write_copy(path: Path, unfinished: Path, past: int | None) -> None:
    shutil.copyfile(path, unfinished)
    with closing(sqlite3.connect(unfinished)) as copy, copy:
        # Rows may be numbered otherwise by now than Chroma knows them: it grows anew.
        for statement in PROJECTED_ANEW:
            copy.execute(statement)
        if past is not None:
            copy.execute(
                "UPDATE meta SET value = max(CAST(value AS INTEGER), ?) + 1 WHERE key IN ('revision', 'contents')",
                (past,),
            )


def _require_whole(home: Path, backup: Backup, path: Path) -> None:
    with catalogue_faults(home), closing(open_reader(path)) as reader:
        check(reader, home, writing=True)
        fault = reader.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise StorageError(f"The backup {backup.name} is damaged: {fault}.", "Choose another one.")
