"""Watched folders: their settings, the state of each of their files, and a log of what happened."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.filing.sources import FileStamp, path_key, remove_source
from core.storage.faults import row_faults
from core.storage.store import Store, now
from core.text.normalise import storable

MAX_EVENTS = 500  # per folder; older ones are deleted


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that the library watches, unless ``paused``.

    ``patterns``: files to ignore. ``scanned_at``: "" before the first scan. ``asked``: the number of files that
    disappeared at once and whose removal the user must confirm; 0: none.
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
    """A file in the library. ``kind``: of its document. ``stamp``: of the file when it was read; ``None``: unknown."""

    source: int
    path: Path
    version_id: str
    kind: str
    stamp: FileStamp | None


@row_faults("The list of folders")
def folders(store: Store) -> list[Folder]:
    """All watched folders in the order they were added."""
    return [
        Folder(number, Path(os.fsdecode(path)), tuple(json.loads(patterns)), added_at, at or "", bool(paused), asked)
        for number, path, patterns, added_at, at, paused, asked in store.rows(
            "SELECT id, path, patterns, added_at, scanned_at, paused, asked FROM folder ORDER BY id"
        )
    ]


def add_folder(store: Store, path: Path, patterns: Sequence[str] = ()) -> int:
    """Add a folder, or change the patterns of an existing one; return its id."""
    with store.transaction():
        store.write(
            "INSERT INTO folder(path, patterns, added_at) VALUES (?, ?, ?)"
            " ON CONFLICT(path) DO UPDATE SET patterns = excluded.patterns WHERE patterns <> excluded.patterns",
            *(path_key(path), json.dumps(list(patterns)), now()),
            contents=False,
        )
        return int(store.value("SELECT id FROM folder WHERE path = ?", path_key(path)))


def pause_folder(store: Store, folder_id: int, paused: bool) -> None:
    """Pause or resume watching a folder."""
    store.write("UPDATE folder SET paused = ? WHERE id = ?", paused, folder_id, contents=False)


def set_path(store: Store, folder_id: int, path: Path) -> None:
    """Record that a folder has moved to ``path``."""
    store.write("UPDATE folder SET path = ? WHERE id = ?", path_key(path), folder_id, contents=False)


def set_pending_removals(store: Store, folder_id: int, files: int) -> None:
    """Set how many removed files the user must confirm; 0: none."""
    store.write("UPDATE folder SET asked = ? WHERE id = ?", files, folder_id)


def forget_folder(store: Store, folder_id: int) -> None:
    """Delete a folder from the list; its documents stay."""
    store.write("DELETE FROM folder WHERE id = ?", folder_id, contents=False)


def note_scan(store: Store, path: Path) -> None:
    """Record that the folder at ``path`` was scanned now; ignored if it is not watched."""
    store.write("UPDATE folder SET scanned_at = ? WHERE path = ?", now(), path_key(path))


def files_below(store: Store, folder: Path) -> list[KnownFile]:
    """The live sources of files below a folder, or of the file at this path, ordered by path."""
    root = os.path.join(path_key(folder), b"")  # noqa: PTH118 - bytes; ends in a separator
    rows = store.rows(
        "SELECT source.id, path, version.id, version.kind, file_bytes, modified_ns FROM source JOIN version"
        " ON version.number = source.version"
        " WHERE trashed_at IS NULL AND (path = ?3 OR path >= ?1 AND substr(path, 1, ?2) = ?1) ORDER BY path",
        *(root, len(root), path_key(folder)),
    )
    return [
        KnownFile(source, Path(os.fsdecode(path)), version, kind, None if size is None else FileStamp(size, modified))
        for source, path, version, kind, size, modified in rows
    ]


def set_stamps(store: Store, stamps: Mapping[int, FileStamp]) -> None:
    """Update the file stamps of sources, by source id, whose content has not changed."""
    store.write_many(
        "UPDATE source SET file_bytes = ?, modified_ns = ? WHERE id = ?",
        ((stamp.size_bytes, stamp.modified_ns, source) for source, stamp in stamps.items()),
    )


@dataclass(frozen=True, slots=True)
class FolderFile:
    """The state of a file in a watched folder when it was last passed to the library.

    ``state``: "handed" while its ingest is pending, "held" when ingested, "failed", or "left" if the user removed its
    document from the library.
    """

    stamp: FileStamp
    state: str


@dataclass(frozen=True, slots=True)
class Move:
    """A source whose file has moved: its new path, the new name of the source, and the stamp of the moved file."""

    source: int
    path: Path
    name: str
    stamp: FileStamp


@dataclass(frozen=True, slots=True)
class FolderEvent:
    """A log entry of a folder: an event of one file, or of several.

    ``what``: "read", "moved", "removed", "failed", "left", "asked", "kept", "missing" or "back". ``name``: the file's
    path relative to the folder; "" for an entry about several ``files``.
    """

    folder: int
    what: str
    files: int = 1
    name: str = ""
    detail: str = ""
    id: int = 0
    at: str = ""


def folder_files(store: Store, folder_id: int) -> dict[bytes, FolderFile]:
    """The known files of a folder, by ``path_key``."""
    return {
        path: FolderFile(FileStamp(size, modified), state)
        for path, size, modified, state in store.rows(
            "SELECT path, file_bytes, modified_ns, state FROM folder_file WHERE folder = ?", folder_id
        )
    }


def put_folder_files(store: Store, folder_id: int, files: Mapping[bytes, FolderFile]) -> None:
    """Insert or update files of a folder by ``path_key``. A path belongs to one folder: the last one that has it."""
    store.write_many(
        "INSERT OR REPLACE INTO folder_file(path, folder, file_bytes, modified_ns, state) VALUES (?, ?, ?, ?, ?)",
        ((key, folder_id, file.stamp.size_bytes, file.stamp.modified_ns, file.state) for key, file in files.items()),
    )


def delete_folder_files(store: Store, keys: Iterable[bytes]) -> None:
    """Delete the rows of files, by ``path_key``."""
    store.write_many("DELETE FROM folder_file WHERE path = ?", ((key,) for key in keys))


def count_states(store: Store, folder_id: int) -> Counter[str]:
    """The number of a folder's files in each state of ``FolderFile``."""
    return Counter(
        dict(store.rows("SELECT state, count(*) FROM folder_file WHERE folder = ? GROUP BY state", folder_id))
    )


