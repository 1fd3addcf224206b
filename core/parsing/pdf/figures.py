"""Figures of a page: where a caption says there is one, the drawing beside it and the words inside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.parsing.pdf.lines import Box, Run, TextLine, around, body_size, middle_inside

_NUMBER = r"\s*[A-Z]?\d+(?:[-.]\d+)*[a-z]?"
FIGURE_CAPTION = re.compile(
    rf"(?:Figure|FIGURE|Fig\.|FIG\.|Chart|Scheme|Diagram|Exhibit|Abbildung|Abb\.|Figura|Plate){_NUMBER}"
    r"(?:\s*[.:–—|]|\s+(?=[^a-z\s])|\s*$)"
)
_NEAR = 60.0  # points between a caption and its drawing
_SLACK = 6.0  # points within which drawn things belong together
_REACH = 24.0  # points between the panels of one figure
_MARGIN = 13.0  # points around a drawing where its labels may stand
_MAX_GRAPHICS = 2000
_MIN_SIDE = 18.0
_LABEL_CHARACTERS = 40
_PROSE_CHARACTERS = 45


@dataclass(frozen=True, slots=True)
class Figure:
    """The text runs inside a drawing, and the box they fill."""

    box: Box
    lines: tuple[TextLine, ...]

    def labels(self) -> tuple[Run, ...]:
        """The words of the drawing, from top to bottom."""
        ordered = sorted(self.lines, key=lambda line: (round(line.y0 / 4), line.x0))
        return tuple(Run(line.text.strip(), line.box) for line in ordered)


def find_figures(lines: Sequence[TextLine], graphics: Sequence[Box]) -> list[Figure]:
    """The captioned figures of a page that have words inside; no run belongs to two of them.

    ``lines``: of the page, tables standing in. ``graphics``: boxes of all that is drawn.
    A framed text with a caption is no figure: its words are running text.
    """
    drawn = graphics[:_MAX_GRAPHICS]
    clusters = _clusters(drawn)
    texts = [line for line in lines if not line.stands_in]
    captions = [line for line in texts if FIGURE_CAPTION.match(line.text.strip())]
    body = body_size(texts)
    prose = [_frame(line) for line in texts if len(line.text) > _PROSE_CHARACTERS]
    found: list[Figure] = []
    taken: set[int] = set()
    for caption in captions:
        region = _region(caption, clusters, prose)
        if region and _encloses(region, prose):  # two columns' drawings overlap
            region = _region(caption, _clusters(_in_column(drawn, caption, prose)), prose)
        if region is None or _encloses(region, prose):
            continue
        inside = [
            line
            for line in texts
            if id(line) not in taken and not _is_caption(line, captions) and _is_label(line, region, body)
        ]
        if inside and not _is_framed_text(inside, region):
            taken.update(map(id, inside))
            found.append(Figure(around([_frame(line) for line in inside]), tuple(inside)))
    return found


def _clusters(boxes: Sequence[Box]) -> list[Box]:
    """Boxes that touch, as one; thin rules that touch nothing are dropped."""
    clusters: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box[0] - box[2]) * (box[3] - box[1])):
        joined = box
        while touching := [cluster for cluster in clusters if _gap(cluster, joined) <= _SLACK]:
            clusters = [cluster for cluster in clusters if cluster not in touching]
            joined = around([joined, *touching])
        clusters.append(joined)
    return [box for box in clusters if min(box[2] - box[0], box[3] - box[1]) >= _MIN_SIDE]


def _encloses(region: Box, prose: Sequence[Box]) -> bool:
    return sum(middle_inside(line, region) for line in prose) > 1


def _in_column(drawn: Sequence[Box], caption: TextLine, prose: Sequence[Box]) -> list[Box]:
    """What is drawn in the caption's column, as far as running text shows how wide that is."""
    mates = [line for line in prose if line[0] - _REACH < caption.x0 < line[2]]
    if not mates:
        return []
    left, right = min(line[0] for line in mates), max(line[2] for line in mates)
    return [box for box in drawn if left < (box[0] + box[2]) / 2 < right]


def _gap(one: Box, other: Box) -> float:
    """How far apart two boxes are, along x or y, whichever is more; negative where they overlap."""
    return max(one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3])


def _frame(line: TextLine) -> Box:
    return line.x0, line.y0, line.x1, line.y1


def _region(caption: TextLine, clusters: Sequence[Box], prose: Sequence[Box]) -> Box | None:
    """The drawing right above the caption, else the one right below, with the panels that belong to it.

    No panel is taken along that would enclose lines of ``prose``.
    """
    place = _frame(caption)
    for above in (True, False):
        near = [box for box in clusters if _distance(box, place, above=above) is not None]
        if not near:
            continue
        region = min(near, key=lambda box: _distance(box, place, above=above) or 0.0)
        while more := [
            box
            for box in clusters
            if not _holds(region, box)
            and _gap(region, box) <= _REACH
            and (box[3] <= place[1] + _SLACK if above else box[1] >= place[3] - _SLACK)
            and not any(middle_inside(line, around([region, box])) for line in prose)
        ]:
            region = around([region, *more])
        return region
    return None


def _distance(box: Box, caption: Box, *, above: bool) -> float | None:
    """Points between a drawing and a caption below (or above) it; ``None`` where they do not belong together."""
    shared = min(box[2], caption[2]) - max(box[0], caption[0])
    if shared < 0.3 * min(box[2] - box[0], caption[2] - caption[0]):
        return None
    distance = caption[1] - box[3] if above else box[1] - caption[3]
    return max(0.0, distance) if -_SLACK < distance < _NEAR else None


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _is_caption(line: TextLine, captions: Sequence[TextLine]) -> bool:
    """Whether the line is a caption, or goes on with one right above it."""
    return any(
        line is caption
        or (abs(line.x0 - caption.x0) < 1.5 * line.size and 0 < line.y0 - caption.y0 < 3.2 * caption.size)
        or (abs(line.baseline - caption.baseline) < 1 and line.x0 > caption.x0 and line.x0 - caption.x1 < 40)
        for caption in captions
    )


def _is_label(line: TextLine, region: Box, body: float) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    if region[0] <= x <= region[2] and region[1] <= y <= region[3]:
        return True
    near = region[0] - _MARGIN <= x <= region[2] + _MARGIN and region[1] - _MARGIN <= y <= region[3] + _MARGIN
    return near and line.size < 0.96 * body and len(line.text) <= _LABEL_CHARACTERS


def _is_framed_text(inside: Sequence[TextLine], region: Box) -> bool:
    """Whether the runs are a listing, or prose that fills the frame."""
    if sum(line.mono for line in inside) > 0.6 * len(inside):
        return True
    wide = [line for line in inside if line.x1 - line.x0 > 0.7 * (region[2] - region[0])]
    characters = sum(len(line.text) for line in inside) / len(inside)
    return characters > _PROSE_CHARACTERS or (len(inside) >= 4 and len(wide) >= 0.5 * len(inside) and characters > 30)
