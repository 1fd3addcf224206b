"""Places in documents as the app's addresses say them: a link from anywhere opens a document at a span."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from core.types import Span

LIBRARY = "library"  # the name of a library, as an address has it
_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")


def said_span(span: Span | None) -> str:
    """A span as an address says it; "" for none.

    >>> said_span(Span(3, 9)), said_span(None)
    ('3-9', '')
    """
    return f"{span.start}-{span.end}" if span else ""


def read_span(text: str) -> Span | None:
    """A span as an address says it; ``None`` for anything else.

    >>> read_span("3-9"), read_span("9-3"), read_span("x")
    (Span(start=3, end=9), None, None)
    """
    found = _SPAN.fullmatch(text)
    if not found:
        return None
    start, end = int(found[1]), int(found[2])
    return Span(start, end) if start < end else None


def link(app: str, library: str, version_id: str, span: Span) -> str:
    """The whole address that opens a place. ``app``: where the app answers; ``library``: its name there.

    >>> link("http://localhost:8501", "My library", "0a1b", Span(3, 9))
    'http://localhost:8501/chunks?library=My+library&document=0a1b&span=3-9'
    """
    query = urlencode({LIBRARY: library, "document": version_id, "span": said_span(span)})
    return f"{app}/chunks?{query}"
