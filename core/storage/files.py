"""Content-addressed storage of the original files: ``files/ab/cdef...``.

Bytes are written to ``files/staged`` before the transaction that refers to them, move to their final path when it
commits, and move back when a transaction drops the last reference. Only staged bytes are ever deleted. An original at
its final path that the catalogue does not know must come from a lost state of the catalogue (it was replaced by an
older one, emptied, or lost its log); it is moved to the folder ``set-aside``.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from core.errors import NotFoundError, StorageError
from core.storage.faults import disk_faults

_LOG = logging.getLogger(__name__)
_BLOCK_BYTES = 1 << 20
_INCOMING = "incoming-"
_STAGED = "staged"
SET_ASIDE = "set-aside"
_HASH = re.compile("[0-9a-f]{64}")


def is_hash(text: str) -> bool:
    """Whether ``text`` is a hex SHA-256."""
    return bool(_HASH.fullmatch(text))


class FileStore:
    """The originals under the folder ``root``, by hash: the hex SHA-256 of their bytes, which is also the version id.

    ``fresh``: hashes that this process has staged and no committed row refers to yet. They are not deleted.
    """

    def __init__(self, root: Path, *, writable: bool) -> None:
        self.root = root
        self.writable = writable
        self.fresh: set[str] = set()
        self._fresh_lock = threading.Lock()

    def path(self, content_hash: str) -> Path:
        """The path of an original, whether it exists or not. Raises ``StorageError`` for an invalid hash."""
        final, staged = self._final(content_hash), self.root / _STAGED / content_hash
        return staged if not final.is_file() and staged.is_file() else final

    @property
    def set_aside(self) -> Path:
        """The folder for originals that the catalogue did not know when the library was opened."""
        return self.root.with_name(SET_ASIDE)

    def size(self, content_hash: str) -> int:
        """The size of an original in bytes. Raises ``NotFoundError``."""
        return self._existing(content_hash).stat().st_size

    def read(self, content_hash: str) -> bytes:
        """The bytes of an original. Raises ``NotFoundError``, ``StorageError``."""
        path = self._existing(content_hash)
        with disk_faults(path):
            return path.read_bytes()

    def stage(self, data: bytes) -> str:
        """Store bytes durably and return their hash. Existing bytes are not rewritten unless they are damaged."""
        return self._stage_existing(hashlib.sha256(data).hexdigest()) or self.stage_stream(io.BytesIO(data))

    def hash_of(self, path: Path) -> str:
        """The hash of any file. Raises ``StorageError`` if it cannot be read."""
        with disk_faults(path), path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def stage_stream(self, stream: BinaryIO) -> str:
        """Store the bytes of an open binary file durably and return their hash."""
        if not self.writable:
            raise StorageError(f"{self.root} was opened for reading.", "Open the library for writing.")
        digest = hashlib.sha256()
        with disk_faults(self.root):
            descriptor, name = tempfile.mkstemp(prefix=_INCOMING, dir=self.root)
            incoming = Path(name)
            try:
                with os.fdopen(descriptor, "wb") as target:
                    while block := stream.read(_BLOCK_BYTES):
                        digest.update(block)
                        target.write(block)
                    target.flush()
                    os.fsync(target.fileno())
                content_hash = digest.hexdigest()
                final = self._final(content_hash)
                with self._fresh_lock:
                    # An existing file here is damaged and a row refers to it: overwrite it in place.
                    _move(incoming, final if final.is_file() else self.root / _STAGED / content_hash)
                    self.fresh.add(content_hash)
            finally:
                incoming.unlink(missing_ok=True)
        return content_hash

    def take_back(self, content_hash: str) -> bool:
        """Move an original from ``set_aside`` to its final path; ``False`` if there is no undamaged copy of it.

        It is not staged, so that an interruption before a row refers to it sets it aside again instead of deleting it.
        """
        aside = self.set_aside / content_hash
        if self.fault(content_hash, aside):
            return not self.fault(content_hash)
        with self._fresh_lock, disk_faults(self.root):
            _move(aside, self._final(content_hash))
            self.fresh.add(content_hash)
        return True

    def fault(self, content_hash: str, path: Path | None = None) -> str:
        """What is wrong with an original, as a sentence; "" if its bytes have its hash. ``path``: check this copy."""
        path = path or self.path(content_hash)
        try:
            if not os.path.lexists(path):
                return "The original file is missing."
            return "" if self.hash_of(path) == content_hash else "The original file has been changed."
        except (StorageError, OSError) as error:
            return f"The original file cannot be read: {error}"

    def _stage_existing(self, content_hash: str) -> str:
        """Mark an undamaged existing original as fresh and return its hash; "" if its bytes must be written."""
        with self._fresh_lock:
            if self.writable and not self.fault(content_hash):
                self.fresh.add(content_hash)
                return content_hash
        return ""

    def stage_removal(self, content_hash: str) -> None:
        """Stage an original that the running transaction no longer refers to; ``remove`` or ``commit`` must follow."""
        final = self._final(content_hash)
        with self._fresh_lock, disk_faults(self.root):
            if final.is_file():
                _move(final, self.root / _STAGED / content_hash)

    def remove(self, content_hash: str) -> None:
        """Delete a staged original unless this process has staged it anew meanwhile. A failure is only logged."""
        with self._fresh_lock:
            if content_hash in self.fresh:
                return
            path = self.root / _STAGED / content_hash
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _LOG.warning("The original %s could not be removed (%s); the next opening tries again.", path, error)

    def commit(self, *content_hashes: str) -> None:
        """Move staged originals to their final paths: committed rows refer to them now."""
        with self._fresh_lock:
            for content_hash in content_hashes:
                self._keep(content_hash)
            self.fresh.difference_update(content_hashes)

    def hashes(self) -> Iterator[str]:
        """The hashes of all originals on disk, staged ones included."""
        yield from sorted(name for name, _ in self._final_entries())
        yield from sorted(path.name for path in self.root.glob(f"{_STAGED}/*") if _HASH.fullmatch(path.name))

    def hashes_set_aside(self) -> list[str]:
        """The hashes of the originals in ``set_aside``, sorted."""
        return sorted(path.name for path in self.set_aside.glob("*") if _HASH.fullmatch(path.name))

    def sweep(self, wanted: set[str]) -> tuple[int, int]:
        """Reconcile the folder with the catalogue; return the numbers of files (deleted, set aside).

        ``wanted``: the hashes that the catalogue refers to. Deletes incomplete files and staged bytes that are neither
        wanted nor fresh. Sets aside other originals that are not wanted. Moves wanted originals back from
        ``set_aside``.
        """
        deleted = moved = 0
        with self._fresh_lock, disk_faults(self.root):
            for path in self.root.glob(f"{_STAGED}/*"):
                if path.name in wanted:
                    self._keep(path.name)
            for content_hash in wanted.intersection(self.hashes_set_aside()):
                if (aside := self.set_aside / content_hash).is_file():
                    if self.fault(content_hash, self._final(content_hash)):
                        _move(aside, self._final(content_hash))
                    else:
                        aside.unlink()
            for path in (*self.root.glob(_INCOMING + "*"), *self.root.glob(f"{_STAGED}/*")):
                if path.name not in wanted and path.name not in self.fresh and path.is_file():
                    path.unlink(missing_ok=True)
                    deleted += 1
            for name, entry in list(self._final_entries()):
                if name not in wanted and name not in self.fresh:
                    _move(Path(entry.path), self.set_aside / name)
                    moved += 1
        return deleted, moved

    def strange(self) -> list[Path]:
        """Paths in the folder that Lectern did not create, such as the hidden folders of file servers."""
        known = {self.path(content_hash) for content_hash in self.hashes()} | set(self.root.glob(_INCOMING + "*"))
        return [path for path in sorted(self.root.rglob("*")) if path not in known and not _is_shelf(path, self.root)]

    def bytes_on_disk(self) -> int:
        """The total size of all originals, staged ones included."""
        total = 0
        files: list[Path | os.DirEntry[str]] = [entry for _, entry in self._final_entries()]
        files += (path for path in self.root.glob(f"{_STAGED}/*") if _HASH.fullmatch(path.name))
        for file in files:
            with suppress(FileNotFoundError):  # moved or deleted meanwhile
                total += file.stat().st_size
        return total

    def _final(self, content_hash: str) -> Path:
        if not is_hash(content_hash):
            raise StorageError(f"{content_hash!r} is not the SHA-256 of a file.")
        return self.root / content_hash[:2] / content_hash[2:]

    def _final_entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """``(hash, entry)`` of the originals at their final paths; other files are ignored.

        Uses one listing per folder: a ``stat`` for each of 50,000 files took seconds at every opening.
        """
        for shelf in self.root.glob("[0-9a-f][0-9a-f]"):
            with suppress(PermissionError, NotADirectoryError, FileNotFoundError), os.scandir(shelf) as entries:
                for entry in entries:
                    if _HASH.fullmatch(shelf.name + entry.name) and not entry.is_dir():
                        yield shelf.name + entry.name, entry

    def _keep(self, content_hash: str) -> None:
        """Move staged bytes to their final path. A failure is only logged: the next opening tries again."""
        staged = self.root / _STAGED / content_hash
        try:
            if staged.is_file():
                _move(staged, self._final(content_hash))
        except OSError as error:
            _LOG.warning("The original %s stays in %s for now (%s).", content_hash, staged.parent, error)

    def _existing(self, content_hash: str) -> Path:
        path = self.path(content_hash)
        if not path.is_file():
            path = self.path(content_hash)  # retry: it may have moved while the first call looked in two places
        if not path.is_file():
            raise NotFoundError(f"The original of {content_hash[:12]} is missing from {self.root}.", "Ingest it again.")
        return path


def _is_shelf(path: Path, root: Path) -> bool:
    return path.parent == root and path.is_dir() and bool(re.fullmatch(rf"[0-9a-f]{{2}}|{_STAGED}", path.name))


def _move(source: Path, target: Path) -> None:
    """Rename durably, within one file system. The target's folder is created if missing."""
    new_folder = not target.parent.exists()
    target.parent.mkdir(exist_ok=True)
    source.replace(target)
    _sync_folder(target.parent)
    if new_folder:
        _sync_folder(target.parent.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename in this folder durable. Not needed on Windows, which journals renames."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
