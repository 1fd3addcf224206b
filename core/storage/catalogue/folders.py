"""Folders that the library keeps in step with, and what the library knows of the files in them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.storage.catalogue.sources import FileStamp, path_key
from core.storage.faults import row_faults
from core.storage.store import Store, now


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
