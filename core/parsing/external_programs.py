"""Programs of the system that read for us: waited for with a limit, while the work is told of and can be stopped."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from core.errors import WorkerError

_TICK_SECONDS = 0.2


def waited_for(
    process: subprocess.Popen[bytes],
    data: bytes | None,
    seconds: float,
    late: WorkerError,
    tick: Callable[[], None] | None = None,
) -> tuple[bytes, bytes]:
    """What a program writes and what it complains of, once it has ended by itself.

    ``data``: what it is given to read, ``None`` for nothing. ``tick`` is called five times a second and may raise to
    stop. Raises ``late`` where it takes longer than ``seconds``; ending it then is left to the caller.
    """
    deadline = time.monotonic() + seconds
    while True:
        if tick:
            tick()
        try:
            return process.communicate(data, timeout=_TICK_SECONDS)
        except subprocess.TimeoutExpired:
            data = None  # what was not written yet the process object still holds
            if time.monotonic() >= deadline:
                raise late from None
