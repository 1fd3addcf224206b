"""Context managers that turn errors of SQLite, of the disk and of stored rows into ``StorageError``."""

from __future__ import annotations

import errno
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StorageError

_DISK_SENTENCES = {
    errno.ENOSPC: ("The disk that holds {place} is full.", "Free some space and try again."),
    errno.EDQUOT: ("The disk quota for {place} is used up.", "Free some space and try again."),
    errno.EROFS: ("{place} lies on a read-only disk.", "Choose another place for the library."),
    errno.EACCES: ("{place} may not be read or written.", "Change its permissions or choose another place."),
    errno.EPERM: ("{place} may not be read or written.", "Change its permissions or choose another place."),
    errno.ENOTDIR: ("{place} is not in a folder.", "Name a folder, or one that can be made."),
    errno.EEXIST: ("{place} is a file, not a folder.", "Name a folder, or one that can be made."),
    errno.EISDIR: ("{place} is a folder, not a file.", "Name a file."),
    errno.ENOENT: ("{place} does not exist.", "Check the path."),
    errno.ENAMETOOLONG: ("The name {place} is too long for this disk.", "Choose a shorter path."),
}

REPAIR = "Repair it with a button on the Library page, or with: python -m core verify --repair --library FOLDER."

_CATALOGUE_SENTENCES = {
    sqlite3.SQLITE_FULL: ("The disk that holds the library {place} is full.", "Free some space and try again."),
    sqlite3.SQLITE_READONLY: ("The library {place} is read-only.", "Change its permissions or choose another place."),
    sqlite3.SQLITE_PERM: ("The library {place} may not be opened.", "Change its permissions."),
    sqlite3.SQLITE_CANTOPEN: ("The catalogue of {place} cannot be opened.", "Check the folder and its permissions."),
    sqlite3.SQLITE_BUSY: ("The catalogue of {place} is held by another program.", "Close that program and try again."),
    sqlite3.SQLITE_LOCKED: ("The catalogue of {place} is held by another program.", "Close that program."),
    sqlite3.SQLITE_CORRUPT: ("The catalogue of {place} is damaged.", REPAIR),
    sqlite3.SQLITE_NOTADB: ("catalogue.sqlite in {place} is not a database.", REPAIR),
    sqlite3.SQLITE_IOERR: ("The disk failed while the catalogue of {place} was used.", "Check the disk and its space."),
    sqlite3.SQLITE_NOMEM: ("There is not enough memory for the catalogue of {place}.", "Close other programs."),
    sqlite3.SQLITE_TOOBIG: ("A value is too large for the catalogue of {place}.", "Split the document."),
}

# Misuse of the module or a broken constraint: bugs of this program, which must not be disguised as faults of the disk.
_DEFECTS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.NotSupportedError)


@contextmanager
def catalogue_faults(home: Path) -> Iterator[None]:
    """Turn SQLite's errors about disk, permissions and damage into ``StorageError``."""
    try:
        yield
    except _DEFECTS:
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        problem, remedy = _CATALOGUE_SENTENCES.get(
            code, (f"The catalogue of {{place}} cannot be used: {error}.", "Run verify on the library.")
        )
        raise StorageError(problem.format(place=home), remedy) from error


UNPACKING = (ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error)


@contextmanager
def row_faults(what: str) -> Iterator[None]:
    """Turn errors from unpacking a damaged row into ``StorageError``. ``what``: the subject of its message."""
    try:
        yield
    except UNPACKING as error:
        raise StorageError(f"{what} cannot be read ({type(error).__name__}).", REPAIR) from error


@contextmanager
def disk_faults(place: Path) -> Iterator[None]:
    """Turn ``OSError`` into ``StorageError``. ``place``: the path to name if the error names none."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        problem, remedy = _DISK_SENTENCES.get(number, (f"{{place}}: {error.strerror or error}.", "Check the disk."))
        raise StorageError(problem.format(place=error.filename or place), remedy) from error
