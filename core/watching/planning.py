"""Planning the synchronisation of a watched folder by a three-way comparison: files, library, and last known states.

Two sides would not be enough. A file that is not in the library may be new, may have failed, or may be one whose
document the user deleted. A document without a file may have been restored from the trash on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter, time

from core.errors import LecternError
from core.ingest.gathering import Changes, FoundFile, ScanProgress, compare_and_record, files_known, hash_of, scan
from core.storage.catalogue.filing.folders import Folder, FolderFile, KnownFile, Move, folder_files, pending_paths
from core.storage.catalogue.filing.sources import path_key
from core.storage.store import Store

REST_SECONDS = 2.0  # a file that changed more recently may still be written to
# The user must confirm the removal if all of at least _FEW files are gone, or at least _MANY that are more than half.
_FEW = 3
_MANY = 10


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """What must be done to synchronise a folder.

    ``problem``: why it cannot be read, as a sentence; the other fields are then empty. ``new``, ``changed``: to be
    ingested. ``moved``: (old path, move) of sources to rename. ``gone``: files in the library that the folder had and
    that no longer exist. ``waiting``: to be ingested once they are no longer written to. ``at_work``: the number of
    files in unfinished jobs. ``before``: the stored states of the folder's files; ``settled``: states that have
    changed; ``dropped``: keys of ``before`` that are neither in the folder nor in the library. ``held``: the number of
    files that were in the library. ``changes``: the comparison with the library. ``seconds``: that looking took.
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
    seconds: float = 0.0

    @property
    def asks(self) -> bool:
        """Whether so many files are gone at once that the user must confirm their removal.

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
    """Plan the synchronisation of folders. Files that moved from one of them to another count as moved."""
    plans = []
    for folder in folders:
        started = perf_counter()
        compared = _compare(store, folder, progress)
        plans.append(replace(compared, seconds=perf_counter() - started))
    moved = _matched_moves(plans)
    return [_with_moves(plan_, moved) for plan_ in plans]


def _compare(store: Store, folder: Folder, progress: ScanProgress | None) -> FolderPlan:
    if not folder.path.is_dir():
        return FolderPlan(folder, f"{folder.path} is not there. Is its disk connected? Nothing is removed.")
    in_jobs = pending_paths(store)  # read first, so that a file whose job ends meanwhile is not taken for a failed one
    known = files_known(store, folder.path)
    try:
        scanned = scan(folder.path, folder.patterns, store.home, progress, known=known)
    except LecternError as error:  # the folder was removed meanwhile
        return FolderPlan(folder, str(error))
    if any(not relative for relative, _ in scanned.unreadable):
        return FolderPlan(folder, f"{folder.path} cannot be read. Check its rights. Nothing is removed.")
    changes = compare_and_record(store, scanned, folder.path, known)
    before = folder_files(store, folder.id)
    settled: dict[bytes, FolderFile] = {}
    new: list[FoundFile] = []
    changed: list[FoundFile] = []
    at_work = 0
    for file in (*changes.new, *changes.changed):
        key = path_key(file.path)
        last, is_new = before.get(key), key not in known
        if key in in_jobs:
            at_work += 1
        elif last is not None and is_new and last.state in ("held", "left"):
            if last.state == "held":  # the user has deleted its document since
                settled[key] = FolderFile(file.stamp, "left")
        elif last is None or last.stamp != file.stamp or last.state in ("held", "left"):
            (new if is_new else changed).append(file)
        elif last.state == "handed":  # its job has ended, but it is not in the library
            settled[key] = FolderFile(file.stamp, "failed")
    for file in changes.unchanged:
        state = FolderFile(file.stamp, "held")
        if (key := path_key(file.path)) in in_jobs:  # stored already, but not encoded yet
            at_work += 1
        elif before.get(key) != state:
            settled[key] = state
    gone = tuple(file for file in changes.missing if (key := path_key(file.path)) in before and key not in in_jobs)
    existing = {path_key(file.path) for file in scanned.files}
    keys_in_use = {*existing, *known, *in_jobs}
    dropped = tuple(key for key in before if key not in keys_in_use and not _is_unreadable(changes, key))
    held = sum(1 for row in before.values() if row.state == "held")
    return FolderPlan(
        folder,
        new=tuple(new),
        changed=tuple(changed),
        gone=gone,
        at_work=at_work,
        settled=settled,
        before=before,
        dropped=dropped,
        held=held,
        changes=changes,
    )


def _is_unreadable(changes: Changes, key: bytes) -> bool:
    """Whether a file is in an unreadable folder, so that it may still exist."""
    root = changes.scan.folder
    return any(key.startswith(path_key(root / relative)) for relative, _ in changes.scan.unreadable)


def _matched_moves(plans: Sequence[FolderPlan]) -> dict[bytes, tuple[KnownFile, FoundFile]]:
    """New files with the content of a file that is gone, by path key; each file is matched once.

    Only new files with the size of a gone one are read. Of several candidates, one with the same name is preferred.
    """
    sizes: set[int] = set()
    gone: dict[str, list[KnownFile]] = defaultdict(list)
    for folder_plan in plans:
        for file in folder_plan.gone:
            row = folder_plan.before.get(path_key(file.path))
            sizes.update(stamp.size_bytes for stamp in (file.stamp, row and row.stamp) if stamp)
            gone[file.version_id].append(file)
    if not gone:
        return {}
    candidates: dict[str, list[FoundFile]] = defaultdict(list)
    for folder_plan in plans:
        for new_file in folder_plan.new:
            if new_file.size_bytes in sizes and (content_hash := hash_of(new_file.path)) in gone:
                candidates[content_hash].append(new_file)
    matches: dict[bytes, tuple[KnownFile, FoundFile]] = {}
    for content_hash, files in candidates.items():
        unmatched = gone[content_hash]
        for same_name in (True, False):
            for new_file in files:
                key = path_key(new_file.path)
                fitting = [old for old in unmatched if not same_name or old.path.name == new_file.path.name]
                if key not in matches and fitting:
                    matches[key] = (fitting[0], new_file)
                    unmatched.remove(fitting[0])
    return matches


def _with_moves(folder_plan: FolderPlan, matches: Mapping[bytes, tuple[KnownFile, FoundFile]]) -> FolderPlan:
    """The plan with matched files as moved instead of new and gone, and with files still written to as waiting."""
    moved_sources = {old.source for old, _ in matches.values()}
    here = [matches[key] for file in folder_plan.new if (key := path_key(file.path)) in matches]
    new = [file for file in folder_plan.new if path_key(file.path) not in matches]
    waiting = [file for file in (*new, *folder_plan.changed) if not at_rest(file)]
    waiting_paths = {file.path for file in waiting}
    return replace(
        folder_plan,
        new=tuple(file for file in new if file.path not in waiting_paths),
        changed=tuple(file for file in folder_plan.changed if file.path not in waiting_paths),
        moved=tuple(
            (str(old.path), Move(old.source, file.path, shown(folder_plan.folder, file), file.stamp))
            for old, file in here
        ),
        gone=tuple(file for file in folder_plan.gone if file.source not in moved_sources),
        waiting=tuple(waiting),
    )


def shown(folder: Folder, file: FoundFile) -> str:
    """The source name of a file in a folder: the folder's name and the relative path."""
    return f"{folder.path.name}/{file.relative}" if folder.path.name else file.relative


def at_rest(file: FoundFile) -> bool:
    """Whether a file has not changed for ``REST_SECONDS``; also if its modification time is in the future."""
    return not 0 <= time() - file.stamp.modified_ns / 1e9 < REST_SECONDS
