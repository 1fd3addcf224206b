"""Renders pages as pictures, in the worker processes that open PDF files and pictures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from typing import Any

from core.errors import ParseError, WorkerError
from core.parsing.sandbox.sandbox import WorkerPool, failure
from core.settings import ParsingSettings

_MAX_PIXELS = 25_000_000
_TIMEOUT_SECONDS = 60


@cache
def pool() -> WorkerPool:
    """This process's pool of workers for PDF files and pictures."""
    return WorkerPool("core.parsing.pdf.worker")


def render_page(
    data: bytes, page: int, scale: float, settings: ParsingSettings | None = None, password: str | None = None
) -> bytes:
    """A PNG of ``page``, from 1, with ``scale`` pixels for each point; very large pages get a smaller scale.

    Coordinates of a ``PageBox`` times ``scale`` are pixels. Raises ``ParseError`` where the page does not exist, and
    what ``PdfParser`` raises.
    """
    request = {"pages": [page], "scale": scale, "max_pixels": _MAX_PIXELS}
    return _drawn(data, request, settings or ParsingSettings(), password)[page][0]


def pictures_for_ocr(
    data: bytes, pages: Sequence[int], turn: int, settings: ParsingSettings, password: str | None
) -> dict[int, tuple[bytes, float]]:
    """By page number: a JPEG turned clockwise by ``turn`` degrees, and its pixels for each point. Raises as above."""
    return _drawn(data, {"pages": list(pages), "turn": turn}, settings, password)


def _drawn(
    data: bytes, request: dict[str, Any], settings: ParsingSettings, password: str | None
) -> dict[int, tuple[bytes, float]]:
    shown = f"Page {request['pages'][0]}"
    request |= {"task": "render", "name": shown, "password": password, "memory_bytes": settings.memory_megabytes << 20}
    pictures = {}
    try:
        with closing(pool().ask(request, data, min(_TIMEOUT_SECONDS, settings.timeout_seconds))) as messages:
            for message in messages:
                if message["type"] == "error":
                    raise failure(message, shown, settings.memory_megabytes)
                if message["type"] == "image":
                    pictures[int(message["number"])] = (base64.b64decode(message["data"]), float(message["scale"]))
    except WorkerError as error:
        raise WorkerError(f"{shown} could not be drawn: {error.problem}", error.remedy) from error
    if not pictures:
        raise ParseError(f"{shown} could not be drawn.")
    return pictures
