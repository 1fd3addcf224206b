"""What floats over the cells of an OpenDocument sheet: charts and their data, text boxes, pictures' descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from core.parsing.docx_drawings import description
from core.parsing.flow import Piece, TableCell, Words
from core.parsing.ods_cells import OFFICE, finite_number
from core.parsing.ods_words import XLINK, paragraphs
from core.parsing.ooxml import Element
from core.parsing.sheet_formats import plain_number
from core.parsing.sheet_stream import local_name
from core.types import BlockKind

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_HELD = frozenset(("frame", "g", "a"))
_SHAPES = frozenset(
    "custom-shape rect ellipse circle line polyline polygon path connector caption regular-polygon".split()
)
_MAX_DEPTH = 30


class Objects(Protocol):
    """Finds the content of an object embedded in the file by its address; ``None`` where it is none."""

    def __call__(self, address: str) -> Element | None: ...


def drawing_pieces(holder: Element, find: Objects, depth: int = 0) -> Iterator[Piece]:
    """The drawings right below ``holder``, a cell or a sheet's shapes, as pieces."""
    for child in holder if depth < _MAX_DEPTH else ():
        name = local_name(child)
        if name in _HELD:
            yield from _frame(child, find, depth)
        elif name in _SHAPES or name == "text-box":
            words = paragraphs(child)
            if words.text.strip():
                yield Piece(BlockKind.PARAGRAPH, words)
        elif name in ("p", "h", "span"):
            yield from drawing_pieces(child, find, depth + 1)


def _frame(frame: Element, find: Objects, depth: int) -> Iterator[Piece]:
    """What a frame shows: of several renderings the first that says something, then its description."""
    pieces: list[Piece] = []
    for child in frame:
        if local_name(child) == "object" and not pieces:
            root = find(child.get(f"{XLINK}href", ""))
            pieces = list(chart_pieces(root)) if root is not None else []
    pieces = pieces or list(drawing_pieces(frame, find, depth + 1))
    yield from pieces
    stated = frame.findtext("{*}desc") or frame.findtext("{*}title")
    if not pieces and (told := description(stated)):
        yield Piece(BlockKind.CAPTION, Words(told))


def chart_pieces(root: Element) -> Iterator[Piece]:
    """A chart's title and axes as a caption, and the data it keeps as a table."""
    for chart in root.iter(f"{_CHART}chart"):
        titles = [words for title in chart.iter("{*}title", "{*}subtitle") if (words := paragraphs(title).text.strip())]
        if titles:
            yield Piece(BlockKind.CAPTION, Words("\n".join(titles)))
        for table in chart.iterfind("{*}table"):
            heads = sum(1 for _ in table.iterfind("{*}table-header-rows/{*}table-row"))
            rows = tuple(tuple(map(_chart_cell, row.iterfind("{*}table-cell"))) for row in table.iter("{*}table-row"))
            if rows:
                yield Piece(BlockKind.TABLE, rows=rows, header_rows=min(heads, len(rows)))


def _chart_cell(element: Element) -> TableCell:
    words = paragraphs(element)
    if element.get(f"{OFFICE}value-type") != "float":
        return TableCell(words, words.text.strip() or None)
    value = finite_number(element.get(f"{OFFICE}value", ""))  # NaN is a gap in the data
    return TableCell(Words("" if value is None else plain_number(value)), value)
