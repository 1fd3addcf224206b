"""What would happen to a folder: what lies there, what the library holds and what was handed over before, compared.

Three sides are needed. A file that is not in the library may be new, may have failed, or may be one whose document a
person threw away; a document whose file is gone may have been brought back from the trash on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import time

from core.errors import LecternError
from core.ingest.gathering import Changes, FoundFile, ScanProgress, compared, files_known, hash_of, scan
from core.storage.catalogue.folders import Folder, FolderFile, KnownFile, Move, folder_files, pending_paths
from core.storage.catalogue.sources import path_key
from core.storage.store import Store

REST_SECONDS = 2.0  # a file changed later than this may still be being written
_FEW = 3  # files: where all of at least so many are gone, or more than half of ...
_MANY = 10  # ... at least so many, a person is asked


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """A folder against the library. Nothing of it is done yet.

    ``problem``: why it cannot be looked at, a sentence; then all else is empty. ``new`` and ``changed`` are to be read,
    ``moved`` only renamed, each with the way it had. ``gone``: were handed over, are held, and are no longer there.
    ``waiting``: to be read when they are at rest. ``at_work``: files a job has still to read. ``before``: what was
    handed over, ``settled``: what is known of that now, ``dropped``: what of it is neither there nor held. ``held``:
    how many files of it the library held before.
    """

    folder: Folder
    problem: str = ""
    new: tuple[FoundFile, ...] = ()
    changed: tuple[FoundFile, ...] = ()
    moved: tuple[tuple[str, Move], ...] = ()
    gone: tuple[KnownFile, ...] = ()
    waiting: tuple[FoundFile, ...] = ()
    at_work: int = 0
    settled: Mapping[bytes, FolderFile] = field(default_factory=dict)
    before: Mapping[bytes, FolderFile] = field(default_factory=dict)
    dropped: tuple[bytes, ...] = ()
    held: int = 0
    changes: Changes | None = None

    @property
    def asks(self) -> bool:
        """Whether so much is gone at once that a person is asked before it leaves the library.

        >>> from pathlib import Path
        >>> gone = [KnownFile(number, Path(f"/n/{number}"), "", "text", None) for number in range(20)]
        >>> folder = Folder(1, Path("/n"), (), "", "")
        >>> [FolderPlan(folder, gone=tuple(gone[:count]), held=held).asks for count, held in ((2, 2), (3, 3), (9, 10))]
        [False, True, False]
        >>> FolderPlan(folder, gone=tuple(gone[:11]), held=20).asks, FolderPlan(folder, gone=(), held=0).asks
        (True, False)
        """
        gone = len(self.gone)
        return (gone >= _FEW and gone >= self.held) or (gone >= _MANY and 2 * gone > self.held)

    @property
    def unsupported(self) -> int:
        return len(self.changes.unsupported) if self.changes else 0


def plan(store: Store, folders: Sequence[Folder], progress: ScanProgress | None = None) -> list[FolderPlan]:
    """What would happen to folders. A file that left one of them for another has moved, as within one."""
    plans = [_look(store, folder, progress) for folder in folders]
    moved = _moves(plans)
    return [_without_moved(each, moved) for each in plans]


def _look(store: Store, folder: Folder, progress: ScanProgress | None) -> FolderPlan:
    if not folder.path.is_dir():
        return FolderPlan(folder, f"{folder.path} is not there. Is its disk connected? Nothing is removed.")
    at_work = pending_paths(store)  # first: what a job ends from here on is at work still, never failed
    known = files_known(store, folder.path)
    try:
        found = scan(folder.path, folder.patterns, store.home, progress, known=known)
    except LecternError as error:  # gone since
        return FolderPlan(folder, str(error))
    if any(not place for place, _ in found.unreadable):
        return FolderPlan(folder, f"{folder.path} cannot be read. Check its rights. Nothing is removed.")
    changes = compared(store, found, folder.path, known)
    before = folder_files(store, folder.id)
    settled: dict[bytes, FolderFile] = {}
    new: list[FoundFile] = []
    changed: list[FoundFile] = []
    working = 0
    for file in (*changes.new, *changes.changed):
        key = path_key(file.path)
        was, is_new = before.get(key), key not in known
        if key in at_work:
            working += 1
        elif was is not None and is_new and was.state in ("held", "left"):
            if was.state == "held":
                settled[key] = FolderFile(file.stamp, "left")
        elif was is None or was.stamp != file.stamp or was.state in ("held", "left"):
            (new if is_new else changed).append(file)
        elif was.state == "handed":
            settled[key] = FolderFile(file.stamp, "failed")
    for file in changes.unchanged:
        now = FolderFile(file.stamp, "held")
        if (key := path_key(file.path)) in at_work:  # found by its words, its meaning still to be encoded
            working += 1
        elif before.get(key) != now:
            settled[key] = now
    gone = tuple(held for held in changes.missing if (key := path_key(held.path)) in before and key not in at_work)
    there = {path_key(file.path) for file in found.files}
    kept = {*there, *known, *at_work}
    dropped = tuple(key for key in before if key not in kept and not _beyond_reach(changes, key))
    held = sum(1 for row in before.values() if row.state == "held")
    return FolderPlan(
        folder,
        new=tuple(new),
        changed=tuple(changed),
        gone=gone,
        at_work=working,
        settled=settled,
        before=before,
        dropped=dropped,
        held=held,
        changes=changes,
    )


def _beyond_reach(changes: Changes, key: bytes) -> bool:
    """Whether a file lies where nothing could be read, so that nobody knows whether it is there."""
    root = changes.scan.folder
    return any(key.startswith(path_key(root / place)) for place, _ in changes.scan.unreadable)


def _moves(plans: Iterable[FolderPlan]) -> dict[bytes, tuple[KnownFile, FoundFile]]:
    """Files that are gone and stand elsewhere with the same content, by their new path. Each is matched once.

    Only files as large as one that is gone are read; of several alike, one of the same name is taken first.
    """
    plans = list(plans)
    sizes: set[int] = set()
    gone: dict[str, list[KnownFile]] = defaultdict(list)
    for each in plans:
        for held in each.gone:
            row = each.before.get(path_key(held.path))
            sizes.update(it.size_bytes for it in (held.stamp, row and row.stamp) if it)
            gone[held.version_id].append(held)
    if not gone:
        return {}
    arrived: dict[str, list[FoundFile]] = defaultdict(list)
    for each in plans:
        for file in each.new:
            if file.size_bytes in sizes and (content := hash_of(file.path)) in gone:
                arrived[content].append(file)
    found: dict[bytes, tuple[KnownFile, FoundFile]] = {}
    for content, files in arrived.items():
        left = gone[content]
        for same_name in (True, False):
            for file in files:
                key = path_key(file.path)
                fits = [held for held in left if not same_name or held.path.name == file.path.name]
                if key not in found and fits:
                    found[key] = (fits[0], file)
                    left.remove(fits[0])
    return found


def _without_moved(each: FolderPlan, moved: Mapping[bytes, tuple[KnownFile, FoundFile]]) -> FolderPlan:
    """A plan in which what moved is neither new nor gone, and what is not at rest waits."""
    left = {held.source for held, _ in moved.values()}
    here = [moved[key] for file in each.new if (key := path_key(file.path)) in moved]
    moves = [(held, Move(held.source, file.path, shown(each.folder, file), file.stamp)) for held, file in here]
    new = [file for file in each.new if path_key(file.path) not in moved]
    waiting = [file for file in (*new, *each.changed) if not at_rest(file)]
    unrested = {file.path for file in waiting}
    return replace(
        each,
        new=tuple(file for file in new if file.path not in unrested),
        changed=tuple(file for file in each.changed if file.path not in unrested),
        moved=tuple((str(held.path), move) for held, move in moves),
        gone=tuple(held for held in each.gone if held.source not in left),
        waiting=tuple(waiting),
    )


def shown(folder: Folder, file: FoundFile) -> str:
    """The name a file of a folder goes by: the folder's, and the way below it."""
    return f"{folder.path.name}/{file.relative}" if folder.path.name else file.relative


def at_rest(file: FoundFile) -> bool:
    """Whether a file has not been changed for a moment; one whose time lies ahead is not waited for."""
    return not 0 <= time() - file.stamp.modified_ns / 1e9 < REST_SECONDS
