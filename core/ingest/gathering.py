"""The files a folder holds: what is taken, what is passed over and why, and what is new against the library."""

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
from core.storage.catalogue.folders import KnownFile, files_below, note_scan, set_stamps
from core.storage.catalogue.job_rows import NewItem
from core.storage.catalogue.sources import FileStamp, path_key
from core.storage.connections import CATALOGUE
from core.storage.store import Store

DEFAULTS = (
    *(".git/", "node_modules/", "__pycache__/", ".venv/", "*.pyc", ".DS_Store", "Thumbs.db", "desktop.ini", "~$*"),
    *("*.tmp", "*.part", "*.partial", "*.crdownload", "*.download", "*.swp", "*~"),  # not there as a whole yet
)
IGNORE_FILES = (".gitignore", ".lecternignore")  # of one folder, the latter has the first word
HIDDEN = ".*"  # what begins with a dot, the last of the defaults unless hidden files are wanted
OWN_LIBRARY = "a Lectern library"
IN_THE_CLOUD = "in the cloud alone: looking into it would fetch it"
OF_PAGE = "what a saved page shows"
_PAGES = (".html", ".htm", ".xhtml")
_FILES_OF_PAGES = (  # behind a page's name, by the browser's language
    "_files .files -Dateien _fichiers _archivos _file _bestanden _arquivos _ficheiros -filer _tiedostot _pliki "
    "_soubory _dosyalar _fitxers _datoteke _fajlovi _elemei"
).split()
_IGNORE_FILE_BYTES = 1 << 18
_DATALESS = 0x4000_0000  # macOS (SF_DATALESS): a file whose content is fetched when it is read
_RECALLED = 0x0040_0000 | 0x1000  # Windows: RECALL_ON_DATA_ACCESS, OFFLINE


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns that hold below one folder. ``base``: the way to it, "" or ending in ``/``."""

    base: str
    patterns: tuple[str, ...]
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Rules by rank: the first that says anything about a path decides. ``given`` by the person come first."""

    given: Rules
    nested: tuple[Rules, ...]  # of IGNORE_FILES, the deepest first
    defaults: Rules

    @classmethod
    def of(cls, patterns: Sequence[str], *, hidden: bool = False) -> Ignoring:
        """The given patterns before the defaults. ``hidden``: take hidden files too.

        Raises ``LecternError`` for a pattern that is none.

        >>> rules = Ignoring.of(["*.log", "!keep.log"])
        >>> rules.pattern_for("a/b.log"), rules.pattern_for("keep.log"), rules.pattern_for("a/node_modules/")
        ('*.log', '', 'node_modules/')
        """
        defaults = DEFAULTS if hidden else (*DEFAULTS, HIDDEN)
        return cls(_rules("", patterns, strict=True), (), _rules("", defaults, strict=True))

    def within(self, base: str, file: Path) -> Ignoring:
        """Also the rules of such a file, for what lies beside and below it; lines that are none are left."""
        with file.open("rb") as stream:
            lines = stream.read(_IGNORE_FILE_BYTES).decode("utf-8", "replace").splitlines()
        return replace(self, nested=(_rules(base, lines, strict=False), *self.nested))

    def pattern_for(self, way: str) -> str:
        """The pattern that passes over a path (a folder's ends in ``/``), "" where none does."""
        for rules in (self.given, *self.nested, self.defaults):
            if rules.patterns and way.startswith(rules.base):
                said = rules.spec.check_file(way[len(rules.base) :])
                if said.include is not None:
                    return rules.patterns[said.index or 0] if said.include else ""
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


MAX_DEPTH = 100  # folders in folders: beyond this something is mounted in itself
_NO_FILE = "It is a pipe, a socket or a device, not a file."

