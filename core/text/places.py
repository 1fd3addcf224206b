"""Where a span of the text stands on the pages: span arithmetic over a document's sorted page boxes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from core.types import Document, PageBox, Span


def boxes_of(document: Document, span: Span) -> list[PageBox]:
    """The boxes of every text run that shares a character with ``span``, in text order; empty without pages.

    >>> from core.types import Document, PageBox, Span
    >>> boxes = (PageBox(0, 2, 1, 0, 0, 9, 9), PageBox(3, 5, 2, 0, 0, 9, 9))
    >>> [box.page for box in boxes_of(Document("v", "pdf", "t", "ab cd", boxes=boxes), Span(1, 3))]
    [1]
    """
    first = bisect_right(document.boxes, span.start, key=lambda box: box.end)
    last = bisect_left(document.boxes, span.end, key=lambda box: box.start)
    return list(document.boxes[first:last])


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
