"""The original bytes, content-addressed: ``files/ab/cdef...``, written before the transaction that names them."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.errors import NotFoundError, StorageError
from core.storage.faults import disk_faults

_LOG = logging.getLogger(__name__)
_PIECE = 1 << 20
_INCOMING = "incoming-"


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
        """Where these bytes lie, whether or not they are there. Raises ``StorageError`` for what is no hash."""
        if len(content_hash) != 64 or not set(content_hash) <= set("0123456789abcdef"):
            raise StorageError(f"{content_hash!r} is not the SHA-256 of a file.")
        return self.root / content_hash[:2] / content_hash[2:]

    def has(self, content_hash: str) -> bool:
        return self.path(content_hash).is_file()

    def size(self, content_hash: str) -> int:
        """Bytes of an original. Raises ``NotFoundError``."""
        return self._there(content_hash).stat().st_size

    def read(self, content_hash: str) -> bytes:
        """The original bytes. Raises ``NotFoundError``, ``StorageError``."""
        path = self._there(content_hash)
        with disk_faults(path):
            return path.read_bytes()

    def stage(self, data: bytes) -> str:
        """Keep these bytes durably and return their hash; a second time costs no writing."""
        return self._known(hashlib.sha256(data).hexdigest(), len(data)) or self.stage_stream(io.BytesIO(data))

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
                final = self.path(content_hash)
                with self._fresh_lock:
                    new_folder = not final.parent.exists()
                    final.parent.mkdir(exist_ok=True)
                    incoming.replace(final)
                    self.fresh.add(content_hash)
                _sync_folder(final.parent)
                if new_folder:
                    _sync_folder(self.root)
            finally:
                incoming.unlink(missing_ok=True)
        return content_hash

    def _known(self, content_hash: str, size: int) -> str:
        """The hash, where its bytes lie here already (and are fresh from now on); "" where they must be written."""
        path = self.path(content_hash)
        with self._fresh_lock:
            if self.writable and path.is_file() and path.stat().st_size == size:
                self.fresh.add(content_hash)
                return content_hash
        return ""

    def remove(self, content_hash: str) -> None:
        """Delete an original unless this process has just staged it again. A failure is logged: it is an orphan."""
        with self._fresh_lock:
            if content_hash in self.fresh:
                return
            path = self.path(content_hash)
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _LOG.warning("The original %s could not be removed (%s); the next opening tries again.", path, error)

    def named(self, *content_hashes: str) -> None:
        """Committed rows name these bytes now."""
        with self._fresh_lock:
            self.fresh.difference_update(content_hashes)

    def hashes(self) -> Iterator[str]:
        """Every original on disk."""
        for folder in sorted(self.root.glob("??")):
            for path in sorted(folder.iterdir()):
                yield folder.name + path.name

    def sweep(self, wanted: set[str]) -> list[str]:
        """Delete half-written files and originals that neither ``wanted`` nor ``fresh`` names; return their names."""
        swept = []
        with self._fresh_lock, disk_faults(self.root):
            for path in (*self.root.glob(_INCOMING + "*"), *self.root.glob("??/*")):
                name = path.name if path.name.startswith(_INCOMING) else path.parent.name + path.name
                if name not in wanted and name not in self.fresh:
                    path.unlink(missing_ok=True)
                    swept.append(name)
        return swept

    def bytes_on_disk(self) -> int:
        return sum(path.stat().st_size for path in self.root.glob("??/*"))

    def _there(self, content_hash: str) -> Path:
        path = self.path(content_hash)
        if not path.is_file():
            raise NotFoundError(f"The original of {content_hash[:12]} is missing from {self.root}.", "Ingest it again.")
        return path


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where folders can be synced (not on Windows, which journals them)."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