ScanProgress = Callable[[int, str], None]
Above = tuple[tuple[int, int], ...]  # device and number of each folder on the way down


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file below a folder. ``relative``: the way to it, with ``/`` on every system. ``kind``: "" where nothing here
    reads it, and then ``reason`` is the sentence that says so.
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
    """What a walk through a folder found. Nothing was taken in, links were not followed.

    ``ignored``: (relative path, the pattern or reason); a folder, ending in ``/``, stands for all that is in it.
    ``links``: relative paths. ``unreadable``: (relative path, a sentence).
    """

    folder: Path
    files: list[FoundFile] = field(default_factory=list)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Changes:
    """A scan against the library. ``unsupported``: files not in the library that nothing here reads. ``missing``:
    files the library holds that are no longer there.
    """

    scan: Scan
    new: tuple[FoundFile, ...]
    changed: tuple[FoundFile, ...]
    unchanged: tuple[FoundFile, ...]
    unsupported: tuple[FoundFile, ...]
    missing: tuple[KnownFile, ...]

    def by_state(self) -> dict[str, tuple[FoundFile, ...]]:
        """The files found, by what an ingest would make of them."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "unsupported": self.unsupported,
        }

    def items(self) -> list[NewItem]:
        """What is new or changed, for the queue; each named by the folder and the way below it."""
        above = f"{self.scan.folder.name}/" if self.scan.folder.name else ""
        return [NewItem(above + file.relative, file.path) for file in (*self.new, *self.changed)]


def scan(
    folder: Path,
    ignore: Sequence[str] = (),
    library: Path | None = None,
    progress: ScanProgress | None = None,
    *,
    hidden: bool = False,
    kinds: bool = True,
    known: Mapping[bytes, KnownFile] | None = None,
) -> Scan:
    """Walk through a folder in a stable order, or look at one file. Reads no more of a file than its kind needs.

    ``ignore``: patterns as in a .gitignore file; so are those of ``IGNORE_FILES`` on the way, each for its own
    folder; ``core.ingest.gathering.DEFAULTS`` come last. ``library`` (and any other library) is passed over, and what
    begins with a dot unless ``hidden``. ``progress(files, folder)`` may raise ``CancelledError``. ``known``: files
    whose kind need not be looked at while their stamp is the same; without ``kinds`` none is looked at, and all are "".
    Raises ``LecternError`` for what is not there.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - Path.absolute keeps ".."
    if os.path.isfile(place):  # noqa: PTH113 - answers where is_file raises
        found = Scan(place.parent)
        _Walk(found, None, None, kinds, known or {}).take(place, place.name, os.stat(place))  # noqa: PTH116
        return found
    if not os.path.isdir(place):  # noqa: PTH112
        raise LecternError(f"There is no folder {folder} on this machine.", "Check the path.")
    found = Scan(place)
    rules = Ignoring.of(ignore, hidden=hidden)
    _Walk(found, library and library.resolve(), progress, kinds, known or {}).below(place, "", rules, ())
    return found


def compare(
    found: Scan, known: Mapping[bytes, KnownFile], progress: ScanProgress | None = None
) -> tuple[Changes, dict[int, FileStamp]]:
    """What of a scan is new, changed or as the library has it: by path, then size and time, then content.

    ``known``: ``files_known`` of the scanned folder. Also returned: the stamps, by source, of files that had to be
    read and hold what they held; remembered, they spare reading them the next time.
    """
    new: list[FoundFile] = []
    changed: list[FoundFile] = []
    unchanged: list[FoundFile] = []
    unsupported: list[FoundFile] = []
    seen: dict[int, FileStamp] = {}
    for number, file in enumerate(found.files):
        held = known.get(path_key(file.path))
        if held is None:
            (new if file.kind else unsupported).append(file)
        elif held.stamp == file.stamp:
            unchanged.append(file)
        elif hash_of(file.path) == held.version_id:
            unchanged.append(file)
            seen[held.source] = file.stamp
        else:
            changed.append(file)
        if progress:
            progress(number + 1, file.relative)
    there = {path_key(file.path) for file in found.files}
    closed = tuple(os.path.join(path_key(found.folder / place), b"") for place, _ in found.unreadable)  # noqa: PTH118
    missing = [
        held
        for key, held in known.items()
        if key not in there and not os.path.lexists(held.path) and not key.startswith(closed)
    ]
    changes = Changes(found, tuple(new), tuple(changed), tuple(unchanged), tuple(unsupported), tuple(missing))
    return changes, seen


def scan_changes(store: Store, folder: Path, ignore: Sequence[str], progress: ScanProgress | None) -> Changes:
    """What a folder (or file) holds against what the library has of it; what had to be read for that is remembered."""
    known = files_known(store, folder)
    return compared(store, scan(folder, ignore, store.home, progress, known=known), folder, known, progress)


def compared(
    store: Store, found: Scan, folder: Path, known: Mapping[bytes, KnownFile], progress: ScanProgress | None = None
) -> Changes:
    """``compare``, and remember what had to be read for it, and when it was; a store open for reading does not."""
    changes, stamps = compare(found, known, progress)
    if store.writable:
        set_stamps(store, stamps)
        note_scan(store, folder)
    return changes


def files_known(store: Store, folder: Path) -> dict[bytes, KnownFile]:
    """What the library holds below a folder, by ``path_key``."""
    return {path_key(held.path): held for held in files_below(store, folder)}


