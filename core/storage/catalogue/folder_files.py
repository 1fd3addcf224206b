"""What remembered folders handed to the library, where files went, and the log of what happened to them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.sources import FileStamp, path_key, remove_source
from core.storage.store import Store, now, storable

EVENTS_KEPT = 500  # of each folder, the newest


@dataclass(frozen=True, slots=True)
class HandedFile:
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


def handed_files(store: Store, folder_id: int) -> dict[bytes, HandedFile]:
    """What a folder handed over, by ``path_key``."""
    return {
        path: HandedFile(FileStamp(size, modified), state)
        for path, size, modified, state in store.rows(
            "SELECT path, file_bytes, modified_ns, state FROM folder_file WHERE folder = ?", folder_id
        )
    }


def note_handed(store: Store, folder_id: int, files: Mapping[bytes, HandedFile]) -> None:
    """Note what became of files; each path has one row, whichever folder it is below now."""
    store.write_many(
        "INSERT OR REPLACE INTO folder_file(path, folder, file_bytes, modified_ns, state) VALUES (?, ?, ?, ?, ?)",
        ((key, folder_id, it.stamp.size_bytes, it.stamp.modified_ns, it.state) for key, it in files.items()),
    )


def forget_handed(store: Store, keys: Iterable[bytes]) -> None:
    """Forget files that are gone, and that they failed."""
    store.write_many("DELETE FROM folder_file WHERE path = ?", ((key,) for key in keys))


def states_of_files(store: Store, folder_id: int) -> Counter[str]:
    """How many of a folder's files are in each state of ``HandedFile``."""
    return Counter(
        dict(store.rows("SELECT state, count(*) FROM folder_file WHERE folder = ? GROUP BY state", folder_id))
    )


def paths_at_work(store: Store) -> set[bytes]:
    """The files that a job has still to read."""
    at_work = "SELECT path FROM job_item WHERE path IS NOT NULL AND state IN ('queued', 'running')"
    return {path for (path,) in store.rows(at_work)}


def reason_of(store: Store, key: bytes) -> str:
    """Why the latest job that had this file did not read it; "" where nobody noted it."""
    return str(store.value("SELECT reason FROM job_item WHERE path = ? ORDER BY id DESC LIMIT 1", key) or "")


def forget_failures_of(store: Store, keys: Iterable[bytes]) -> None:
    """Take files off the lists of what failed: they are read now, or gone."""
    store.write_many("DELETE FROM job_item WHERE path = ? AND state = 'failed'", ((key,) for key in keys))


def move_sources(store: Store, moves: Sequence[Move]) -> None:
    """Point sources to where their files are now; documents, labels and judgments stay with them.

    What lay in the trash under a new path is removed, as it is when a file is read there.
    """
    with store.transaction():
        for move in moves:
            key = path_key(move.path)
            other = store.value("SELECT id FROM source WHERE path = ? AND id <> ?", key, move.source)
            if other is not None:
                remove_source(store, other)
            store.write(
                "UPDATE source SET path = ?, name = ?, file_bytes = ?, modified_ns = ? WHERE id = ?",
                *(key, storable(move.name), move.stamp.size_bytes, move.stamp.modified_ns, move.source),
                contents=True,
            )


def add_events(store: Store, events: Sequence[FolderEvent]) -> None:
    """Write into the log, whose oldest lines go."""
    with store.transaction():
        store.write_many(
            "INSERT INTO folder_event(folder, at, what, files, name, detail) VALUES (?, ?, ?, ?, ?, ?)",
            ((it.folder, now(), it.what, it.files, storable(it.name), storable(it.detail)) for it in events),
        )
        store.write_many(
            "DELETE FROM folder_event WHERE folder = ?1 AND id <="
            " (SELECT id FROM folder_event WHERE folder = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            ((folder, EVENTS_KEPT) for folder in {event.folder for event in events}),
        )


def folder_events(store: Store, *, after: int = 0, limit: int = -1, folders: Sequence[int] = ()) -> list[FolderEvent]:
    """The newest lines of the log behind line ``after``, newest first; of all folders where none is named."""
    which = " AND folder IN (SELECT value FROM json_each(?2))" if folders else ""
    found = store.rows(
        f"SELECT folder, what, files, name, detail, id, at FROM folder_event WHERE id > ?1{which}"
        " ORDER BY id DESC LIMIT ?3",
        *(after, folders, limit),
    )
    return [FolderEvent(*row) for row in found]


def below(path: bytes, folder: Path) -> str:
    """The way to a file below a folder, for people.

    >>> below(b"/notes/a/b.md", Path("/notes"))
    'a/b.md'
    """
    return os.fsdecode(os.path.relpath(path, path_key(folder))).replace(os.sep, "/")
