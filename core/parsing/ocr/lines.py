"""What OCR says of one picture, and its lines on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from core.parsing.pdf.layout import reading_order
from core.parsing.pdf.lines import TextLine

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of print. ``confidence``: 0..1. ``box``: around it in the picture; ``frame``: on the sheet turned upright,
    where lines run from left to right. Both in pixels, left, top, right and bottom.
    """

    text: str
    confidence: float
    box: Box
    frame: Box


@dataclass(frozen=True, slots=True)
class Reading:
    """The lines of a picture in no order, and the width and height of the sheet turned upright."""

    lines: tuple[ReadLine, ...]
    sheet: tuple[float, float]

    @property
    def confidence(self) -> float:
        """Mean of the lines, each by its letters; 0 without lines.

        >>> box = (0, 0, 1, 1)
        >>> Reading((ReadLine("aaa", 1.0, box, box), ReadLine("b", 0.6, box, box)), (9.0, 9.0)).confidence
        0.9
        """
        letters = sum(len(line.text) for line in self.lines)
        return round(sum(line.confidence * len(line.text) for line in self.lines) / letters, 4) if letters else 0.0


def lying(reading: Reading, turn: int, size: tuple[float, float]) -> Reading:
    """A reading of a picture of this width and height, that was turned upright, on the page as it lies: boxes go along.

    ``turn``: by how much the page lies turned clockwise: 0, 90, 180 or 270 degrees.

    >>> line = ReadLine("a", 1.0, (0, 0, 9, 2), (0, 0, 9, 2))
    >>> [lying(Reading((line,), (10, 20)), turn, (10, 20)).lines[0].box for turn in (90, 180, 270)]
    [(18, 0, 20, 9), (1, 18, 10, 20), (0, 1, 2, 10)]
    """
    wide, high = size

    def laid(x: float, y: float) -> tuple[float, float]:
        return {0: (x, y), 90: (high - y, x), 180: (wide - x, high - y), 270: (y, wide - x)}[turn]

    lines = []
    for line in reading.lines:
        (ax, ay), (bx, by) = laid(*line.box[:2]), laid(*line.box[2:])
        lines.append(replace(line, box=(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))))
    return replace(reading, lines=tuple(lines))


_TYPE_SIZE = 0.75  # of the height of a line's box, which has a margin
_SAME_SIZE = 0.25  # by which heights of one type differ: a line may have no letter that hangs or rises
_MARGIN = 0.25  # of a box's height, at either end of a line: the detector draws its boxes wide
_FOOT = 0.22  # of a box's height, below the letters' feet


def lines_on(reading: Reading, scale: float) -> tuple[list[TextLine], float]:
    """The lines in reading order with their boxes on the shown page, and the height of the frame they are upright in.

    ``scale``: pixels of the picture to a point of the page.
    """
    sizes = type_sizes([(line.frame[3] - line.frame[1]) / scale for line in reading.lines])
    height = reading.sheet[1] / scale
    return reading_order(
        [_on(line, scale, size) for line, size in zip(reading.lines, sizes, strict=True)], height
    ), height


def _on(line: ReadLine, scale: float, size: float) -> TextLine:
    x0, y0, x1, y1 = (value / scale for value in line.frame)
    margin = min(_MARGIN * (y1 - y0), (x1 - x0) / 4)
    x0, x1 = x0 + margin, x1 - margin  # or the lines of two columns touch over a narrow gutter
    a, b, c, d = (value / scale for value in line.box)
    return TextLine(line.text, x0, y0, x1, y1, y1 - _FOOT * (y1 - y0), size, parted=True, box=(a, b, c, d))


def type_sizes(heights: Sequence[float]) -> list[float]:
    """Type sizes of lines by the heights of their boxes; what hardly differs is one size, that of most of them.

    >>> type_sizes([16.0, 15.0, 17.0, 30.0])
    [12.0, 12.0, 12.0, 22.5]
    """
    left = list(heights)
    sizes: list[tuple[float, float]] = []  # a height, and the size of all that is about as high
    while left:
        usual = median(left)
        usual = min(left, key=lambda height: abs(height - usual))
        sizes.append((usual, round(2 * _TYPE_SIZE * usual) / 2))
        left = [height for height in left if abs(height - usual) > _SAME_SIZE * usual]
    return [min(sizes, key=lambda one: abs(one[0] - height))[1] for height in heights]
