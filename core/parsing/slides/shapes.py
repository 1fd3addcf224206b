"""Reads the shapes of one slide as pieces in reading order, each with its box on the slide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.parsing.flow import Piece, Rectangle
from core.parsing.inline import description, linked
from core.parsing.ooxml.charts import chart_pieces, diagram_pieces
from core.parsing.ooxml.package import RELATIONS, Element, Package, local_name
from core.parsing.slides.ground import Ground, ground_of
from core.parsing.slides.masters import RUNNING, TITLES, Layers, Placeholder, frame_of, placeholder_of
from core.parsing.slides.text import body_pieces, body_words, clicked, is_slide_number, letter_size, table_piece
from core.parsing.word.xml import ALTERNATE, alternative
from core.types import BlockKind, Page

EMU = 12_700  # in a point
_MAX_COORDINATE = 10**12
_MAX_DEPTH = 30  # of nested groups; deeper shapes are read in the file's order
_MIN_SIZE_RATIO = 1.15  # of a title's type to all other type on the slide
_MAX_TITLE, _TITLE_WITHIN = (
    120,
    0.4,
)  # characters of a title; share of the slide's height, from the top, where it begins
_DEFAULT_SIZE, _PLACEHOLDER_SIZE = 18.0, 28.0  # points, where neither the runs nor the body state a size
_FILMS = ("videoFile", "audioFile", "quickTimeFile", "wavAudioFile", "audioCd")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The ``part`` of a slide, layout or master that is read, its number and size, and its layout and master."""

    package: Package
    part: str
    page: Page
    layers: Layers
    right_to_left: bool = False

    def address(self, relation: str) -> str:
        """The external address of a relation of the part, "" for none. ``relation``: its id."""
        target = self.package.relations(self.part).get(relation)
        return target.target if target and target.external else ""

    @property
    def whole(self) -> Rectangle:
        return (0.0, 0.0, self.page.width, self.page.height)


