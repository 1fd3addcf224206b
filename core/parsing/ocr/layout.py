"""What OCR read of a page as lines of that page, in the order a person reads them: from here on it is as any other."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from core.parsing.ocr.lines import Reading, ReadLine
from core.parsing.pdf.layout import reading_order
from core.parsing.pdf.lines import TextLine

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
