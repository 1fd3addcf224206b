"""What lies over a PDF page: links and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.parsing.inline import comment_head
from core.parsing.pdf.layout.tables import Word
from core.parsing.pdf.lines import Box, Run, Target, TextLine, middle_inside, overlap
from core.text.normalise import storable

Link = tuple[Box, str]
Clean = Callable[[str], str]

_FREE_TEXT, _POPUP = 2, 16  # numbers of annotation types
_NO_COMMENT = {1, _POPUP, 19}  # links and form fields are read otherwise; pop-ups repeat their comment
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_PARTNERS = {**dict(zip(")]}>", "([{<", strict=True)), **dict(zip("([{<", ")]}>", strict=True))}
_QUOTES_AND_STOPS = ".,;:!?\"'“”‘’«»"
_MAX_TARGET = 2000
_ROW = 10.0  # points: the height of the rows by which words and links are indexed
_COVERED = 0.5  # of a word's height that a link must cover


def links_on(page: Any) -> Iterator[Link]:
    """A page's links with a target, like ``page.get_links()`` but in linear time."""
    from pymupdf.utils import getLinkDict

    raw = page.first_link
    if raw:
        raw.xref = 0  # otherwise PyMuPDF searches all of the page's links for each: some pages have thousands
    while raw:
        if link := link_of(getLinkDict(raw, page.parent)):
            yield link
        raw = raw.next


def link_of(raw: dict[str, Any]) -> Link | None:
    """A link of ``page.get_links()`` as its box on the page as it is shown, and its target; ``None`` without target.

    >>> link_of({"kind": 2, "from": (0, 0, 9, 9), "uri": "https://a.example/"})
    ((0.0, 0.0, 9.0, 9.0), 'https://a.example/')
    >>> link_of({"kind": 1, "from": (0, 0, 9, 9), "page": 4})
    ((0.0, 0.0, 9.0, 9.0), '#page=5')
    """
    x0, y0, x1, y1 = map(float, raw["from"])
    target = ""
    if raw.get("uri"):
        target = str(raw["uri"]).strip()
    elif isinstance(page := raw.get("page"), int) and page >= 0:
        target = f"{raw.get('file') or ''}#page={page + 1}"
    elif raw.get("file"):
        target = str(raw["file"])
    target = storable("".join(char for char in target if char.isprintable()))
    return ((x0, y0, x1, y1), target) if 0 < len(target) <= _MAX_TARGET else None