@dataclass(slots=True)
class Found:
    """The content of a shape tree: titles, other pieces in reading order, and ``running``: footers and dates.

    ``embedded``: names of objects and recordings that are not read. ``hidden_words``: the number of words in hidden
    shapes. ``unseen``: words that are read although they are invisible.
    """

    titles: list[Piece] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    running: list[Piece] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    hidden_words: int = 0
    unseen: list[str] = field(default_factory=list)
    sizes: dict[int, float] = field(default_factory=dict)  # of letters in points, by the id of a shape's first piece
    leads: set[int] = field(default_factory=set)  # ids of first pieces in larger type than the rest of their shape

    def find_title(self, height: float) -> None:
        """Where no title is stated, turn a short paragraph near the top in the largest type into one.

        ``height``: of the slide.
        """
        ranked = sorted(self.sizes.values(), reverse=True)
        if self.titles or not ranked or (len(ranked) > 1 and ranked[1] * _MIN_SIZE_RATIO > ranked[0]):
            return
        for index, piece in enumerate(self.pieces):
            if self.sizes.get(id(piece)) == ranked[0] and piece.kind is BlockKind.PARAGRAPH:
                fills_shape = index + 1 == len(self.pieces) or self.pieces[index + 1].box != piece.box
                text = piece.words.text.strip()
                if (
                    (fills_shape or id(piece) in self.leads)
                    and len(text) <= _MAX_TITLE
                    and any(map(str.isalpha, text))
                    and piece.box[1] < _TITLE_WITHIN * height
                ):
                    self.titles.append(replace(self.pieces.pop(index), kind=BlockKind.HEADING, level=1))
                return

    def all(self) -> Iterator[Piece]:
        yield from (*self.titles, *self.pieces, *self.running)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is read as a unit: a shape, or a group of shapes in their own order."""

    box: Rectangle
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Scale:
    """The transformation from a group's coordinates to the slide's, in EMU: ``x * sx + dx``, ``y * sy + dy``."""

    sx: float = 1.0
    sy: float = 1.0
    dx: float = 0.0
    dy: float = 0.0

    def inside(self, group: Element) -> _Scale:
        """The transformation for the shapes in a group."""
        frame = frame_of(group)
        if frame is None or frame.find("{*}chExt") is None:
            return self
        x, y, width, height = _rectangle(frame, "off", "ext")
        own_x, own_y, own_width, own_height = _rectangle(frame, "chOff", "chExt")
        sx, sy = (width / own_width if own_width else 1.0), (height / own_height if own_height else 1.0)
        return _Scale(
            self.sx * sx,
            self.sy * sy,
            self.sx * (x - own_x * sx) + self.dx,
            self.sy * (y - own_y * sy) + self.dy,
        )


def read_shapes(tree: Iterable[Element], sheet: Sheet, slide: Element | None = None) -> Found:
    """The content of a ``p:spTree``. ``slide``: the slide it belongs to, ``None`` for shapes of a layout or master."""
    reader = _Reader(sheet, Found(), ground_of(slide, sheet.layers))
    for below, _ in () if slide is None else reversed(list(sheet.layers.standing(slide))):
        reader.paint(shape for shape in below if placeholder_of(shape) is None)
    reader.found.pieces = _in_order(reader.units(tree, _Scale()), sheet.right_to_left)
    if slide is not None:
        reader.found.find_title(sheet.page.height)
    return reader.found


@dataclass(slots=True)
class _Reader:
    sheet: Sheet
    found: Found
    ground: Ground
    depth: int = 0

    def paint(self, shapes: Iterable[Element]) -> None:
        """Add the colours of shapes that lie below all others, those of layout and master."""
        for shape in shapes:
            if (frame := frame_of(shape)) is not None and (colour := self.ground.fill(shape)) is not None:
                self.ground.painted.append((self._box(frame, _Scale()), colour))

    def units(self, tree: Iterable[Element], scale: _Scale) -> list[_Unit]:
        if self.depth > _MAX_DEPTH:
            tree = [shape for branch in tree for shape in branch.iter("{*}sp", "{*}pic", "{*}graphicFrame")]
        self.depth += 1
        units = [unit for shape in tree for unit in self._read(shape, scale) if unit.pieces]
        self.depth -= 1
        return units

    def _read(self, shape: Element, scale: _Scale) -> Iterator[_Unit]:
        name = local_name(shape)
        if shape.tag == ALTERNATE:
            if (branch := alternative(shape)) is not None:
                yield from self.units(branch, scale)
        elif name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp"):
            facts = shape.find("./*/{*}cNvPr")
            if facts is not None and facts.get("hidden", "0") in ("1", "true"):
                self.found.hidden_words += sum(len((text.text or "").split()) for text in shape.iter("{*}t"))
            elif name == "grpSp":
                yield self._group(shape, facts, scale)
            else:
                yield self._shape(shape, facts, scale)

    def _group(self, group: Element, facts: Element | None, scale: _Scale) -> _Unit:
        units = self.units(group, scale.inside(group))
        caption = self._alternative_text(facts)
        if not units and not caption:
            return _Unit(self.sheet.whole, ())
        box = self._box(frame_of(group), scale)
        boxes = [unit.box for unit in units] or [box]
        box = (
            min(one[0] for one in boxes),
            min(one[1] for one in boxes),
            max(one[2] for one in boxes),
            max(one[3] for one in boxes),
        )
        return _Unit(box, (*self._stand(caption, box), *_in_order(units, self.sheet.right_to_left)))

    def _shape(self, shape: Element, facts: Element | None, scale: _Scale) -> _Unit:
        placeholder = placeholder_of(shape)
        own = frame_of(shape)
        box = self._box(self.sheet.layers.frame(placeholder) if own is None else own, scale)
        click = clicked(None if facts is None else facts.find("{*}hlinkClick"), self.sheet.address)
        body = shape.find("{*}txBody")
        self._look(shape, body, self.ground.fill(shape, self.sheet.layers.above(placeholder)), box)
        if body is not None:
            return _Unit(box, self._text(body, placeholder, click, box))
        pieces = [*self._alternative_text(facts, click), *self._graphic(shape)]
        if any(shape.find(f"./*/{{*}}nvPr/{{*}}{film}") is not None for film in _FILMS):
            self.found.embedded.append((facts.get("name", "") if facts is not None else "") or "a recording")
        return _Unit(box, self._stand(pieces, box))

    def _look(self, shape: Element, body: Element | None, fill: str | None, box: Rectangle) -> None:
        """Collect invisible words, and add the shape's fill to the ground."""
        page = self.sheet.page
        if page.number and (box[0] == box[2] in (0.0, page.width) or box[1] == box[3] in (0.0, page.height)):
            self.found.unseen += " ".join(text.text or "" for text in shape.iter("{*}t")).split()
        elif body is not None:
            self.found.unseen += self.ground.unseen(body, self.ground.behind(box) if fill is None else fill)
        if fill is not None:
            self.ground.painted.append((box, fill))

    def _text(self, body: Element, placeholder: Placeholder | None, click: str, box: Rectangle) -> tuple[Piece, ...]:
        """The pieces of a text body. Titles and running text are added to ``found`` instead."""
        kind = "" if placeholder is None else placeholder.kind
        if kind == "sldNum" or is_slide_number(body):
            return ()
        styles = self.sheet.layers.list_styles(placeholder)
        if kind in TITLES:
            words = body_words(body, (), self.sheet.address, click)
            self.found.titles += self._stand([Piece(BlockKind.HEADING, words, level=1)], box)
            return ()
        if kind in RUNNING:
            words = body_words(body, (), self.sheet.address, click)
            self.found.running += self._stand([Piece(BlockKind.FURNITURE, words)], box)
            return ()
        pieces = self._stand(body_pieces(body, styles, self.sheet.address, click), box)
        if pieces:
            first, rest = letter_size(body, slice(1)), letter_size(body, slice(1, None))
            if len(pieces) > 1 and first >= _MIN_SIZE_RATIO * rest > 0:
                self.found.leads.add(id(pieces[0]))
                self.found.sizes |= {id(pieces[0]): first, id(pieces[1]): rest}
            else:
                usual = _PLACEHOLDER_SIZE if placeholder else _DEFAULT_SIZE
                self.found.sizes[id(pieces[0])] = letter_size(body) or usual
        return pieces

    def _graphic(self, shape: Element) -> Iterator[Piece]:
        """The table, chart, diagram or foreign object of a graphic frame."""
        for content in shape.iterfind("{*}graphic/{*}graphicData//*"):
            name = local_name(content)
            if name == "tbl":
                yield table_piece(content, (), self.sheet.address)
            elif name == "chart" and (root := self._related(content, "id")) is not None:
                yield from chart_pieces(root)
            elif name == "relIds" and (root := self._related(content, "dm")) is not None:
                yield from diagram_pieces(root)
            elif name == "oleObj" and content.getparent().tag.rpartition("}")[2] != "Fallback":
                self.found.embedded.append(content.get("progId") or content.get("name") or "an object")

    def _related(self, element: Element, name: str) -> Element | None:
        relation = self.sheet.package.relations(self.sheet.part).get(element.get(f"{RELATIONS}{name}", ""))
        return None if relation is None or relation.external else self.sheet.package.optional_root(relation.target)

    def _alternative_text(self, facts: Element | None, click: str = "") -> list[Piece]:
        if facts is None or facts.find("{*}extLst/{*}ext/{*}decorative[@val='1']") is not None:
            return []
        text = description(facts.get("descr") or facts.get("title"))
        return [Piece(BlockKind.CAPTION, linked(text, click))] if text else []

    def _stand(self, pieces: Iterable[Piece], box: Rectangle) -> tuple[Piece, ...]:
        return tuple(replace(piece, page=self.sheet.page.number, box=box) for piece in pieces)

    def _box(self, frame: Element | None, scale: _Scale) -> Rectangle:
        """The rectangle of a frame on the slide in points, clamped to it; the whole slide for an unknown position."""
        if frame is None or frame.find("{*}off") is None or frame.find("{*}ext") is None:
            return self.sheet.whole
        x, y, width, height = map(float, _rectangle(frame, "off", "ext"))
        if 45 <= _whole(frame.get("rot")) / 60_000 % 180 < 135:  # lies on its side
            x, y, width, height = x + (width - height) / 2, y + (height - width) / 2, height, width
        x0, y0 = x * scale.sx + scale.dx, y * scale.sy + scale.dy
        x1, y1 = (x + width) * scale.sx + scale.dx, (y + height) * scale.sy + scale.dy
        page = self.sheet.page
        (x0, x1), (y0, y1) = sorted((x0 / EMU, x1 / EMU)), sorted((y0 / EMU, y1 / EMU))
        return (
            min(max(x0, 0.0), page.width),
            min(max(y0, 0.0), page.height),
            min(max(x1, 0.0), page.width),
            min(max(y1, 0.0), page.height),
        )


