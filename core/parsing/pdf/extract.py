"""Turns one page, as PyMuPDF's dictionary describes it, into text runs, tables and figures in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.parsing.pdf.fields import FormField, with_fields
from core.parsing.pdf.figures import FIGURE_CAPTION, figure_line, find_figures
from core.parsing.pdf.fonts import Typewriters, base_name, is_bold, is_italic, spelled
from core.parsing.pdf.layout.line_numbers import without_line_numbers
from core.parsing.pdf.layout.reading_order import reading_order
from core.parsing.pdf.layout.tables import may_have_grid
from core.parsing.pdf.lines import Box, Run, TextLine, around, middle_inside, size_of
from core.text.normalise import storable

_BULLETS = str.maketrans(dict.fromkeys("\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf0a8\uf06e\uf071\u25cf\u2219\u00b7", "•"))
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff\ufff9-\ufffc]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufefc]")
# An undecodable glyph at a line's start is a bullet from a symbol font; three or more are undecodable letters.
_LONE_GLYPH = re.compile(r"^\s*\ufffd{1,2}\s*(?=[^\s\ufffd])|^\s*\ufffd\s*$")
_SPACE = re.compile(r"[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_DOT_REACH = 2.0  # of the type size, between a drawn bullet and its item
_RUN_GAP = 0.6  # of the type size, between words of one run
_SPACES = re.compile(rf"{_SPACE.pattern}+")


@dataclass(frozen=True, slots=True)
class PageParts:
    """What PyMuPDF tells about a page. Boxes are in the frame of the page before its own rotation.

    ``raw``: ``page.get_text("dict")`` with vectors collected. ``size``: (width, height). ``tables``: finds the tables
    with drawn cells, ``pictures``: the boxes of images; both are costly and called only if needed. ``comments``: lines
    of annotations. ``fields``: filled form fields.
    """

    raw: Mapping[str, Any]
    size: tuple[float, float]
    tables: Callable[[], Sequence[TextLine]] = tuple
    pictures: Callable[[], Sequence[Box]] = tuple
    comments: Sequence[TextLine] = ()
    fields: Sequence[FormField] = ()


def page_lines(parts: PageParts, typewriters: Typewriters) -> tuple[list[TextLine], float, list[str]]:
    """The lines and placeholders of a page in reading order, the height of the upright frame, and the texts that were
    drawn twice, as a shadow or to look bold, and are in the lines once.
    """
    width, height = parts.size
    raw_lines = [
        run for block in parts.raw["blocks"] if block["type"] == 0 for line in block["lines"] for run in _runs(line)
    ]
    typewriters.learn([span for line in raw_lines for span in line["spans"]])
    directed = [(_quarter(raw["dir"]), line) for raw in raw_lines if (line := _line(raw, typewriters))]
    direction = _main_direction(directed)
    upright = [_to_upright(line, direction, width, height) for facing, line in directed if facing == direction]
    rotated = [replace(line, is_rotated=True) for facing, line in directed if facing != direction]
    lines, doubles = _without_doubles(upright)
    lines = with_fields(without_line_numbers(lines), parts.fields)
    if direction != (1, 0):
        height = width if direction[0] == 0 else height
        return reading_order([*lines, *rotated, *parts.comments], height), height, doubles
    vectors = [block for block in parts.raw["blocks"] if block["type"] == 3]
    vector_boxes = [tuple(block["bbox"]) for block in vectors]
    lines = _with_drawn_bullets(lines, vector_boxes)
    for table in parts.tables() if may_have_grid(vectors) else ():
        if sum(line.is_field and middle_inside(line.box, table.box) for line in lines) > 1:  # the frames of a form
            continue
        lines = [*_outside(lines, table.box), table]
        rotated = _outside(rotated, table.box)
    if any(FIGURE_CAPTION.match(line.text.strip()) for line in lines):
        for figure in find_figures([*lines, *rotated], [*vector_boxes, *parts.pictures()]):
            inside = set(map(id, figure))
            lines = [*(line for line in lines if id(line) not in inside), figure_line(figure)]
            rotated = [line for line in rotated if id(line) not in inside]
    return reading_order([*lines, *rotated, *parts.comments], height), height, doubles


def _with_drawn_bullets(lines: Sequence[TextLine], vectors: Sequence[Box]) -> list[TextLine]:
    """The lines; those with a drawn dot before them get a bullet, because browsers draw the bullets of lists.

    Dots count only if at least two stand in one column: others are parts of a drawing.
    """
    dots = [box for box in vectors if _is_dot(box)]
    dot_of: dict[int, Box] = {}
    for index, line in enumerate(lines) if dots else ():
        reach = _DOT_REACH * line.size
        foot = line.y1 - 0.1 * line.height
        for dot in dots:
            if 1 < line.x0 - dot[2] < reach and line.y0 + 0.2 * line.height < (dot[1] + dot[3]) / 2 < foot:
                dot_of[index] = dot
    columns = Counter(round(dot[0]) for dot in dot_of.values())
    result = list(lines)
    for index, dot in dot_of.items():
        line = lines[index]
        if columns[round(dot[0])] > 1 and line.text.lstrip()[:1].isalnum():
            box = around([line.box, dot])
            result[index] = replace(line, text=f"• {line.text.lstrip()}", x0=dot[0], box=box)
    return result


def _is_dot(box: Box) -> bool:
    wide, high = box[2] - box[0], box[3] - box[1]
    return 1 < wide < 7 and 1 < high < 7 and 0.7 < wide / high < 1.4


def _outside(lines: Sequence[TextLine], box: Box) -> list[TextLine]:
    return [line for line in lines if not middle_inside(line.box, box)]


def clean(text: str, *, keep_blanks: bool = False) -> str:
    """A run's characters as text: bullets of symbol fonts as •, without invisible characters and lone surrogates.

    Blanks are collapsed unless ``keep_blanks``, for listings, in which they align columns.

    >>> clean("\\uf0b7\\u00a0two\\u200b  words\\x00")
    '• two words'
    >>> clean("\ufffd item"), clean("\ufffd\ufffd\ufffd") == "\ufffd" * 3
    ('• item', True)
    """
    text = _INVISIBLE.sub("", text.translate(_BULLETS))
    text = (_SPACE if keep_blanks else _SPACES).sub(" ", text)
    text = _LONE_GLYPH.sub("• ", text)
    inner = text[:-1].replace("\u00ad", "") + text[-1:]  # a soft hyphen matters only at the line's end
    return storable(inner)


def _line(raw: Mapping[str, Any], typewriters: Typewriters) -> TextLine | None:
    """A text run of the library as a ``TextLine``; ``None`` where it has no visible text."""
    spans = raw["spans"]
    raw_text = "".join(map(spelled, spans))
    if not clean(raw_text).strip(" \u00ad"):
        return None
    sizes: dict[float, int] = {}
    fonts: dict[str, int] = {}
    bold = mono = italic = total = 0
    for span in spans:
        weight = len(span["text"].strip())
        sizes[span["size"]] = sizes.get(span["size"], 0) + weight
        fonts[span["font"]] = fonts.get(span["font"], 0) + weight
        total += weight
        bold += weight * is_bold(span)
        mono += weight * typewriters.is_mono(span)
        italic += weight * is_italic(span)
    size = max(sizes, key=lambda key: (sizes[key], key))
    x0, y0, x1, y1 = (float(value) for value in raw["bbox"])
    # The library's box includes the blanks at a run's edges; ours does not.
    character = (x1 - x0) / len(raw_text)
    leading, trailing = len(raw_text) - len(raw_text.lstrip()), len(raw_text) - len(raw_text.rstrip())
    if _RIGHT_TO_LEFT.search(raw_text):
        leading, trailing = trailing, leading
    frame = (x0 + character * leading, y0, x1 - character * trailing, y1)
    return TextLine(
        clean(raw_text, keep_blanks=mono >= 0.8 * total),
        *frame,
        float(next(span["origin"][1] for span in spans if span["size"] == size)),  # the first may be a superscript
        float(size_of(raw_text, size, max(one for one, weight in sizes.items() if weight))),
        bold=bold >= 0.8 * total,
        mono=mono >= 0.8 * total,
        italic=italic >= 0.8 * total,
        ends_with_blank=raw_text[-1:].isspace(),
        box=frame,
        font=base_name(max(fonts, key=lambda font: (fonts[font], font))),
    )


def _runs(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A line of the library, split where the gap between two spans is wider than between words.

    The library returns the numbers of a table's row as one line if they are close together.
    """
    if len(line["spans"]) < 2 or _quarter(line["dir"]) != (1, 0):
        return [line]
    groups: list[list[Mapping[str, Any]]] = [[]]
    blanks: list[Mapping[str, Any]] = []
    previous_end = float("inf")  # x where the text of the previous span ends
    for span in line["spans"]:
        text, (x0, _, x1, _) = span["text"], span["bbox"]
        if not text.strip():
            blanks.append(span)
            continue
        character = (x1 - x0) / len(text)
        start = x0 + character * (len(text) - len(text.lstrip()))
        if start - previous_end > _RUN_GAP * span["size"]:
            groups.append([span])
        else:
            groups[-1] += [*blanks, span]
        blanks = []
        previous_end = x1 - character * (len(text) - len(text.rstrip()))
    groups[-1] += blanks
    return [{**line, "spans": group, "bbox": around([span["bbox"] for span in group])} for group in groups]


