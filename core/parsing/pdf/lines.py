"""The values that describe a PDF: text runs and tables, and the worker's messages about a file and about each page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

_MIN_MARGIN, _OFF_CENTRE = 0.08, 0.04  # of a column's width: on each side of centred text, and their difference
_SMALL_CAPITALS = 1.4  # the most a capital is larger than a small capital
_WORD = 3  # letters
Box = tuple[float, float, float, float]
Target = tuple[int, int, str]  # a link: start and end in a run's text, and its target


@dataclass(frozen=True, slots=True)
class Run:
    """Text inside a table cell or a figure. ``box``: on the page as it is shown. ``links``: sorted and disjoint.

    The printed lines of a cell are separated by newlines.
    """

    text: str
    box: Box
    links: tuple[Target, ...] = ()

    @property
    def flat(self) -> str:
        return self.text.replace("\n", " ")


@dataclass(frozen=True, slots=True)
class TableCells:
    """The rows of a table, of which the first ``header_rows`` are its header."""

    rows: tuple[tuple[Run, ...], ...]
    header_rows: int


@dataclass(frozen=True, slots=True)
class TextLine:
    """One text run of a page, or a placeholder for a table or a figure.

    ``x0`` to ``y1`` and ``baseline``: in points in the upright frame, in which most of the page's text reads from left
    to right and y grows downwards. ``box``: the same rectangle on the page as it is shown. ``size``: of the type.
    ``font``: of most letters, without the prefix of a subset. ``region``: the index of the column on its page.
    ``is_rotated``: written across the page's main direction. ``comment``: from an annotation. ``is_field``: name and
    value of a form field. ``ends_with_blank``: the run ended with a blank. ``counts_lines``: the numbers of the
    page's lines. ``text`` keeps blanks at its edges until lines are in order.
    Placeholders of tables have ``table``, those of figures ``labels`` (the words inside), and both "" as ``text``.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    bold: bool = False
    mono: bool = False
    italic: bool = False
    is_rotated: bool = False
    comment: bool = False
    is_field: bool = False
    ends_with_blank: bool = False
    counts_lines: bool = False
    region: int = 0
    box: Box = (0.0, 0.0, 0.0, 0.0)
    font: str = ""
    links: tuple[Target, ...] = ()
    table: TableCells | None = None
    labels: tuple[Run, ...] = ()

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def frame(self) -> Box:
        """Its rectangle in the upright frame."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def is_aside(self) -> bool:
        """Whether it stands beside the page's text: it is rotated or numbers the lines."""
        return self.is_rotated or self.counts_lines

    @property
    def is_placeholder(self) -> bool:
        """Whether this is a block of its own, as it is: a form field, or a placeholder for a table or a figure."""
        return self.table is not None or bool(self.labels) or self.is_field


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The worker's message about a file. ``outline``: (level, title, page from 1). ``files``: number of attachments.

    ``repaired``: the file was damaged, and MuPDF repaired it.
    """

    pages: int
    outline: tuple[tuple[int, str, int], ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    repaired: bool = False
    files: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """The worker's message about a page.

    ``size``: width and height as it is shown, in points. ``height``: of the upright frame. ``lines``: in reading order.
    ``signs``: see ``pictures.looking.signs``. ``doubles``: texts that were drawn twice. ``unseen``: texts that cannot
    be seen. ``unmarked``: comments and form fields could not be read. ``damaged``: the page could not be read.
    """

    number: int
    size: tuple[float, float] = (0.0, 0.0)
    height: float = 0.0
    lines: tuple[TextLine, ...] = ()
    signs: tuple[float, float, float] = (0.0, 0.0, 0.0)
    doubles: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    unmarked: bool = False
    damaged: bool = False


def placeholder(frame: Box, box: Box, table: TableCells | None = None, labels: tuple[Run, ...] = ()) -> TextLine:
    """A placeholder for a table or, with ``labels``, a figure; its rectangle is ``frame`` in the upright frame."""
    return TextLine("", *frame, frame[3], frame[3] - frame[1], box=box, table=table, labels=labels)


def merged(row: Sequence[TextLine]) -> TextLine:
    """The fragments of one printed line, in reading order, as one line, with a blank between them at each gap."""
    if len(row) == 1:
        return replace(row[0], text=row[0].text.strip())
    text = row[0].text
    for left, right in pairwise(row):
        gap = max(right.x0 - left.x1, left.x0 - right.x1)
        has_blank = left.text.endswith(" ") or right.text.startswith(" ")
        is_tight = gap < 0.12 * max(left.size, right.size) and not has_blank
        text = text.rstrip() + ("" if is_tight else " ") + right.text.lstrip()
    weights = [max(1, len(part.text)) for part in row]
    longest = row[max(range(len(row)), key=lambda index: weights[index])]
    bold, mono, italic = (
        sum(weight for part, weight in zip(row, weights, strict=True) if getattr(part, name)) >= 0.8 * sum(weights)
        for name in ("bold", "mono", "italic")
    )
    return replace(
        longest,
        text=text.strip(),
        size=size_of(text, longest.size, max(part.size for part in row)),
        x0=min(part.x0 for part in row),
        y0=min(part.y0 for part in row),
        x1=max(part.x1 for part in row),
        y1=max(part.y1 for part in row),
        bold=bold,
        mono=mono,
        italic=italic,
        ends_with_blank=row[-1].ends_with_blank,
        box=around([part.box for part in row]),
    )


def size_of(text: str, usual: float, largest: float) -> float:
    """The type size of a line. ``usual``: of most letters; small capitals count as the capitals they stand among.

    >>> size_of("I. INTRODUCTION", 8, 10), size_of("A Drop Cap", 8, 10), size_of("PROFIT 1", 8, 24)
    (10, 8, 8)
    """
    return largest if text.isupper() and largest < _SMALL_CAPITALS * usual else usual


def is_centred(x0: float, x1: float, left: float, right: float) -> bool:
    """Whether text from ``x0`` to ``x1`` is set in the middle of a column from ``left`` to ``right``, off both edges.

    >>> is_centred(40, 60, 0, 100), is_centred(0, 100, 0, 100), is_centred(20, 60, 0, 100)
    (True, False, False)
    """
    before, after, width = x0 - left, right - x1, right - left
    return min(before, after) >= _MIN_MARGIN * width and abs(before - after) <= _OFF_CENTRE * width


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that encloses all ``boxes``.

    >>> around([(0, 0, 2, 1), (1, -1, 3, 0)])
    (0, -1, 3, 1)
    """
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def middle_inside(box: Box, outer: Box) -> bool:
    """Whether the middle of ``box`` lies in ``outer``."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def body_size(lines: Sequence[TextLine]) -> float:
    """The type size of most letters, rounded to half points; 0 without lines."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.size) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0


def body_font(lines: Sequence[TextLine]) -> str:
    """The font of most letters; "" without lines."""
    fonts: Counter[str] = Counter()
    for line in lines:
        fonts[line.font] += len(line.text)
    return max(fonts, key=lambda font: (fonts[font], font)) if fonts else ""


def title_key(text: str) -> str:
    """The letters and digits of ``text`` in lower case, for comparing titles with lines.

    >>> title_key("1.2  Set-up")
    '12setup'
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def has_word(text: str) -> bool:
    """Whether a text has a word of three letters or more, unlike numbers, bullets and most formulas.

    >>> has_word("(1) the rate"), has_word("C. 4 %")
    (True, False)
    """
    return any(sum(map(str.isalpha, word)) >= _WORD for word in text.split())


def overlap(one: Box, other: Box) -> bool:
    """Whether the inner areas of two boxes intersect."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
