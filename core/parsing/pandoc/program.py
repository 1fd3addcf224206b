"""Runs pandoc as a confined child process: bytes in, bytes out; no files, no network, bounded memory and time.

The program comes with the package pypandoc-binary. With ``--sandbox`` it does not read files that a document refers to;
memory and time are limited by the kernel and by pandoc's own heap option.
Source: https://pandoc.org/MANUAL.html, "A note on security".
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from core.errors import ParseError, WorkerError
from core.parsing.external_programs import run

_HEAP_EXHAUSTED = 251  # exit code of GHC's run-time system


@cache
def program() -> str:
    """The path of pandoc: that of the package, for the same results everywhere, else the system's.

    Raises ``ParseError`` where it is not installed.
    """
    import pypandoc

    packaged = Path(pypandoc.__file__).parent / "files" / ("pandoc.exe" if os.name == "nt" else "pandoc")
    if packaged.is_file():
        return str(packaged)
    try:
        return str(pypandoc.get_pandoc_path())
    except OSError as error:
        raise ParseError("pandoc, which reads this format, is not installed.", "Install the requirements.") from error


def convert(
    data: bytes,
    source: str,
    target: str,
    *,
    memory_megabytes: int,
    timeout_seconds: float,
    tick: Callable[[], None] | None = None,
    standalone: bool = False,
) -> bytes:
    """Convert ``data`` from format ``source`` to ``target``, both by pandoc's names. ``standalone``: with metadata.

    ``tick`` is called five times a second and may raise to stop. Raises ``ParseError`` with pandoc's message, and
    ``MemoryError`` or ``WorkerError`` where a limit is reached.

    >>> convert(b"*Hello*", "org", "html", memory_megabytes=256, timeout_seconds=60)
    b'<p><strong>Hello</strong></p>\\n'
    """
    heap = ["+RTS", f"-M{memory_megabytes}m", "-RTS"]
    ways = ["--mathjax", *(["--standalone"] if standalone else [])]  # formulas as they are written
    late = WorkerError(
        f"pandoc did not read it within {timeout_seconds:g} seconds.",
        "Split the file, or raise the limit in the settings (parsing.timeout_seconds).",
    )
    code, output, complaint = run(
        [program(), *heap, "--sandbox", *ways, "--from", source, "--to", target, "--output", "-"],
        data,
        timeout_seconds,
        late,
        env={"LANG": "C.UTF-8", "PATH": os.defpath},
        tick=tick,
        # It waits for its input: the limits are there before a byte of the document is.
        on_start=lambda process: _limit(process, int(timeout_seconds) + 1),
    )
    if code == _HEAP_EXHAUSTED:
        raise MemoryError
    if code:
        words = " ".join(complaint.decode("utf-8", "replace").split())[:300]
        raise ParseError(f"pandoc cannot read it: {words}", "Open it in its own program, save it again and retry.")
    return output


def _limit(process: int, seconds: int) -> None:
    """No file written, no core dumped, and an end of its own should this process die; where the system has limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if not hasattr(resource, "prlimit"):  # only Linux can limit another process
        return
    for limit, value in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        try:
            resource.prlimit(process, limit, (value, value))
        except ProcessLookupError:  # it failed at once: its exit code says why
            return
