"""Running headers, footers and page numbers: lines at a page's edge that come again on other pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set

from core.parsing.pdf.lines import TextLine, body_size, title_key
from core.text.numerals import ROMAN
from core.types import Page

_ZONE = 0.13  # of the page's height, at the top and at the bottom
_NUMBER_ZONE = 0.09
_ALONE_ZONE = 0.18  # a number that stands alone may stand further in
_HEIGHT_STEP = 6.0
_MAX_CHARACTERS = 110
_NUMBER_BEFORE, _NUMBER_BEHIND = re.compile(r"\d{1,4}\s+[^\W\d_]"), re.compile(r"[^\W\d_][.)]?\s+\d{1,4}$")
_DIGITS = "0123456789"
_ROMAN = rf"(?=[ivxlcdm]){ROMAN}"
_PAGE_NUMBER = re.compile(
    rf"[-–—\s|·•\[(]*(?:(?:page|seite|página|pagina|p\.)\s*)?(?:\d{{1,4}}|{_ROMAN}|[A-Z\d]{{1,3}}[-–.]\d{{1,3}})"
    r"(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?[-–—\s|·•\])]*",
    re.IGNORECASE,
)


def furniture(
    lines_of: Sequence[Sequence[TextLine]],
    pages: Sequence[Page],
    heights: Sequence[float],
    titles: Set[tuple[int, str]] = frozenset(),
    tick: Callable[[], None] = lambda: None,
) -> list[set[int]]:
    """For each page, the indexes of its lines that are furniture. ``heights``: of the lines' upright frames.

    A line is, when its text (digits aside) stands at the same height near the edge of several pages: of two when the
    document has up to four, else of three. So is a page number alone at the outer edge, and a line written across the
    page in its margin. ``titles``: (page, ``title_key`` without numbers before) of outline entries,
    which are headings wherever they stand. ``tick``: called between pages; it may raise to stop.
    Type larger than the body's is a heading, too, unless the very same words come again.
    """
    body = body_size([line for lines in lines_of for line in lines])
    usual = 2 if len(pages) <= 4 else 3
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number, lines in enumerate(lines_of):
        for line in lines:
            if _at_edge(line, heights[number], _ZONE):
                for step in (0, 1):  # two overlapping steps, so that no boundary parts equal heights
                    seen[_pattern(line, body), _step(line, step)].add(number)
    found = []
    for number, lines in enumerate(lines_of):
        tick()
        marked = {
            index
            for index, line in enumerate(lines)
            if _is_margin_note(line, pages[number])
            or (
                _at_edge(line, heights[number], _ZONE)
                and any(len(seen[_pattern(line, body), _step(line, step)]) >= _least(line, usual) for step in (0, 1))
                and (number + 1, title_key(line.text).lstrip(_DIGITS)) not in titles
            )
        }
        marked = _apart(marked, lines) | _page_numbers(lines, heights[number])
        # A page of nothing but such lines is a form or a slide: there they are the content.
        found.append(marked if len(marked) < len(lines) or len(lines) <= 2 else _page_numbers(lines, heights[number]))
    _add_strangers(found, lines_of, heights, body)
    return found


def _add_strangers(
    found: Sequence[set[int]], lines_of: Sequence[Sequence[TextLine]], heights: Sequence[float], body: float
) -> None:
    """Edge lines whose words come but once: set as furniture is set elsewhere, or small with a page number in them."""
    places: Counter[tuple[int, int]] = Counter()
    for lines, marked in zip(lines_of, found, strict=True):
        places.update({_place(lines[index]) for index in marked if not lines[index].aside})
    for lines, marked, height in zip(lines_of, found, heights, strict=True):
        others = [line for index, line in enumerate(lines) if index not in marked and not line.aside]
        for index, line in enumerate(lines):
            if (
                index in marked
                or len(others) < 2
                or len(line.text) > _MAX_CHARACTERS
                or not _at_edge(line, height, _ZONE)
            ):
                continue
            outermost = all(other is line or _lies_apart(line, other) for other in others)
            as_elsewhere = places[_place(line)] >= 2 and line.size < 1.15 * body
            at_top = line.y1 < _ZONE * height  # at the foot, a number in front is a footnote's
            numbered = _NUMBER_BEHIND.search(line.text) or (at_top and _NUMBER_BEFORE.match(line.text))
            if outermost and (as_elsewhere or (line.size < 0.97 * body and numbered)):
                marked.add(index)


def _place(line: TextLine) -> tuple[int, int]:
    return round(line.baseline / 2), round(2 * line.size)


def _lies_apart(line: TextLine, other: TextLine) -> bool:
    """Whether ``line`` is nearer to the page's edge than ``other``, half a line of white between them."""
    reach = 0.5 * line.size
    upper = line.y1 < other.y0 - reach
    return other.aside or other.comment or upper or line.y0 > other.y1 + reach


