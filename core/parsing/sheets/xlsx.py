"""Reads Excel workbooks (xlsx, xlsm and their templates) from their parts (ECMA-376 part 1, section 18).

openpyxl is not used: it returns either formulas or results and so needs two passes, each slower and larger than the one
here (a million cells: 14 s and 470 MB a pass, against 11 s and 360 MB); it refuses files because of irrelevant styles,
and drops charts and text boxes. The tests compare the results with openpyxl's.
"""

from __future__ import annotations

import re

from core.parsing.inline import safe_target
from core.parsing.ooxml.package import RELATIONS, Element, Package, Relation, whole
from core.parsing.sheets.comments import read_comments, read_people
from core.parsing.sheets.drawings import read_drawings
from core.parsing.sheets.grid import Allowance, Area, DefinedTable, Sheet, Workbook, area_of, put_links
from core.parsing.sheets.stream import elements
from core.parsing.sheets.styles import read_looks
from core.parsing.sheets.xlsx_cells import Context, read_cells, rich_text

_PRINTED_ROWS = re.compile(r"\$(\d{1,7}):\$(\d{1,7})$")
_SHEET_KINDS = frozenset(("worksheet", "chartsheet", "dialogsheet", "xlMacrosheet", "xlIntlMacrosheet"))
_MAX_SHEETS = 2_000


def read_xlsx(data: bytes, shown: str) -> Workbook:
    """The workbook in ``data``. Raises ``ParseError`` naming ``shown``."""
    package = Package(data, shown)
    main = package.main_part("xl/workbook.xml")
    root = package.root(main)
    properties = package.core_properties()
    book = Workbook(title=properties.pop("title", ""), metadata=properties)
    context = Context(
        strings=_strings(package, main, shown),
        looks=read_looks(_first_root(package, main, "styles")),
        from_1904=_is_on(root.find("{*}workbookPr"), "date1904"),
        allowance=Allowance(shown),
        shown=shown,
    )
    people = read_people(package, main)
    printed = _printed_rows(root)
    for number, entry in enumerate(list(root.iterfind("{*}sheets/{*}sheet"))[:_MAX_SHEETS]):
        relation = package.relations(main).get(entry.get(f"{RELATIONS}id", ""))
        name = entry.get("name") or f"Sheet {number + 1}"
        if relation is None or relation.external:
            book.notes.append(f'The sheet "{name}" is missing from the file.')
            continue
        if relation.kind not in _SHEET_KINDS:
            continue
        sheet, drawings = _sheet(package, relation.target, name, context, book)
        sheet.comments = read_comments(package, relation.target, people)
        sheet.header_end = max(sheet.header_end, printed.get(number, 0))
        sheet.is_hidden = entry.get("state", "visible") != "visible"
        sheet.drawings = read_drawings(package, relation.target, drawings)
        book.sheets.append(sheet)
    if package.damaged:
        names = ", ".join(package.damaged[:10])
        book.notes.append(f"Parts of the file are damaged and were left out: {names}.")
    return book


def _sheet(package: Package, part: str, name: str, context: Context, book: Workbook) -> tuple[Sheet, list[str]]:
    """A sheet without its drawings, and the relation ids of these."""
    stream = package.stream(part)
    if stream is None:
        book.notes.append(f'The sheet "{name}" is missing from the file.')
        return Sheet(name), []
    with stream:
        sheet_part = read_cells(stream, part, name, context)
    relations, sheet = package.relations(part), sheet_part.sheet
    put_links(sheet.rows, (_link(area, relations.get(key), location) for area, key, location in sheet_part.links))
    sheet.tables = _tables(package, part, sheet_part.tables)
    return sheet, sheet_part.drawings


def _link(area: Area, relation: Relation | None, location: str) -> tuple[Area, str]:
    target = safe_target(relation.target) if relation else ""
    return area, f"{target}#{location}" if location else target


def _tables(package: Package, part: str, ids: list[str]) -> list[DefinedTable]:
    tables = []
    for relation in (package.relations(part).get(name) for name in ids):
        root = package.optional_root(relation.target) if relation and not relation.external else None
        area = area_of(root.get("ref", "")) if root is not None else None
        if root is not None and area is not None:
            tables.append(DefinedTable(area, int(root.get("headerRowCount", "1") != "0")))
    return tables


def _strings(package: Package, main: str, shown: str) -> tuple[str, ...]:
    """The texts that cells refer to by index."""
    strings: list[str] = []
    for name in package.related(main, "sharedStrings") or ["xl/sharedStrings.xml"]:
        stream = package.stream(name)
        if stream is not None:
            with stream:
                strings += [rich_text(entry) for _, entry in elements(stream, ("{*}si",), name, shown)]
    return tuple(strings)


def _printed_rows(root: Element) -> dict[int, int]:
    """By sheet number: where the rows that are printed on top of every page end."""
    ends: dict[int, int] = {}
    for name in root.iterfind("{*}definedNames/{*}definedName"):
        number, rows = name.get("localSheetId", ""), _PRINTED_ROWS.search(name.text or "")
        if name.get("name") == "_xlnm.Print_Titles" and rows:
            ends[whole(number)] = int(rows[2])
    return ends


def _first_root(package: Package, main: str, kind: str) -> Element | None:
    return next((package.optional_root(name) for name in package.related(main, kind)), None)


def _is_on(element: Element | None, name: str) -> bool:
    return element is not None and element.get(name, "0") in ("1", "true")
