"""The original bytes, content-addressed: ``files/ab/cdef...``, written before the transaction that names them.

Until a row is committed that names them, and from the transaction that forgets them, bytes lie in ``files/staged``:
these alone are ever deleted. An original that lies in its place and that the catalogue does not know was named by a
catalogue that is gone (an older one was put back, it was emptied, its log was lost), and is moved to ``set-aside``.
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
_PIECE = 1 << 20
_INCOMING = "incoming-"
_STAGED = "staged"
SET_ASIDE = "set-aside"
_HASH = re.compile("[0-9a-f]{64}")


def is_hash(text: str) -> bool:
    """Whether this could name an original."""
    return bool(_HASH.fullmatch(text))


class FileStore:
    """Originals under ``root``. A hash is the hex SHA-256 of the bytes, which is also the version's id.

    ``fresh`` holds what this process wrote and no committed row names yet, so that nothing sweeps it away.
    """

    def __init__(self, root: Path, *, writable: bool) -> None:
        self.root = root
        self.writable = writable
        self.fresh: set[str] = set()
        self._fresh_lock = threading.Lock()

    def path(self, content_hash: str) -> Path:
        """Where these bytes lie, or would lie. Raises ``StorageError`` for what is no hash."""
        final, staged = self._final(content_hash), self.root / _STAGED / content_hash
        return staged if not final.is_file() and staged.is_file() else final

    @property
    def set_aside(self) -> Path:
        """The folder of originals that the catalogue did not know when the library was opened."""
        return self.root.with_name(SET_ASIDE)

    def size(self, content_hash: str) -> int:
        """Bytes of an original. Raises ``NotFoundError``."""
        return self._there(content_hash).stat().st_size

    def read(self, content_hash: str) -> bytes:
        """The original bytes. Raises ``NotFoundError``, ``StorageError``."""
        path = self._there(content_hash)
        with disk_faults(path):
            return path.read_bytes()

    def stage(self, data: bytes) -> str:
        """Keep these bytes durably and return their hash; a second time costs no writing, and damage is healed."""
        return self._known(hashlib.sha256(data).hexdigest()) or self.stage_stream(io.BytesIO(data))

    def hash_of(self, path: Path) -> str:
        """The hash a file of the user's has now. Raises ``StorageError`` with a sentence where it cannot be read."""
        with disk_faults(path), path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def stage_stream(self, stream: BinaryIO) -> str:
        """As ``stage``, from an open binary file read piece by piece."""
        if not self.writable:
            raise StorageError(f"{self.root} was opened for reading.", "Open the library for writing.")
        digest = hashlib.sha256()
        with disk_faults(self.root):
            descriptor, name = tempfile.mkstemp(prefix=_INCOMING, dir=self.root)
            incoming = Path(name)
            try:
                with os.fdopen(descriptor, "wb") as target:
                    while piece := stream.read(_PIECE):
                        digest.update(piece)
                        target.write(piece)
                    target.flush()
                    os.fsync(target.fileno())
                content_hash = digest.hexdigest()
                final = self._final(content_hash)
                with self._fresh_lock:
                    # A damaged original is healed where it lies: a row names it.
                    _move(incoming, final if final.is_file() else self.root / _STAGED / content_hash)
                    self.fresh.add(content_hash)
            finally:
                incoming.unlink(missing_ok=True)
        return content_hash

    def take_back(self, content_hash: str) -> bool:
        """Put an original that was set aside in its place; ``False`` where there is none, or where it is damaged.

        Not staged: who is stopped before a row names it has it set aside again, not deleted.
        """
        aside = self.set_aside / content_hash
        if self.fault(content_hash, aside):
            return not self.fault(content_hash)
        with self._fresh_lock, disk_faults(self.root):
            _move(aside, self._final(content_hash))
            self.fresh.add(content_hash)
        return True

    def fault(self, content_hash: str, path: Path | None = None) -> str:
        """What is wrong with an original, or with what stands for it at ``path``, as a sentence; "" when nothing is."""
        path = path or self.path(content_hash)
        try:
            if not os.path.lexists(path):
                return "The original file is missing."
            return "" if self.hash_of(path) == content_hash else "The original file has been changed."
        except (StorageError, OSError) as error:
            return f"The original file cannot be read: {error}"

    def _known(self, content_hash: str) -> str:
        """The hash, where its bytes lie here already (and are fresh from now on); "" where they must be written."""
        with self._fresh_lock:
            if self.writable and not self.fault(content_hash):
                self.fresh.add(content_hash)
                return content_hash
        return ""

    def unnamed(self, content_hash: str) -> None:
        """The transaction that is about to be committed forgets these bytes: ``named`` or ``remove`` follows."""
        final = self._final(content_hash)
        with self._fresh_lock, disk_faults(self.root):
            if final.is_file():
                _move(final, self.root / _STAGED / content_hash)

    def remove(self, content_hash: str) -> None:
        """Delete what was ``unnamed``, unless this process has just staged it again. A failure is logged."""
        with self._fresh_lock:
            if content_hash in self.fresh:
                return
            path = self.root / _STAGED / content_hash
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _LOG.warning("The original %s could not be removed (%s); the next opening tries again.", path, error)

    def named(self, *content_hashes: str) -> None:
        """Committed rows name these bytes now."""
        with self._fresh_lock:
            for content_hash in content_hashes:
                self._keep(content_hash)
            self.fresh.difference_update(content_hashes)

    def hashes(self) -> Iterator[str]:
        """Every original on disk, staged ones included."""
        yield from sorted(name for name, _ in self._in_place())
        yield from sorted(path.name for path in self.root.glob(f"{_STAGED}/*") if _HASH.fullmatch(path.name))

    def hashes_set_aside(self) -> list[str]:
        """Originals in ``set_aside``."""
        return sorted(path.name for path in self.set_aside.glob("*") if _HASH.fullmatch(path.name))

    def sweep(self, wanted: set[str]) -> tuple[int, int]:
        """Bring the folder in line with a catalogue that names ``wanted``; return how many were (deleted, set aside).

        Deleted: half-written files, and staged bytes that neither ``wanted`` nor ``fresh`` names: no committed row
        ever did. Set aside, never deleted: originals that ``wanted`` lacks. What ``wanted`` names and was set aside
        is brought back.
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
            for name, entry in list(self._in_place()):
                if name not in wanted and name not in self.fresh:
                    _move(Path(entry.path), self.set_aside / name)
                    moved += 1
        return deleted, moved

    def strange(self) -> list[Path]:
        """What lies in the folder and is none of ours, such as a folder that a file server makes."""
        known = {self.path(content_hash) for content_hash in self.hashes()} | set(self.root.glob(_INCOMING + "*"))
        return [path for path in sorted(self.root.rglob("*")) if path not in known and not _is_shelf(path, self.root)]

    def bytes_on_disk(self) -> int:
        total = 0
        found: list[Path | os.DirEntry[str]] = [entry for _, entry in self._in_place()]
        found += (path for path in self.root.glob(f"{_STAGED}/*") if _HASH.fullmatch(path.name))
        for one in found:
            with suppress(FileNotFoundError):  # moved or removed meanwhile
                total += one.stat().st_size
        return total

    def _final(self, content_hash: str) -> Path:
        if len(content_hash) != 64 or not set(content_hash) <= set("0123456789abcdef"):
            raise StorageError(f"{content_hash!r} is not the SHA-256 of a file.")
        return self.root / content_hash[:2] / content_hash[2:]

    def _in_place(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Originals in their places, by their hashes; what else a disk or a person put between them is passed over.

        One listing a folder: asking for each of 50,000 took seconds of every opening.
        """
        for shelf in self.root.glob("[0-9a-f][0-9a-f]"):
            with suppress(PermissionError, NotADirectoryError, FileNotFoundError), os.scandir(shelf) as entries:
                for entry in entries:
                    if _HASH.fullmatch(shelf.name + entry.name) and not entry.is_dir():
                        yield shelf.name + entry.name, entry

    def _keep(self, content_hash: str) -> None:
        """Move staged bytes to their place; where that fails, the next opening does it."""
        staged = self.root / _STAGED / content_hash
        try:
            if staged.is_file():
                _move(staged, self._final(content_hash))
        except OSError as error:
            _LOG.warning("The original %s stays in %s for now (%s).", content_hash, staged.parent, error)

    def _there(self, content_hash: str) -> Path:
        path = self.path(content_hash)
        if not path.is_file():
            path = self.path(content_hash)  # it was moved between the two looks of the first call
        if not path.is_file():
            raise NotFoundError(f"The original of {content_hash[:12]} is missing from {self.root}.", "Ingest it again.")
        return path


def _is_shelf(path: Path, root: Path) -> bool:
    return path.parent == root and path.is_dir() and bool(re.fullmatch(rf"[0-9a-f]{{2}}|{_STAGED}", path.name))


def _move(source: Path, target: Path) -> None:
    """Rename within one disk, durably; the target's folder is made when missing."""
    new_folder = not target.parent.exists()
    target.parent.mkdir(exist_ok=True)
    source.replace(target)
    _sync_folder(target.parent)
    if new_folder:
        _sync_folder(target.parent.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where folders can be synced (not on Windows, which journals them)."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