def _apart(marked: set[int], lines: Sequence[TextLine]) -> set[int]:
    """Those of ``marked`` that a gap parts from the body: a line close to body text is body, however often it comes."""
    apart = set(marked)
    changed = True
    while changed:
        body = [line for index, line in enumerate(lines) if index not in apart and not line.aside]
        close = {
            index for index in apart if not lines[index].aside and any(_touch(lines[index], other) for other in body)
        }
        apart -= close
        changed = bool(close)
    return apart


def _touch(one: TextLine, other: TextLine) -> bool:
    gap = max(one.y0, other.y0) - min(one.y1, other.y1)
    beside = min(one.x1, other.x1) > max(one.x0, other.x0)
    return beside and gap < 0.35 * min(one.size, other.size) and not other.stands_in


def _least(line: TextLine, usual: int) -> int:
    """On how many pages a line must stand: two are enough for one that begins or ends with a number."""
    return 2 if re.search(r"^\d{1,4}\s|\s\d{1,4}$", line.text.strip()) else usual


def _pattern(line: TextLine, body: float) -> str:
    """The text with every number as one sign: "Page 12" and "Page 7" are the same line."""
    text = line.text
    if line.size >= 1.15 * body + 0.2:
        return text
    words = re.sub(r"\d+", "#", " ".join(text.split()).casefold())
    return re.sub(rf"^{_ROMAN}(?=\s)|(?<=\s){_ROMAN}$", "#", words)


def _step(line: TextLine, shift: int) -> int:
    return 2 * int((line.y0 + shift * _HEIGHT_STEP / 2) // _HEIGHT_STEP) + shift


def _at_edge(line: TextLine, height: float, zone: float) -> bool:
    on_page = not (line.aside or line.comment or line.stands_in)
    return on_page and (line.y1 < zone * height or line.y0 > (1 - zone) * height)


def _is_margin_note(line: TextLine, page: Page) -> bool:
    x0, y0, x1, y1 = line.box
    in_margin = x1 < 0.1 * page.width or x0 > 0.9 * page.width or y1 < 0.06 * page.height or y0 > 0.94 * page.height
    return line.aside and in_margin


def _page_numbers(lines: Sequence[TextLine], height: float) -> set[int]:
    """Lines that are nothing but a page number, with nothing beyond them."""
    edge = []
    for index, line in enumerate(lines):
        if _PAGE_NUMBER.fullmatch(line.text.strip()) and (
            _at_edge(line, height, _NUMBER_ZONE) or (_at_edge(line, height, _ALONE_ZONE) and _stands_alone(line, lines))
        ):
            edge.append(index)
    highest = min((line.y0 for line in lines if not line.aside), default=0.0)
    lowest = max((line.y1 for line in lines if not line.aside), default=0.0)
    return {index for index in edge if lines[index].y0 <= highest + 4 or lines[index].y1 >= lowest - 4}


def _stands_alone(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """Whether two blank lines or more part the line from every other."""
    reach = 2 * line.size
    return all(
        other is line or other.aside or other.y1 < line.y0 - reach or other.y0 > line.y1 + reach for other in lines
    )
