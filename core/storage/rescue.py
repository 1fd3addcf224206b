"""Detection of a damaged catalogue before the library opens, and setting it aside for repair.

Originals that the catalogue does not refer to are normally deleted. That must not happen if the catalogue is missing,
empty, damaged or from another library: such a library opens for repair only, starting from the newest backup.
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
    """What is wrong with the catalogue in ``home``, as a sentence; "" if it is sound or if there is no library yet.

    ``thorough``: also run SQLite's integrity check, which reads the whole file. Raises ``StorageError`` for a catalogue
    of a newer Lectern and for a failing disk.
    """
    path = home / CATALOGUE
    with disk_faults(home):
        if not next(_remains(home), None):
            return ""
        if not path.is_file():
            return f"The catalogue of {home} is missing beside {_remains_in_words(home)}."
        if not path.stat().st_size:
            return f"The catalogue of {home} is empty beside {_remains_in_words(home)}."
    try:
        with closing(open_reader(path)) as reader:
            if not applied(reader):
                return f"The catalogue of {home} is empty, or not Lectern's, beside {_remains_in_words(home)}."
            check(reader, home, writing=True)
            row = reader.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()
            known = library_of(home)
            if known and (row is None or row[0] != known):
                return f"The catalogue of {home} belongs to another library."
            faults = list(structural_faults(reader)) if thorough else []
            return f"The catalogue of {home} is damaged: {faults[0]}" if faults else ""
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _DAMAGE:
            return f"The catalogue of {home} is damaged ({error}) beside {_remains_in_words(home)}."
        with catalogue_faults(home):
            raise


def structural_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """The faults that SQLite's own checks find, as sentences. Word indexes are excluded: they can be rebuilt."""
    for (sentence,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if sentence != "ok" and "fts5" not in sentence.lower():
            yield f"SQLite reports: {sentence}."
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"Row {row} of {table} points to nothing in {parent}."
    if len(applied(connection)) == len(MIGRATIONS):
        for table, columns in _expected_columns().items():
            if _columns(connection, table) != columns:  # damage inside the schema text, which SQLite does not notice
                yield f"The table {table} has not the columns that Lectern made."


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


@cache
def _expected_columns() -> dict[str, set[str]]:
    """The columns of each table in a new catalogue, without the word tables, which are created later."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, Path())
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {table: _columns(connection, table) for (table,) in tables}


def library_of(home: Path) -> str:
    """The library's id in the saved keepsakes; "" without them."""
    return keepsakes.header(home)[0]


def replace_catalogue(home: Path) -> None:
    """Set the catalogue aside and restore the newest usable backup, if there is one."""
    put_aside(home, _DAMAGED)
    for backup in backups.backups(home):
        with suppress(StorageError):
            backups.put_in_place(home, backup)
            return


def put_aside(home: Path, folder: str) -> None:
    """Move the catalogue and its log to ``folder/<timestamp>`` and copy the keepsakes there; all of them, or none."""
    with moved_aside(home, folder):
        pass


@contextmanager
def moved_aside(home: Path, folder: str) -> Iterator[None]:
    """As ``put_aside``, undone if the block fails. If the process is killed in it, repair finds the moved files."""
    names = (CATALOGUE, f"{CATALOGUE}-wal", f"{CATALOGUE}-shm")
    with disk_faults(home):
        aside = _new_folder(home)
        try:
            if (home / keepsakes.FILE).is_file():
                shutil.copy2(home / keepsakes.FILE, aside)
            for name in names:
                if (home / name).is_file():
                    (home / name).replace(aside / name)
            yield
            (home / folder).mkdir(exist_ok=True)
            aside.replace(home / folder / aside.name)
        except BaseException:
            for name in names:
                if (aside / name).is_file():
                    (aside / name).replace(home / name)
            shutil.rmtree(aside, ignore_errors=True)
            raise


def _new_folder(home: Path) -> Path:
    folder = home / _DAMAGED / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    folder.mkdir(parents=True)
    return folder


def set_newer_keepsakes_aside(home: Path, revision: int) -> None:
    """Set the saved keepsakes aside if they are newer than ``revision``, before they are overwritten by older ones."""
    if keepsakes.header(home)[1] > revision:
        set_keepsakes_aside(home)


def set_keepsakes_aside(home: Path) -> None:
    """Move the saved keepsakes to a folder where repair finds them and nothing overwrites them."""
    with disk_faults(home):
        aside = _new_folder(home)
        (home / keepsakes.FILE).replace(aside / keepsakes.FILE)


def set_aside_folders(home: Path) -> list[Path]:
    """Folders of catalogues and keepsakes that were set aside and not restored yet, oldest first."""
    return [path for path in sorted((home / _DAMAGED).glob("*")) if path.is_dir() and not (path / _DONE).exists()]


def set_aside_keepsakes(home: Path) -> list[Keepsakes]:
    """The keepsakes in everything that was set aside and not restored yet, by ascending revision."""
    folders = set_aside_folders(home)
    records = [keepsakes.salvage(folder / CATALOGUE) for folder in folders if (folder / CATALOGUE).is_file()]
    records += [keepsakes.load(folder) for folder in folders]
    return sorted(records, key=lambda record: record.revision)


def mark_restored(home: Path) -> None:
    """Mark everything that was set aside as restored."""
    with disk_faults(home):
        for folder in set_aside_folders(home):
            (folder / _DONE).touch()


def _remains(home: Path) -> Iterator[Path]:
    """Originals and keepsakes in ``home``: evidence that there was a catalogue."""
    yield from (home / "files").glob("[0-9a-f][0-9a-f]/" + "[0-9a-f]" * 62)
    yield from (home / "set-aside").glob("[0-9a-f]" * 64)
    if library_of(home):
        yield home / keepsakes.FILE


def _remains_in_words(home: Path) -> str:
    originals = sum(path.name != keepsakes.FILE for path in _remains(home))
    return f"{originals} originals" if originals else "what was written down of it"
