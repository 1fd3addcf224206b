"""The pages of a document: the boxes and page numbers of a span, and how each page was read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from core.text.spans import touching
from core.types import Document, Page, PageBox, Span


def boxes_of(document: Document, span: Span) -> list[PageBox]:
    """The boxes of all text runs that overlap ``span``, in text order; [] without pages.

    >>> from core.types import Document, PageBox, Span
    >>> boxes = (PageBox(0, 2, 1, 0, 0, 9, 9), PageBox(3, 5, 2, 0, 0, 9, 9))
    >>> [box.page for box in boxes_of(Document("v", "pdf", "t", "ab cd", boxes=boxes), Span(1, 3))]
    [1]
    """
    return list(document.boxes[touching(document.boxes, span.start, span.end)])


def page_of(document: Document, offset: int) -> int | None:
    """The 1-based page of the character at ``offset``; ``None`` for formats without pages.

    Between two runs it is the page of the next one, after the last run that of the last.

    >>> from core.types import Document, PageBox
    >>> boxes = (PageBox(0, 2, 1, 0, 0, 9, 9), PageBox(3, 5, 2, 0, 0, 9, 9))
    >>> [page_of(Document("v", "pdf", "t", "ab cd", boxes=boxes), offset) for offset in (0, 2, 4, 5)]
    [1, 2, 2, 2]
    """
    if not document.boxes:
        return None
    index = bisect_right(document.boxes, offset, key=lambda box: box.end)
    return document.boxes[min(index, len(document.boxes) - 1)].page


@dataclass(frozen=True, slots=True)
class PagesRead:
    """How the pages of a document were read. ``text``: number of pages with their own text, or blank.

    Page numbers: ``ocr``: read by OCR; ``wordless``: OCR found no words; ``unread``: not read. ``whole``: no page is
    unread. ``confidence``: mean OCR confidence over its pages in [0, 1]; ``None`` without OCR.
    """

    text: int
    ocr: tuple[int, ...]
    wordless: tuple[int, ...]
    unread: tuple[int, ...]
    whole: bool
    confidence: float | None


def pages_read(pages: Iterable[Page]) -> PagesRead | None:
    """A summary of how a document's pages were read; ``None`` without pages.

    >>> pages_read([Page(1, 9, 9), Page(2, 9, 9, "ocr", 0.9), Page(3, 9, 9, "unread")])
    PagesRead(text=1, ocr=(2,), wordless=(), unread=(3,), whole=False, confidence=0.9)
    """
    by_reading: dict[str, list[int]] = {}
    confidences: list[float] = []
    for page in pages:
        by_reading.setdefault(page.reading, []).append(page.number)
        if page.confidence is not None:
            confidences.append(page.confidence)
    if not by_reading:
        return None
    ocr, wordless, unread = (tuple(by_reading.get(reading, ())) for reading in ("ocr", "wordless", "unread"))
    confidence = round(sum(confidences) / len(confidences), 4) if confidences else None
    return PagesRead(len(by_reading.get("text", ())), ocr, wordless, unread, not unread, confidence)
