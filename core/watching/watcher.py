"""``Watcher``: a thread that synchronises watched folders, on events of the file system and at regular intervals."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from core.errors import LecternError
from core.storage.catalogue.filing.folders import Folder
from core.watching.folder_sync import Folders
from core.watching.planning import REST_SECONDS, FolderPlan

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver, ObservedWatch

_LOG = logging.getLogger(__name__)

QUIET_SECONDS = 1.0  # sweep after so long without an event, so that saving a file causes one sweep
_MAX_DELAY_SECONDS = 10.0  # from the first event, even if events go on
_SOON_SECONDS = 2.0  # interval while files are being ingested
_LATER_SECONDS = 30.0  # interval otherwise, since network disks send no events
_IDLE_RATIO = 20  # looking regularly takes at most 1/20 of the time
_EVENT_RATIO = 5  # looking after events takes at most 1/5 of the time
_EVENT_TYPES = frozenset(("created", "modified", "moved", "deleted", "closed"))  # not "opened", which is no change


@dataclass(slots=True)
class _Schedule:
    """When to sweep a folder next, in monotonic time.

    ``due``: regularly. ``earliest``: not before, even after events. ``first_event``, ``last_event``: of the events
    since the last sweep; 0 without any.
    """

    due: float = 0.0
    earliest: float = 0.0
    first_event: float = 0.0
    last_event: float = 0.0

    def at(self) -> float:
        """The time of the next sweep."""
        after_events = self.due
        if self.first_event:
            after_events = min(self.last_event + QUIET_SECONDS, self.first_event + _MAX_DELAY_SECONDS)
        return max(self.earliest, min(after_events, self.due))


class Watcher:
    """Synchronises folders from ``start`` to ``stop``. ``only``: restricts it to these ids; paused folders never.

    It ingests nothing itself: new and changed files become jobs in the library's queue.
    """

    def __init__(self, folders: Folders, only: Collection[int] | None = None) -> None:
        self._folders = folders
        self._only = only
        self._stopped = threading.Event()
        self._wake = threading.Condition()
        self._poked = False
        self._schedules: dict[int, _Schedule] = {}
        self._events = _EventSource(self._on_change, folders.home)
        self._thread = threading.Thread(target=self._run, name="lectern-watcher", daemon=True)

    def start(self) -> None:
        """Start the thread, which sweeps every folder first."""
        self._thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> bool:
        """Stop the thread; queued jobs stay. Returns whether it ended within the timeout."""
        self._stopped.set()
        self.poke()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def poke(self) -> None:
        """Sweep every folder now: the list of folders has changed, or the user wants it."""
        with self._wake:
            self._poked = True
            for schedule in self._schedules.values():
                schedule.due = schedule.earliest = 0.0
            self._wake.notify_all()

    def _on_change(self, folder_id: int) -> None:
        with self._wake:
            schedule = self._schedules.get(folder_id)
            if schedule is not None:
                schedule.last_event = monotonic()
                schedule.first_event = schedule.first_event or schedule.last_event
                self._wake.notify_all()

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                self._step()
        finally:
            self._events.close()

    def _step(self) -> None:
        """Sweep the folders that are due, then wait until the next one is."""
        try:
            folders = [
                folder
                for folder in self._folders.all()
                if not folder.paused and (self._only is None or folder.id in self._only)
            ]
            self._events.observe(folders)
            with self._wake:
                self._schedules = {folder.id: self._schedules.get(folder.id, _Schedule()) for folder in folders}
                due = [folder_id for folder_id, schedule in self._schedules.items() if schedule.at() <= monotonic()]
                for folder_id in due:
                    self._schedules[folder_id].first_event = 0.0
                    self._schedules[folder_id].due = monotonic() + _LATER_SECONDS
            if due:
                self._sweep(due)
        except LecternError as error:
            _LOG.warning("Folders could not be looked at: %s", error)
            self._stopped.wait(_LATER_SECONDS)
        except Exception:  # a bug triggered by one folder must not stop the watching of the others
            _LOG.exception("Folders could not be looked at.")
            self._stopped.wait(_LATER_SECONDS)
        with self._wake:
            next_sweep = min(
                (schedule.at() for schedule in self._schedules.values()), default=monotonic() + _LATER_SECONDS
            )
            if not self._poked and not self._stopped.is_set():
                self._wake.wait(max(0.0, next_sweep - monotonic()))
            self._poked = False

    def _sweep(self, due: Collection[int]) -> None:
        plans = self._folders.sweep(due, self._stopped.wait)
        with self._wake:
            for folder_plan in plans if not self._poked else ():  # after ``poke``, all folders are due at once
                seconds = folder_plan.seconds  # without those for telling the index, which may have to be loaded first
                interval = max(_interval(folder_plan), _IDLE_RATIO * seconds)
                schedule = self._schedules[folder_plan.folder.id]
                schedule.due, schedule.earliest = monotonic() + interval, monotonic() + _EVENT_RATIO * seconds


def _interval(folder_plan: FolderPlan) -> float:
    """Seconds until the next sweep of a folder without events."""
    if folder_plan.waiting:
        return REST_SECONDS
    return _SOON_SECONDS if folder_plan.new or folder_plan.changed or folder_plan.at_work else _LATER_SECONDS


class _EventSource:
    """Calls ``on_change(folder_id)`` for changes below folders, by watchdog. Some file systems send no events."""

    def __init__(self, on_change: Callable[[int], None], home: Path) -> None:
        self._on_change = on_change
        self._home = os.path.join(os.fsencode(home), b"")  # noqa: PTH118 - each sweep changes the library's own files
        self._observer: BaseObserver | None = None
        self._observed: dict[int, tuple[tuple[Path, int, int], ObservedWatch | None]] = {}

    def observe(self, folders: Collection[Folder]) -> None:
        """Observe exactly these folders. One that was removed and created again is observed anew."""
        identities = {folder.id: identity for folder in folders if (identity := _identity(folder.path))}
        stale = [number for number, (identity, _) in self._observed.items() if identities.get(number) != identity]
        for folder_id in stale:
            _, watch = self._observed.pop(folder_id)
            if self._observer is not None and watch is not None:
                try:
                    self._observer.unschedule(watch)
                except (KeyError, OSError):  # it ended with its folder
                    _LOG.debug("A folder was no longer listened to.", exc_info=True)
        for folder_id, identity in identities.items():
            if folder_id not in self._observed:
                self._observed[folder_id] = (identity, self._schedule(folder_id, identity[0]))

    def close(self) -> None:
        """Stop observing."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def _schedule(self, folder_id: int, path: Path) -> ObservedWatch | None:
        # Imported on demand, since most commands and many libraries watch no folder.
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        on_change, home = self._on_change, self._home

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in _EVENT_TYPES and not os.fsencode(event.src_path).startswith(home):
                    on_change(folder_id)

        try:
            if self._observer is None:
                self._observer = Observer()
                self._observer.start()
            return self._observer.schedule(Handler(), str(path), recursive=True)
        except OSError as error:  # the system's limit of watches is reached, or the disk sends no events
            _LOG.info("%s is looked at by the clock: %s", path, error)
            return None


def _identity(path: Path) -> tuple[Path, int, int] | None:
    """A folder's path, device and inode; ``None`` if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return path, status.st_dev, status.st_ino