def find_files(paths: Sequence[str], library: Path, ignore: Sequence[str] = ()) -> tuple[list[NewItem], list[Failure]]:
    """Every file at or below the paths, in a stable order, and what could not be looked into.

    Names keep the path as given. A file that is named itself is taken whatever the patterns say.
    """
    items: list[NewItem] = []
    failures: list[Failure] = []
    for path in paths:
        try:
            folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - the path as given, "./" kept
        except FileNotFoundError:
            failures.append(Failure(path, "There is no such file or folder."))
        except OSError as error:
            failures.append(Failure(path, f"It cannot be reached: {error.strerror}."))
        else:
            if not folder:
                items.append(NewItem(path, Path(path).absolute()))
                continue
            found = scan(Path(path), ignore, library, kinds=False)
            items.extend(NewItem(joined(path, file.relative), file.path) for file in found.files)
            failures.extend(Failure(joined(path, place), reason) for place, reason in found.unreadable)
    return items, failures


@dataclass(frozen=True, slots=True)
class _Walk:
    """One walk: where it puts what it finds, and what it goes by."""

    found: Scan
    library: Path | None
    progress: ScanProgress | None
    kinds: bool
    known: Mapping[bytes, KnownFile]

    def below(self, folder: Path, relative: str, ignoring: Ignoring, above: Above) -> None:
        """Everything below a folder; ``above``: the folders it lies in, so that no way leads in a circle."""
        if self.progress:
            self.progress(len(self.found.files), relative)
        try:
            status = os.stat(folder)  # noqa: PTH116 - beside scandir
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            self.found.unreadable.append((relative, f"The folder cannot be read: {error.strerror}."))
            return
        here = (status.st_dev, status.st_ino)
        if here in above or len(above) >= MAX_DEPTH:
            self.found.unreadable.append((relative, "The folder lies in itself, or too deep."))
            return
        if any(entry.name == CATALOGUE for entry in entries) or folder.resolve() == self.library:
            self.found.ignored.append((relative, OWN_LIBRARY))
            return
        for file in IGNORE_FILES:
            if (folder / file).is_file():
                ignoring = ignoring.within(relative, folder / file)
        pages = {os.path.splitext(entry.name)[0] for entry in entries if entry.name.lower().endswith(_PAGES)}  # noqa: PTH122
        of_pages = {page + files for page in pages for files in _FILES_OF_PAGES}
        for folders in (False, True):  # files before the folders beside them, each by name
            for entry in entries:
                if folders and entry.name in of_pages and entry.is_dir(follow_symlinks=False):
                    self.found.ignored.append((f"{relative}{entry.name}/", OF_PAGE))
                else:
                    self._meet(entry, relative, ignoring, (*above, here), folders)

    def _meet(self, entry: os.DirEntry[str], relative: str, ignoring: Ignoring, above: Above, folders: bool) -> None:
        way = relative + entry.name
        try:
            link, folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            if folder is not folders:
                return
            shown = way + "/" if folder else way
            pattern = ignoring.pattern_for(shown)
            if pattern:
                self.found.ignored.append((shown, pattern))
            elif link:
                self.found.links.append(way)
            elif folder:
                self.below(Path(entry.path), way + "/", ignoring, above)
            else:
                self.take(Path(entry.path), way, entry.stat(follow_symlinks=False))
        except OSError as error:
            self.found.unreadable.append((way, f"It cannot be reached: {error.strerror}."))

    def take(self, path: Path, way: str, status: os.stat_result) -> None:
        """Note a file; a pipe or a device, which would be read for ever, is none."""
        if not stat.S_ISREG(status.st_mode):
            self.found.unreadable.append((way, _NO_FILE))
            return
        if in_the_cloud(status):
            self.found.ignored.append((way, IN_THE_CLOUD))
            return
        stamp = FileStamp(status.st_size, status.st_mtime_ns)
        held = self.known.get(path_key(path))
        kind = reason = ""
        if held is not None and held.stamp == stamp:
            kind = held.kind
        elif self.kinds:
            try:
                kind = kind_of(path, stamp.size_bytes, path.name)
            except UnsupportedKindError as error:
                reason = error.problem
        self.found.files.append(FoundFile(path, way, stamp, kind, reason))


def in_the_cloud(status: os.stat_result) -> bool:
    """Whether a file is a placeholder whose content its service would have to fetch. Linux marks none as such."""
    flags, attributes = getattr(status, "st_flags", 0), getattr(status, "st_file_attributes", 0)
    return bool(flags & _DATALESS or attributes & _RECALLED)


def hash_of(path: Path) -> str:
    """Of a file's bytes; "" where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def joined(path: str, relative: str) -> str:
    """A path as it was given, "./" and all, and the way below it."""
    return os.path.join(path, *relative.rstrip("/").split("/"))  # noqa: PTH118
