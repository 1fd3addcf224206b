"""Reads rows and cells of OpenDocument sheets, which are stored with repeat counts (OpenDocument 1.3 part 3, 9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite

from core.parsing.flow import TableCell, Words
from core.parsing.inline import Inline, joined, safe_target
from core.parsing.ooxml.package import Element, local_name, whole
from core.parsing.sheets.comments import cell_comment
from core.parsing.sheets.formats import plain_number
from core.parsing.sheets.grid import Allowance, Area, Filled, Row, Sheet
from core.parsing.sheets.styles import PLAIN, Look
from core.parsing.table_header import DATE, NUMBER, TEXT, TRUTH
from core.types import CellValue

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_CREATOR, _DATE = "{http://purl.org/dc/elements/1.1/}creator", "{http://purl.org/dc/elements/1.1/}date"
_DURATION = re.compile(r"(-?)P(?:(\d{1,6})D)?T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})(?:\.\d+)?S)?")
_FORMULA = re.compile(r"^(?:\w+:)?=")
_MAX_ROW, _MAX_COLUMN = 2_000_000, 20_000


@dataclass(slots=True)
class RowReader:
    """Reads the columns and rows of one sheet in order. ``row``, ``columns``: how many were read."""

    sheet: Sheet
    looks: Mapping[str, Look]
    allowance: Allowance
    row: int = 0
    columns: int = 0

    def take_columns(self, element: Element) -> None:
        """Read one ``table:table-column``; these come before the rows."""
        repeats = number(element, "number-columns-repeated")
        if element.get(f"{TABLE}visibility", "visible") != "visible":
            self.sheet.hidden_columns.update(range(self.columns, min(self.columns + repeats, _MAX_COLUMN)))
        self.columns += repeats

    def read(self, element: Element) -> list[tuple[int, int, Element]]:
        """Read one ``table:table-row``. Returns its cells that may have drawings as (row, column, element)."""
        repeats = number(element, "number-rows-repeated")
        cells, with_drawings = self._cells(element)
        if element.get(f"{TABLE}visibility", "visible") != "visible" and cells:
            self.sheet.hidden_rows.update(range(self.row, min(self.row + repeats, _MAX_ROW)))
        if cells and self.row < _MAX_ROW:
            repeats = min(repeats, _MAX_ROW - self.row)
            self.allowance.take(repeats * len(cells), repeats * sum(len(cell.text) for cell in cells.values()))
            self.sheet.rows[self.row] = cells
            for row in range(self.row + 1, self.row + repeats):
                self.sheet.rows[row] = {column: replace(cell) for column, cell in cells.items()}
        self.row += repeats
        return with_drawings

    def _cells(self, element: Element) -> tuple[Row, list[tuple[int, int, Element]]]:
        default_style = element.get(f"{TABLE}default-cell-style-name", "")
        cells: Row = {}
        with_drawings: list[tuple[int, int, Element]] = []
        column = 0
        for child in element:
            name = local_name(child)
            if name not in ("table-cell", "covered-table-cell"):
                continue
            repeats = number(child, "number-columns-repeated")
            has_content = len(child) or child.get(f"{OFFICE}value-type") or child.get(f"{TABLE}formula")
            if column < _MAX_COLUMN and has_content:
                cell = self._cell(child, self.looks.get(child.get(f"{TABLE}style-name", default_style), PLAIN))
                if cell is not None and name == "covered-table-cell":
                    self.sheet.covered += 1
                elif cell is not None:
                    cells[column] = cell
                    repeated = range(column + 1, min(column + repeats, _MAX_COLUMN))
                    cells.update({other: replace(cell) for other in repeated})
                self._add_merge_and_comments(child, column)
                if not is_plain(child):
                    with_drawings.append((self.row, column, child))
            column += repeats
        return cells, with_drawings

    def _cell(self, element: Element, look: Look) -> Filled | None:
        """One cell; ``None`` for one that displays nothing."""
        words = paragraphs(element)
        value, kind, plain = _stated(element, words.text)
        if plain and (kind == DATE or not words.text.strip()):
            words = Words(plain)
        if not words.text.strip() and (formula := element.get(f"{TABLE}formula")) and kind != TEXT:
            formula_text = _FORMULA.sub("=", formula)
            words, value, kind = Words(formula_text), formula_text, TEXT
            self.sheet.unfilled += 1
        if not words.text.strip():
            return None
        cell = TableCell(words, words.text.strip() if kind == TEXT else value)
        return Filled(cell, kind, look.strong, look.shaded, look.unseen)

    def _add_merge_and_comments(self, element: Element, column: int) -> None:
        """Add the cell's merged area and its comments to the sheet."""
        height, width = number(element, "number-rows-spanned"), number(element, "number-columns-spanned")
        if height > 1 or width > 1:
            self.sheet.merges.append(Area(self.row, column, self.row + height - 1, column + width - 1))
        for note in () if is_plain(element) else element.iterfind(f"{OFFICE}annotation"):
            words = paragraphs(note).text.strip()
            author, day = note.findtext(_CREATOR) or "", note.findtext(_DATE) or ""
            if words:
                self.sheet.comments.append(cell_comment(words, author, day.strip(), self.row, column))


