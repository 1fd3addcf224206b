"""Reads one sheet of an Excel workbook cell by cell from its part, which is streamed.

A formula is read as its stored result. Where it has none, because the program that wrote the file does not calculate,
its text is read; a shared formula that is written in another cell then stays blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import IO

from core.parsing.flow import TableCell, Words
from core.parsing.inline import safe_target
from core.parsing.ooxml.package import RELATIONS, Element, local_name, whole
from core.parsing.sheets.formats import show_number, show_text
from core.parsing.sheets.grid import Allowance, Area, Filled, Row, Sheet, area_of, place_of
from core.parsing.sheets.stream import elements
from core.parsing.sheets.styles import PLAIN, Look, unescaped
from core.parsing.table_header import DATE, NUMBER, TEXT, TRUTH

_MAX_CACHED = 100_000
_CellFields = tuple[TableCell, str, bool, bool, bool]  # the fields of a ``Filled``
_MAX_ROW, _MAX_COLUMN = 2_000_000, 20_000


@dataclass(frozen=True, slots=True)
class Context:
    """What the sheets of a workbook share: texts and styles by index, the date system, the budget, the file's name."""

    strings: tuple[str, ...]
    looks: tuple[Look, ...]
    from_1904: bool
    allowance: Allowance
    shown: str


@dataclass(slots=True)
class SheetPart:
    """A sheet and the rest of its part. ``links``: area, relation id, location in the workbook. ``drawings`` and
    ``tables``: relation ids.
    """

    sheet: Sheet
    links: list[tuple[Area, str, str]] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def read_cells(stream: IO[bytes], part: str, name: str, context: Context) -> SheetPart:
    """The sheet ``name``. Raises ``ParseError`` where its part is damaged or exceeds the budget."""
    sheet_part = SheetPart(Sheet(name))
    sheet = sheet_part.sheet
    handlers: dict[str, Callable[[Element], None]] = {
        "row": _Cells(sheet, context).row,
        "pane": lambda pane: _add_pane(pane, sheet),
        "col": lambda columns: _add_hidden_columns(columns, sheet),
        "mergeCell": lambda merge: _add_area(merge, sheet.merges),
        "autoFilter": lambda area: _add_area(area, sheet.filters),
        "hyperlink": lambda link: _add_link(link, sheet_part),
        "drawing": lambda drawing: sheet_part.drawings.append(drawing.get(f"{RELATIONS}id", "")),
        "tablePart": lambda table: sheet_part.tables.append(table.get(f"{RELATIONS}id", "")),
    }
    for _, element in elements(stream, [f"{{*}}{name}" for name in handlers], part, context.shown):
        handlers[local_name(element)](element)
    return sheet_part