def with_links(lines: Sequence[TextLine], words: Sequence[Word], links: Sequence[Link]) -> list[TextLine]:
    """The lines with their ``links`` set. All boxes are in the same frame. ``words``: of the page, cleaned."""
    words_by_row: dict[int, list[Word]] = {}
    for word in words:
        words_by_row.setdefault(int((word[1] + word[3]) / 2 // _ROW), []).append(word)
    first, last = min(words_by_row, default=0) - 1, max(words_by_row, default=0) + 1
    links_by_row: dict[int, set[int]] = {}
    for index, (box, _) in enumerate(links):
        for row in _rows_of(box, first, last):
            links_by_row.setdefault(row, set()).add(index)

    def links_over(box: Box) -> list[int]:
        """The indices of the links that overlap a box, ascending."""
        indices = set[int]().union(*(links_by_row.get(row, ()) for row in _rows_of(box, first, last)))
        return sorted(index for index in indices if overlap(links[index][0], box))

    def targets(text: str, box: Box) -> tuple[Target, ...]:
        if not text or not links_over(box):
            return ()
        rows = _rows_of(box, first, last)
        inside = [word for row in rows for word in words_by_row.get(row, ()) if middle_inside(word[:4], box)]
        return _targets(text, inside, links, links_over)

    def linked(runs: Iterable[Run]) -> tuple[Run, ...]:
        return tuple(replace(run, links=targets(run.text, run.box)) for run in runs)

    result = []
    for line in lines:
        if line.table:
            table = replace(line.table, rows=tuple(linked(row) for row in line.table.rows))
            result.append(replace(line, table=table))
        elif line.labels:
            result.append(replace(line, labels=linked(line.labels)))
        else:
            result.append(replace(line, links=() if line.comment else targets(line.text, line.box)))
    return result


def _rows_of(box: Box, first: int, last: int) -> range:
    return range(max(first, int(box[1] // _ROW)), min(last, int(box[3] // _ROW)) + 1)


def _targets(
    text: str, words: Sequence[Word], links: Sequence[Link], links_over: Callable[[Box], Sequence[int]]
) -> tuple[Target, ...]:
    """The links over a run's text, sorted and disjoint. ``links_over``: the indices of the links over a box."""
    covered: dict[int, tuple[int, int]] = {}  # by link: start and end in ``text``
    cursor = 0
    for word in sorted(words, key=lambda word: (round(word[3] / 4), word[0]) if _is_horizontal(word) else (0, 0.0)):
        at = text.find(word[4], cursor)
        at = text.find(word[4]) if at < 0 else at
        if at < 0:
            continue
        cursor = at + len(word[4])
        for index in links_over(word[:4]):
            part = _covered_part(word, links[index][0])
            if part:
                start, end = at + part[0], at + part[1]
                before = covered.get(index, (start, end))
                covered[index] = (min(before[0], start), max(before[1], end))
    targets: list[Target] = []
    for index, (start, end) in sorted(covered.items(), key=lambda item: item[1]):
        while end > start and (text[end - 1].isspace() or _is_punctuation(text[end - 1], text[start : end - 1])):
            end -= 1
        while start < end and (text[start].isspace() or _is_punctuation(text[start], text[start + 1 : end])):
            start += 1
        start = max(start, targets[-1][1]) if targets else start
        if start < end:
            targets.append((start, end, links[index][1]))
    return tuple(targets)


def _is_punctuation(char: str, others: str) -> bool:
    """Whether a character at an edge of a link belongs to the sentence: a stop, a quotation mark, or a bracket whose
    partner is not among the link's ``others``.
    """
    if char in _PARTNERS:
        return _PARTNERS[char] not in others
    return char in _QUOTES_AND_STOPS


def _is_horizontal(word: Word) -> bool:
    return len(word[4]) < 2 or word[3] - word[1] < 1.5 * (word[2] - word[0])


def _covered_part(word: Word, box: Box) -> tuple[int, int] | None:
    """The characters of a word that a box covers, estimated from the share of its width; ``None`` for none."""
    x0, y0, x1, y1, text = word
    if not _is_horizontal(word):
        return (0, len(text)) if middle_inside(word[:4], box) else None
    if min(y1, box[3]) - max(y0, box[1]) < _COVERED * min(y1 - y0, box[3] - box[1]) or x1 <= x0:
        return None
    start = round(max(0.0, (box[0] - x0) / (x1 - x0)) * len(text))
    end = round(min(1.0, (box[2] - x0) / (x1 - x0)) * len(text))
    return (start, end) if start < end else None


def comments(annotations: Iterable[Any], page_text: str, clean: Clean) -> list[TextLine]:
    """Lines for a page's comments.

    ``annotations``: of PyMuPDF. ``page_text``: the page's own text; what was written over the page and is part of it is
    left out.
    """
    page_characters = "".join(page_text.split())
    lines = []
    for annotation in annotations:
        number = annotation.type[0]
        content = _one_line(annotation.info.get("content") or "", clean)
        is_in_text = number == _FREE_TEXT and "".join(content.split()) in page_characters
        if number in _NO_COMMENT or not content or is_in_text:
            continue
        author = _one_line(annotation.info.get("title") or "", clean)
        date = _DATE.match(annotation.info.get("modDate") or annotation.info.get("creationDate") or "")
        head = comment_head(author, "-".join(date.groups()) if date else "")
        lines.append(_line(head + content, annotation.rect))
    return lines


def _one_line(text: str, clean: Clean) -> str:
    return " ".join(clean(text.replace("\r", " ").replace("\n", " ")).split())


def _line(text: str, rectangle: Iterable[float]) -> TextLine:
    x0, y0, x1, y1 = map(float, rectangle)
    return TextLine(text, x0, y0, x1, y1, y1, y1 - y0, comment=True, box=(x0, y0, x1, y1))
