"""Scanning folders for files, with ignore rules, and comparing the result with the library."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from core.errors import LecternError, UnsupportedKindError
from core.ingest.file_reading import kind_of
from core.ingest.reports import Failure
from core.storage.catalogue.filing.folders import KnownFile, files_below, note_scan, set_stamps
from core.storage.catalogue.filing.sources import FileStamp, path_key
from core.storage.catalogue.job_rows import NewItem
from core.storage.connections import CATALOGUE
from core.storage.store import Store

DEFAULTS = (
    *(".git/", "node_modules/", "__pycache__/", ".venv/", "*.pyc", ".DS_Store", "Thumbs.db", "desktop.ini", "~$*"),
    *("*.tmp", "*.part", "*.partial", "*.crdownload", "*.download", "*.swp", "*~"),  # incomplete files
    ".*",
)
IGNORE_FILES = (".gitignore", ".lecternignore")  # in the same folder, the latter takes precedence
OWN_LIBRARY = "a Lectern library"
IN_THE_CLOUD = "in the cloud alone: looking into it would fetch it"
OF_PAGE = "what a saved page shows"
_PAGES = (".html", ".htm", ".xhtml")
_FILES_OF_PAGES = (  # suffixes of the folder for a saved page's files, by the browser's language
    "_files .files -Dateien _fichiers _archivos _file _bestanden _arquivos _ficheiros -filer _tiedostot _pliki "
    "_soubory _dosyalar _fitxers _datoteke _fajlovi _elemei"
).split()
_IGNORE_FILE_BYTES = 1 << 18
_DATALESS = 0x4000_0000  # macOS (SF_DATALESS): a file whose content is fetched when it is read
_RECALLED = 0x0040_0000 | 0x1000  # Windows: RECALL_ON_DATA_ACCESS, OFFLINE


@dataclass(frozen=True, slots=True)
class Rules:
    """Ignore patterns for one folder and those below. ``base``: its relative path, "" or ending in ``/``."""

    base: str
    patterns: tuple[str, ...]
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Ignore rules in order of precedence: the first ones that match a path decide.

    ``user``: the patterns of the user. ``nested``: from ``IGNORE_FILES``, the deepest first.
    """

    user: Rules
    nested: tuple[Rules, ...]
    defaults: Rules

    @classmethod
    def of(cls, patterns: Sequence[str]) -> Ignoring:
        """The user's patterns and the defaults. Raises ``LecternError`` for an invalid pattern.

        >>> rules = Ignoring.of(["*.log", "!keep.log"])
        >>> rules.pattern_for("a/b.log"), rules.pattern_for("keep.log"), rules.pattern_for("a/node_modules/")
        ('*.log', '', 'node_modules/')
        """
        return cls(_rules("", patterns, strict=True), (), _rules("", DEFAULTS, strict=True))

    def within(self, base: str, file: Path) -> Ignoring:
        """These rules and those of an ignore file, which apply to its folder ``base``. Invalid lines are skipped."""
        with file.open("rb") as stream:
            lines = stream.read(_IGNORE_FILE_BYTES).decode("utf-8", "replace").splitlines()
        return replace(self, nested=(_rules(base, lines, strict=False), *self.nested))

    def pattern_for(self, relative: str) -> str:
        """The pattern by which a relative path (of a folder: ending in ``/``) is ignored; "" if it is not."""
        for rules in (self.user, *self.nested, self.defaults):
            if rules.patterns and relative.startswith(rules.base):
                match = rules.spec.check_file(relative[len(rules.base) :])
                if match.include is not None:
                    return rules.patterns[match.index or 0] if match.include else ""
        return ""


def _rules(base: str, lines: Sequence[str], *, strict: bool) -> Rules:
    patterns: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        try:
            GitIgnoreSpec.from_lines([line])
        except GitIgnorePatternError as error:
            if strict:
                raise LecternError(f"{line!r} is no pattern.", "Write it as in a .gitignore file.") from error
            continue
        patterns.append(line)
    return Rules(base, tuple(patterns), GitIgnoreSpec.from_lines(patterns))


MAX_DEPTH = 100  # of nested folders; deeper ones suggest a mount inside itself
_NO_FILE = "It is a pipe, a socket or a device, not a file."