def number(element: Element, name: str) -> int:
    """A count among an element's table attributes, 1 where it is missing or invalid."""
    return max(1, whole(element.get(f"{TABLE}{name}"), 1))


def finite_number(text: str) -> int | float | None:
    """The number in a value attribute; ``None`` where it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _stated(element: Element, displayed: str) -> tuple[CellValue, str, str]:
    """The value in a cell's attributes, its kind, and its text without format: dates in ISO 8601. ``displayed``: the
    text that the cell displays.
    """
    kind = element.get(f"{OFFICE}value-type", "")
    if kind in ("float", "percentage", "currency"):
        value = finite_number(element.get(f"{OFFICE}value", ""))
        return (value, NUMBER, plain_number(value)) if value is not None else (None, TEXT, "")
    if kind == "date":
        return _day(element.get(f"{OFFICE}date-value", ""), displayed)
    if kind == "time":
        stated = element.get(f"{OFFICE}time-value", "")
        clock = _clock(stated)
        return clock or stated, DATE if clock else TEXT, displayed.strip() or clock or stated
    if kind == "boolean":
        truth = element.get(f"{OFFICE}boolean-value", "") == "true"
        return truth, TRUTH, str(truth).upper()
    return None, TEXT if kind == "string" else "", element.get(f"{OFFICE}string-value", "")


def _day(stated: str, displayed: str) -> tuple[CellValue, str, str]:
    """A date, with the time if it is not midnight or the cell displays it."""
    try:
        at = datetime.fromisoformat(stated).replace(tzinfo=None)
    except ValueError:
        return None, TEXT, stated
    day = at.date().isoformat()
    is_midnight = at.time() == datetime.min.time()
    value = day if is_midnight else at.isoformat(timespec="seconds")
    if is_midnight and not ("T" in stated and ":" in displayed):
        return value, DATE, day
    return value, DATE, f"{day} {at:%H:%M:%S}"


def _clock(duration: str) -> str:
    """A duration in ISO 8601 as hours, minutes and seconds; "" for other text.

    >>> _clock("PT10H30M00S"), _clock("PT26H"), _clock("soon")
    ('10:30:00', '26:00:00', '')
    """
    match = _DURATION.fullmatch(duration)
    if not match:
        return ""
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    return f"{match[1]}{24 * days + hours:02d}:{minutes:02d}:{seconds:02d}"


XLINK = "{http://www.w3.org/1999/xlink}"
# Elements in a paragraph that are not part of its text: they are read elsewhere or ignored.
_ASIDE = frozenset(("annotation", "annotation-end", "frame", "custom-shape", "g", "ruby-text", "note"))
_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_BLANKS, _MAX_DEPTH = 200, 100


def paragraphs(parent: Element) -> Words:
    """The paragraphs directly below ``parent``, one line each."""
    if is_plain(parent):
        return Words(_SPACE.sub(" ", parent[0].text or ""))
    lines = []
    for child in parent:
        if local_name(child) in ("p", "h"):
            inline = Inline()
            _gather(child, inline, 0)
            lines.append(inline.take() or Words(""))
    return joined(lines, "\n") if lines else Words("")


def is_plain(parent: Element) -> bool:
    """Whether ``parent`` contains only one paragraph of plain text, as nearly all cells do."""
    return len(parent) == 1 and len(parent[0]) == 0 and local_name(parent[0]) == "p"


def _gather(element: Element, inline: Inline, depth: int) -> None:
    inline.add(_SPACE.sub(" ", element.text or ""))
    for child in element if depth < _MAX_DEPTH else ():
        name = local_name(child)
        if name == "s":
            inline.add(" " * min(whole(child.get(f"{child.tag[: -len(name)]}c"), 1), _MAX_BLANKS))
        elif name == "tab":
            inline.add(" ")
        elif name == "line-break":
            inline.add("\n")
        elif name == "a":
            inline.open_link(safe_target(child.get(f"{XLINK}href", "")))
            _gather(child, inline, depth + 1)
            inline.close_link()
        elif name not in _ASIDE:
            _gather(child, inline, depth + 1)
        inline.add(_SPACE.sub(" ", child.tail or ""))
