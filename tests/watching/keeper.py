"""A folder of notes and a library that keeps in step with it, without waiting for clocks."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

import pytest

from core.ingest.work import ingest_handler
from core.library import Library
from core.watching import folder_sync, planning, watcher
from core.watching.planning import FolderPlan

_TICK = itertools.count(1)


def write(path: Path, text: str) -> Path:
    """A file that has been at rest for long, each one changed a second later than the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return touch(path)


def touch(path: Path) -> Path:
    """Another time of change, long ago."""
    at = int(time.time()) - 1_000_000 + next(_TICK)
    os.utime(path, (at, at))
    return path


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A watcher's own pauses are a tenth as long."""
    for module, name in (
        (watcher, "QUIET_SECONDS"),
        (watcher, "_SOON_SECONDS"),
        (watcher, "REST_SECONDS"),
        (planning, "REST_SECONDS"),
        (folder_sync, "_RECHECK_SECONDS"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name) / 10)


def work(library: Library) -> None:
    """Do what waits in the queue."""
    while library.queue.run_next({"ingest": ingest_handler(library)}):
        pass


def sweep(library: Library, *, sure: bool = False) -> list[FolderPlan]:
    """Look once; what is to be read is queued."""
    return library.folders.sweep(None, lambda seconds: None, sure=sure)


def keep(library: Library, *, sure: bool = False) -> None:
    """Look, read, and look what came of it."""
    sweep(library, sure=sure)
    work(library)
    sweep(library, sure=sure)


def held(library: Library, folder: Path) -> dict[str, str]:
    """The texts of a folder's documents in the library, by their ways below it."""
    return {
        row.path.relative_to(folder).as_posix(): library.document(row.version_id).text
        for row in library.sources()
        if row.path is not None and row.path.is_relative_to(folder)
    }


def there(folder: Path) -> dict[str, str]:
    """The texts of a folder's files, by their ways below it."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    }


def told(library: Library) -> list[tuple[str, int, str]]:
    """The log, oldest first: what happened, to how many files, to which."""
    return [(event.what, event.files, event.name) for event in reversed(library.folders.events(limit=-1))]
