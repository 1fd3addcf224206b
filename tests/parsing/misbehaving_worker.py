"""The real box around tasks that misbehave, as hostile files would make a library do. Run by test_sandbox."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
from collections.abc import Iterator

from core.parsing.sandbox.worker import Answer, Task, serve


def hang_in_native_code(data: bytes, request: Answer) -> Iterator[Answer]:
    """Holds the interpreter's lock, so that no Python of the child runs any more."""
    yield {"type": "started"}
    ctypes.PyDLL(None).sleep(600)


def crash(data: bytes, request: Answer) -> Iterator[Answer]:
    yield {"type": "started"}
    ctypes.string_at(0)


def eat(data: bytes, request: Answer) -> Iterator[Answer]:
    kept = [bytearray(50_000_000) for _ in range(int(request["count"]))]
    yield {"type": "eaten", "count": len(kept)}


def flood(data: bytes, request: Answer) -> Iterator[Answer]:
    for number in range(int(request["count"])):
        yield {"type": "row", "number": number, "filler": "x" * 1000}


def fail(data: bytes, request: Answer) -> Iterator[Answer]:
    yield {"type": "row"}
    raise ValueError(data)


def nonsense(data: bytes, request: Answer) -> Iterator[Answer]:
    yield ["no", "message"]  # type: ignore[misc]


def reach(data: bytes, request: Answer) -> Iterator[Answer]:
    """Tries what a hostile document must not be able to do; says what worked."""
    worked = []
    for name, attempt in {
        "file": lambda: os.open("/etc/hostname", os.O_RDONLY),
        "socket": lambda: socket.socket(),
        "process": lambda: subprocess.run(["true"], check=True),
    }.items():
        try:
            attempt()
        except OSError:
            continue
        worked.append(name)
    yield {"type": "reached", "worked": worked, "environment": sorted(os.environ)}


def echo(data: bytes, request: Answer) -> Iterator[Answer]:
    yield {"type": "echo", "size": len(data), "process": os.getpid()}


TASKS: dict[str, Task] = {
    "hang": hang_in_native_code,
    "crash": crash,
    "eat": eat,
    "flood": flood,
    "fail": fail,
    "nonsense": nonsense,
    "reach": reach,
    "echo": echo,
}

if __name__ == "__main__":
    serve(TASKS, lambda: None, lambda: (ValueError,))
