"""Workbooks and OpenDocument sheets made by the tests, and what is read from them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from io import BytesIO

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from core.parsing.flow import ParsedFile
from core.parsing.sheets import ods_reader
from core.parsing.sheets import reader as sheet_reader
from core.types import Document
from tests.parsing.laws import composed, kinds
from tests.parsing.packages import packed, parts_of

ODS_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "chart": "urn:oasis:names:tc:opendocument:xmlns:chart:1.0",
    "meta": "urn:oasis:names:tc:opendocument:xmlns:meta:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xlink": "http://www.w3.org/1999/xlink",
}


def document_of(reading: ParsedFile) -> Document:
    return composed(reading, "xlsx")


def shown(reading: ParsedFile) -> list[tuple[str, str]]:
    """Kind and text of each block."""
    return kinds(document_of(reading))


def headers(reading: ParsedFile) -> list[str | None]:
    """The header of each table, ``None`` where it has none."""
    document = document_of(reading)
    spans = [block.header for block in document.blocks if block.cells]
    return [document.text[span.start : span.end] if span else None for span in spans]


def values(reading: ParsedFile) -> list[list[object]]:
    """The typed cells of all tables, row by row."""
    rows: list[list[object]] = []
    for block in document_of(reading).blocks:
        last = -1
        for cell in block.cells:
            if cell.row != last:
                rows.append([])
            last = cell.row
            rows[-1].append(cell.value)
    return rows


def xlsx(*fills: Callable[[Worksheet], None], name: str = "Data") -> bytes:
    """A workbook with one sheet for each function that fills one."""
    book = Workbook()
    book.remove(book.active)
    for number, fill in enumerate(fills):
        fill(book.create_sheet(name if not number else f"{name} {number + 1}"))
    return saved(book)


def saved(book: Workbook) -> bytes:
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def read_xlsx(*fills: Callable[[Worksheet], None], name: str = "Data") -> ParsedFile:
    return sheet_reader.read(xlsx(*fills, name=name), "a.xlsx")


def rows_of(*rows: tuple[object, ...], at: tuple[int, int] = (1, 1)) -> Callable[[Worksheet], None]:
    """Fills a sheet with rows of values from a cell on; ``None`` leaves a cell blank."""

    def fill(sheet: Worksheet) -> None:
        for row, cells in enumerate(rows, start=at[0]):
            for column, value in enumerate(cells, start=at[1]):
                if value is not None:
                    sheet.cell(row, column, value)

    return fill


def with_cells(rows: str, *, after: str = "", strings: str = "") -> bytes:
    """A workbook whose one sheet has these rows as XML, ``after`` behind them, and ``strings`` as shared ones."""
    parts = parts_of(xlsx(rows_of(("x",))))
    sheet = parts["xl/worksheets/sheet1.xml"]
    head, tail = sheet.split("<sheetData>")[0], sheet.split("</sheetData>")[1]
    parts["xl/worksheets/sheet1.xml"] = f"{head}<sheetData>{rows}</sheetData>{after}{tail}"
    if strings:
        name = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{name}">{strings}</sst>'
    return packed(parts)


def ods(sheets: str, *, styles: str = "", parts: Mapping[str, str] | None = None, after: str = "") -> bytes:
    """An OpenDocument spreadsheet of these tables (XML), automatic styles and further parts."""
    spaces = " ".join(f'xmlns:{name}="{address}"' for name, address in ODS_SPACES.items())
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{sheets}{after}</office:spreadsheet></office:body></office:document-content>"
    )
    others = {
        name: f"<office:document {spaces}>{inside}</office:document>" if "{" not in inside else inside
        for name, inside in (parts or {}).items()
    }
    return packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content, **others})


def read_ods(
    rows: str, *, name: str = "Data", styles: str = "", parts: Mapping[str, str] | None = None, after: str = ""
) -> ParsedFile:
    """What is read of a sheet with these rows (XML)."""
    sheet = f'<table:table table:name="{name}">{rows}</table:table>'
    return ods_reader.read(ods(sheet, styles=styles, parts=parts, after=after), "a.ods")


def xls(*cells: tuple[int, int, str | float], merges: tuple[tuple[int, int, int, int], ...] = ()) -> bytes:
    """A bare stream of BIFF8 records, as Excel 97 wrote them into its container: one sheet, "Data"."""

    def record(kind: int, body: bytes) -> bytes:
        return struct.pack("<HH", kind, len(body)) + body

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    def characters(text: str, length: str) -> bytes:
        return struct.pack(f"<{length}B", len(text), 1) + text.encode("utf-16-le")

    end = record(0x0A, b"")
    font = record(0x31, struct.pack("<HHHHHBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + characters("Arial", "B"))
    formats = record(0x41E, struct.pack("<H", 164) + characters("dd/mm/yyyy", "H"))
    # Two styles: General, and the day format above.
    styles = b"".join(record(0xE0, struct.pack("<HHHBBBBIIH", 0, code, 0, 0, 0, 0, 0, 0, 0, 0)) for code in (0, 164))
    head = begin(5) + font + formats + styles
    place = len(head) + 4 + 6 + len(characters("Data", "B")) + len(end)
    bound = record(0x85, struct.pack("<IBB", place, 0, 0) + characters("Data", "B"))
    body = b""
    for row, column, value in cells:
        if isinstance(value, str):
            body += record(0x204, struct.pack("<HHH", row, column, 0) + characters(value, "H"))
        else:
            body += record(0x203, struct.pack("<HHHd", row, column, int(value > 40_000), value))
    joined = b"".join(struct.pack("<HHHH", *merge) for merge in merges)
    body += record(0xE5, struct.pack("<H", len(merges)) + joined) if merges else b""
    return head + bound + end + begin(0x10) + body + end
