"""The reader of OpenDocument spreadsheets (.ods, OpenDocument 1.3), whose parts are streamed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol
from zipfile import BadZipFile, ZipFile

from core.errors import ParseError
from core.parsing.file_names import display_name
from core.parsing.flow import ParsedFile, Piece, TableCell, Words
from core.parsing.inline import description
from core.parsing.ooxml.package import Element, checked, local_name, part_of, tree_of
from core.parsing.pandoc.odt_package import embedded, metadata_of
from core.parsing.sheets.formats import plain_number
from core.parsing.sheets.grid import Allowance, Area, Drawing, Sheet, Workbook, area_of
from core.parsing.sheets.ods_cells import OFFICE, TABLE, XLINK, RowReader, finite_number, paragraphs
from core.parsing.sheets.pieces import parsed_workbook
from core.parsing.sheets.stream import elements
from core.parsing.sheets.styles import PLAIN, WHITE, Look
from core.types import BlockKind

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_CONTAINERS = frozenset(("frame", "g", "a"))
_SHAPES = frozenset(
    "custom-shape rect ellipse circle line polyline polygon path connector caption regular-polygon".split()
)
_MAX_DEPTH = 30


class Objects(Protocol):
    """Returns the content of an embedded object by its address; ``None`` where there is none."""

    def __call__(self, address: str) -> Element | None: ...


def drawing_pieces(parent: Element, find: Objects, depth: int = 0) -> Iterator[Piece]:
    """The drawings directly below ``parent``, a cell or a sheet's shapes, as pieces."""
    for child in parent if depth < _MAX_DEPTH else ():
        name = local_name(child)
        if name in _CONTAINERS:
            yield from _frame(child, find, depth)
        elif name in _SHAPES or name == "text-box":
            words = paragraphs(child)
            if words.text.strip():
                yield Piece(BlockKind.PARAGRAPH, words)
        elif name in ("p", "h", "span"):
            yield from drawing_pieces(child, find, depth + 1)


def _frame(frame: Element, find: Objects, depth: int) -> Iterator[Piece]:
    """The content of a frame: the first of its renderings that has text, else its description."""
    pieces: list[Piece] = []
    for child in frame:
        if local_name(child) == "object" and not pieces:
            root = find(child.get(f"{XLINK}href", ""))
            pieces = list(chart_pieces(root)) if root is not None else []
    pieces = pieces or list(drawing_pieces(frame, find, depth + 1))
    yield from pieces
    stated = frame.findtext("{*}desc") or frame.findtext("{*}title")
    if not pieces and (text := description(stated)):
        yield Piece(BlockKind.CAPTION, Words(text))


def chart_pieces(root: Element) -> Iterator[Piece]:
    """A chart's titles as a caption, and its own copy of the data as a table."""
    for chart in root.iter(f"{_CHART}chart"):
        titles = [words for title in chart.iter("{*}title", "{*}subtitle") if (words := paragraphs(title).text.strip())]
        if titles:
            yield Piece(BlockKind.CAPTION, Words("\n".join(titles)))
        for table in chart.iterfind("{*}table"):
            header_rows = sum(1 for _ in table.iterfind("{*}table-header-rows/{*}table-row"))
            rows = tuple(tuple(map(_chart_cell, row.iterfind("{*}table-cell"))) for row in table.iter("{*}table-row"))
            if rows:
                yield Piece(BlockKind.TABLE, rows=rows, header_rows=min(header_rows, len(rows)))


def _chart_cell(element: Element) -> TableCell:
    words = paragraphs(element)
    if element.get(f"{OFFICE}value-type") != "float":
        return TableCell(words, words.text.strip() or None)
    value = finite_number(element.get(f"{OFFICE}value", ""))  # NaN is a gap in the data
    return TableCell(Words("" if value is None else plain_number(value)), value)


_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TINY = re.compile(r"(?:0|1)(?:\.\d+)?pt")  # below two points
_SAVE_AGAIN = "Open it in the program that made it, save a copy and add that."


@dataclass(frozen=True, slots=True)
class _Style:
    """A named style of cells or tables. ``is_hidden``: of a table."""

    look: Look = PLAIN
    is_hidden: bool = False


def read(data: bytes, name: str) -> ParsedFile:
    """The sheets of an OpenDocument spreadsheet. Raises ``ParseError``."""
    shown = display_name(name)
    archive = checked(data, shown)
    if "content.xml" not in archive.namelist():
        raise ParseError(f"{shown} lacks its part content.xml.", _SAVE_AGAIN)
    if b"encryption-data" in (part_of(archive, "META-INF/manifest.xml") or b""):
        raise ParseError(f"{shown} is encrypted with a password.", "Save it without the password and add it again.")
    try:
        book = _Reader(archive, shown).book
    except (BadZipFile, OSError, ValueError, EOFError, RuntimeError) as error:
        raise ParseError(f"{shown} is damaged: {error}", _SAVE_AGAIN) from error
    return parsed_workbook(book)


