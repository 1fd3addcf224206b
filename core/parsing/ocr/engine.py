"""OCR of a picture by the models in the package of RapidOCR. Runs in the worker only.

The detector returns a line as four corners, in any direction. The median direction of the lines is the page's rotation,
exact to a fraction of a degree. Whether the page is upside down is decided by the recogniser, which reads a few lines
both ways. Each line is then cut out along its own corners, so that the page need not be deskewed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.parsing.ocr.lines import Reading, ReadLine, on_turned_page

_DETECTION_PIXELS = 1600  # of the longer side for the detector; the recogniser gets the full resolution
_MIN_CONFIDENCE = 0.6  # of a line; less is seldom print
_TRIED_LINES, _TRIED_WIDTH = 6, 12  # lines that are read both ways, and their width as a multiple of their height
_MIN_RATIO = 2.5  # of length to height of a line whose direction counts
_QUARTER = 90.0

Corners = NDArray[np.float32]  # (4, 2): top left, top right, bottom right, bottom left of a line in reading direction
Picture = NDArray[np.uint8]


class Engine:
    """The detector and the recogniser, loaded once."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._models: Any = RapidOCR(
            params={"Global.log_level": "critical", "Global.max_side_len": _DETECTION_PIXELS, "Global.use_cls": False}
        )

    def read(self, data: bytes) -> Reading:
        """The lines of an encoded picture in any order. Raises ``ValueError`` where it cannot be decoded."""
        import cv2

        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if picture is None:
            raise ValueError("no picture")
        return self._read(np.asarray(picture, np.uint8))

    def _read(self, picture: Picture, *, again: bool = False) -> Reading:
        """Like ``read``, of a decoded picture. ``again``: it was turned upright already."""
        boxes = self._models(picture, use_det=True, use_cls=False, use_rec=False).boxes
        height, width = picture.shape[:2]
        if boxes is None or not len(boxes):
            return Reading((), (float(width), float(height)))
        corners = [np.asarray(line, np.float32) for line in boxes]
        turn = direction(corners)
        upright = [ordered(line, turn) for line in corners]
        if self._is_upside_down(picture, upright):
            turn = (turn + 180) % 360
            upright = [ordered(line, turn) for line in corners]
        quarters = round(turn / _QUARTER) % 4
        if quarters % 2 and not again:  # vertical lines are detected less exactly: read the turned picture
            reading = self._read(np.ascontiguousarray(np.rot90(picture, quarters)), again=True)
            return on_turned_page(reading, 90 * quarters, (float(height), float(width)))
        texts = self._recognise([_cut(picture, line) for line in upright])
        sheet = turned(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32), -turn)
        corner = sheet.min(axis=0)
        lines = [
            ReadLine(text.strip(), round(score, 4), box_of(line), box_of(turned(line, -turn) - corner))
            for line, (text, score) in zip(upright, texts, strict=True)
            if text.strip() and score >= _MIN_CONFIDENCE
        ]
        sheet_width, sheet_height = sheet.max(axis=0) - corner
        return Reading(tuple(lines), (float(sheet_width), float(sheet_height)))

    def _is_upside_down(self, picture: Picture, lines: Sequence[Corners]) -> bool:
        """Whether the longest lines are read with more confidence the other way round."""
        longest = sorted(lines, key=_length, reverse=True)[:_TRIED_LINES]
        crops = [_cut(picture, line) for line in longest]
        crops = [crop[:, : _TRIED_WIDTH * len(crop)] for crop in crops]
        both = self._recognise([*crops, *(np.ascontiguousarray(crop[::-1, ::-1]) for crop in crops)])
        weights = [score * len(text) for text, score in both]
        return sum(weights[len(crops) :]) > sum(weights[: len(crops)])

    def _recognise(self, crops: list[Picture]) -> list[tuple[str, float]]:
        """Text and confidence of each cut out line."""
        result = self._models.recognize_txt(crops)
        return [(str(text), float(score)) for text, score in zip(result.txts, result.scores, strict=True)]


def direction(lines: Sequence[Corners]) -> float:
    """Degrees by which a page is turned clockwise, from -45 to below 135: the weighted median of its lines' directions.

    Does not tell whether the page is upside down.

    >>> level = np.array([[0, 0], [90, 0], [90, 9], [0, 9]], np.float32)
    >>> direction([level]), direction([level[:, ::-1]])
    (0.0, 90.0)
    """
    angles, weights = [], []
    for line in lines:
        across, down = line[1] - line[0], line[3] - line[0]
        width, height = float(np.hypot(*across)), float(np.hypot(*down))
        if max(width, height) < _MIN_RATIO * min(width, height):
            continue
        along = across if width > height else down
        angles.append((math.degrees(math.atan2(float(along[1]), float(along[0]))) + 45) % 180 - 45)
        weights.append(max(width, height))
    if not angles:
        return 0.0
    vertical = sum(weight for angle, weight in zip(angles, weights, strict=True) if angle >= 45)
    is_vertical = 2 * vertical > sum(weights)
    same = sorted(
        (angle, weight) for angle, weight in zip(angles, weights, strict=True) if (angle >= 45) == is_vertical
    )
    half, cumulated = sum(weight for _, weight in same) / 2, 0.0
    for angle, weight in same:
        cumulated += weight
        if cumulated >= half:
            return round(angle, 2)
    return 0.0


def turned(points: Corners, degrees: float) -> Corners:
    """Points of a picture turned clockwise about its origin, with y downwards.

    >>> turned(np.array([[1, 0]], np.float32), 90).round().tolist()
    [[0.0, 1.0]]
    """
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return points @ np.array([[cosine, sine], [-sine, cosine]], np.float32)


def ordered(line: Corners, turn: float) -> Corners:
    """A line's corners clockwise, beginning with that which is top left on the upright page."""
    upright = turned(line, -turn)
    middle = upright.mean(axis=0)
    clockwise = np.argsort(np.arctan2(*(upright - middle).T[::-1]))
    start = int(np.argmin(upright[clockwise].sum(axis=1)))
    return line[np.roll(clockwise, -start)]


def box_of(points: Corners) -> tuple[float, float, float, float]:
    """The axis-aligned box around points."""
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def _length(line: Corners) -> float:
    return float(np.hypot(*(line[1] - line[0])))


def _cut(picture: Picture, line: Corners) -> Picture:
    """A line cut out of the picture and made horizontal."""
    import cv2

    width, height = max(1, round(_length(line))), max(1, round(float(np.hypot(*(line[3] - line[0])))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.ascontiguousarray(line, np.float32), target)
    cut = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)
