"""The child process that alone opens PDF files: ``python -m core.parsing.pdf_worker``.

It reads a request (a JSON frame, then the file's bytes) and answers with JSON frames: one per page, perhaps an "error",
and "done" last. Its limits are the kernel's: address space per request, no new files, no sockets, no child processes.
It dies with its parent even inside a long call of the library: the lifeline pipe raises SIGIO when the parent's end
closes.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

Answer = dict[str, Any]
_LENGTH = struct.Struct(">I")


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


def parse_pdf(data: bytes, request: Answer) -> Iterator[Answer]:
    """Frames for a whole file: "open" with its outline and metadata, then one "page" each."""
    import pymupdf

    from core.parsing.pdf_extract import on_shown_page, page_lines
    from core.parsing.pdf_lines import to_json

    document = pymupdf.open(stream=data, filetype="pdf")
    if document.needs_pass:
        yield {"type": "error", "kind": "password", "message": ""}
        return
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
    outline = [[int(level), str(title), int(page)] for level, title, page, *_ in document.get_toc(simple=True)]
    metadata = {key: str(value) for key, value in (document.metadata or {}).items() if value}
    yield {
        "type": "open",
        "pages": document.page_count,
        "outline": outline,
        "metadata": metadata,
        "repaired": bool(document.is_repaired),
    }
    for number in range(document.page_count):
        try:
            page = document.load_page(number)
            text_page = page.get_textpage(flags=flags)
            raw = text_page.extractDICT()
            vectors = any(block["type"] == 3 for block in raw["blocks"])
            words = [word[:5] for word in text_page.extractWORDS()] if vectors else []
            lines, height = page_lines(raw, words, page.cropbox.width, page.cropbox.height)
            if page.rotation:
                lines = [on_shown_page(line, tuple(page.rotation_matrix)) for line in lines]
            size = [page.rect.width, page.rect.height]
            pictures = not lines and bool(page.get_images())
        except _failures() as error:  # this page is damaged, the others may be whole
            if _is_memory(error):
                raise
            yield {"type": "page", "number": number + 1, "size": [0, 0], "height": 0, "lines": [], "damaged": True}
            continue
        yield {
            "type": "page",
            "number": number + 1,
            "size": size,
            "height": height,
            "lines": [to_json(line) for line in lines],
            "pictures": pictures,
        }


def render_pdf(data: bytes, request: Answer) -> Iterator[Answer]:
    """One frame with the page as a PNG picture, in base64."""
    import pymupdf

    document = pymupdf.open(stream=data, filetype="pdf")
    if document.needs_pass:
        yield {"type": "error", "kind": "password", "message": ""}
        return
    number = int(request["page"])
    if not 1 <= number <= document.page_count:
        message = f"There is no page {number}: the file has {document.page_count}."
        yield {"type": "error", "kind": "page", "message": message}
        return
    page = document.load_page(number - 1)
    scale = min(float(request["scale"]), (float(request["max_pixels"]) / max(1.0, page.rect.get_area())) ** 0.5)
    picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    yield {"type": "image", "png": base64.b64encode(picture.tobytes("png")).decode("ascii")}


TASKS: dict[str, Callable[[bytes, Answer], Iterator[Answer]]] = {"parse": parse_pdf, "render": render_pdf}


def answer(task: str, data: bytes, request: Answer) -> Iterator[Answer]:
    """All frames of one request, "done" always last; every failure of the library becomes one "error" frame."""
    try:
        yield from TASKS[task](data, request)
    except MemoryError:
        yield {"type": "error", "kind": "memory", "message": ""}
    except _failures() as error:
        kind = "memory" if _is_memory(error) else "damaged"
        yield {"type": "error", "kind": kind, "message": f"{type(error).__name__}: {error}"[:300]}
    yield {"type": "done", "request": request.get("request")}


def _failures() -> tuple[type[Exception], ...]:
    """What the library raises on damaged files, its binding's own slips on unexpected values included."""
    from pymupdf import mupdf

    slips = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, ZeroDivisionError)
    return (mupdf.FzErrorBase, RuntimeError, OSError, AssertionError, *slips)


def _is_memory(error: Exception) -> bool:
    words = str(error).lower()
    return any(sign in words for sign in ("malloc", "out of memory", "bad_alloc", "calloc", "cannot allocate"))


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


def warm_up() -> None:
    """Go every way of the library once, so that whatever it loads late is loaded before the doors shut."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    document = pymupdf.open()
    page = document.new_page(width=200, height=200)
    page.insert_text((20, 40), "warm")
    page.draw_line((20, 60), (90, 60))
    data = document.tobytes()
    for task, request in (("parse", {}), ("render", {"page": 1, "scale": 1, "max_pixels": 1e6})):
        for message in answer(task, data, request):
            frame(message)


def main() -> None:
    """Serve requests from standard input until it closes."""
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # whatever the library prints goes nowhere, never between the frames
        os.dup2(nowhere, descriptor)
    lifeline = int(sys.argv[1]) if len(sys.argv) > 1 else -1
    if lifeline >= 0:
        follow_parent(lifeline)
    warm_up()
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
        for message in answer(str(request["task"]), data, request):
            target.write(frame(message))
            target.flush()


if __name__ == "__main__":
    main()
