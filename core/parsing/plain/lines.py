"""Line arithmetic over canonical text: where lines start, and spans trimmed to what is not blank."""

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


def trimmed(text: str, start: int, end: int) -> Span | None:
    """``[start, end)`` without blank edges; ``None`` when all of it is blank.

    >>> trimmed(" ab ", 0, 4), trimmed("  ", 0, 2)
    (Span(start=1, end=3), None)
    """
    body = text[start:end]
    left = len(body) - len(body.lstrip())
    if left == len(body):
        return None
    return Span(start + left, start + len(body.rstrip()))


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


def uncovered(text: str, spans: list[Span]) -> list[Span]:
    """What sorted ``spans`` leave of the text, each gap trimmed, blank gaps left out.

    >>> uncovered("a b c", [Span(2, 3)])
    [Span(start=0, end=1), Span(start=4, end=5)]
    """
    gaps = []
    position = 0
    for span in [*spans, Span(len(text), len(text))]:
        gap = trimmed(text, position, span.start) if span.start > position else None
        if gap:
            gaps.append(gap)
        position = max(position, span.end)
    return gaps
