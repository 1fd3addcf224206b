"""Reads workbooks of Excel 97 to 2003 and before (.xls) with xlrd: values, formats, merged cells, links and notes.

Of formulas xlrd reads the stored results. It does not read charts and text boxes.
"""

from __future__ import annotations

import io
import struct
from functools import partial

import xlrd
from xlrd.biffh import XL_CELL_BOOLEAN, XL_CELL_ERROR, XL_CELL_NUMBER, XL_CELL_TEXT, error_text_from_code
from xlrd.book import Book
from xlrd.compdoc import CompDocError
from xlrd.sheet import Hyperlink
from xlrd.sheet import Sheet as BinarySheet

from core.errors import ParseError
from core.parsing.inline import safe_target
from core.parsing.sheets.comments import cell_comment
from core.parsing.sheets.formats import BUILTIN, GENERAL, show_number, show_text
from core.parsing.sheets.grid import (
    Allowance,
    Area,
    Comment,
    Filled,
    Row,
    Sheet,
    Workbook,
    filled,
    put_links,
)
from core.parsing.sheets.styles import PLAIN, TINY, Look
from core.parsing.table_header import DATE, NUMBER, TEXT, TRUTH

_CELL_DATE = 3
_WHITE, _SOLID = (255, 255, 255), 1
_TWIPS = 20  # in a point
_OPTIONS = {"on_demand": True, "ragged_rows": True}  # to save memory: one sheet at a time, no cells after a row's last
# What xlrd raises on damaged files, besides its own errors.
_DAMAGE = (
    xlrd.XLRDError,
    CompDocError,
    struct.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    UnboundLocalError,
    ValueError,
)
_SAVE_AS_XLSX = "Open it in a spreadsheet program, save it as .xlsx and add that."


def read_xls(data: bytes, shown: str) -> Workbook:
    """The workbook in ``data``. Raises ``ParseError`` naming ``shown``."""
    try:
        return _read(data, shown)
    except _DAMAGE as error:
        if "encrypted" in str(error).lower() or "password" in str(error).lower():
            raise ParseError(
                f"{shown} is encrypted with a password.", "Save it without the password and add it again."
            ) from error
        reason = (str(error).splitlines() or [""])[0][:160] or type(error).__name__
        raise ParseError(f"{shown} is damaged or no workbook Excel wrote ({reason}).", _SAVE_AS_XLSX) from error


def _read(data: bytes, shown: str) -> Workbook:
    log = io.StringIO()
    allowance = Allowance(shown)
    try:
        source = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=log, **_OPTIONS)
    except NotImplementedError:  # formats are not read from the oldest versions
        source = xlrd.open_workbook(file_contents=data, logfile=log, **_OPTIONS)
    book = Workbook(metadata={"author": author} if (author := " ".join((source.user_name or "").split())) else {})
    for number in range(source.nsheets):
        sheet = source.sheet_by_index(number)
        book.sheets.append(_sheet(source, sheet, allowance))
        source.unload_sheet(number)
    return book


def _sheet(source: Book, sheet: BinarySheet, allowance: Allowance) -> Sheet:
    looks = [_look(source, index) for index in range(len(source.xf_list))] if source.formatting_info else []
    rows: dict[int, Row] = {}
    for row in range(sheet.nrows):
        kinds, values = sheet.row_types(row), sheet.row_values(row)
        cells: Row = {}
        for column, (kind, value) in enumerate(zip(kinds, values, strict=True)):
            look = looks[sheet.cell_xf_index(row, column)] if looks and kind else PLAIN
            cell = _cell(kind, value, look, from_1904=bool(source.datemode))
            if cell is not None:
                cells[column] = cell
        if cells:
            allowance.take(len(cells), sum(len(cell.text) for cell in cells.values()))
            rows[row] = cells
    put_links(
        rows, ((Area(link.frowx, link.fcolx, link.lrowx, link.lcolx), _target(link)) for link in sheet.hyperlink_list)
    )
    return Sheet(
        sheet.name,
        rows=rows,
        merges=[Area(top, left, end - 1, right - 1) for top, end, left, right in sheet.merged_cells],
        comments=_comments(sheet),
        is_hidden=bool(sheet.visibility),
        hidden_rows={row for row, info in sheet.rowinfo_map.items() if info.hidden},
        hidden_columns={column for column, info in sheet.colinfo_map.items() if info.hidden},
        header_end=sheet.horz_split_pos if getattr(sheet, "panes_are_frozen", 0) else 0,
    )


def _target(link: Hyperlink) -> str:
    target = safe_target(link.url_or_path) if isinstance(link.url_or_path, str) else ""
    return f"{target}#{link.textmark}" if link.textmark else target


def _look(source: Book, index: int) -> Look:
    style = source.xf_list[index]
    known = source.format_map.get(style.format_key)
    code = BUILTIN.get(style.format_key) or (known.format_str if known else GENERAL)
    font = source.font_list[style.font_index] if style.font_index < len(source.font_list) else None
    back = style.background
    ground = source.colour_map.get(back.pattern_colour_index) if back.fill_pattern else _WHITE
    ink = source.colour_map.get(font.colour_index) if font else None
    return Look(
        code,
        strong=bool(font and (font.bold or font.weight >= 600)),
        shaded=bool(back.fill_pattern),
        ink=str(ink or ""),
        ground=str(ground or "") if back.fill_pattern in (0, _SOLID) else "",
        tiny=bool(font and 0 < font.height < TINY * _TWIPS),
    )


def _cell(kind: int, value: object, look: Look, *, from_1904: bool) -> Filled | None:
    """One cell; ``None`` for one that displays nothing."""
    make_cell = partial(filled, strong=look.strong, shaded=look.shaded, unseen=look.unseen)
    if kind == XL_CELL_TEXT:
        text = show_text(str(value), look.code)
        return make_cell(text, text.strip(), TEXT) if text.strip() else None
    if kind in (XL_CELL_NUMBER, _CELL_DATE) and isinstance(value, float):
        code = "yyyy-mm-dd" if kind == _CELL_DATE and look.code == GENERAL else look.code
        number = show_number(value, code, from_1904=from_1904)
        return make_cell(number.text, number.value, DATE if number.is_date else NUMBER)
    if kind == XL_CELL_BOOLEAN:
        return make_cell(str(bool(value)).upper(), bool(value), TRUTH)
    if kind == XL_CELL_ERROR and isinstance(value, int):
        text = error_text_from_code.get(value, "#ERROR!")
        return make_cell(text, text, TEXT)
    return None


def _comments(sheet: BinarySheet) -> list[Comment]:
    comments = []
    for (row, column), note in sheet.cell_note_map.items():
        author, words = (note.author or "").strip(), (note.text or "").strip()
        words = words.removeprefix(f"{author}:").strip() if author else words
        if words:
            comments.append(cell_comment(words, author, "", row, column))
    return comments
