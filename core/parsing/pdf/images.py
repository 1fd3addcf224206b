"""Pictures of PDF pages, drawn by the sandboxed worker."""

from __future__ import annotations

import base64
from contextlib import closing

from core.errors import ParseError, WorkerError
from core.parsing.pdf.reader import failure, pool
from core.settings import ParsingSettings

_MAX_PIXELS = 25_000_000
_TIMEOUT_SECONDS = 60


def render_page(
    data: bytes, page: int, scale: float, settings: ParsingSettings | None = None, password: str | None = None
) -> bytes:
    """PNG of the 1-based ``page`` at ``scale`` pixels a point; very large pages get a smaller scale.

    A ``PageBox`` times ``scale`` lies on it. Raises ``ParseError`` for a page that is not there, and as ``PdfParser``.
    """
    settings = settings or ParsingSettings()
    request = {
        "task": "render",
        "page": page,
        "scale": scale,
        "password": password,
        "max_pixels": _MAX_PIXELS,
        "memory_bytes": settings.memory_megabytes << 20,
    }
    picture = b""
    try:
        with closing(pool().ask(request, data, min(_TIMEOUT_SECONDS, settings.timeout_seconds))) as messages:
            for message in messages:
                if message["type"] == "error":
                    raise failure(message, f"Page {page}", settings)
                if message["type"] == "image":
                    picture = base64.b64decode(message["png"])
    except WorkerError as error:
        raise WorkerError(f"Page {page} could not be drawn: {error.problem}", error.remedy) from error
    if not picture:
        raise ParseError(f"Page {page} could not be drawn.")
    return picture
