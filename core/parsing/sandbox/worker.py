"""What every child process that opens files does: answer requests over pipes, in a box it cannot leave.

It reads a request (a JSON frame, then the file's bytes) and answers with JSON frames: those of the task, perhaps an
"error", and "done" last. Its limits are the kernel's: address space per request, no new files, no sockets, no child
processes. It dies with its parent even inside a long call of a library: the lifeline pipe raises SIGIO when the
parent's end closes.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from core.errors import ParseError, PasswordNeededError

Answer = dict[str, Any]
Task = Callable[[bytes, Answer], Iterator[Answer]]
Failures = tuple[type[Exception], ...]
_LENGTH = struct.Struct(">I")
_MEMORY_SIGNS = ("malloc", "out of memory", "bad_alloc", "calloc", "cannot allocate", "memory allocation failed")


def read_exactly(stream: IO[bytes], size: int) -> bytes | None:
    """``size`` bytes of a pipe, ``None`` when it ends before."""
    parts = []
    while size:
        part = stream.read(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_frame(stream: IO[bytes]) -> bytes | None:
    """One length-prefixed frame, ``None`` at the end of the pipe."""
    prefix = read_exactly(stream, _LENGTH.size)
    return None if prefix is None else read_exactly(stream, _LENGTH.unpack(prefix)[0])


def frame(message: Answer) -> bytes:
    """A message as a length-prefixed JSON frame."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return _LENGTH.pack(len(body)) + body


def answer(task: Task, data: bytes, request: Answer, failures: Failures) -> Iterator[bytes]:
    """All frames of one request, "done" always last; what a task may raise on a bad file becomes one "error" frame.

    ``failures``: what its libraries raise on damaged files. A ``ParseError`` keeps its sentence (kind "parse").
    """
    try:
        yield from map(frame, task(data, request))
    except MemoryError:
        yield frame({"type": "error", "kind": "memory", "message": ""})
    except ParseError as error:
        kind = "password" if isinstance(error, PasswordNeededError) else "parse"
        yield frame({"type": "error", "kind": kind, "message": error.problem, "remedy": error.remedy})
    except failures as error:
        kind = "memory" if is_memory(error) else "damaged"
        yield frame({"type": "error", "kind": kind, "message": f"{type(error).__name__}: {error}"[:300]})
    yield frame({"type": "done", "request": request.get("request")})


def is_memory(error: Exception) -> bool:
    """Whether a library's own error says that memory ran out.

    >>> is_memory(RuntimeError("malloc (8 bytes) failed")), is_memory(RuntimeError("no objects found"))
    (True, False)
    """
    words = str(error).lower()
    return any(sign in words for sign in _MEMORY_SIGNS)


def _address_space() -> int:
    """Bytes of address space in use, 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


def limit_memory(extra_bytes: int, in_use: int) -> None:
    """Let the address space grow by ``extra_bytes`` and no further; without effect where the system has no limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if in_use:
        resource.setrlimit(resource.RLIMIT_AS, (in_use + extra_bytes, resource.RLIM_INFINITY))


def shut_doors(nowhere: int, highest: int) -> None:
    """No files, sockets or child processes are opened, and no file or core dump written, from here on.

    Every free descriptor below ``highest`` is taken by ``nowhere``, and none above it may be opened.
    """
    try:
        import resource
    except ImportError:
        return
    while (taken := os.dup(nowhere)) < highest:
        continue
    os.close(taken)
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken, taken))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def follow_parent(lifeline: int) -> None:
    """Die (SIGIO's default) as soon as nobody holds the other end of the lifeline pipe."""
    try:
        import fcntl
    except ImportError:
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def serve(tasks: Mapping[str, Task], warm_up: Callable[[], None], failures: Callable[[], Failures]) -> None:
    """Serve requests from standard input until it closes.

    ``warm_up`` runs before the doors shut and loads whatever its libraries would load late. ``failures`` is called
    after it: see ``answer``.
    """
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # whatever a library prints goes nowhere, never between the frames
        os.dup2(nowhere, descriptor)
    lifeline = int(sys.argv[1]) if len(sys.argv) > 1 else -1
    if lifeline >= 0:
        follow_parent(lifeline)
    warm_up()
    known = failures()
    in_use = _address_space()
    shut_doors(nowhere, max(source.fileno(), target.fileno(), lifeline))
    target.write(frame({"type": "ready"}))
    target.flush()
    while (head := read_frame(source)) is not None:
        request = json.loads(head)
        data = read_exactly(source, int(request["size"]))
        if data is None:
            return
        limit_memory(int(request["memory_bytes"]) + len(data), in_use)
        for encoded in answer(tasks[str(request["task"])], data, request, known):
            target.write(encoded)
            target.flush()
