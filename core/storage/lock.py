"""The write lock of a library (and of a benchmark run): an operating system lock on a file that names its holder."""

from __future__ import annotations

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

from core.errors import LibraryLockedError
from core.storage.faults import disk_faults

_FILE = "writer.lock"

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


_TRIES, _PAUSE_SECONDS = 5, 0.01  # retry: ``writer`` takes the lock for a moment to test it


class WriterLock:
    """The write lock of ``home``, held from construction until ``release`` or until the process ends.

    ``what``: what ``home`` contains, for messages. Raises ``LibraryLockedError`` naming the holder if another process
    (or another ``Store``) holds the lock.
    """

    def __init__(self, home: Path, what: str = "library") -> None:
        self.path = home / _FILE
        with disk_faults(self.path):
            # Python opens descriptors non-inheritable: a parsing worker that outlives us cannot keep the lock.
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            locked = named = False
            try:
                for retries_left in reversed(range(_TRIES)):
                    locked = _try_lock(self._descriptor)
                    if locked or not retries_left:
                        break
                    sleep(_PAUSE_SECONDS)
                if locked:
                    self._write_name()
                    named = True
            finally:
                if not named:  # also where the name could not be written
                    os.close(self._descriptor)
        if not locked:
            raise LibraryLockedError(
                f"The {what} {home} is being written by {holder(home)}.", "Close that program and try again."
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
        """Release the lock. The file stays: if it were deleted, two writers could lock two different files."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def writer(home: Path) -> str:
    """The process that holds the write lock of ``home``, described as by ``holder``; "" if there is none.

    A dead process does not count, although the file still names it.
    """
    try:
        descriptor = os.open(home / _FILE, os.O_RDWR)
        try:
            return "" if _try_lock(descriptor) else holder(home)
        finally:
            os.close(descriptor)
    except OSError:  # no lock file, or no permission
        return ""


def holder(home: Path) -> str:
    """The last holder named in the lock file, in words; "another process" if that cannot be read."""
    try:
        name = json.loads((home / _FILE).read_text("utf-8"))
        return f"process {name['pid']} on {name['host']} (since {name['started']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
