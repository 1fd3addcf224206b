"""The result of OCR for one picture, and its conversion into text lines of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from core.parsing.pdf.layout.reading_order import reading_order
from core.parsing.pdf.lines import TextLine

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A recognised line. ``confidence``: 0 to 1. ``box``: in the picture. ``frame``: on the upright sheet, the picture
    turned so that lines read from left to right. Both are (left, top, right, bottom) in pixels.
    """

    text: str
    confidence: float
    box: Box
    frame: Box


@dataclass(frozen=True, slots=True)
class Reading:
    """The recognised lines of a picture in any order. ``sheet``: width and height of the upright sheet in pixels."""

    lines: tuple[ReadLine, ...]
    sheet: tuple[float, float]

    @property
    def confidence(self) -> float:
        """The mean confidence of the lines, weighted by their characters; 0 without lines.

        >>> box = (0, 0, 1, 1)
        >>> Reading((ReadLine("aaa", 1.0, box, box), ReadLine("b", 0.6, box, box)), (9.0, 9.0)).confidence
        0.9
        """
        letters = sum(len(line.text) for line in self.lines)
        return round(sum(line.confidence * len(line.text) for line in self.lines) / letters, 4) if letters else 0.0


def on_turned_page(reading: Reading, turn: int, size: tuple[float, float]) -> Reading:
    """The reading of an upright picture with the boxes moved to the original picture, which is turned clockwise.

    ``turn``: by 0, 90, 180 or 270 degrees. ``size``: width and height of the upright picture.

    >>> line = ReadLine("a", 1.0, (0, 0, 9, 2), (0, 0, 9, 2))
    >>> [on_turned_page(Reading((line,), (10, 20)), turn, (10, 20)).lines[0].box for turn in (90, 180, 270)]
    [(18, 0, 20, 9), (1, 18, 10, 20), (0, 1, 2, 10)]
    """
    width, height = size

    def turned(x: float, y: float) -> tuple[float, float]:
        return {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[turn]

    lines = []
    for line in reading.lines:
        (ax, ay), (bx, by) = turned(*line.box[:2]), turned(*line.box[2:])
        lines.append(replace(line, box=(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))))
    return replace(reading, lines=tuple(lines))


_TYPE_SIZE = 0.75  # of the height of a line's box, which includes a margin
_SAME_SIZE = 0.25  # the relative difference of heights of one type: a line may have no ascenders or descenders
_MARGIN = 0.25  # of a box's height, added by the detector at either end of a line
_BELOW_BASELINE = 0.22  # of a box's height


def lines_on(reading: Reading, scale: float) -> tuple[list[TextLine], float]:
    """The lines in reading order with their boxes on the page as it is shown, and the height of the upright frame.

    ``scale``: pixels of the picture for each point of the page.
    """
    sizes = type_sizes([(line.frame[3] - line.frame[1]) / scale for line in reading.lines])
    height = reading.sheet[1] / scale
    lines = [_text_line(line, scale, size) for line, size in zip(reading.lines, sizes, strict=True)]
    return reading_order(lines, height), height


def _text_line(line: ReadLine, scale: float, size: float) -> TextLine:
    x0, y0, x1, y1 = (value / scale for value in line.frame)
    margin = min(_MARGIN * (y1 - y0), (x1 - x0) / 4)
    x0, x1 = x0 + margin, x1 - margin  # otherwise lines of two columns touch across a narrow gutter
    a, b, c, d = (value / scale for value in line.box)
    baseline = y1 - _BELOW_BASELINE * (y1 - y0)
    return TextLine(line.text, x0, y0, x1, y1, baseline, size, ends_with_blank=True, box=(a, b, c, d))


def type_sizes(heights: Sequence[float]) -> list[float]:
    """Type sizes of lines from the heights of their boxes. Similar heights get the same size.

    >>> type_sizes([16.0, 15.0, 17.0, 30.0])
    [12.0, 12.0, 12.0, 22.5]
    """
    remaining = list(heights)
    sizes: list[tuple[float, float]] = []  # a height, and the type size of all similar heights
    while remaining:
        usual = median(remaining)
        usual = min(remaining, key=lambda height: abs(height - usual))
        sizes.append((usual, round(2 * _TYPE_SIZE * usual) / 2))
        remaining = [height for height in remaining if abs(height - usual) > _SAME_SIZE * usual]
    return [min(sizes, key=lambda pair: abs(pair[0] - height))[1] for height in heights]