ScanProgress = Callable[[int, str], None]
Ancestors = tuple[tuple[int, int], ...]  # (device, inode) of each parent folder


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file below a folder. ``relative``: its relative path, with ``/`` on every system. ``kind``: "" if it is
    unsupported; ``reason`` then says why.
    """

    path: Path
    relative: str
    stamp: FileStamp
    kind: str
    reason: str = ""

    @property
    def size_bytes(self) -> int:
        return self.stamp.size_bytes


@dataclass(slots=True)
class Scan:
    """The files found in a folder. Symbolic links are not followed.

    ``ignored``: (relative path, pattern or reason); a path ending in ``/`` is a folder with all its content. ``links``:
    relative paths of symbolic links. ``unreadable``: (relative path, reason as a sentence).
    """

    folder: Path
    files: list[FoundFile] = field(default_factory=list)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Changes:
    """A scan compared with the library. ``unsupported``: files of unknown kind that are not in the library.
    ``missing``: files in the library that no longer exist.
    """

    scan: Scan
    new: tuple[FoundFile, ...]
    changed: tuple[FoundFile, ...]
    unchanged: tuple[FoundFile, ...]
    unsupported: tuple[FoundFile, ...]
    missing: tuple[KnownFile, ...]

    def by_state(self) -> dict[str, tuple[FoundFile, ...]]:
        """The files found, by state."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "unsupported": self.unsupported,
        }

    def items(self) -> list[NewItem]:
        """Queue items for the new and changed files, named by folder and relative path."""
        prefix = f"{self.scan.folder.name}/" if self.scan.folder.name else ""
        return [NewItem(prefix + file.relative, file.path) for file in (*self.new, *self.changed)]


def scan(
    folder: Path,
    ignore: Sequence[str] = (),
    library: Path | None = None,
    progress: ScanProgress | None = None,
    *,
    kinds: bool = True,
    known: Mapping[bytes, KnownFile] | None = None,
) -> Scan:
    """Scan a folder recursively, in a stable order, or a single file.

    ``ignore``: patterns as in a .gitignore file; they take precedence over those of ``IGNORE_FILES``, and these over
    ``DEFAULTS``. ``library``: a folder to skip; other libraries are skipped as well. ``progress(files, folder)`` may
    raise ``CancelledError``. ``kinds``: ``False`` to leave all kinds ""; otherwise only as much of a file is read as
    its kind requires. ``known``: files whose kind is reused if their stamp is the same.
    Raises ``LecternError`` if ``folder`` does not exist.
    """
    root = Path(os.path.abspath(folder))  # noqa: PTH100 - Path.absolute keeps ".."
    if os.path.isfile(root):  # noqa: PTH113 - Path.is_file may raise
        result = Scan(root.parent)
        _Walk(result, None, None, kinds, known or {}).add_file(root, root.name, os.stat(root))  # noqa: PTH116
        return result
    if not os.path.isdir(root):  # noqa: PTH112
        raise LecternError(f"There is no folder {folder} on this machine.", "Check the path.")
    result = Scan(root)
    rules = Ignoring.of(ignore)
    _Walk(result, library and library.resolve(), progress, kinds, known or {}).add_folder(root, "", rules, ())
    return result


def compare(
    scanned: Scan, known: Mapping[bytes, KnownFile], progress: ScanProgress | None = None
) -> tuple[Changes, dict[int, FileStamp]]:
    """Compare a scan with the library: by path, then by stamp, then by content.

    ``known``: the ``files_known`` of the scanned folder. Also returns, by source id, the new stamps of files that had
    to be read and are unchanged; stored in the library, they save reading them next time.
    """
    new: list[FoundFile] = []
    changed: list[FoundFile] = []
    unchanged: list[FoundFile] = []
    unsupported: list[FoundFile] = []
    new_stamps: dict[int, FileStamp] = {}
    for number, file in enumerate(scanned.files):
        stored = known.get(path_key(file.path))
        if stored is None:
            (new if file.kind else unsupported).append(file)
        elif stored.stamp == file.stamp:
            unchanged.append(file)
        elif hash_of(file.path) == stored.version_id:
            unchanged.append(file)
            new_stamps[stored.source] = file.stamp
        else:
            changed.append(file)
        if progress:
            progress(number + 1, file.relative)
    existing = {path_key(file.path) for file in scanned.files}
    unreadable = tuple(
        os.path.join(path_key(scanned.folder / relative), b"")  # noqa: PTH118
        for relative, _ in scanned.unreadable
    )
    missing = [
        stored
        for key, stored in known.items()
        if key not in existing and not os.path.lexists(stored.path) and not key.startswith(unreadable)
    ]
    changes = Changes(scanned, tuple(new), tuple(changed), tuple(unchanged), tuple(unsupported), tuple(missing))
    return changes, new_stamps


def scan_changes(store: Store, folder: Path, ignore: Sequence[str], progress: ScanProgress | None) -> Changes:
    """Scan a folder (or file) and compare it with the library."""
    known = files_known(store, folder)
    return compare_and_record(store, scan(folder, ignore, store.home, progress, known=known), folder, known, progress)


def compare_and_record(
    store: Store, scanned: Scan, folder: Path, known: Mapping[bytes, KnownFile], progress: ScanProgress | None = None
) -> Changes:
    """``compare``; in a writable library also store the new stamps and the time of the scan."""
    changes, stamps = compare(scanned, known, progress)
    if store.writable:
        set_stamps(store, stamps)
        note_scan(store, folder)
    return changes


def files_known(store: Store, folder: Path) -> dict[bytes, KnownFile]:
    """The files in the library below a folder, by ``path_key``."""
    return {path_key(file.path): file for file in files_below(store, folder)}


