"""What lies over a PDF page: links on its words, comments, and form fields whose values the page does not show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.parsing.inline import comment_head
from core.parsing.pdf.lines import Box, Run, Target, TextLine, middle_inside, overlap
from core.parsing.pdf.tables import Word
from core.text.normalise import storable

Link = tuple[Box, str]
Clean = Callable[[str], str]

_FREE_TEXT, _POPUP = 2, 16  # numbers of annotation types
_NO_COMMENT = {1, _POPUP, 19}  # links and form fields come by other ways
_BUTTONS = {"Button", "CheckBox", "RadioButton", "Signature"}  # what they say is drawn, or is no text
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_PARTNERS = {**dict(zip(")]}>", "([{<", strict=True)), **dict(zip("([{<", ")]}>", strict=True))}
_QUOTES_AND_STOPS = ".,;:!?\"'“”‘’«»"
_MAX_TARGET = 2000
_ROW = 10.0  # points: words are looked up by their height on the page
_COVERED = 0.5  # of a word's height


def links_on(page: Any) -> Iterator[Link]:
    """A page's links with a target, as ``page.get_links()`` finds them, in time that grows with their number alone."""
    from pymupdf.utils import getLinkDict

    found = page.first_link
    if found:
        found.xref = 0  # or each would be looked for among all of the page's: some have thousands
    while found:
        if link := link_of(getLinkDict(found, page.parent)):
            yield link
        found = found.next


def link_of(raw: dict[str, Any]) -> Link | None:
    """A link as ``page.get_links()`` describes it: its box on the shown page and its target; ``None`` for others.

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
    """The lines with ``links`` set. All boxes are in one frame; ``words``: the page's, cleaned."""

    by_row: dict[int, list[Word]] = {}
    for word in words:
        by_row.setdefault(int((word[1] + word[3]) / 2 // _ROW), []).append(word)
    first, last = min(by_row, default=0) - 1, max(by_row, default=0) + 1
    over: dict[int, set[int]] = {}
    for index, (box, _) in enumerate(links):
        for row in _rows_of(box, first, last):
            over.setdefault(row, set()).add(index)

    def near(box: Box) -> list[int]:
        """Places of the links that may lie over a box, in their order."""
        there = set[int]().union(*(over.get(row, ()) for row in _rows_of(box, first, last)))
        return sorted(index for index in there if overlap(links[index][0], box))

    def targets(text: str, box: Box) -> tuple[Target, ...]:
        if not text or not near(box):
            return ()
        beside = _rows_of(box, first, last)
        inside = [word for row in beside for word in by_row.get(row, ()) if middle_inside(word[:4], box)]
        return _targets(text, inside, links, near)

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
    text: str, words: Sequence[Word], links: Sequence[Link], near: Callable[[Box], Sequence[int]]
) -> tuple[Target, ...]:
    """The stretches of a run's text under the links, sorted and apart. ``near``: places of those over a box."""
    covered: dict[int, tuple[int, int]] = {}
    cursor = 0
    for word in sorted(words, key=lambda word: (round(word[3] / 4), word[0]) if _lies(word) else (0, 0.0)):
        at = text.find(word[4], cursor)
        at = text.find(word[4]) if at < 0 else at
        if at < 0:
            continue
        cursor = at + len(word[4])
        for index in near(word[:4]):
            part = _part(word, links[index][0])
            if part:
                start, end = at + part[0], at + part[1]
                known = covered.get(index, (start, end))
                covered[index] = (min(known[0], start), max(known[1], end))
    found: list[Target] = []
    for index, (start, end) in sorted(covered.items(), key=lambda item: item[1]):
        while end > start and (text[end - 1].isspace() or _is_loose(text[start : end - 1], text[end - 1])):
            end -= 1
        while start < end and (text[start].isspace() or _is_loose(text[start + 1 : end], text[start])):
            start += 1
        start = max(start, found[-1][1]) if found else start
        if start < end:
            found.append((start, end, links[index][1]))
    return tuple(found)


def _is_loose(others: str, char: str) -> bool:
    """Whether a sign at an edge belongs to the sentence, not to the linked words: its partner is not among them."""
    if char in _PARTNERS:
        return _PARTNERS[char] not in others
    return char in _QUOTES_AND_STOPS


def _lies(word: Word) -> bool:
    """Whether a word is written along x."""
    return len(word[4]) < 2 or word[3] - word[1] < 1.5 * (word[2] - word[0])


def _part(word: Word, box: Box) -> tuple[int, int] | None:
    """Which characters of a word a box covers, told by the share of its width."""
    x0, y0, x1, y1, text = word
    if not _lies(word):
        return (0, len(text)) if middle_inside(word[:4], box) else None
    if min(y1, box[3]) - max(y0, box[1]) < _COVERED * min(y1 - y0, box[3] - box[1]) or x1 <= x0:
        return None
    start = round(max(0.0, (box[0] - x0) / (x1 - x0)) * len(text))
    end = round(min(1.0, (box[2] - x0) / (x1 - x0)) * len(text))
    return (start, end) if start < end else None


def comments(annotations: Iterable[Any], fields: Iterable[Any], page_text: str, clean: Clean) -> list[TextLine]:
    """Lines for what people wrote on the page without it being part of its text.

    ``annotations``, ``fields``: of PyMuPDF. ``page_text``: the page's own; what stands in it is not said again.
    """
    seen = "".join(page_text.split())
    lines = []
    for annotation in annotations:
        number = annotation.type[0]
        content = _squeezed(annotation.info.get("content") or "", clean)
        if number in _NO_COMMENT or not content or (number == _FREE_TEXT and "".join(content.split()) in seen):
            continue
        author = _squeezed(annotation.info.get("title") or "", clean)
        date = _DATE.match(annotation.info.get("modDate") or annotation.info.get("creationDate") or "")
        head = comment_head(author, "-".join(date.groups()) if date else "")
        lines.append(_line(head + content, annotation.rect))
    for field in fields:
        value = _squeezed(_value(field), clean)
        if value and "".join(value.split()) not in seen:
            name = _squeezed(field.field_label or field.field_name or "", clean)
            lines.append(_line(f"{name}: {value}" if name else value, field.rect))
    return lines


def _value(field: Any) -> str:
    if field.field_type_string in _BUTTONS or field.field_value is None:
        return ""
    value = field.field_value
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _squeezed(text: str, clean: Clean) -> str:
    return " ".join(clean(text.replace("\r", " ").replace("\n", " ")).split())


def _line(text: str, rectangle: Iterable[float]) -> TextLine:
    x0, y0, x1, y1 = map(float, rectangle)
    return TextLine(text, x0, y0, x1, y1, y1, y1 - y0, comment=True, box=(x0, y0, x1, y1))
