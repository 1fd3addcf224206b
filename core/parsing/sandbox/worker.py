"""The server loop of every worker process: it answers requests over pipes and is confined by the kernel.

A request is a JSON frame and then the file's bytes. The answer is a sequence of JSON frames: those of the task, an
"error" if it failed, and "done" last. The kernel limits the address space for each request and forbids new files,
sockets and child processes. The worker dies with its parent even during a long library call: when the parent's end of
the lifeline pipe closes, the kernel sends SIGIO.
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
"""The exceptions that a task's libraries raise on damaged files."""
_LENGTH = struct.Struct(">I")
_MEMORY_SIGNS = ("malloc", "out of memory", "bad_alloc", "calloc", "cannot allocate", "memory allocation failed")


def read_exactly(stream: IO[bytes], size: int) -> bytes | None:
    """``size`` bytes of a pipe, ``None`` if it ends before."""
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
    """The frames of one request, "done" always last. A ``ParseError``, ``MemoryError`` or one of ``failures`` becomes
    an "error" frame; other exceptions are raised.
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
    """Whether a library's error message means that memory ran out.

    >>> is_memory(RuntimeError("malloc (8 bytes) failed")), is_memory(RuntimeError("no objects found"))
    (True, False)
    """
    words = str(error).lower()
    return any(sign in words for sign in _MEMORY_SIGNS)


def _address_space() -> int:
    """Bytes of address space in use, 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


def limit_memory(extra_bytes: int, in_use: int) -> None:
    """Limit the address space to ``in_use`` plus ``extra_bytes``. No effect where the system has no such limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if in_use:
        resource.setrlimit(resource.RLIMIT_AS, (in_use + extra_bytes, resource.RLIM_INFINITY))


def shut_doors(null: int, highest: int) -> None:
    """Forbid this process to open files, sockets or child processes and to write files or core dumps.

    ``null``: a descriptor of the null device, with which all free descriptors up to ``highest`` are filled. The limit
    on descriptors is then set right above them.
    """
    try:
        import resource
    except ImportError:
        return
    while (descriptor := os.dup(null)) < highest:
        continue
    os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptor, descriptor))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def follow_parent(lifeline: int) -> None:
    """Have the kernel kill this process (SIGIO's default) when the other end of the lifeline pipe is closed."""
    try:
        import fcntl
    except ImportError:
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def serve(tasks: Mapping[str, Task], warm_up: Callable[[], None], failures: Callable[[], Failures]) -> None:
    """Serve requests from standard input until it closes; ``tasks`` by name.

    ``warm_up`` loads everything that the libraries would load lazily; afterwards no file can be opened. ``failures`` is
    called after it; for what it returns see ``answer``.
    """
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # what libraries print must not get between the frames
        os.dup2(null, descriptor)
    lifeline = int(sys.argv[1]) if len(sys.argv) > 1 else -1
    if lifeline >= 0:
        follow_parent(lifeline)
    warm_up()
    known_failures = failures()
    in_use = _address_space()
    shut_doors(null, max(source.fileno(), target.fileno(), lifeline))
    target.write(frame({"type": "ready"}))
    target.flush()
    while (body := read_frame(source)) is not None:
        request = json.loads(body)
        data = read_exactly(source, int(request["size"]))
        if data is None:
            return
        limit_memory(int(request["memory_bytes"]) + len(data), in_use)
        for encoded in answer(tasks[str(request["task"])], data, request, known_failures):
            target.write(encoded)
            target.flush()