def _quarter(direction: Sequence[float]) -> tuple[int, int]:
    """A direction of writing as a unit vector, rounded to whole numbers: (1, 0) reads from left to right."""
    return round(direction[0]), round(direction[1])


def _main_direction(directed: Sequence[tuple[tuple[int, int], TextLine]]) -> tuple[int, int]:
    """The direction in which most characters are written; only multiples of 90 degrees count."""
    weights = {(1, 0): 1}
    for direction, line in directed:
        if abs(direction[0]) + abs(direction[1]) == 1:
            weights[direction] = weights.get(direction, 0) + len(line.text)
    return max(weights, key=lambda direction: weights[direction])


def _to_upright(line: TextLine, direction: tuple[int, int], width: float, height: float) -> TextLine:
    """The line in the frame in which it reads from left to right. Its ``box`` stays as on the page."""
    x0, y0, x1, y1 = line.box
    if direction == (1, 0):
        return line
    if direction == (0, -1):
        frame = (height - y1, x0, height - y0, x1)
    elif direction == (0, 1):
        frame = (y0, width - x1, y1, width - x0)
    else:
        frame = (width - x1, height - y1, width - x0, height - y0)
    foot = frame[3] - 0.2 * (frame[3] - frame[1])
    return replace(line, x0=frame[0], y0=frame[1], x1=frame[2], y1=frame[3], baseline=foot)


