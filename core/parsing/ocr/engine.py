"""Lines of print in a picture, by the models that RapidOCR brings in its package. Runs inside the worker alone.

The detector finds a line as four corners in whatever direction it runs. The way most of them run tells how the page
lies, to the fraction of a degree; which of the two ends is up, the recogniser tells, which reads a few lines both ways.
Every line is then cut out along its own corners, so that a page askew does not have to be turned as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.parsing.ocr.lines import Reading, ReadLine, lying

_LOOKED_AT = 1600  # pixels of the longer side in which lines are sought; they are read in the picture as it came
_LEAST_CONFIDENCE = 0.6  # of a line: what is read with less is seldom print
_TRIED, _TRIED_WIDTH = 6, 12  # lines read both ways, and how much of them: times their height
_LONG = 2.5  # times as long as high: a line that tells its direction
_QUARTER = 90.0

Corners = NDArray[np.float32]  # of one line: top left, top right, bottom right, bottom left, as it is read
Picture = NDArray[np.uint8]


class Engine:
    """The two models, loaded once."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._models: Any = RapidOCR(
            params={"Global.log_level": "critical", "Global.max_side_len": _LOOKED_AT, "Global.use_cls": False}
        )

    def read(self, data: bytes) -> Reading:
        """The lines of an encoded picture, in no order. Raises ``ValueError`` for what is no picture."""
        import cv2

        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if picture is None:
            raise ValueError("no picture")
        return self._read(np.asarray(picture, np.uint8))

    def _read(self, picture: Picture, *, again: bool = False) -> Reading:
        """As ``read``. ``again``: it was turned upright already."""
        found = self._models(picture, use_det=True, use_cls=False, use_rec=False).boxes
        height, width = picture.shape[:2]
        if found is None or not len(found):
            return Reading((), (float(width), float(height)))
        corners = [np.asarray(line, np.float32) for line in found]
        turn = direction(corners)
        upright = [ordered(line, turn) for line in corners]
        if self._is_upside_down(picture, upright):
            turn = (turn + 180) % 360
            upright = [ordered(line, turn) for line in corners]
        quarter = round(turn / _QUARTER) % 4
        if quarter % 2 and not again:  # standing lines are found less exactly: look again, at the picture turned
            reading = self._read(np.ascontiguousarray(np.rot90(picture, quarter)), again=True)
            return lying(reading, 90 * quarter, (float(height), float(width)))
        read = self._recognised([_cut(picture, line) for line in upright])
        sheet = turned(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32), -turn)
        corner = sheet.min(axis=0)
        lines = [
            ReadLine(text.strip(), round(score, 4), box_of(line), box_of(turned(line, -turn) - corner))
            for line, (text, score) in zip(upright, read, strict=True)
            if text.strip() and score >= _LEAST_CONFIDENCE
        ]
        wide, high = sheet.max(axis=0) - corner
        return Reading(tuple(lines), (float(wide), float(high)))

    def _is_upside_down(self, picture: Picture, lines: Sequence[Corners]) -> bool:
        """Whether lines are read with more confidence the other way round."""
        longest = sorted(lines, key=_length, reverse=True)[:_TRIED]
        pieces = [_cut(picture, line) for line in longest]
        pieces = [piece[:, : _TRIED_WIDTH * len(piece)] for piece in pieces]
        both = self._recognised([*pieces, *(np.ascontiguousarray(piece[::-1, ::-1]) for piece in pieces)])
        weights = [score * len(text) for text, score in both]
        return sum(weights[len(pieces) :]) > sum(weights[: len(pieces)])

    def _recognised(self, pieces: list[Picture]) -> list[tuple[str, float]]:
        found = self._models.recognize_txt(pieces)
        return [(str(text), float(score)) for text, score in zip(found.txts, found.scores, strict=True)]


def direction(lines: Sequence[Corners]) -> float:
    """Degrees by which a page is turned clockwise, from -45 to below 135, as most of the length of its lines runs.

    Which of the two ends is up it does not know.

    >>> level = np.array([[0, 0], [90, 0], [90, 9], [0, 9]], np.float32)
    >>> direction([level]), direction([level[:, ::-1]])
    (0.0, 90.0)
    """
    angles, weights = [], []
    for line in lines:
        across, down = line[1] - line[0], line[3] - line[0]
        wide, high = float(np.hypot(*across)), float(np.hypot(*down))
        if max(wide, high) < _LONG * min(wide, high):
            continue
        along = across if wide > high else down
        angles.append((math.degrees(math.atan2(float(along[1]), float(along[0]))) + 45) % 180 - 45)
        weights.append(max(wide, high))
    if not angles:
        return 0.0
    stands = sum(weight for angle, weight in zip(angles, weights, strict=True) if angle >= 45) * 2 > sum(weights)
    same = sorted((angle, weight) for angle, weight in zip(angles, weights, strict=True) if (angle >= 45) == stands)
    half, passed = sum(weight for _, weight in same) / 2, 0.0
    for angle, weight in same:
        passed += weight
        if passed >= half:
            return round(angle, 2)
    return 0.0


def turned(points: Corners, degrees: float) -> Corners:
    """Points of a picture turned clockwise, as they are seen, about its origin.

    >>> turned(np.array([[1, 0]], np.float32), 90).round().tolist()
    [[0.0, 1.0]]
    """
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return points @ np.array([[cosine, sine], [-sine, cosine]], np.float32)


def ordered(line: Corners, turn: float) -> Corners:
    """A line's corners, that which is top left on the page turned upright first, then clockwise."""
    seen = turned(line, -turn)
    middle = seen.mean(axis=0)
    around = np.argsort(np.arctan2(*(seen - middle).T[::-1]))  # from the top left, clockwise
    start = int(np.argmin(seen[around].sum(axis=1)))
    return line[np.roll(around, -start)]


def box_of(points: Corners) -> tuple[float, float, float, float]:
    """The upright box around points."""
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def _length(line: Corners) -> float:
    return float(np.hypot(*(line[1] - line[0])))


def _cut(picture: Picture, line: Corners) -> Picture:
    """A line by itself, upright."""
    import cv2

    width, height = max(1, round(_length(line))), max(1, round(float(np.hypot(*(line[3] - line[0])))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.ascontiguousarray(line, np.float32), target)
    cut = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)
