"""Text runs of a PDF page as plain values, and their way through a pipe as JSON lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TableCells:
    """A table as read off a page: ``rows`` of (text, box), the first ``header_rows`` of them heading the rest."""

    rows: tuple[tuple[tuple[str, Box], ...], ...]
    header_rows: int


@dataclass(frozen=True, slots=True)
class TextLine:
    """One text run in the page's upright frame: y grows downwards, reading goes along x.

    ``text`` keeps the blanks at its edges until lines are put in order. ``box``: the same on the page as it is shown,
    in points. ``baseline``: y of the letters' foot. ``region``: number of the column the line was read in, per page.
    ``aside``: written across the page's direction. ``table``: set on the stand-in for a table; its ``text`` is "".
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
    region: int = 0
    box: Box = (0.0, 0.0, 0.0, 0.0)
    table: TableCells | None = None

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0


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
    bold = sum(weight for part, weight in zip(row, weights, strict=True) if part.bold)
    mono = sum(weight for part, weight in zip(row, weights, strict=True) if part.mono)
    italic = sum(weight for part, weight in zip(row, weights, strict=True) if part.italic)
    return replace(
        leading,
        text=text.strip(),
        x0=min(part.x0 for part in row),
        y0=min(part.y0 for part in row),
        x1=max(part.x1 for part in row),
        y1=max(part.y1 for part in row),
        bold=bold >= 0.8 * sum(weights),
        mono=mono >= 0.8 * sum(weights),
        italic=italic >= 0.8 * sum(weights),
        box=_around([part.box for part in row]),
    )


def _around(boxes: Sequence[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def body_size(lines: Sequence[TextLine]) -> float:
    """The type size of most letters, in half points; 0 without any."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(2 * line.size) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0


def title_key(text: str) -> str:
    """Letters and digits alone, for comparing an outline's titles with lines.

    >>> title_key("1.2  Set-up")
    '12setup'
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def to_json(line: TextLine) -> list[Any]:
    """A line as a JSON list; coordinates in hundredths of a point are exact enough for any screen."""
    frame = [round(value, 2) for value in (line.x0, line.y0, line.x1, line.y1, line.baseline, line.size)]
    flags = line.bold + 2 * line.mono + 4 * line.aside + 8 * line.italic
    table = None
    if line.table:
        rows = [[[text, [round(value, 2) for value in box]] for text, box in row] for row in line.table.rows]
        table = [rows, line.table.header_rows]
    return [line.text, *frame, flags, line.region, [round(value, 2) for value in line.box], table]


def from_json(values: list[Any]) -> TextLine:
    """The line ``to_json`` wrote. Raises ``ValueError`` or ``TypeError`` for anything else."""
    text, x0, y0, x1, y1, baseline, size, flags, region, box, table = values
    cells = None
    if table is not None:
        rows, header_rows = table
        cells = TableCells(
            tuple(tuple((str(words), _box(place)) for words, place in row) for row in rows), int(header_rows)
        )
    frame = (float(x0), float(y0), float(x1), float(y1), float(baseline), float(size))
    bold, mono, aside, italic = (bool(flags & bit) for bit in (1, 2, 4, 8))
    return TextLine(str(text), *frame, bold, mono, italic, aside, int(region), _box(box), cells)


def _box(values: Sequence[float]) -> Box:
    x0, y0, x1, y1 = (float(value) for value in values)
    return x0, y0, x1, y1
