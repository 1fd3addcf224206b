"""Line arithmetic over canonical text: where lines start, and their spans."""

from __future__ import annotations

from core.types import Span


def line_starts(text: str) -> list[int]:
    """Offset of each line's first character, and the text's length as the last entry.

    >>> line_starts("ab\\nc")
    [0, 3, 4]
    """
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    if starts[-1] != len(text) or len(starts) == 1:
        starts.append(len(text))
    return starts


def line_spans(text: str, start: int, end: int) -> tuple[Span, ...]:
    """The lines of ``[start, end)`` that are not blank, each without blank edges at its end, indentation kept.

    >>> line_spans("a\\n\\n  b \\n", 0, 8)
    (Span(start=0, end=1), Span(start=3, end=6))
    """
    spans = []
    position = start
    for line in text[start:end].split("\n"):
        if stripped := line.rstrip():
            spans.append(Span(position, position + len(stripped)))
        position += len(line) + 1
    return tuple(spans)