def find_files(paths: Sequence[str], library: Path, ignore: Sequence[str] = ()) -> tuple[list[NewItem], list[Failure]]:
    """All files at or below the paths, in a stable order, and failures for unreadable ones.

    Names keep the paths as given. A file given by its own path is included even if a pattern matches it.
    """
    items: list[NewItem] = []
    failures: list[Failure] = []
    for path in paths:
        try:
            is_folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - Path would drop "./"
        except FileNotFoundError:
            failures.append(Failure(path, "There is no such file or folder."))
        except OSError as error:
            failures.append(Failure(path, f"It cannot be reached: {error.strerror}."))
        else:
            if not is_folder:
                items.append(NewItem(path, Path(path).absolute()))
                continue
            scanned = scan(Path(path), ignore, library, kinds=False)
            items.extend(NewItem(joined(path, file.relative), file.path) for file in scanned.files)
            failures.extend(Failure(joined(path, relative), reason) for relative, reason in scanned.unreadable)
    return items, failures


@dataclass(frozen=True, slots=True)
class _Walk:
    """A recursive scan that adds to ``result``; the other fields are as in ``scan``."""

    result: Scan
    library: Path | None
    progress: ScanProgress | None
    kinds: bool
    known: Mapping[bytes, KnownFile]

    def add_folder(self, folder: Path, relative: str, ignoring: Ignoring, ancestors: Ancestors) -> None:
        """Add everything below a folder. ``ancestors``: its parents, to detect cycles."""
        if self.progress:
            self.progress(len(self.result.files), relative)
        try:
            status = os.stat(folder)  # noqa: PTH116 - as for scandir
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            self.result.unreadable.append((relative, f"The folder cannot be read: {error.strerror}."))
            return
        here = (status.st_dev, status.st_ino)
        if here in ancestors or len(ancestors) >= MAX_DEPTH:
            self.result.unreadable.append((relative, "The folder lies in itself, or too deep."))
            return
        if any(entry.name == CATALOGUE for entry in entries) or folder.resolve() == self.library:
            self.result.ignored.append((relative, OWN_LIBRARY))
            return
        for file in IGNORE_FILES:
            if (folder / file).is_file():
                ignoring = ignoring.within(relative, folder / file)
        pages = {os.path.splitext(entry.name)[0] for entry in entries if entry.name.lower().endswith(_PAGES)}  # noqa: PTH122
        of_pages = {page + files for page in pages for files in _FILES_OF_PAGES}
        for folders in (False, True):  # all files first, then the folders
            for entry in entries:
                if folders and entry.name in of_pages and entry.is_dir(follow_symlinks=False):
                    self.result.ignored.append((f"{relative}{entry.name}/", OF_PAGE))
                else:
                    self._add_entry(entry, relative, ignoring, (*ancestors, here), folders)

    def _add_entry(
        self, entry: os.DirEntry[str], parent: str, ignoring: Ignoring, ancestors: Ancestors, folders: bool
    ) -> None:
        """Add an entry of a folder if it is a folder (``folders``) or is not."""
        relative = parent + entry.name
        try:
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            if is_folder is not folders:
                return
            shown = relative + "/" if is_folder else relative
            pattern = ignoring.pattern_for(shown)
            if pattern:
                self.result.ignored.append((shown, pattern))
            elif is_link:
                self.result.links.append(relative)
            elif is_folder:
                self.add_folder(Path(entry.path), relative + "/", ignoring, ancestors)
            else:
                self.add_file(Path(entry.path), relative, entry.stat(follow_symlinks=False))
        except OSError as error:
            self.result.unreadable.append((relative, f"It cannot be reached: {error.strerror}."))

    def add_file(self, path: Path, relative: str, status: os.stat_result) -> None:
        """Add a file. Pipes and devices, which may never end, are listed as unreadable."""
        if not stat.S_ISREG(status.st_mode):
            self.result.unreadable.append((relative, _NO_FILE))
            return
        if in_the_cloud(status):
            self.result.ignored.append((relative, IN_THE_CLOUD))
            return
        stamp = FileStamp(status.st_size, status.st_mtime_ns)
        stored = self.known.get(path_key(path))
        kind = reason = ""
        if stored is not None and stored.stamp == stamp:
            kind = stored.kind
        elif self.kinds:
            try:
                kind = kind_of(path, stamp.size_bytes, path.name)
            except UnsupportedKindError as error:
                reason = error.problem
        self.result.files.append(FoundFile(path, relative, stamp, kind, reason))


def in_the_cloud(status: os.stat_result) -> bool:
    """Whether a file is a placeholder that a cloud service downloads when it is read. Never on Linux."""
    flags, attributes = getattr(status, "st_flags", 0), getattr(status, "st_file_attributes", 0)
    return bool(flags & _DATALESS or attributes & _RECALLED)


def hash_of(path: Path) -> str:
    """The hex SHA-256 of a file; "" if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def joined(path: str, relative: str) -> str:
    """A path as the user gave it, joined with a relative path; unlike ``Path``, it keeps "./"."""
    return os.path.join(path, *relative.rstrip("/").split("/"))  # noqa: PTH118
