"""Links into the app that open a document at a span."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from core.types import Span

LIBRARY = "library"  # query parameter: the name of a library
_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")


def span_parameter(span: Span | None) -> str:
    """A span as a query parameter; "" for ``None``.

    >>> span_parameter(Span(3, 9)), span_parameter(None)
    ('3-9', '')
    """
    return f"{span.start}-{span.end}" if span else ""


def parse_span(text: str) -> Span | None:
    """The span that a query parameter gives; ``None`` for anything invalid.

    >>> parse_span("3-9"), parse_span("9-3"), parse_span("x")
    (Span(start=3, end=9), None, None)
    """
    match = _SPAN.fullmatch(text)
    if not match:
        return None
    start, end = int(match[1]), int(match[2])
    return Span(start, end) if start < end else None


def link(app: str, library: str, version_id: str, span: Span) -> str:
    """The URL that opens a document at a span. ``app``: the app's base URL; ``library``: the library's name.

    >>> link("http://localhost:8501", "My library", "0a1b", Span(3, 9))
    'http://localhost:8501/chunks?library=My+library&document=0a1b&span=3-9'
    """
    query = urlencode({LIBRARY: library, "document": version_id, "span": span_parameter(span)})
    return f"{app}/chunks?{query}"