def _without_doubles(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[str]]:
    """The lines without those drawn a second time slightly offset, and the texts of those."""
    seen: dict[tuple[str, int], list[TextLine]] = {}
    distinct = []
    doubles = []
    for line in lines:
        twins = [twin for row in (-1, 0, 1) for twin in seen.get((line.text, int(line.y0 // 4) + row), ())]
        if any(abs(twin.x0 - line.x0) < 2 and abs(twin.y0 - line.y0) < 2 for twin in twins):
            doubles.append(line.text)
            continue
        seen.setdefault((line.text, int(line.y0 // 4)), []).append(line)
        distinct.append(line)
    return distinct, doubles


def on_shown_page(line: TextLine, matrix: Sequence[float]) -> TextLine:
    """The line with its boxes on the page as it is shown. ``matrix``: the page's rotation (a, b, c, d, e, f).

    >>> line = TextLine("a", 0, 0, 2, 1, 1, 1, box=(0, 0, 2, 1))
    >>> on_shown_page(line, (0, 1, -1, 0, 10, 0)).box
    (9, 0, 10, 2)
    """
    table = line.table
    if table:
        table = replace(table, rows=tuple(_runs_shown(row, matrix) for row in table.rows))
    return replace(line, box=shown(line.box, matrix), table=table, labels=_runs_shown(line.labels, matrix))


def _runs_shown(runs: Sequence[Run], matrix: Sequence[float]) -> tuple[Run, ...]:
    return tuple(replace(run, box=shown(run.box, matrix)) for run in runs)


def shown(box: Box, matrix: Sequence[float]) -> Box:
    """A box transformed by ``matrix``: from the page before its rotation to the page as it is shown, or back."""
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x, y in ((box[0], box[1]), (box[2], box[3]))]
    ys = [b * x + d * y + f for x, y in ((box[0], box[1]), (box[2], box[3]))]
    return min(xs), min(ys), max(xs), max(ys)
