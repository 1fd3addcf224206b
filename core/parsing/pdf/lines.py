"""What is read of a PDF: its text runs as plain values, and what the worker says of a file and of each page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

Box = tuple[float, float, float, float]
Target = tuple[int, int, str]  # start and end in a run's text, and where the link over it leads


@dataclass(frozen=True, slots=True)
class Run:
    """Words inside a table or a figure with their box on the shown page, and the links over them, sorted and apart.

    The printed lines of a cell are parted by newlines until the text is written.
    """

    text: str
    box: Box
    links: tuple[Target, ...] = ()

    @property
    def flat(self) -> str:
        return self.text.replace("\n", " ")


@dataclass(frozen=True, slots=True)
class TableCells:
    """A table as read off a page, the first ``header_rows`` of its rows heading the rest."""

    rows: tuple[tuple[Run, ...], ...]
    header_rows: int


@dataclass(frozen=True, slots=True)
class TextLine:
    """One text run in the page's upright frame: y grows downwards, reading goes along x.

    ``text`` keeps the blanks at its edges until lines are put in order. ``box``: the same on the page as it is shown,
    in points. ``baseline``: y of the letters' foot. ``font``: of most letters, without its subset's mark.
    ``region``: number of the column the line was read in, per page. ``aside``: written across the page's direction.
    ``comment``: of an annotation or a form, not of the page. ``parted``: a blank stood at the run's end.
    ``table`` and ``labels`` (the words inside a figure) are set on stand-ins, whose ``text`` is "".
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
    aside: bool = False
    comment: bool = False
    parted: bool = False
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
    def stands_in(self) -> bool:
        """Whether this is no line but the place of a table or a figure."""
        return self.table is not None or bool(self.labels)


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What a file says of itself. ``outline``: (level, title, 1-based page). ``files``: how many it has attached."""

    pages: int
    outline: tuple[tuple[int, str, int], ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    repaired: bool = False
    files: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """One page. ``size``: width and height as it is shown; ``height``: of the frame in which its lines read upright.

    ``lines``: in reading order. ``signs``: shares of the page, as ``pictures.looking.signs`` tells them. ``doubles``:
    texts that were drawn twice; ``unseen``: texts that nobody sees. ``unmarked``: comments and
    form fields are lost.
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


def merged(row: Sequence[TextLine]) -> TextLine:
    """Fragments of one printed line, in reading order, as one line; a blank between them where there is a gap."""
    if len(row) == 1:
        return replace(row[0], text=row[0].text.strip())
    text = row[0].text
    for left, right in pairwise(row):
        gap = max(right.x0 - left.x1, left.x0 - right.x1)
        tight = gap < 0.12 * max(left.size, right.size) and not (left.text.endswith(" ") or right.text.startswith(" "))
        text = text.rstrip() + ("" if tight else " ") + right.text.lstrip()
    weights = [max(1, len(part.text)) for part in row]
    leading = row[max(range(len(row)), key=lambda index: weights[index])]
    bold, mono, italic = (
        sum(weight for part, weight in zip(row, weights, strict=True) if getattr(part, name)) >= 0.8 * sum(weights)
        for name in ("bold", "mono", "italic")
    )
    return replace(
        leading,
        text=text.strip(),
        x0=min(part.x0 for part in row),
        y0=min(part.y0 for part in row),
        x1=max(part.x1 for part in row),
        y1=max(part.y1 for part in row),
        bold=bold,
        mono=mono,
        italic=italic,
        parted=row[-1].parted,
        box=around([part.box for part in row]),
    )


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of them.

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
    """The type size of most letters, in half points; 0 without any."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.size) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0


def body_font(lines: Sequence[TextLine]) -> str:
    """The font of most letters."""
    fonts: Counter[str] = Counter()
    for line in lines:
        fonts[line.font] += len(line.text)
    return max(fonts, key=lambda font: (fonts[font], font)) if fonts else ""


def title_key(text: str) -> str:
    """Letters and digits alone, for comparing an outline's titles with lines.

    >>> title_key("1.2  Set-up")
    '12setup'
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
