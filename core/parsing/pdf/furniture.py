"""Finds furniture: running headers, footers and page numbers, which recur at the edges of pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set

from core.parsing.pdf.lines import TextLine, body_size, title_key
from core.text.values.numerals import ROMAN
from core.types import Page

_ZONE = 0.13  # of the page's height, at the top and at the bottom
_NUMBER_ZONE = 0.09  # for page numbers
_ALONE_ZONE = 0.18  # for page numbers with white around them
_EDGE_ROWS = 2  # printed lines, at the top and at the bottom
_FEWEST_COUNTED = 3  # pages
_BARE_NUMBER = re.compile(r"[-–—\s]*(\d{1,4})[-–—\s]*")
_HEIGHT_STEP = 6.0  # points within which lines count as being at the same height
_MAX_CHARACTERS = 110
_NUMBER_BEFORE, _NUMBER_BEHIND = re.compile(r"\d{1,4}\s+[^\W\d_]"), re.compile(r"[^\W\d_][.)]?\s+\d{1,4}$")
_DIGITS = "0123456789"
_ROMAN = rf"(?=[ivxlcdm]){ROMAN}"
_PAGE_NUMBER = re.compile(
    rf"[-–—\s|·•\[(]*(?:(?:page|seite|página|pagina|p\.)\s*)?(?:\d{{1,4}}|{_ROMAN}|[A-Z\d]{{1,3}}[-–.]\d{{1,3}})"
    r"(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?[-–—\s|·•\])]*",
    re.IGNORECASE,
)


def find_furniture(
    lines_of: Sequence[Sequence[TextLine]],
    pages: Sequence[Page],
    heights: Sequence[float],
    titles: Set[tuple[int, str]] = frozenset(),
    tick: Callable[[], None] = lambda: None,
) -> list[set[int]]:
    """For each page, the indices of its lines that are furniture.

    A line is furniture if its text, ignoring numbers, stands at the same height near the edge of several pages, or
    first or last on them: of two if the document has up to four pages, else of three. In type larger than the body's,
    the text must be exactly the same. Furniture are also page numbers at the outer edge, numbers below or above all
    else that count the pages, the numbers of lines, and rotated lines in the margin. Where no page holds
    anything else, such lines are the text, all but the page numbers. ``heights``: of the pages' upright frames.
    ``titles``: (page, ``title_key`` without numbers before it) of outline entries, which are headings wherever they
    stand. ``tick``: called between pages; may raise to stop.
    """
    body = body_size([line for lines in lines_of for line in lines])
    min_pages = 2 if len(pages) <= 4 else 3
    pages_with: dict[tuple[str, int], set[int]] = defaultdict(set)
    edges = [_edge_lines(lines, height) for lines, height in zip(lines_of, heights, strict=True)]
    for number, lines in enumerate(lines_of):
        for index, line in enumerate(lines):
            if index in edges[number]:
                for step in (0, 1):  # two overlapping grids, so that no boundary separates equal heights
                    pages_with[_pattern(line, body), _step(line, step)].add(number)
    counting = _counting(lines_of)
    furniture = []
    for number, lines in enumerate(lines_of):
        tick()
        indices = {
            index
            for index, line in enumerate(lines)
            if _is_margin_note(line, pages[number])
            or (
                index in edges[number]
                and any(
                    len(pages_with[_pattern(line, body), _step(line, step)]) >= _min_pages(line, min_pages)
                    for step in (0, 1)
                )
                and (number + 1, title_key(line.text).lstrip(_DIGITS)) not in titles
            )
        }
        page_numbers = _page_numbers(lines, heights[number]) | counting[number]
        indices = _separated(indices, lines) | page_numbers
        # On a page of nothing but such lines, as on a form or a slide, they are the content.
        furniture.append(indices if len(indices) < len(lines) or len(lines) <= 2 else page_numbers)
    if all(len(indices) == len(lines) for indices, lines in zip(furniture, lines_of, strict=True)):
        return [_page_numbers(lines, height) for lines, height in zip(lines_of, heights, strict=True)]
    _add_single_lines(furniture, lines_of, heights, body)
    return furniture


def _add_single_lines(
    furniture: Sequence[set[int]], lines_of: Sequence[Sequence[TextLine]], heights: Sequence[float], body: float
) -> None:
    """Add edge lines that do not recur: at the height and in the size of furniture of other pages, or in small type
    with a page number.
    """
    settings: Counter[tuple[int, int]] = Counter()  # number of pages by ``_setting``
    for lines, indices in zip(lines_of, furniture, strict=True):
        settings.update({_setting(lines[index]) for index in indices if not lines[index].is_aside})
    for lines, indices, height in zip(lines_of, furniture, heights, strict=True):
        others = [line for index, line in enumerate(lines) if index not in indices and not line.is_aside]
        for index, line in enumerate(lines):
            if (
                index in indices
                or len(others) < 2
                or len(line.text) > _MAX_CHARACTERS
                or not _at_edge(line, height, _ZONE)
            ):
                continue
            is_outermost = all(other is line or _lies_apart(line, other) for other in others)
            as_elsewhere = settings[_setting(line)] >= 2 and line.size < 1.15 * body
            at_top = line.y1 < _ZONE * height  # at the bottom, a number before the text is that of a footnote
            is_numbered = _NUMBER_BEHIND.search(line.text) or (at_top and _NUMBER_BEFORE.match(line.text))
            if is_outermost and (as_elsewhere or (line.size < 0.97 * body and is_numbered)):
                indices.add(index)


def _setting(line: TextLine) -> tuple[int, int]:
    """The height and the type size of a line, rounded."""
    return round(line.baseline / 2), round(2 * line.size)


def _lies_apart(line: TextLine, other: TextLine) -> bool:
    """Whether at least half a line of white is between ``line`` and ``other``."""
    reach = 0.5 * line.size
    upper = line.y1 < other.y0 - reach
    return other.is_aside or other.comment or upper or line.y0 > other.y1 + reach


def _separated(indices: set[int], lines: Sequence[TextLine]) -> set[int]:
    """Those of ``indices`` with a gap between them and the body: a line close to body text belongs to the body."""
    separated = set(indices)
    while True:
        body = [line for index, line in enumerate(lines) if index not in separated and not line.is_aside]
        close = {
            index
            for index in separated
            if not lines[index].is_aside and any(_touch(lines[index], other) for other in body)
        }
        if not close:
            return separated
        separated -= close


def _touch(one: TextLine, other: TextLine) -> bool:
    gap = max(one.y0, other.y0) - min(one.y1, other.y1)
    shares_x = min(one.x1, other.x1) > max(one.x0, other.x0)
    return shares_x and gap < 0.35 * min(one.size, other.size) and not other.is_placeholder


def _min_pages(line: TextLine, usual: int) -> int:
    """On how many pages a line must stand: on two if it begins or ends with a number, else on ``usual``."""
    return 2 if re.search(r"^\d{1,4}\s|\s\d{1,4}$", line.text.strip()) else usual


def _pattern(line: TextLine, body: float) -> str:
    """The text by which lines are compared, numbers replaced by "#": "Page 12" and "Page 7" are the same."""
    text = line.text
    if line.size >= 1.15 * body + 0.2:
        return text
    words = re.sub(r"\d+", "#", " ".join(text.split()).casefold())
    return re.sub(rf"^{_ROMAN}(?=\s)|(?<=\s){_ROMAN}$", "#", words)


def _step(line: TextLine, shift: int) -> int:
    """The height of a line in a grid of ``_HEIGHT_STEP``; ``shift`` 1: in the grid that is moved by half a step."""
    return 2 * int((line.y0 + shift * _HEIGHT_STEP / 2) // _HEIGHT_STEP) + shift


def _at_edge(line: TextLine, height: float, zone: float) -> bool:
    on_page = not (line.is_aside or line.comment or line.is_placeholder)
    return on_page and (line.y1 < zone * height or line.y0 > (1 - zone) * height)


def _edge_lines(lines: Sequence[TextLine], height: float) -> set[int]:
    """The indices of the lines near the edge of a page, and of the two first and the two last printed lines."""
    found = {index for index, line in enumerate(lines) if _at_edge(line, height, _ZONE)}
    upright = [index for index, line in enumerate(lines) if not line.is_aside and not line.comment]
    for ordered in (
        sorted(upright, key=lambda index: lines[index].y0),
        sorted(upright, key=lambda index: -lines[index].y1),
    ):
        rows: list[TextLine] = []  # the first line of each row
        for index in ordered:
            line = lines[index]
            if not rows or line.y0 >= rows[-1].y1 or line.y1 <= rows[-1].y0:
                rows.append(line)
            if line.is_placeholder or len(rows) > _EDGE_ROWS:
                break
            found.add(index)
    return found


def _counting(lines_of: Sequence[Sequence[TextLine]]) -> list[set[int]]:
    """For each page, the indices of numbers below or above all else that count the pages, wherever they stand."""
    found: list[set[int]] = [set() for _ in lines_of]
    for sign in (1, -1):  # at the top, at the bottom
        outermost: dict[int, tuple[int, int]] = {}  # by page: the line's index, and its number less that of the page
        for number, lines in enumerate(lines_of):
            upright = [index for index, line in enumerate(lines) if not line.is_aside and not line.comment]
            edge = [(lines[index].y0 if sign > 0 else -lines[index].y1, index) for index in upright]
            first = min(edge)[1] if edge else -1
            if edge and (match := _BARE_NUMBER.fullmatch(lines[first].text.strip())):
                outermost[number] = first, int(match[1]) - number
        shift, count = Counter(shift for _, shift in outermost.values()).most_common(1)[0] if outermost else (0, 0)
        if count >= _FEWEST_COUNTED:
            for number, (index, its_shift) in outermost.items():
                if its_shift == shift:
                    found[number].add(index)
    return found


def _is_margin_note(line: TextLine, page: Page) -> bool:
    x0, y0, x1, y1 = line.box
    in_margin = x1 < 0.1 * page.width or x0 > 0.9 * page.width or y1 < 0.06 * page.height or y0 > 0.94 * page.height
    return line.counts_lines or (line.is_rotated and in_margin)


def _page_numbers(lines: Sequence[TextLine], height: float) -> set[int]:
    """The indices of lines that are page numbers: nothing is nearer to the page's edge."""
    edge = []
    for index, line in enumerate(lines):
        if _PAGE_NUMBER.fullmatch(line.text.strip()) and (
            _at_edge(line, height, _NUMBER_ZONE) or (_at_edge(line, height, _ALONE_ZONE) and _stands_alone(line, lines))
        ):
            edge.append(index)
    highest = min((line.y0 for line in lines if not line.is_aside), default=0.0)
    lowest = max((line.y1 for line in lines if not line.is_aside), default=0.0)
    return {index for index in edge if lines[index].y0 <= highest + 4 or lines[index].y1 >= lowest - 4}


def _stands_alone(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """Whether at least two blank lines separate the line from every other."""
    reach = 2 * line.size
    return all(
        other is line or other.is_aside or other.y1 < line.y0 - reach or other.y0 > line.y1 + reach for other in lines
    )
