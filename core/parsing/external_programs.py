"""Programs of the system that read for us: waited for with a limit, while the work is told of and can be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

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
    begun: Callable[[int], None] | None = None,
) -> tuple[int, bytes, bytes]:
    """A program's exit code, what it wrote and what it complains of; it and all it started are gone afterwards.

    ``data``: what it is given to read, ``None`` for nothing. ``begun`` is called with its number before that. ``tick``
    is called five times a second and may raise to stop. Raises ``late`` where it takes longer than ``seconds``.
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
            if begun:
                begun(process.pid)
            while True:
                if tick:
                    tick()
                try:
                    output, complaint = process.communicate(data, timeout=_TICK_SECONDS)
                    return process.returncode, output, complaint
                except subprocess.TimeoutExpired:
                    data = None  # what was not written yet the process object still holds
                    if time.monotonic() >= deadline:
                        raise late from None
        finally:
            if os.name == "posix":
                with suppress(ProcessLookupError):  # all of it is gone already
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