def pending_paths(store: Store) -> set[bytes]:
    """The paths of files in unfinished job items."""
    query = "SELECT path FROM job_item WHERE path IS NOT NULL AND state IN ('queued', 'running')"
    return {path for (path,) in store.rows(query)}


def failure_reason(store: Store, key: bytes) -> str:
    """The error of the latest job item of this file; "" if there is none."""
    return str(store.value("SELECT reason FROM job_item WHERE path = ? ORDER BY id DESC LIMIT 1", key) or "")


def clear_failures(store: Store, keys: Iterable[bytes]) -> None:
    """Delete the failed job items of these files."""
    store.write_many("DELETE FROM job_item WHERE path = ? AND state = 'failed'", ((key,) for key in keys))


def move_sources(store: Store, moves: Sequence[Move]) -> None:
    """Change the paths of sources whose files have moved; their documents, labels and judgments stay.

    A source in the trash that already has the new path is deleted, as it is when a file is ingested from there.
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
    """Append entries to the log and delete those beyond ``MAX_EVENTS`` per folder."""
    with store.transaction():
        store.write_many(
            "INSERT INTO folder_event(folder, at, what, files, name, detail) VALUES (?, ?, ?, ?, ?, ?)",
            (
                (event.folder, now(), event.what, event.files, storable(event.name), storable(event.detail))
                for event in events
            ),
        )
        store.write_many(
            "DELETE FROM folder_event WHERE folder = ?1 AND id <="
            " (SELECT id FROM folder_event WHERE folder = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            ((folder, MAX_EVENTS) for folder in {event.folder for event in events}),
        )


def folder_events(store: Store, *, after: int = 0, limit: int = -1, folders: Sequence[int] = ()) -> list[FolderEvent]:
    """Log entries with an id greater than ``after``, newest first. ``limit``: -1 for all. ``folders``: () for all."""
    in_folders = " AND folder IN (SELECT value FROM json_each(?2))" if folders else ""
    rows = store.rows(
        f"SELECT folder, what, files, name, detail, id, at FROM folder_event WHERE id > ?1{in_folders}"
        " ORDER BY id DESC LIMIT ?3",
        *(after, folders, limit),
    )
    return [FolderEvent(*row) for row in rows]


def below(path: bytes, folder: Path) -> str:
    """The path relative to a folder, for display.

    >>> below(b"/notes/a/b.md", Path("/notes"))
    'a/b.md'
    """
    return os.fsdecode(os.path.relpath(path, path_key(folder))).replace(os.sep, "/")
