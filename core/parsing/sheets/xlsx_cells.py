"""One sheet of an Excel workbook, read cell by cell from its part, which is never held as a tree.

A formula shows its last result. One that has none, as programs leave it that cannot calculate, shows itself; one that
is shared and stands written in another cell stays blank then.
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
from core.parsing.sheets.grid import DATE, NUMBER, TEXT, TRUTH, Allowance, Area, Filled, Row, Sheet, area_of, place_of
from core.parsing.sheets.stream import elements
from core.parsing.sheets.styles import PLAIN, Look, unescaped

_MAX_REMEMBERED = 100_000
_Known = tuple[TableCell, str, bool, bool, bool]  # what a ``Filled`` is made of
_MAX_ROW, _MAX_COLUMN = 2_000_000, 20_000


@dataclass(frozen=True, slots=True)
class Context:
    """What the cells of all sheets share."""

    strings: tuple[str, ...]
    looks: tuple[Look, ...]
    from_1904: bool
    allowance: Allowance
    shown: str


@dataclass(slots=True)
class SheetPart:
    """A sheet, and what else its part holds; ``drawings`` and ``tables`` are relations' ids.

    ``links``: area, relation's id, place in the workbook.
    """

    sheet: Sheet
    links: list[tuple[Area, str, str]] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def read_cells(stream: IO[bytes], part: str, name: str, context: Context) -> SheetPart:
    """The sheet ``name``. Raises ``ParseError`` when its part is damaged or holds more than may be read."""
    reader = _Cells(SheetPart(Sheet(name)), context)
    found = reader.found
    takers: dict[str, Callable[[Element], None]] = {
        "row": reader.row,
        "pane": lambda pane: _note_pane(pane, found.sheet),
        "col": lambda columns: _note_columns(columns, found.sheet),
        "mergeCell": lambda merge: _note_area(merge, found.sheet.merges),
        "autoFilter": lambda area: _note_area(area, found.sheet.filters),
        "hyperlink": lambda link: _note_link(link, found),
        "drawing": lambda drawing: found.drawings.append(drawing.get(f"{RELATIONS}id", "")),
        "tablePart": lambda table: found.tables.append(table.get(f"{RELATIONS}id", "")),
    }
    for _, element in elements(stream, [f"{{*}}{name}" for name in takers], part, context.shown):
        takers[local_name(element)](element)
    return found


class _Cells:
    """Rows of one sheet as they come; what was read before in the same style is taken from memory."""

    def __init__(self, found: SheetPart, context: Context) -> None:
        self.found = found
        self._context = context
        self._known: dict[tuple[str, str, str], _Known] = {}
        self._row = -1

    def row(self, element: Element) -> None:
        self._row = whole(element.get("r"), self._row + 2) - 1
        if not 0 <= self._row < _MAX_ROW:
            return
        if element.get("hidden") in ("1", "true"):
            self.found.sheet.hidden_rows.add(self._row)
        cells: Row = {}
        characters, column = 0, -1
        for place in element:
            name = place.get("r")
            column = _column(name) if name else column + 1
            cell = self._cell(place) if 0 <= column < _MAX_COLUMN else None
            if cell is not None:
                cells[column] = cell
                characters += len(cell.cell.words.text)
        if cells:
            self._context.allowance.take(len(cells), characters)
            self.found.sheet.rows.setdefault(self._row, {}).update(cells)

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
            written = (formula.text or "").strip()
            target = safe_target(link_target(written))
            if raw is None or (raw == "" and kind != "str"):
                raw, kind = f"={written}" if written else "", "str"
                self.found.sheet.unfilled += 1
        known = self._known.get((kind, style, raw)) if raw else None
        if known is None:
            known = self._remembered(kind, style, raw) if raw else None
            if known is None:
                return None
        cell = Filled(*known)
        return cell.linked(target) if target else cell

    def _remembered(self, kind: str, style: str, raw: str) -> _Known | None:
        """What a stored value shows in a style; ``None`` when that is nothing."""
        look = self._look(style)
        shown = self._shown(kind, look.code, raw)
        if shown is None:
            return None
        known = (*shown, look.strong, look.shaded, look.unseen)
        if len(self._known) < _MAX_REMEMBERED:
            self._known[(kind, style, raw)] = known
        return known

    def _look(self, style: str) -> Look:
        looks = self._context.looks
        at = whole(style, 0)
        return looks[at] if at < len(looks) else PLAIN

    def _shown(self, kind: str, code: str, raw: str) -> tuple[TableCell, str] | None:
        """The cell and its kind; ``None`` for one that shows nothing."""
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
        at = whole(raw)
        return strings[at] if 0 <= at < len(strings) else ""


def rich_text(element: Element) -> str:
    """A string's words, its runs joined; reading aids above characters are left out."""
    parts = []
    for child in element:
        tag = child.tag
        if tag.endswith("}t"):
            parts.append(child.text or "")
        elif tag.endswith("}r"):
            parts += [run.text or "" for run in child if run.tag.endswith("}t")]
    return unescaped("".join(parts))


def _stated_date(raw: str) -> tuple[TableCell, str]:
    """A day written out, as only the strict variant of the format has it."""
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


def _note_area(element: Element, areas: list[Area]) -> None:
    area = area_of(element.get("ref", ""))
    if area is not None:
        areas.append(area)


def _note_link(element: Element, found: SheetPart) -> None:
    area = area_of(element.get("ref", ""))
    if area is not None:
        found.links.append((area, element.get(f"{RELATIONS}id", ""), element.get("location", "")))


def _note_pane(element: Element, sheet: Sheet) -> None:
    rows = element.get("ySplit", "0")
    if element.get("state") in ("frozen", "frozenSplit") and re.fullmatch(r"\d{1,3}(?:\.0+)?", rows):
        sheet.heads_end = int(float(rows))


def _note_columns(element: Element, sheet: Sheet) -> None:
    first, last = whole(element.get("min")), min(whole(element.get("max")), _MAX_COLUMN)
    if element.get("hidden") in ("1", "true") and 0 < first <= last:
        sheet.hidden_columns.update(range(first - 1, last))


_LINK = re.compile(r'\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,)]', re.IGNORECASE)


def link_target(formula: str) -> str:
    """Where a HYPERLINK formula leads; "" for other formulas, and where it is calculated.

    >>> link_target('HYPERLINK("https://a.example/x","Site")'), link_target("HYPERLINK(A1)")
    ('https://a.example/x', '')
    """
    match = _LINK.match(formula)
    return match[1].replace('""', '"') if match else ""
