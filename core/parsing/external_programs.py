"""Runs external programs (pandoc, LibreOffice, tesseract) with a time limit, progress ticks and cancellation."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import IO

from core.errors import WorkerError

_TICK_SECONDS = 0.2


def run(
    command: Sequence[str],
    data: bytes | None,
    seconds: float,
    late: WorkerError,
    *,
    env: Mapping[str, str],
    tick: Callable[[], None] | None = None,
    on_start: Callable[[int], None] | None = None,
) -> tuple[int, bytes, bytes]:
    """Run a program and return its exit code, standard output and standard error. Its whole process group is killed
    afterwards.

    ``data``: its standard input, ``None`` for none. ``on_start`` is called with the process id before input is sent.
    ``tick`` is called five times a second and may raise to stop. Raises ``late`` after ``seconds``.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        start_new_session=os.name == "posix",
    )
    deadline = time.monotonic() + seconds
    with process:
        try:
            if on_start:
                on_start(process.pid)
            if process.stdin and data is not None:
                # After a timeout, ``communicate`` would not send the rest of its input.
                Thread(target=_send, args=(process.stdin, data), daemon=True).start()
                process.stdin = None
            while True:
                if tick:
                    tick()
                try:
                    output, errors = process.communicate(timeout=_TICK_SECONDS)
                    return process.returncode, output, errors
                except subprocess.TimeoutExpired:
                    if time.monotonic() >= deadline:
                        raise late from None
        finally:
            if os.name == "posix":
                with suppress(ProcessLookupError):  # the group has ended already
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()


def _send(pipe: IO[bytes], data: bytes) -> None:
    """Write all of a program's input and close it. A program may end before it has read all."""
    with suppress(OSError), pipe:
        pipe.write(data)
