"""A catalogue that is not the one of the originals beside it: known before anything is opened, and set aside.

Originals are rows' truth as long as a catalogue names them. Where it is missing, empty, of another library or damaged,
nothing is deleted on its word: the library opens for repair alone, which begins with the newest backup.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from core.errors import StorageError
from core.storage import backups, keepsakes
from core.storage.connections import CATALOGUE, open_reader
from core.storage.faults import catalogue_faults, disk_faults
from core.storage.keepsakes import Keepsakes
from core.storage.schema.migrations import applied, check, migrate
from core.storage.schema.steps import MIGRATIONS

REMEDY = (
    "Nothing was changed. Press Repair on the Library page, or run: python -m core verify --repair --library {home}"
)
_DAMAGED = "damaged"
_DONE = "put-back"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def damage(home: Path, *, thorough: bool = False) -> str:
    """Why the catalogue cannot be the one of what lies beside it, as a sentence; "" for a library, or for none at all.

    ``thorough``: also whether SQLite finds it whole, which reads all of it. Raises ``StorageError`` for one of a newer
    Lectern and where the disk fails.
    """
    path = home / CATALOGUE
    with disk_faults(home):
        if not next(_beside(home), None):
            return ""
        if not path.is_file():
            return f"The catalogue of {home} is missing beside {_told(home)}."
        if not path.stat().st_size:
            return f"The catalogue of {home} is empty beside {_told(home)}."
    try:
        with closing(open_reader(path)) as reader:
            if not applied(reader):
                return f"The catalogue of {home} is empty, or not Lectern's, beside {_told(home)}."
            check(reader, home, writing=True)
            row = reader.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()
            known = library_of(home)
            if known and (row is None or row[0] != known):
                return f"The catalogue of {home} belongs to another library."
            faults = list(structural(reader)) if thorough else []
            return f"The catalogue of {home} is damaged: {faults[0]}" if faults else ""
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _DAMAGE:
            return f"The catalogue of {home} is damaged ({error}) beside {_told(home)}."
        with catalogue_faults(home):
            raise


def structural(connection: sqlite3.Connection) -> Iterator[str]:
    """What SQLite itself finds wrong, as sentences; word indexes apart, which are mended by themselves."""
    for (sentence,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if sentence != "ok" and "fts5" not in sentence.lower():
            yield f"SQLite reports: {sentence}."
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"Row {row} of {table} points to nothing in {parent}."
    if len(applied(connection)) == len(MIGRATIONS):
        for table, columns in _made().items():
            if _columns(connection, table) != columns:  # bits of the schema itself, which SQLite takes as they are
                yield f"The table {table} has not the columns that Lectern made."


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


@cache
def _made() -> dict[str, set[str]]:
    """The columns of each table of a catalogue as it is made; those of words come later."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, Path())
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {table: _columns(connection, table) for (table,) in tables}


def library_of(home: Path) -> str:
    """The library's own name as it was last written down; "" where it never was."""
    return keepsakes.head(home)[0]


def begin_anew(home: Path) -> None:
    """Set the catalogue aside, and put the newest backup that opens in its place, if there is one."""
    put_aside(home, _DAMAGED)
    for backup in backups.backups(home):
        with suppress(StorageError):
            backups.put_in_place(home, backup)
            return


def put_aside(home: Path, folder: str) -> None:
    """Move the catalogue and its log to ``folder/<moment>``, with a copy of the keepsakes; all of it, or nothing."""
    with moved_aside(home, folder):
        pass


@contextmanager
def moved_aside(home: Path, folder: str) -> Iterator[None]:
    """``put_aside``, undone where what is done inside fails; killed inside, it is there for repair to read."""
    names = (CATALOGUE, f"{CATALOGUE}-wal", f"{CATALOGUE}-shm")
    with disk_faults(home):
        place = _place(home)
        try:
            if (home / keepsakes.FILE).is_file():
                shutil.copy2(home / keepsakes.FILE, place)
            for name in names:
                if (home / name).is_file():
                    (home / name).replace(place / name)
            yield
            (home / folder).mkdir(exist_ok=True)
            place.replace(home / folder / place.name)
        except BaseException:
            for name in names:
                if (place / name).is_file():
                    (place / name).replace(home / name)
            shutil.rmtree(place, ignore_errors=True)
            raise


def _place(home: Path) -> Path:
    place = home / _DAMAGED / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    place.mkdir(parents=True)
    return place


def notice_older(home: Path, revision: int) -> None:
    """Where what was written down is of a later revision, set it aside before the catalogue writes over it."""
    if keepsakes.head(home)[1] > revision:
        set_keepsakes_aside(home)


def set_keepsakes_aside(home: Path) -> None:
    """Keep what was written down for repair to put back: nothing writes over it from now on."""
    with disk_faults(home):
        place = _place(home)
        (home / keepsakes.FILE).replace(place / keepsakes.FILE)


def waiting(home: Path) -> list[Path]:
    """Folders of what was set aside and not put back yet, the oldest first."""
    return [path for path in sorted((home / _DAMAGED).glob("*")) if path.is_dir() and not (path / _DONE).exists()]


def recollected(home: Path) -> list[Keepsakes]:
    """What is known by what was set aside and not put back yet, the oldest first."""
    found = [keepsakes.salvaged(path / CATALOGUE) for path in waiting(home) if (path / CATALOGUE).is_file()]
    found += [keepsakes.kept(path) for path in waiting(home)]
    return sorted(found, key=lambda known: known.revision)


def done(home: Path) -> None:
    """What was set aside has been put back: it is not read again."""
    with disk_faults(home):
        for place in waiting(home):
            (place / _DONE).touch()


def _beside(home: Path) -> Iterator[Path]:
    """What lies beside the catalogue that only a catalogue can have named."""
    yield from (home / "files").glob("[0-9a-f][0-9a-f]/" + "[0-9a-f]" * 62)
    yield from (home / "set-aside").glob("[0-9a-f]" * 64)
    if library_of(home):
        yield home / keepsakes.FILE


def _told(home: Path) -> str:
    originals = sum(path.name != keepsakes.FILE for path in _beside(home))
    return f"{originals} originals" if originals else "what was written down of it"
