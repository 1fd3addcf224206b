"""How the pages of a document were read, summed up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.types import Page


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
