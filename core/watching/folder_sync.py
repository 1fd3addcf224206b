"""Folders kept in step: added, paused, forgotten, and what a plan says carried out and written into their log."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from core.errors import LecternError, NotFoundError
from core.ingest.gathering import FoundFile, Ignoring, ScanProgress, files_known
from core.ingest.jobs import JobQueue
from core.storage.catalogue import folders as rows
from core.storage.catalogue.folders import Folder, FolderEvent, FolderFile, Move
from core.storage.catalogue.job_rows import NewItem
from core.storage.catalogue.sources import FileStamp, original_path, path_key
from core.storage.catalogue.trash import trash_sources
from core.storage.index.outbox import apply_if_possible
from core.storage.store import Store
from core.watching.planning import FolderPlan, plan, shown

PAYLOAD = "folder"  # of an ingest that a folder asked for: its id
_TOLD_APART = 20  # files of one sweep that have a line of the log each; more of them share one
_LOOKED_TWICE_SECONDS = 0.5

Pause = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Standing:
    """A folder and how many of its files are in which state of ``FolderFile``."""

    folder: Folder
    held: int
    reading: int
    failed: int
    left: int

    @property
    def missing(self) -> bool:
        return not self.folder.path.is_dir()


class Folders:
    """The folders of one library. Looking works for readers too; everything else needs the writer's lock."""

    def __init__(self, store: Store, queue: JobQueue) -> None:
        self._store = store
        self._queue = queue
        self._sweeping = Lock()  # the watcher's and a page's

    @property
    def home(self) -> Path:
        """The folder the library itself lies in."""
        return self._store.home

    def original_path(self, source_id: int) -> Path | None:
        """Where a source's file still lies on this machine; ``None``: an upload, an attachment, or it is gone."""
        return original_path(self._store, source_id)

    def all(self) -> list[Folder]:
        """The remembered folders in the order they were added."""
        return rows.folders(self._store)

    def standing(self) -> list[Standing]:
        """The remembered folders and how they stand, by what is noted; nothing is looked at but their roots."""
        found = []
        for folder in self.all():
            states = rows.count_states(self._store, folder.id)
            found.append(Standing(folder, states["held"], states["handed"], states["failed"], states["left"]))
        return found

    def draft(self, path: Path, patterns: Sequence[str] | None = None) -> Folder:
        """A folder that could be added, or is there already, for ``look``; nothing is remembered.

        ``patterns`` ``None``: those it has. Raises ``LecternError`` for what is no folder, lies in a remembered one or
        holds one, and for bad patterns.
        """
        place = Path(os.fsdecode(path_key(path.expanduser())))
        Ignoring.of(patterns or ())
        if not place.is_dir():
            raise LecternError(f"There is no folder {place} on this machine.", "Check the path.")
        if self._store.home.resolve() == place.resolve():
            raise LecternError(f"{place} is this library itself.", "Choose the folder with your own files.")
        known = next((folder for folder in self.all() if folder.path == place), None)
        self._require_apart(place, known.id if known else 0)
        if known:
            return known if patterns is None else replace(known, patterns=tuple(patterns))
        return Folder(0, place, tuple(patterns or ()), "", "")

    def add(self, path: Path, patterns: Sequence[str] | None = None, *, paused: bool = False) -> int:
        """Keep a folder in step from now on, or with other patterns, and return its id. Raises as ``draft`` does.

        ``paused``: it is left alone for now.
        """
        folder = self.draft(path, patterns)
        with self._store.transaction():
            number = rows.add_folder(self._store, folder.path, folder.patterns)
            rows.pause_folder(self._store, number, paused)
        return number

    def pause(self, folder_id: int, paused: bool = True) -> None:
        """Leave a folder alone until this is called with ``False``; what is being read is read to its end.

        Raises ``LecternError`` where a folder that is to be kept in step lies in another one, or holds one.
        """
        if not paused:
            self._require_apart(self._folder(folder_id).path, folder_id)
        rows.pause_folder(self._store, folder_id, paused)

    def forget(self, folder_id: int) -> None:
        """Keep a folder in step no longer; the documents that came from it stay."""
        rows.forget_folder(self._store, folder_id)

    def keep_gone(self, folder_id: int) -> None:
        """The documents whose files are gone stay in the library, and the folder has no more to do with them."""
        for each in plan(self._store, [self._folder(folder_id)]):
            with self._store.transaction():
                rows.delete_folder_files(self._store, [path_key(held.path) for held in each.gone])
                rows.set_pending_removals(self._store, folder_id, 0)
                self._tell(each, "kept", [held.path.name for held in each.gone])

    def relocate(self, folder_id: int, path: Path) -> None:
        """The folder itself was renamed or moved to ``path``: its documents follow, and nothing is read again.

        Raises ``LecternError`` as ``draft`` does, and where the library holds files of the new place already.
        """
        folder = self._folder(folder_id)
        target = self.draft(path, folder.patterns)
        if target.id or files_known(self._store, target.path):
            raise LecternError(f"The library has documents from {target.path} already.", "Forget one of the folders.")
        with self._store.transaction():
            before = rows.folder_files(self._store, folder_id)
            moves = []
            for key, held in files_known(self._store, folder.path).items():
                way = rows.below(key, folder.path)
                stamp = held.stamp or FileStamp(-1, 0)  # looked into at the next sweep
                moves.append(Move(held.source, target.path / way, f"{target.path.name}/{way}", stamp))
            rows.move_sources(self._store, moves)
            rows.delete_folder_files(self._store, before)
            rows.set_path(self._store, folder_id, target.path)
            there = {path_key(target.path / rows.below(key, folder.path)): row for key, row in before.items()}
            rows.put_folder_files(self._store, folder_id, there)

    def events(self, *, after: int = 0, limit: int = 30, folders: Sequence[int] = ()) -> list[FolderEvent]:
        """The newest lines of the log behind line ``after``, newest first."""
        return rows.folder_events(self._store, after=after, limit=limit, folders=folders)

    def look(self, folders: Sequence[Folder], progress: ScanProgress | None = None) -> list[FolderPlan]:
        """What would happen to folders, the dry run. ``progress(files, place)`` may raise ``CancelledError``."""
        return plan(self._store, folders, progress)

    def sweep(self, only: Collection[int] | None, pause: Pause, *, sure: bool = False) -> list[FolderPlan]:
        """Look at folders that are not paused (``only``: of these ids) and do what is to be done; reading is queued.

        ``pause(seconds)``: what is to be read is looked at again after it, and waits where it is being written.
        ``sure``: where much is gone at once it leaves the library, which else a person is asked first.
        """
        with self._sweeping:
            chosen = [folder for folder in self.all() if not folder.paused and (only is None or folder.id in only)]
            plans = plan(self._store, chosen)
            if any(each.new or each.changed for each in plans):
                pause(_LOOKED_TWICE_SECONDS)
                plans = [_standing_still(each) for each in plans]
            for each in plans:
                self._carry_out(each, sure)
            if any(each.gone for each in plans):
                apply_if_possible(self._store)
            self._tidy()
            return plans

    def _carry_out(self, each: FolderPlan, sure: bool) -> None:
        folder = each.folder
        if each.problem or not folder.path.is_dir():
            self._tell_once(each, "missing")
            return
        each = replace(each, gone=tuple(held for held in each.gone if not os.path.lexists(held.path)))  # seen once more
        asks = each.asks and not sure
        arriving = (*each.new, *each.changed)
        with self._store.transaction():
            self._tell_once(each, "back")
            rows.move_sources(self._store, [move for _, move in each.moved])
            self._note(each, arriving)
            if not asks:
                trash_sources(self._store, [held.source for held in each.gone])
                rows.delete_folder_files(self._store, [path_key(held.path) for held in each.gone])
                self._tell(each, "removed", [rows.below(path_key(held.path), folder.path) for held in each.gone])
            wanted = len(each.gone) if asks else 0
            if wanted != folder.asked:
                rows.set_pending_removals(self._store, folder.id, wanted)
                if wanted:
                    rows.add_events(self._store, [FolderEvent(folder.id, "asked", wanted)])
            if arriving:
                items = [NewItem(shown(folder, file), file.path) for file in arriving]
                self._queue.enqueue("ingest", {PAYLOAD: folder.id}, self._queue.smaller_first(items))

    def _note(self, each: FolderPlan, arriving: Sequence[FoundFile]) -> None:
        """What became of files, in the table and in the log."""
        folder, before = each.folder, each.before
        handed = {path_key(file.path): FolderFile(file.stamp, "handed") for file in arriving}
        held = {path_key(move.path): FolderFile(move.stamp, "held") for _, move in each.moved}
        rows.delete_folder_files(self._store, [*each.dropped, *(path_key(Path(was)) for was, _ in each.moved)])
        rows.put_folder_files(self._store, folder.id, {**each.settled, **held, **handed})
        became: dict[str, list[bytes]] = {"held": [], "failed": [], "left": []}
        for key, row in each.settled.items():
            was = before.get(key)
            if was is not None and was.state != row.state:
                became[row.state].append(key)
        read = [key for key in became["held"] if before[key].state != "left"]
        rows.clear_failures(self._store, [*became["held"], *each.dropped])
        ways = {key: rows.below(key, folder.path) for keys in became.values() for key in keys}
        self._tell(each, "read", [ways[key] for key in read])
        failed = became["failed"]
        self._tell(
            each, "failed", [ways[key] for key in failed], [rows.failure_reason(self._store, key) for key in failed]
        )
        self._tell(each, "left", [ways[key] for key in became["left"]])
        now = [rows.below(path_key(move.path), folder.path) for _, move in each.moved]
        self._tell(each, "moved", now, [f"from {was}" for was, _ in each.moved])

    def _tell(self, each: FolderPlan, what: str, names: Sequence[str], details: Sequence[str] = ()) -> None:
        """Write into the log: a line a file, or one for all where they are many."""
        if len(names) > _TOLD_APART:
            events = [FolderEvent(each.folder.id, what, len(names))]
        else:
            told = details or [""] * len(names)
            events = [FolderEvent(each.folder.id, what, 1, *both) for both in zip(names, told, strict=True)]
        if events:
            rows.add_events(self._store, events)

    def _tell_once(self, each: FolderPlan, what: str) -> None:
        """That a folder is missing, or back, where the log does not say so already."""
        last = self.events(limit=1, folders=[each.folder.id])
        gone = bool(last) and last[0].what == "missing"
        if gone != (what == "missing"):
            rows.add_events(self._store, [FolderEvent(each.folder.id, what, 0, "", each.problem)])

    def _tidy(self) -> None:
        """Forget ingests that folders asked for and that left nothing to say."""
        for job in self._queue.jobs(-1, states=("done", "cancelled"), kinds=("ingest",)):
            if PAYLOAD in job.payload and not job.items_failed:
                self._queue.dismiss(job.id)

    def _require_apart(self, place: Path, folder_id: int) -> None:
        for other in self.all():
            if other.id == folder_id or other.paused:
                continue
            if place.is_relative_to(other.path):
                raise LecternError(f"{place} is kept in step already, as a part of {other.path}.")
            if other.path.is_relative_to(place):
                raise LecternError(
                    f"{place} holds {other.path}, which is kept in step already.", f"Forget {other.path} first."
                )

    def _folder(self, folder_id: int) -> Folder:
        found = next((folder for folder in self.all() if folder.id == folder_id), None)
        if found is None:
            raise NotFoundError(f"There is no folder {folder_id}.", "It may have been forgotten.")
        return found


def _standing_still(each: FolderPlan) -> FolderPlan:
    """A plan in which files that changed since it was made wait."""
    moving = {file.path for file in (*each.new, *each.changed) if _stamp(file.path) != file.stamp}
    if not moving:
        return each
    return replace(
        each,
        new=tuple(file for file in each.new if file.path not in moving),
        changed=tuple(file for file in each.changed if file.path not in moving),
        waiting=(*each.waiting, *(file for file in (*each.new, *each.changed) if file.path in moving)),
    )


def _stamp(path: Path) -> FileStamp | None:
    """What a file is now; ``None`` where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return FileStamp(status.st_size, status.st_mtime_ns)
