"""The reader of Excel workbooks, new (xlsx, xlsm) and old (xls), which are told apart by the file's first bytes."""

from __future__ import annotations

from core.errors import ParseError
from core.parsing.file_names import display_name
from core.parsing.flow import ParsedFile
from core.parsing.sheets.pieces import parsed_workbook
from core.parsing.sheets.xls import read_xls
from core.parsing.sheets.xlsx import read_xlsx

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BARE_RECORDS = (b"\x09\x00", b"\x09\x02", b"\x09\x04", b"\x09\x08")  # the oldest files have no container


def read(data: bytes, name: str) -> ParsedFile:
    """The sheets of a workbook in their order. Raises ``ParseError``."""
    shown = display_name(name)
    if data.startswith(b"PK"):
        book = read_xlsx(data, shown)
    elif data.startswith((_COMPOUND, *_BARE_RECORDS)):
        book = read_xls(data, shown)
    else:
        raise ParseError(
            f"{shown} is no workbook: it does not begin as one.",
            "Open it in a spreadsheet program and save it as .xlsx.",
        )
    return parsed_workbook(book)
