"""Finds pages that show a slide before it is complete, as exports of slides have them that appear line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from core.parsing.audit.word_audit import words_of
from core.parsing.pdf.lines import Run, TextLine
from core.types import Page

_SAME_PLACE = 3.0  # points
_EDGE = 0.13  # of the page's height, at its top and bottom, where numbers may count the pages


def completed_by(pages: Sequence[Page], lines_of: Sequence[Sequence[TextLine]]) -> list[int]:
    """For each page, the index of the page on which it is complete; its own if it is not a step to the next one.

    A page is a step if it is wider than tall, as slides are, all of its words stand on the next page, and its highest
    line begins the line at the same place there. ``lines_of``: each page's lines.
    """
    words = [
        _words(lines, page.height) if page.width > page.height else Counter[str]()
        for page, lines in zip(pages, lines_of, strict=True)
    ]
    complete = list(range(len(lines_of)))
    for index in reversed(range(len(lines_of) - 1)):
        if words[index] and words[index] <= words[index + 1] and _same_top(lines_of[index], lines_of[index + 1]):
            complete[index] = complete[index + 1]
    return complete


def _words(lines: Sequence[TextLine], height: float) -> Counter[str]:
    """The words of a page; of lines at its edges without numbers, which may differ from page to page."""
    words: Counter[str] = Counter()
    for line in lines:
        at_edge = line.y1 < _EDGE * height or line.y0 > (1 - _EDGE) * height
        words.update(word for run in _runs(line) for word in words_of(run.text) if not (at_edge and word.isdigit()))
    return words


def _runs(line: TextLine) -> Iterator[TextLine | Run]:
    """The line, or the runs of the table or figure that it stands for."""
    yield line
    yield from line.labels
    for row in line.table.rows if line.table else ():
        yield from row


def _same_top(step: Sequence[TextLine], after: Sequence[TextLine]) -> bool:
    highest = min(step, key=lambda line: line.y0)
    return any(
        line.text.startswith(highest.text)
        and abs(line.x0 - highest.x0) < _SAME_PLACE
        and abs(line.y0 - highest.y0) < _SAME_PLACE
        for line in after
    )