class _Reader:
    """Reads one file; ``book`` is the result."""

    def __init__(self, archive: ZipFile, shown: str) -> None:
        self._archive = archive
        self._shown = shown
        self._allowance = Allowance(shown)
        self._styles: dict[str, _Style] = {}
        metadata = metadata_of(tree_of(part_of(archive, "meta.xml")))
        self.book = Workbook(title=metadata.pop("title", ""), metadata=metadata)
        if "styles.xml" in archive.namelist():
            self._read_styles()
        self._read_content()

    def _read_styles(self) -> None:
        with self._archive.open("styles.xml") as stream:
            for _, element in elements(stream, ("{*}style",), "styles.xml", self._shown):
                self._add_style(element)

    def _read_content(self) -> None:
        looks: dict[str, Look] = {}
        rows = RowReader(Sheet(""), looks, self._allowance)
        tags = ("{*}style", "{*}table-column", "{*}table-row", "{*}shapes", "{*}database-range")
        within = ("{*}table", "{*}table-header-rows")
        with self._archive.open("content.xml") as stream:
            for event, element in elements(stream, tags, "content.xml", self._shown, within):
                kind = local_name(element)
                if kind == "style":
                    self._add_style(element)
                elif kind == "table" and local_name(element.getparent()) == "spreadsheet":
                    if event == "start":
                        looks = {name: style.look for name, style in self._styles.items()}
                        name = element.get(f"{TABLE}name", "") or f"Sheet {len(self.book.sheets) + 1}"
                        rows = RowReader(Sheet(name), looks, self._allowance)
                        rows.sheet.is_hidden = self._styles.get(
                            element.get(f"{TABLE}style-name", ""), _Style()
                        ).is_hidden
                        self.book.sheets.append(rows.sheet)
                elif kind == "table-column":
                    rows.take_columns(element)
                elif kind == "table-row":
                    for row, column, cell in rows.read(element):
                        self._add_drawings(rows.sheet, cell, row, column)
                elif kind == "shapes":
                    self._add_drawings(rows.sheet, element, 0, 0)
                elif kind == "table-header-rows" and event == "end":
                    rows.sheet.header_end = rows.row
                elif kind == "database-range":
                    self._add_filter(element)

    def _add_drawings(self, sheet: Sheet, parent: Element, row: int, column: int) -> None:
        pieces = tuple(drawing_pieces(parent, partial(embedded, self._archive)))
        if pieces:
            sheet.drawings.append(Drawing(row, column, pieces))

    def _add_style(self, element: Element) -> None:
        parent = self._styles.get(element.get(f"{_STYLE}parent-style-name", ""), _Style()).look
        weight = _property(element, "text-properties", f"{_FO}font-weight")
        colour = _property(element, "table-cell-properties", f"{_FO}background-color")
        ink = _property(element, "text-properties", f"{_FO}color")
        size = _property(element, "text-properties", f"{_FO}font-size")
        display = _property(element, "table-properties", f"{TABLE}display")
        shaded = parent.shaded if colour is None else colour != "transparent"
        name = element.get(f"{_STYLE}name", "")
        look = Look(
            strong=parent.strong if weight is None else weight in ("bold", "600", "700", "800", "900"),
            shaded=shaded,
            ink=parent.ink if ink is None else ink.lstrip("#").upper(),
            ground=parent.ground if colour is None else colour.lstrip("#").upper() if shaded else WHITE,
            tiny=parent.tiny if size is None else bool(_TINY.fullmatch(size)),
        )
        self._styles[name] = _Style(look, display == "false")

    def _add_filter(self, element: Element) -> None:
        first, _, last = element.get(f"{TABLE}target-range-address", "").partition(":")
        sheet_name, _, start = first.rpartition(".")
        area: Area | None = area_of(f"{start}:{last.rpartition('.')[2]}") if last else None
        for sheet in self.book.sheets if area and element.get(f"{TABLE}contains-header", "true") == "true" else ():
            if area and sheet.name == sheet_name.lstrip("$").strip("'").replace("''", "'"):
                sheet.filters.append(area)


def _property(style: Element, part: str, name: str) -> str | None:
    """A style's own property, ``None`` where it is not set."""
    return next((properties.get(name) for properties in style.iterfind(f"{{*}}{part}")), None)
