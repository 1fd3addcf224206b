"""A thread that keeps a library's folders in step: told of changes by the system, and looking by itself beside that."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from core.errors import LecternError
from core.storage.catalogue.folders import Folder
from core.watching.folder_sync import Folders
from core.watching.planning import REST_SECONDS, FolderPlan

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver, ObservedWatch

_LOG = logging.getLogger(__name__)

QUIET_SECONDS = 1.0  # after the last change that was told, so that one saving is one look
_LONGEST_QUIET = 10.0  # after the first one, where changes do not end
_SOON_SECONDS = 2.0  # where something waits, or is being read
_LATER_SECONDS = 30.0  # else: network disks tell of nothing
_SHARE = 20  # looking unasked takes one part in so many of the time at most
_SHARE_TOLD = 5  # and where changes are told without end
_CHANGES = frozenset(("created", "modified", "moved", "deleted", "closed"))  # not "opened": reading is no change


@dataclass(slots=True)
class _Watched:
    """A folder's next look, never before ``earliest``. ``first``, ``last``: when changes were told that nobody has
    looked at; 0: none were.
    """

    due: float = 0.0
    earliest: float = 0.0
    first: float = 0.0
    last: float = 0.0

    def at(self) -> float:
        """When to look: once it is quiet after a change, else when it is due."""
        quiet = min(self.last + QUIET_SECONDS, self.first + _LONGEST_QUIET) if self.first else self.due
        return max(self.earliest, min(quiet, self.due))


class Watcher:
    """Keeps folders in step from ``start`` to ``stop``. ``only``: folders of these ids, paused ones never.

    It reads nothing itself: what is new or changed becomes a job in the library's queue.
    """

    def __init__(self, folders: Folders, only: Collection[int] | None = None) -> None:
        self._folders = folders
        self._only = only
        self._stopped = threading.Event()
        self._wake = threading.Condition()
        self._poked = False
        self._watched: dict[int, _Watched] = {}
        self._told = _Told(self._change, folders.home)
        self._thread = threading.Thread(target=self._run, name="lectern-watcher", daemon=True)

    def start(self) -> None:
        """Begin with a look at every folder."""
        self._thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> bool:
        """End; whether the thread has. What is queued stays queued."""
        self._stopped.set()
        self.poke()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def poke(self) -> None:
        """Look at every folder now: one was added, paused or taken up again, or a person asks."""
        with self._wake:
            self._poked = True
            for watched in self._watched.values():
                watched.due = watched.earliest = 0.0
            self._wake.notify_all()

    def _change(self, folder_id: int) -> None:
        with self._wake:
            watched = self._watched.get(folder_id)
            if watched is not None:
                watched.last = monotonic()
                watched.first = watched.first or watched.last
                self._wake.notify_all()

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                self._turn()
        finally:
            self._told.close()

    def _turn(self) -> None:
        """Look at what is due, or wait until something may be."""
        try:
            folders = [
                folder
                for folder in self._folders.all()
                if not folder.paused and (self._only is None or folder.id in self._only)
            ]
            self._told.listen(folders)
            with self._wake:
                self._watched = {folder.id: self._watched.get(folder.id, _Watched()) for folder in folders}
                due = [number for number, watched in self._watched.items() if watched.at() <= monotonic()]
                for number in due:
                    self._watched[number].first = 0.0
                    self._watched[number].due = monotonic() + _LATER_SECONDS
            if due:
                self._look(due)
        except LecternError as error:
            _LOG.warning("Folders could not be looked at: %s", error)
            self._stopped.wait(_LATER_SECONDS)
        except Exception:  # a defect met in one folder must not end the watching of all
            _LOG.exception("Folders could not be looked at.")
            self._stopped.wait(_LATER_SECONDS)
        with self._wake:
            nearest = min((watched.at() for watched in self._watched.values()), default=monotonic() + _LATER_SECONDS)
            if not self._poked and not self._stopped.is_set():
                self._wake.wait(max(0.0, nearest - monotonic()))
            self._poked = False

    def _look(self, due: Collection[int]) -> None:
        began = perf_counter()
        plans = self._folders.sweep(due, self._stopped.wait)
        took = perf_counter() - began
        with self._wake:
            for each in plans if not self._poked else ():  # who poked meanwhile asks for another look
                pause = max(_next_look(each), _SHARE * took)
                watched = self._watched[each.folder.id]
                watched.due, watched.earliest = monotonic() + pause, monotonic() + _SHARE_TOLD * took


def _next_look(each: FolderPlan) -> float:
    """Seconds until a folder is looked at again where nothing tells of a change."""
    if each.waiting:
        return REST_SECONDS
    return _SOON_SECONDS if each.new or each.changed or each.at_work else _LATER_SECONDS


class _Told:
    """What the system tells of changes below folders, by watchdog; where it cannot, nobody is told and looks do."""

    def __init__(self, change: Callable[[int], None], home: Path) -> None:
        self._change = change
        self._home = os.path.join(os.fsencode(home), b"")  # noqa: PTH118 - the library's own files change at each look
        self._observer: BaseObserver | None = None
        self._places: dict[int, tuple[tuple[Path, int, int], ObservedWatch | None]] = {}

    def listen(self, folders: Collection[Folder]) -> None:
        """Listen to these folders and no others; one that was gone and is back is another place."""
        wanted = {folder.id: place for folder in folders if (place := _place(folder.path))}
        for number in [number for number, (place, _) in self._places.items() if wanted.get(number) != place]:
            _, watch = self._places.pop(number)
            if self._observer is not None and watch is not None:
                try:
                    self._observer.unschedule(watch)
                except (KeyError, OSError):  # it ended with its folder
                    _LOG.debug("A folder was no longer listened to.", exc_info=True)
        for number, place in wanted.items():
            if number not in self._places:
                self._places[number] = (place, self._begin(number, place[0]))

    def close(self) -> None:
        """Listen to nothing more."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def _begin(self, number: int, path: Path) -> ObservedWatch | None:
        # Loaded when there is a folder: most commands and many libraries have none.
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        change, home = self._change, self._home

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in _CHANGES and not os.fsencode(event.src_path).startswith(home):
                    change(number)

        try:
            if self._observer is None:
                self._observer = Observer()
                self._observer.start()
            return self._observer.schedule(Handler(), str(path), recursive=True)
        except OSError as error:  # more folders than the system watches, or a disk that cannot tell
            _LOG.info("%s is looked at by the clock: %s", path, error)
            return None


def _place(path: Path) -> tuple[Path, int, int] | None:
    """A folder and which one it is; ``None`` where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return path, status.st_dev, status.st_ino
