"""The pages of a document: where a span of the text stands on them, and how they were read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from core.text.spans import touching
from core.types import Document, Page, PageBox, Span


def boxes_of(document: Document, span: Span) -> list[PageBox]:
    """The boxes of every text run that shares a character with ``span``, in text order; empty without pages.

    >>> from core.types import Document, PageBox, Span
    >>> boxes = (PageBox(0, 2, 1, 0, 0, 9, 9), PageBox(3, 5, 2, 0, 0, 9, 9))
    >>> [box.page for box in boxes_of(Document("v", "pdf", "t", "ab cd", boxes=boxes), Span(1, 3))]
    [1]
    """
    return list(document.boxes[touching(document.boxes, span.start, span.end)])


def page_of(document: Document, offset: int) -> int | None:
    """The 1-based page that holds the character at ``offset``; between runs, the page of the next one.

    After the last run it is the last run's page. ``None`` for formats without pages.

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
    """``text``: how many pages the file's own text tells, blank ones included. By number: ``ocr``, the pages that OCR
    read; ``wordless``, pictures in which it found no words; ``unread``, those that nothing read. ``whole``: there is
    no unread one. ``confidence``: of OCR in what it read, 0..1, the mean over its pages; ``None`` where it read none.
    """

    text: int
    ocr: tuple[int, ...]
    wordless: tuple[int, ...]
    unread: tuple[int, ...]
    whole: bool
    confidence: float | None


def pages_read(pages: Iterable[Page]) -> PagesRead | None:
    """The sum of a document's pages; ``None`` of one without pages.

    >>> pages_read([Page(1, 9, 9), Page(2, 9, 9, "ocr", 0.9), Page(3, 9, 9, "unread")])
    PagesRead(text=1, ocr=(2,), wordless=(), unread=(3,), whole=False, confidence=0.9)
    """
    by: dict[str, list[int]] = {}
    sure: list[float] = []
    for page in pages:
        by.setdefault(page.reading, []).append(page.number)
        sure += [] if page.confidence is None else [page.confidence]
    if not by:
        return None
    ocr, wordless, unread = (tuple(by.get(reading, ())) for reading in ("ocr", "wordless", "unread"))
    confidence = round(sum(sure) / len(sure), 4) if sure else None
    return PagesRead(len(by.get("text", ())), ocr, wordless, unread, not unread, confidence)
