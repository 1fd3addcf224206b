"""One writer per library: an operating system lock whose file names its holder."""

from __future__ import annotations

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path

from core.errors import LibraryLockedError
from core.storage.faults import disk_faults

if sys.platform == "win32":
    import msvcrt

    # Locked bytes cannot be read on Windows, so the lock sits far behind the holder's name.
    _FAR = 1 << 30

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class WriterLock:
    """Held from construction to ``release`` or the process's death, however it dies.

    Raises ``LibraryLockedError`` naming the holder where another process (or another ``Store``) has it.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / "writer.lock"
        with disk_faults(self.path):
            # Python opens descriptors non-inheritable: a parsing worker that outlives us cannot keep the lock.
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            locked = held = False
            try:
                locked = _try_lock(self._descriptor)
                if locked:
                    self._write_name()
                    held = True
            finally:
                if not held:  # also where the name could not be written
                    os.close(self._descriptor)
        if not locked:
            raise LibraryLockedError(
                f"The library {home} is being written by {holder(home)}.", "Close that program and try again."
            )

    def _write_name(self) -> None:
        name = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started": datetime.now(UTC).isoformat("T", "seconds"),
        }
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, json.dumps(name).encode())

    def release(self) -> None:
        """Let the next writer in. The file stays: removing a lock file lets two writers hold two files."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def holder(home: Path) -> str:
    """Who writes the library, in words; "another process" where its name cannot be read."""
    try:
        name = json.loads((home / "writer.lock").read_text("utf-8"))
        return f"process {name['pid']} on {name['host']} (since {name['started']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
