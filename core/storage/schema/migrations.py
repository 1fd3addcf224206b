"""Applying migrations to the catalogue, in order, each in one transaction that also records its name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.errors import StorageError
from core.storage.schema.steps import MIGRATIONS

APPLICATION_ID = 0x4C454354  # "LECT" in the header of the SQLite file marks it as a Lectern catalogue


def applied(connection: sqlite3.Connection) -> list[str]:
    """The names of the applied migrations, in order; empty for a new file."""
    table = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").fetchone()
    if table is None:
        return []
    return [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY ordinal")]


def migrate(connection: sqlite3.Connection, home: Path) -> list[str]:
    """Apply all pending migrations and return their names. Raises ``StorageError`` as ``check`` does."""
    check(connection, home, writing=True)
    names = []
    for name, step in MIGRATIONS[len(applied(connection)) :]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration"
                " (ordinal INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at TEXT NOT NULL)"
            )
            if isinstance(step, str):
                for statement in statements(step):
                    connection.execute(statement)
            else:
                step(connection)
            connection.execute(
                "INSERT INTO migration(name, applied_at) VALUES (?, ?)",
                (name, datetime.now(UTC).isoformat("T", "seconds")),
            )
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        names.append(name)
    return names


def check(connection: sqlite3.Connection, home: Path, *, writing: bool) -> None:
    """Raise ``StorageError`` for a catalogue of a newer Lectern or a foreign database.

    Without ``writing``, also for an empty catalogue and for one with pending migrations.
    """
    done = applied(connection)
    known = [name for name, _ in MIGRATIONS]
    if done[: len(known)] != known[: len(done)] or len(done) > len(known):
        unknown = next(name for name in done if name not in known) if set(done) - set(known) else done[0]
        raise StorageError(
            f"The library {home} was written by a newer Lectern (its catalogue has the step {unknown!r}).",
            "Update Lectern, or choose another library.",
        )
    if not done and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StorageError(f"catalogue.sqlite in {home} is not a Lectern catalogue.", "Choose another folder.")
    if not writing and not done:
        raise StorageError(f"There is no library in {home} yet.", "Ingest a document into it first.")
    if not writing and len(done) < len(known):
        raise StorageError(
            f"The library {home} was written by an older Lectern.", "Open it for writing once to bring it up to date."
        )


def statements(sql: str) -> Iterator[str]:
    """Split an SQL script into statements.

    >>> [part.strip() for part in statements("CREATE TABLE a (b); -- c;\\nINSERT INTO a VALUES (';');")]
    ['CREATE TABLE a (b);', "-- c;\\nINSERT INTO a VALUES (';');"]
    """
    pending = ""
    for piece in sql.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            if pending.strip().strip(";"):
                yield pending
            pending = ""
