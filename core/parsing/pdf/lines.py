"""Text runs of a PDF page as plain values, and their way through a pipe as JSON lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

Box = tuple[float, float, float, float]
Target = tuple[int, int, str]  # start and end in a run's text, and where the link over it leads

_PLACE = 2  # decimals of a coordinate in the pipe: hundredths of a point are exact enough for any screen


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


_FLAGS = ("bold", "mono", "italic", "aside", "comment", "parted")


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


def to_json(line: TextLine) -> list[Any]:
    """A line as a JSON list, without what it does not have."""
    frame = [round(value, _PLACE) for value in (line.x0, line.y0, line.x1, line.y1, line.baseline, line.size)]
    flags = sum(1 << bit for bit, name in enumerate(_FLAGS) if getattr(line, name))
    box = [] if line.box == (line.x0, line.y0, line.x1, line.y1) else _rounded(line.box)
    values: list[Any] = [line.text, *frame, flags, line.region, box, line.font]
    if line.links or line.stands_in:
        values.append([list(link) for link in line.links])
    if line.stands_in:
        table = line.table
        rows = [[_run_out(run) for run in row] for row in table.rows] if table else None
        values += [rows, table.header_rows if table else 0, [_run_out(run) for run in line.labels]]
    return values


def from_json(values: list[Any]) -> TextLine:
    """The line ``to_json`` wrote. Raises ``ValueError`` or ``TypeError`` for anything else."""
    text, x0, y0, x1, y1, baseline, size, flags, region, box, font, *more = values
    frame = (float(x0), float(y0), float(x1), float(y1))
    bold, mono, italic, aside, comment, parted = (bool(flags >> bit & 1) for bit in range(len(_FLAGS)))
    links = more[0] if more else []
    rows, header_rows, labels = more[1:] if len(more) > 1 else (None, 0, [])
    table = None
    if rows is not None:
        table = TableCells(tuple(tuple(_run_in(run) for run in row) for row in rows), int(header_rows))
    return TextLine(
        str(text),
        *frame,
        float(baseline),
        float(size),
        bold,
        mono,
        italic,
        aside,
        comment,
        parted,
        region=int(region),
        box=_box(box) if box else frame,
        font=str(font),
        links=_links_in(links),
        table=table,
        labels=tuple(_run_in(run) for run in labels),
    )


def _rounded(box: Box) -> list[float]:
    return [round(value, _PLACE) for value in box]


def _run_out(run: Run) -> list[Any]:
    return [run.text, _rounded(run.box), *([[list(link) for link in run.links]] if run.links else [])]


def _run_in(values: list[Any]) -> Run:
    text, box, *links = values
    return Run(str(text), _box(box), _links_in(links[0] if links else ()))


def _links_in(links: Sequence[Any]) -> tuple[Target, ...]:
    return tuple((int(start), int(end), str(target)) for start, end, target in links)


def _box(values: Sequence[float]) -> Box:
    x0, y0, x1, y1 = (float(value) for value in values)
    return x0, y0, x1, y1
