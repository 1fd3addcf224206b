"""``Folders``: manages the watched folders of a library and synchronises them with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from core.errors import LecternError, NotFoundError
from core.ingest.gathering import FoundFile, Ignoring, ScanProgress, files_known
from core.ingest.jobs import JobQueue
from core.storage.catalogue.filing import folders as rows
from core.storage.catalogue.filing.folders import Folder, FolderEvent, FolderFile, Move
from core.storage.catalogue.filing.sources import FileStamp, original_path, path_key
from core.storage.catalogue.filing.trash import trash_sources
from core.storage.catalogue.job_rows import NewItem
from core.storage.index.outbox import apply_if_possible
from core.storage.store import Store
from core.watching.planning import FolderPlan, plan, shown

PAYLOAD = "folder"  # key in the payload of an ingest job started by a folder: the folder's id
_MAX_SINGLE_EVENTS = 20  # with more files, one sweep adds a single log entry for all of them
_RECHECK_SECONDS = 0.5

Pause = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Standing:
    """A folder with the number of its files in each state; ``reading``: "handed" ones."""

    folder: Folder
    held: int
    reading: int
    failed: int
    left: int

    @property
    def missing(self) -> bool:
        """Whether the folder does not exist at present."""
        return not self.folder.path.is_dir()


class Folders:
    """The watched folders of one library. Reading works in a read-only library; changes need the write lock."""

    def __init__(self, store: Store, queue: JobQueue) -> None:
        self._store = store
        self._queue = queue
        self._sweep_lock = Lock()  # between the watcher and pages

    @property
    def home(self) -> Path:
        """The library's folder."""
        return self._store.home

    def original_path(self, source_id: int) -> Path | None:
        """The path of a source's file; ``None`` for an upload or attachment, or if the file no longer exists."""
        return original_path(self._store, source_id)

    def all(self) -> list[Folder]:
        """All watched folders in the order they were added."""
        return rows.folders(self._store)

    def standing(self) -> list[Standing]:
        """All watched folders with their stored file states; the folders are not scanned."""
        standings = []
        for folder in self.all():
            states = rows.count_states(self._store, folder.id)
            standings.append(Standing(folder, states["held"], states["handed"], states["failed"], states["left"]))
        return standings

    def draft(self, path: Path, patterns: Sequence[str] | None = None) -> Folder:
        """The folder at ``path``, new or existing, for ``look``; nothing is stored.

        ``patterns``: ``None`` for those of an existing folder. Raises ``LecternError`` for a missing folder, for
        invalid patterns, and for one that contains another watched folder or lies in one.
        """
        root = Path(os.fsdecode(path_key(path.expanduser())))
        Ignoring.of(patterns or ())
        if not root.is_dir():
            raise LecternError(f"There is no folder {root} on this machine.", "Check the path.")
        if self._store.home.resolve() == root.resolve():
            raise LecternError(f"{root} is this library itself.", "Choose the folder with your own files.")
        existing = next((folder for folder in self.all() if folder.path == root), None)
        self._require_apart(root, existing.id if existing else 0)
        if existing:
            return existing if patterns is None else replace(existing, patterns=tuple(patterns))
        return Folder(0, root, tuple(patterns or ()), "", "")

    def add(self, path: Path, patterns: Sequence[str] | None = None, *, paused: bool = False) -> int:
        """Add a folder, or change the patterns of an existing one; return its id. Raises as ``draft``."""
        folder = self.draft(path, patterns)
        with self._store.transaction():
            folder_id = rows.add_folder(self._store, folder.path, folder.patterns)
            rows.pause_folder(self._store, folder_id, paused)
        return folder_id

    def pause(self, folder_id: int, paused: bool = True) -> None:
        """Pause watching a folder, or resume it with ``False``. Running ingest jobs go on.

        Raises ``LecternError`` when resuming a folder that contains another watched folder or lies in one.
        """
        if not paused:
            self._require_apart(self._folder(folder_id).path, folder_id)
        rows.pause_folder(self._store, folder_id, paused)

    def forget(self, folder_id: int) -> None:
        """Stop watching a folder; its documents stay."""
        rows.forget_folder(self._store, folder_id)

    def keep_gone(self, folder_id: int) -> None:
        """Keep the documents whose files are gone, and detach them from the folder."""
        for folder_plan in plan(self._store, [self._folder(folder_id)]):
            with self._store.transaction():
                rows.delete_folder_files(self._store, [path_key(file.path) for file in folder_plan.gone])
                rows.set_pending_removals(self._store, folder_id, 0)
                self._log(folder_plan, "kept", [file.path.name for file in folder_plan.gone])

    def relocate(self, folder_id: int, path: Path) -> None:
        """Record that the folder itself was moved to ``path``: its sources get new paths, and nothing is ingested.

        Raises ``LecternError`` as ``draft``, and if the library already has files below the new path.
        """
        folder = self._folder(folder_id)
        target = self.draft(path, folder.patterns)
        if target.id or files_known(self._store, target.path):
            raise LecternError(f"The library has documents from {target.path} already.", "Forget one of the folders.")
        with self._store.transaction():
            before = rows.folder_files(self._store, folder_id)
            moves = []
            for key, file in files_known(self._store, folder.path).items():
                relative = rows.below(key, folder.path)
                stamp = file.stamp or FileStamp(-1, 0)  # never matches, so that the next sweep compares the content
                moves.append(Move(file.source, target.path / relative, f"{target.path.name}/{relative}", stamp))
            rows.move_sources(self._store, moves)
            rows.delete_folder_files(self._store, before)
            rows.set_path(self._store, folder_id, target.path)
            after = {path_key(target.path / rows.below(key, folder.path)): row for key, row in before.items()}
            rows.put_folder_files(self._store, folder_id, after)

    def events(self, *, after: int = 0, limit: int = 30, folders: Sequence[int] = ()) -> list[FolderEvent]:
        """Log entries with an id greater than ``after``, newest first. ``folders``: () for all."""
        return rows.folder_events(self._store, after=after, limit=limit, folders=folders)

    def look(self, folders: Sequence[Folder], progress: ScanProgress | None = None) -> list[FolderPlan]:
        """Plan the synchronisation of folders (a dry run). ``progress(files, folder)`` may raise ``CancelledError``."""
        return plan(self._store, folders, progress)

    def sweep(self, only: Collection[int] | None, pause: Pause, *, sure: bool = False) -> list[FolderPlan]:
        """Synchronise all folders that are not paused, or ``only`` those with these ids; return the plans.

        New and changed files are queued for ingestion. ``pause(seconds)``: called to wait before files are checked
        again; those that have changed meanwhile are left for the next sweep. ``sure``: remove documents even if so
        many files are gone that the user would have to confirm it.
        """
        with self._sweep_lock:
            active = [folder for folder in self.all() if not folder.paused and (only is None or folder.id in only)]
            plans = plan(self._store, active)
            if any(folder_plan.new or folder_plan.changed for folder_plan in plans):
                pause(_RECHECK_SECONDS)
                plans = [_with_recheck(folder_plan) for folder_plan in plans]
            for folder_plan in plans:
                self._apply(folder_plan, sure)
            if any(folder_plan.gone for folder_plan in plans):
                apply_if_possible(self._store)
            self._dismiss_jobs()
            return plans

    def _apply(self, folder_plan: FolderPlan, sure: bool) -> None:
        """Apply a plan in one transaction."""
        folder = folder_plan.folder
        if folder_plan.problem or not folder.path.is_dir():
            self._log_presence(folder_plan, "missing")
            return
        gone = tuple(file for file in folder_plan.gone if not os.path.lexists(file.path))  # check again
        folder_plan = replace(folder_plan, gone=gone)
        must_confirm = folder_plan.asks and not sure
        to_ingest = (*folder_plan.new, *folder_plan.changed)
        with self._store.transaction():
            self._log_presence(folder_plan, "back")
            rows.move_sources(self._store, [move for _, move in folder_plan.moved])
            self._record(folder_plan, to_ingest)
            if not must_confirm:
                keys = [path_key(file.path) for file in gone]
                trash_sources(self._store, [file.source for file in gone])
                rows.delete_folder_files(self._store, keys)
                self._log(folder_plan, "removed", [rows.below(key, folder.path) for key in keys])
            pending_removals = len(gone) if must_confirm else 0
            if pending_removals != folder.asked:
                rows.set_pending_removals(self._store, folder.id, pending_removals)
                if pending_removals:
                    rows.add_events(self._store, [FolderEvent(folder.id, "asked", pending_removals)])
            if to_ingest:
                items = [NewItem(shown(folder, file), file.path) for file in to_ingest]
                self._queue.enqueue("ingest", {PAYLOAD: folder.id}, self._queue.smaller_first(items))

    def _record(self, folder_plan: FolderPlan, to_ingest: Sequence[FoundFile]) -> None:
        """Store the new states of the folder's files, and log what has changed."""
        folder, before = folder_plan.folder, folder_plan.before
        handed = {path_key(file.path): FolderFile(file.stamp, "handed") for file in to_ingest}
        moved = {path_key(move.path): FolderFile(move.stamp, "held") for _, move in folder_plan.moved}
        old_keys = [path_key(Path(old_path)) for old_path, _ in folder_plan.moved]
        rows.delete_folder_files(self._store, [*folder_plan.dropped, *old_keys])
        rows.put_folder_files(self._store, folder.id, {**folder_plan.settled, **moved, **handed})
        changed: dict[str, list[bytes]] = {"held": [], "failed": [], "left": []}  # by the new state
        for key, row in folder_plan.settled.items():
            last = before.get(key)
            if last is not None and last.state != row.state:
                changed[row.state].append(key)
        rows.clear_failures(self._store, [*changed["held"], *folder_plan.dropped])
        names = {key: rows.below(key, folder.path) for keys in changed.values() for key in keys}
        self._log(folder_plan, "read", [names[key] for key in changed["held"] if before[key].state != "left"])
        failed = changed["failed"]
        reasons = [rows.failure_reason(self._store, key) for key in failed]
        self._log(folder_plan, "failed", [names[key] for key in failed], reasons)
        self._log(folder_plan, "left", [names[key] for key in changed["left"]])
        new_names = [rows.below(path_key(move.path), folder.path) for _, move in folder_plan.moved]
        self._log(folder_plan, "moved", new_names, [f"from {old_path}" for old_path, _ in folder_plan.moved])

    def _log(self, folder_plan: FolderPlan, what: str, names: Sequence[str], details: Sequence[str] = ()) -> None:
        """Log an event for each file, or one event for all of them if they are many."""
        if len(names) > _MAX_SINGLE_EVENTS:
            events = [FolderEvent(folder_plan.folder.id, what, len(names))]
        else:
            pairs = zip(names, details or [""] * len(names), strict=True)
            events = [FolderEvent(folder_plan.folder.id, what, 1, name, detail) for name, detail in pairs]
        if events:
            rows.add_events(self._store, events)

    def _log_presence(self, folder_plan: FolderPlan, what: str) -> None:
        """Log that a folder is "missing" or "back", unless the last entry implies it."""
        last = self.events(limit=1, folders=[folder_plan.folder.id])
        was_missing = bool(last) and last[0].what == "missing"
        if was_missing != (what == "missing"):
            rows.add_events(self._store, [FolderEvent(folder_plan.folder.id, what, 0, "", folder_plan.problem)])

    def _dismiss_jobs(self) -> None:
        """Delete finished ingest jobs of folders that have no failed items."""
        for job in self._queue.jobs(-1, states=("done", "cancelled"), kinds=("ingest",)):
            if PAYLOAD in job.payload and not job.items_failed:
                self._queue.dismiss(job.id)

    def _require_apart(self, root: Path, folder_id: int) -> None:
        for other in self.all():
            if other.id == folder_id or other.paused:
                continue
            if root.is_relative_to(other.path):
                raise LecternError(f"{root} is kept in step already, as a part of {other.path}.")
            if other.path.is_relative_to(root):
                raise LecternError(
                    f"{root} holds {other.path}, which is kept in step already.", f"Forget {other.path} first."
                )

    def _folder(self, folder_id: int) -> Folder:
        for folder in self.all():
            if folder.id == folder_id:
                return folder
        raise NotFoundError(f"There is no folder {folder_id}.", "It may have been forgotten.")


def _with_recheck(folder_plan: FolderPlan) -> FolderPlan:
    """The plan with files that have changed since it was made moved to ``waiting``."""
    to_ingest = (*folder_plan.new, *folder_plan.changed)
    unstable = {file.path for file in to_ingest if _stamp(file.path) != file.stamp}
    if not unstable:
        return folder_plan
    return replace(
        folder_plan,
        new=tuple(file for file in folder_plan.new if file.path not in unstable),
        changed=tuple(file for file in folder_plan.changed if file.path not in unstable),
        waiting=(*folder_plan.waiting, *(file for file in to_ingest if file.path in unstable)),
    )


def _stamp(path: Path) -> FileStamp | None:
    """The current stamp of a file; ``None`` if it no longer exists."""
    try:
        status = path.stat()
    except OSError:
        return None
    return FileStamp(status.st_size, status.st_mtime_ns)
