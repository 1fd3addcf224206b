"""What remembered folders handed to the library, where files went, and the log of what happened to them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.sources import FileStamp, path_key, remove_source
from core.storage.store import Store, now, storable

EVENTS_KEPT = 500  # of each folder, the newest


@dataclass(frozen=True, slots=True)
class Handed:
    """A file as a folder last handed it over.

    ``state``: "handed" until something came of it, "held" by the library, "failed", or "left" because a person took
    its document out of the library.
    """

    stamp: FileStamp
    state: str


@dataclass(frozen=True, slots=True)
class Move:
    """A source whose file is somewhere else now: its new path, the name it goes by there, and its stamp there."""

    source: int
    path: Path
    name: str
    stamp: FileStamp


@dataclass(frozen=True, slots=True)
class FolderEvent:
    """Something that happened to a folder. ``name``: of the one file, by its way below the folder; else ``files`` were.

    ``what``: "read", "moved", "removed", "failed", "left", "asked", "kept", "missing", "back".
    """

    folder: int
    what: str
    files: int = 1
    name: str = ""
    detail: str = ""
    id: int = 0
    at: str = ""


def handed_files(store: Store, folder_id: int) -> dict[bytes, Handed]:
    """What a folder handed over, by ``path_key``."""
    with store.reading() as connection:
        return {
            path: Handed(FileStamp(size, modified), state)
            for path, size, modified, state in connection.execute(
                "SELECT path, file_bytes, modified_ns, state FROM folder_file WHERE folder = ?", (folder_id,)
            )
        }


def note_handed(store: Store, folder_id: int, files: Mapping[bytes, Handed]) -> None:
    """Note what became of files; each path has one row, whichever folder it is below now."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO folder_file(path, folder, file_bytes, modified_ns, state) VALUES (?, ?, ?, ?, ?)",
            ((key, folder_id, it.stamp.size_bytes, it.stamp.modified_ns, it.state) for key, it in files.items()),
        )


def forget_handed(store: Store, keys: Iterable[bytes]) -> None:
    """Forget files that are gone, and that they failed."""
    with store.transaction() as connection:
        connection.executemany("DELETE FROM folder_file WHERE path = ?", ((key,) for key in keys))


def states_of_files(store: Store, folder_id: int) -> Counter[str]:
    """How many of a folder's files are in each state of ``Handed``."""
    with store.reading() as connection:
        return Counter(
            dict(
                connection.execute(
                    "SELECT state, count(*) FROM folder_file WHERE folder = ? GROUP BY state", (folder_id,)
                ).fetchall()
            )
        )


def paths_at_work(store: Store) -> set[bytes]:
    """The files that a job has still to read."""
    with store.reading() as connection:
        return {
            path
            for (path,) in connection.execute(
                "SELECT path FROM job_item WHERE path IS NOT NULL AND state IN ('queued', 'running')"
            )
        }


def reason_of(store: Store, key: bytes) -> str:
    """Why the latest job that had this file did not read it; "" where nobody noted it."""
    with store.reading() as connection:
        row = connection.execute("SELECT reason FROM job_item WHERE path = ? ORDER BY id DESC LIMIT 1", (key,))
        return str((row.fetchone() or ("",))[0])


def forget_failures_of(store: Store, keys: Iterable[bytes]) -> None:
    """Take files off the lists of what failed: they are read now, or gone."""
    with store.transaction() as connection:
        connection.executemany("DELETE FROM job_item WHERE path = ? AND state = 'failed'", ((key,) for key in keys))


def move_sources(store: Store, moves: Sequence[Move]) -> None:
    """Point sources to where their files are now; documents, labels and judgments stay with them.

    What lay in the trash under a new path is removed, as it is when a file is read there.
    """
    with store.transaction() as connection:
        for move in moves:
            key = path_key(move.path)
            other = connection.execute(
                "SELECT id FROM source WHERE path = ? AND id <> ?", (key, move.source)
            ).fetchone()
            if other is not None:
                remove_source(store, other[0])
            connection.execute(
                "UPDATE source SET path = ?, name = ?, file_bytes = ?, modified_ns = ? WHERE id = ?",
                (key, storable(move.name), move.stamp.size_bytes, move.stamp.modified_ns, move.source),
            )
        if moves:
            store.touch()


def add_events(store: Store, events: Sequence[FolderEvent]) -> None:
    """Write into the log, whose oldest lines go."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT INTO folder_event(folder, at, what, files, name, detail) VALUES (?, ?, ?, ?, ?, ?)",
            ((it.folder, now(), it.what, it.files, storable(it.name), storable(it.detail)) for it in events),
        )
        for folder in {event.folder for event in events}:
            connection.execute(
                "DELETE FROM folder_event WHERE folder = ?1 AND id <="
                " (SELECT id FROM folder_event WHERE folder = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (folder, EVENTS_KEPT),
            )


def folder_events(store: Store, *, after: int = 0, limit: int = -1, folders: Sequence[int] = ()) -> list[FolderEvent]:
    """The newest lines of the log behind line ``after``, newest first; of all folders where none is named."""
    which = " AND folder IN (SELECT value FROM json_each(?2))" if folders else ""
    with store.reading() as connection:
        return [
            FolderEvent(*row)
            for row in connection.execute(
                f"SELECT folder, what, files, name, detail, id, at FROM folder_event WHERE id > ?1{which}"
                " ORDER BY id DESC LIMIT ?3",
                (after, json.dumps(list(folders)), limit),
            )
        ]


def below(path: bytes, folder: Path) -> str:
    """The way to a file below a folder, for people.

    >>> below(b"/notes/a/b.md", Path("/notes"))
    'a/b.md'
    """
    return os.fsdecode(os.path.relpath(path, path_key(folder))).replace(os.sep, "/")
