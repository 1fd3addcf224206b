"""Reading files before they are parsed: bytes, stamps, kinds and size limits."""

from __future__ import annotations

import stat
import time
from pathlib import Path

from core.errors import LecternError, ParseError
from core.ingest.prepared import Incoming
from core.parsing import TEXT_KINDS
from core.parsing.file_kinds import detect_kind
from core.parsing.file_names import suffix_of
from core.storage.catalogue.filing.sources import FileStamp
from core.storage.faults import disk_faults

_SETTLED_SECONDS = 2.0  # a file changed more recently may change again without a new modification time

HEAD_BYTES = 8192
_MAX_BYTES, MAX_TEXT_BYTES = 512 << 20, 64 << 20  # text takes many times its size in memory
_WHOLE_BYTES = 64 << 20  # archives up to this size are read whole to detect their kind: their directory is at the end
_ARCHIVES = (b"PK\3\4", b"\xd0\xcf\x11\xe0")


def read_incoming(item: Incoming) -> tuple[bytes | None, FileStamp | None]:
    """``(bytes, stamp)`` of an item's file; the stamp is ``None`` if it may still change. Both ``None`` if staged."""
    if item.content_hash is not None:
        return None, None
    if item.path is None:
        raise LecternError(f"{item.name} names neither a file nor staged bytes.")
    require_file(item.path)
    with disk_faults(item.path):
        status = item.path.stat()
        if status.st_size > _WHOLE_BYTES:  # reject a huge file before it is read into memory
            require_size(item.name, status.st_size, kind_of(item.path, status.st_size, item.name))
        data = item.path.read_bytes()
    settled = time.time() - status.st_mtime > _SETTLED_SECONDS and len(data) == status.st_size
    return data, FileStamp(status.st_size, status.st_mtime_ns) if settled else None


def require_size(shown: str, size_bytes: int, kind: str) -> None:
    """Raise ``ParseError`` for a file that is too large to be parsed in memory. ``shown``: its name for the message."""
    limit = MAX_TEXT_BYTES if kind in TEXT_KINDS else _MAX_BYTES
    if size_bytes > limit:
        raise ParseError(
            f"{shown} has {size_bytes >> 20:,} MB; at most {limit >> 20} MB are read at once.",
            "Split the file and add its parts.",
        )


def kind_of(path: Path, size_bytes: int, name: str) -> str:
    """The kind of a file, by its name and as little of its content as necessary.

    Raises ``UnsupportedKindError``, ``OSError``.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        if head.startswith(_ARCHIVES):
            if size_bytes > _WHOLE_BYTES:
                return suffix_of(name) or "archive"  # its parser will check it
            head += stream.read()
    return detect_kind(head, name)


def require_file(path: Path) -> None:
    """Raise ``ParseError`` for a pipe or a device, which may never end. Other errors are left to the reading."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    except ValueError as error:
        raise ParseError(f"{str(path)!r} is no path of this system: {error}.", "Check its spelling.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ParseError(f"{path} is a pipe, a socket or a device, not a file.", "Save its content to a file.")
