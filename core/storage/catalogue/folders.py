"""Folders that the library keeps in step with: the files in them, what they handed over, and the log of it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.sources import FileStamp, path_key, remove_source
from core.storage.faults import row_faults
from core.storage.store import Store, now
from core.text.normalise import storable

EVENTS_KEPT = 500  # of each folder, the newest


@dataclass(frozen=True, slots=True)
class Folder:
    """A remembered folder. ``patterns``: what a scan of it passes over; ``scanned_at``: "" before the first scan.

    ``asked``: how many of its files were gone at once, which a person is asked about before they go; 0: nothing is.
    """

    id: int
    path: Path
    patterns: tuple[str, ...]
    added_at: str
    scanned_at: str
    paused: bool = True
    asked: int = 0


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file the library holds. ``kind``: its document's. ``stamp``: of the file when it was read, ``None`` where its
    content must be looked at.
    """

    source: int
    path: Path
    version_id: str
    kind: str
    stamp: FileStamp | None


@row_faults("The list of folders")
def folders(store: Store) -> list[Folder]:
    """The remembered folders in the order they were added."""
    return [
        Folder(number, Path(os.fsdecode(path)), tuple(json.loads(patterns)), added_at, at or "", bool(paused), asked)
        for number, path, patterns, added_at, at, paused, asked in store.rows(
            "SELECT id, path, patterns, added_at, scanned_at, paused, asked FROM folder ORDER BY id"
        )
    ]


def add_folder(store: Store, path: Path, patterns: Sequence[str] = ()) -> int:
    """Remember a folder, or other patterns for one that is remembered, and return its id."""
    with store.transaction():
        store.write(
            "INSERT INTO folder(path, patterns, added_at) VALUES (?, ?, ?)"
            " ON CONFLICT(path) DO UPDATE SET patterns = excluded.patterns WHERE patterns <> excluded.patterns",
            *(path_key(path), json.dumps(list(patterns)), now()),
            contents=False,
        )
        return int(store.value("SELECT id FROM folder WHERE path = ?", path_key(path)))


def pause_folder(store: Store, folder_id: int, paused: bool) -> None:
    """Pause a remembered folder, or keep it in step from now on."""
    store.write("UPDATE folder SET paused = ? WHERE id = ?", paused, folder_id, contents=False)


def set_path(store: Store, folder_id: int, path: Path) -> None:
    """A remembered folder lies elsewhere now."""
    store.write("UPDATE folder SET path = ? WHERE id = ?", path_key(path), folder_id, contents=False)


def ask_of_folder(store: Store, folder_id: int, files: int) -> None:
    """So many of a folder's files are gone at once and a person is asked; 0: nothing is asked any more."""
    store.write("UPDATE folder SET asked = ? WHERE id = ?", files, folder_id)


def forget_folder(store: Store, folder_id: int) -> None:
    """Forget a folder; the documents that came from it stay."""
    store.write("DELETE FROM folder WHERE id = ?", folder_id, contents=False)


def note_scan(store: Store, path: Path) -> None:
    """A remembered folder was scanned now; nothing happens for another one."""
    store.write("UPDATE folder SET scanned_at = ? WHERE path = ?", now(), path_key(path))


def files_below(store: Store, folder: Path) -> list[KnownFile]:
    """The live path sources below a folder, or the one at this path, by path."""
    root = os.path.join(path_key(folder), b"")  # noqa: PTH118 - bytes; ends in a separator
    found = store.rows(
        "SELECT source.id, path, version.id, version.kind, file_bytes, modified_ns FROM source JOIN version"
        " ON version.number = source.version"
        " WHERE trashed_at IS NULL AND (path = ?3 OR path >= ?1 AND substr(path, 1, ?2) = ?1) ORDER BY path",
        *(root, len(root), path_key(folder)),
    )
    return [
        KnownFile(source, Path(os.fsdecode(path)), version, kind, None if size is None else FileStamp(size, modified))
        for source, path, version, kind, size, modified in found
    ]


def set_stamps(store: Store, stamps: Mapping[int, FileStamp]) -> None:
    """Note what files of sources are now whose content was seen to be the same."""
    store.write_many(
        "UPDATE source SET file_bytes = ?, modified_ns = ? WHERE id = ?",
        ((stamp.size_bytes, stamp.modified_ns, source) for source, stamp in stamps.items()),
    )


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