def _in_order(units: list[_Unit], right_to_left: bool) -> list[Piece]:
    order = reading_order([unit.box for unit in units], right_to_left)
    return [piece for index in order for piece in units[index].pieces]


def _rectangle(frame: Element, corner: str, size: str) -> tuple[int, int, int, int]:
    at, extent = frame.find(f"{{*}}{corner}"), frame.find(f"{{*}}{size}")
    x, y = (0, 0) if at is None else (_whole(at.get("x")), _whole(at.get("y")))
    width, height = (0, 0) if extent is None else (_whole(extent.get("cx")), _whole(extent.get("cy")))
    return x, y, width, height


def _whole(text: str | None) -> int:
    try:
        value = int(text or "0")
    except ValueError:
        return 0
    return max(-_MAX_COORDINATE, min(_MAX_COORDINATE, value))


_INSET = 7.2  # points by which boxes are shrunk: frames are larger than their text, and neighbours overlap
_MAX_CUT = 400  # shapes; more are a map or a drawing, which is read line by line
_LINE = 12.0  # points of height that count as one line


def reading_order(boxes: Sequence[Rectangle], right_to_left: bool = False) -> list[int]:
    """The indices of ``boxes`` in reading order: rows from top to bottom, columns one after the other.

    The slide is cut recursively along its widest gaps (X-Y cut: Nagy, Seth and Viswanathan, "A Prototype Document Image
    Analysis System for Technical Journals", Computer 25(7), 1992). Where overlapping shapes leave no cut, the topmost
    shape is read and the others are cut again.

    >>> reading_order([(300, 60, 500, 300), (20, 100, 200, 180), (20, 200, 200, 300), (20, 0, 500, 50)])
    [3, 1, 2, 0]
    """
    if right_to_left:
        boxes = [(-x1, y0, -x0, y1) for x0, y0, x1, y1 in boxes]
    if len(boxes) > _MAX_CUT:
        return sorted(range(len(boxes)), key=lambda index: (boxes[index][1] // _LINE, boxes[index][0]))
    order: list[int] = []
    pending = [list(range(len(boxes)))] if boxes else []
    while pending:
        group = pending.pop()
        if len(group) == 1:
            order += group
        else:
            pending.extend(reversed(_cut(boxes, group)))
    return order


def _cut(boxes: Sequence[Rectangle], group: list[int]) -> list[list[int]]:
    """A group split at its widest gaps, or its topmost shape and the rest where there is no gap."""
    rows, row_gap = _bands(boxes, group, 1)
    columns, column_gap = _bands(boxes, group, 0)
    if len(rows) > 1 and row_gap >= column_gap:
        return rows
    if len(columns) > 1:
        return columns
    first = min(group, key=lambda index: (boxes[index][1] // _LINE, boxes[index][0], index))
    return [[first], [index for index in group if index != first]]


def _bands(boxes: Sequence[Rectangle], group: Sequence[int], axis: int) -> tuple[list[list[int]], float]:
    """The group split at every gap along an axis (0: columns, 1: rows), and the widest gap, 0 for none."""
    spans = sorted((*_shrunk(boxes[index][axis], boxes[index][axis + 2]), index) for index in group)
    bands: list[list[int]] = []
    band_end, widest = float("-inf"), 0.0
    for start, end, index in spans:
        if start > band_end:
            widest = max(widest, start - band_end if bands else 0.0)
            bands.append([])
        bands[-1].append(index)
        band_end = max(band_end, end)
    return [sorted(band) for band in bands], widest


def _shrunk(start: float, end: float) -> tuple[float, float]:
    inset = min(_INSET, (end - start) / 4)
    return start + inset, end - inset
