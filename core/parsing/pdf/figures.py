"""Figures of a page: for each figure caption, the drawing next to it and the words inside the drawing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.parsing.pdf.lines import Box, Run, TextLine, around, body_size, middle_inside, placeholder

_NUMBER = r"\s*[A-Z]?\d+(?:[-.]\d+)*[a-z]?"
FIGURE_CAPTION = re.compile(
    rf"(?:Figure|FIGURE|Fig\.|FIG\.|Chart|Scheme|Diagram|Exhibit|Abbildung|Abb\.|Figura|Plate){_NUMBER}"
    r"(?:\s*[.:–—|]|\s+(?=[^a-z\s])|\s*$)"
)
_MAX_CAPTION_GAP = 60.0  # points between a caption and its drawing
_SLACK = 6.0  # points between parts of one drawing
_MAX_PANEL_GAP = 24.0  # points between the panels of one figure
_MARGIN = 13.0  # points around a drawing in which its labels may stand
_MAX_GRAPHICS = 2000
_MIN_SIDE = 18.0  # points of a drawing
_LABEL_CHARACTERS = 40  # of a label outside the drawing, at most
_PROSE_CHARACTERS = 45  # of a line of running text, at least


def figure_line(inside: Sequence[TextLine]) -> TextLine:
    """A placeholder for a figure with the text runs ``inside`` it, from top to bottom."""
    ordered = sorted(inside, key=lambda line: (round(line.y0 / 4), line.x0))
    labels = tuple(Run(line.text.strip(), line.box) for line in ordered)
    return placeholder(around([line.frame for line in inside]), around([line.box for line in inside]), labels=labels)


def find_figures(lines: Sequence[TextLine], graphics: Sequence[Box]) -> list[list[TextLine]]:
    """The runs inside each figure of a page that has a caption and words inside. No run belongs to two figures.

    ``lines``: of the page, with placeholders for tables. ``graphics``: boxes of everything that is drawn. A frame
    around running text is no figure, even if it has a caption.
    """
    drawn = graphics[:_MAX_GRAPHICS]
    clusters = _clusters(drawn)
    texts = [line for line in lines if not line.is_placeholder]
    captions = [line for line in texts if FIGURE_CAPTION.match(line.text.strip())]
    body = body_size(texts)
    prose = [line.frame for line in texts if len(line.text) > _PROSE_CHARACTERS]
    figures: list[list[TextLine]] = []
    assigned: set[int] = set()  # ids of the lines that belong to a figure
    for caption in captions:
        region = _region(caption, clusters, prose)
        if region and _encloses(region, prose):  # two columns' drawings overlap
            region = _region(caption, _clusters(_in_column(drawn, caption, prose)), prose)
        if region is None or _encloses(region, prose):
            continue
        inside = [
            line
            for line in texts
            if id(line) not in assigned and not _is_caption(line, captions) and _is_label(line, region, body)
        ]
        if inside and not _is_framed_text(inside, region):
            assigned.update(map(id, inside))
            figures.append(inside)
    return figures


def _clusters(boxes: Sequence[Box]) -> list[Box]:
    """The boxes with those that touch merged; small ones that touch nothing, such as rules, are dropped."""
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
    """The boxes in the caption's column, whose width is that of the running text above and below it."""
    mates = [line for line in prose if line[0] - _MAX_PANEL_GAP < caption.x0 < line[2]]
    if not mates:
        return []
    left, right = min(line[0] for line in mates), max(line[2] for line in mates)
    return [box for box in drawn if left < (box[0] + box[2]) / 2 < right]


def _gap(one: Box, other: Box) -> float:
    """The distance of two boxes along x or y, whichever is larger; negative where they overlap."""
    return max(one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3])


def _region(caption: TextLine, clusters: Sequence[Box], prose: Sequence[Box]) -> Box | None:
    """The box of the drawing right above the caption, else of the one right below, with its panels; else ``None``.

    Panels are left out if the region would then enclose lines of ``prose``.
    """
    frame = caption.frame
    for above in (True, False):
        near = [box for box in clusters if _distance(box, frame, above=above) is not None]
        if not near:
            continue
        region = min(near, key=lambda box: _distance(box, frame, above=above) or 0.0)
        while panels := [
            box
            for box in clusters
            if not _contains(region, box)
            and _gap(region, box) <= _MAX_PANEL_GAP
            and (box[3] <= frame[1] + _SLACK if above else box[1] >= frame[3] - _SLACK)
            and not any(middle_inside(line, around([region, box])) for line in prose)
        ]:
            region = around([region, *panels])
        return region
    return None


def _distance(box: Box, caption: Box, *, above: bool) -> float | None:
    """Points between a drawing ``above`` a caption, or below it, and the caption; ``None`` if they are not related."""
    shared = min(box[2], caption[2]) - max(box[0], caption[0])
    if shared < 0.3 * min(box[2] - box[0], caption[2] - caption[0]):
        return None
    distance = caption[1] - box[3] if above else box[1] - caption[3]
    return max(0.0, distance) if -_SLACK < distance < _MAX_CAPTION_GAP else None


def _contains(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _is_caption(line: TextLine, captions: Sequence[TextLine]) -> bool:
    """Whether the line is a caption, or continues one above it or on its left."""
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
    """Whether the runs are a listing, or running text that fills the frame."""
    if sum(line.mono for line in inside) > 0.6 * len(inside):
        return True
    wide = [line for line in inside if line.x1 - line.x0 > 0.7 * (region[2] - region[0])]
    characters = sum(len(line.text) for line in inside) / len(inside)
    return characters > _PROSE_CHARACTERS or (len(inside) >= 4 and len(wide) >= 0.5 * len(inside) and characters > 30)