class _Cells:
    """Reads the rows of one sheet in order. Cells with the same content and style are cached."""

    def __init__(self, sheet: Sheet, context: Context) -> None:
        self._sheet = sheet
        self._context = context
        self._cache: dict[tuple[str, str, str], _CellFields] = {}
        self._row = -1

    def row(self, element: Element) -> None:
        self._row = whole(element.get("r"), self._row + 2) - 1
        if not 0 <= self._row < _MAX_ROW:
            return
        if element.get("hidden") in ("1", "true"):
            self._sheet.hidden_rows.add(self._row)
        cells: Row = {}
        characters, column = 0, -1
        for child in element:
            name = child.get("r")
            column = _column(name) if name else column + 1
            cell = self._cell(child) if 0 <= column < _MAX_COLUMN else None
            if cell is not None:
                cells[column] = cell
                characters += len(cell.cell.words.text)
        if cells:
            self._context.allowance.take(len(cells), characters)
            self._sheet.rows.setdefault(self._row, {}).update(cells)

    def _cell(self, element: Element) -> Filled | None:
        raw = formula = inline = None
        for child in element:
            tag = child.tag
            if tag.endswith("}v"):
                raw = child.text or ""
            elif tag.endswith("}f"):
                formula = child
            elif tag.endswith("}is"):
                inline = rich_text(child)
        kind, style = element.get("t", "n"), element.get("s", "0")
        target = ""
        if inline is not None:
            raw, kind = inline, "str"
        if formula is not None:
            formula_text = (formula.text or "").strip()
            target = safe_target(link_target(formula_text))
            if raw is None or (raw == "" and kind != "str"):
                raw, kind = f"={formula_text}" if formula_text else "", "str"
                self._sheet.unfilled += 1
        fields = (self._cache.get((kind, style, raw)) or self._fields(kind, style, raw)) if raw else None
        if fields is None:
            return None
        cell = Filled(*fields)
        return cell.linked(target) if target else cell

    def _fields(self, kind: str, style: str, raw: str) -> _CellFields | None:
        """The fields of a cell for a stored value in a style, which are cached; ``None`` if it displays nothing."""
        look = self._look(style)
        displayed = self._displayed(kind, look.code, raw)
        if displayed is None:
            return None
        fields = (*displayed, look.strong, look.shaded, look.unseen)
        if len(self._cache) < _MAX_CACHED:
            self._cache[(kind, style, raw)] = fields
        return fields

    def _look(self, style: str) -> Look:
        looks = self._context.looks
        index = whole(style, 0)
        return looks[index] if index < len(looks) else PLAIN

    def _displayed(self, kind: str, code: str, raw: str) -> tuple[TableCell, str] | None:
        """The cell as it is displayed, and its kind; ``None`` if it displays nothing."""
        if kind in ("s", "str", "inlineStr", "e"):
            text = self._string(raw) if kind == "s" else unescaped(raw)
            text = show_text(text, code)
            return (TableCell(Words(text), text.strip()), TEXT) if text.strip() else None
        if kind == "b":
            truth = raw.strip() in ("1", "true")
            return TableCell(Words(str(truth).upper()), truth), TRUTH
        if kind == "d":
            return _stated_date(raw)
        try:
            number = show_number(float(raw), code, from_1904=self._context.from_1904)
        except ValueError:
            return (TableCell(Words(raw), raw.strip()), TEXT) if raw.strip() else None
        return TableCell(Words(number.text), number.value), DATE if number.is_date else NUMBER

    def _string(self, raw: str) -> str:
        strings = self._context.strings
        index = whole(raw)
        return strings[index] if 0 <= index < len(strings) else ""


def rich_text(element: Element) -> str:
    """The text of a string, its runs joined; phonetic guides are left out."""
    parts = []
    for child in element:
        tag = child.tag
        if tag.endswith("}t"):
            parts.append(child.text or "")
        elif tag.endswith("}r"):
            parts += [run.text or "" for run in child if run.tag.endswith("}t")]
    return unescaped("".join(parts))


def _stated_date(raw: str) -> tuple[TableCell, str]:
    """A date in ISO 8601, as the strict variant of the format has it."""
    try:
        at = datetime.fromisoformat(raw.strip())
    except ValueError:
        return TableCell(Words(raw), raw.strip()), TEXT
    if at.time() == datetime.min.time():
        day = date.isoformat(at)
        return TableCell(Words(day), day), DATE
    stated = at.replace(tzinfo=None).isoformat(timespec="seconds")
    return TableCell(Words(stated.replace("T", " ")), stated), DATE


@lru_cache(maxsize=1024)
def _letters_column(letters: str) -> int:
    place = place_of(f"{letters}1")
    return place[1] if place else -1


def _column(name: str) -> int:
    return _letters_column(name.rstrip("0123456789"))


def _add_area(element: Element, areas: list[Area]) -> None:
    area = area_of(element.get("ref", ""))
    if area is not None:
        areas.append(area)


def _add_link(element: Element, sheet_part: SheetPart) -> None:
    area = area_of(element.get("ref", ""))
    if area is not None:
        sheet_part.links.append((area, element.get(f"{RELATIONS}id", ""), element.get("location", "")))


def _add_pane(element: Element, sheet: Sheet) -> None:
    rows = element.get("ySplit", "0")
    if element.get("state") in ("frozen", "frozenSplit") and re.fullmatch(r"\d{1,3}(?:\.0+)?", rows):
        sheet.header_end = int(float(rows))


def _add_hidden_columns(element: Element, sheet: Sheet) -> None:
    first, last = whole(element.get("min")), min(whole(element.get("max")), _MAX_COLUMN)
    if element.get("hidden") in ("1", "true") and 0 < first <= last:
        sheet.hidden_columns.update(range(first - 1, last))


_LINK = re.compile(r'\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,)]', re.IGNORECASE)


def link_target(formula: str) -> str:
    """The target of a HYPERLINK formula; "" for other formulas and for calculated targets.

    >>> link_target('HYPERLINK("https://a.example/x","Site")'), link_target("HYPERLINK(A1)")
    ('https://a.example/x', '')
    """
    match = _LINK.match(formula)
    return match[1].replace('""', '"') if match else ""
