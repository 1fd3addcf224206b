"""A second, plain reading of a workbook's cells, of its package (the text around them is ``second_packages``')."""

from __future__ import annotations

import posixpath
import re
import zipfile

from core.parsing.audit.gathering import HIDDEN, PAGE_NUMBERS, SHEET_NAMES, Gathering, PlainXml

DATES = "dates stored as numbers"
_DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_DATE_PATTERN = re.compile(r"[ymdhs]", re.IGNORECASE)
_NO_PATTERN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_HEADER_PART = re.compile(r"&[LCR]|\n")
_HEADER_FIELD = re.compile(r"&[PNDTFZA]")
_HEADER_CODE = re.compile(r'&"[^"]*"|&\d+|&K[\dA-F]{6}|&.')
_RUNNING_LINES = frozenset(f"{page}{line}" for page in ("odd", "even", "first") for line in ("Header", "Footer"))
_YES = frozenset(("1", "true"))


class _Workbook(PlainXml):
    """Strings, styles and names of sheets first, then cell by cell."""

    def __init__(self, found: Gathering) -> None:
        self._found = found
        self.sheets: list[tuple[str, str, str]] = []  # name, relation, why it may be left out
        self.targets: dict[str, str] = {}  # by relation
        self.reason = ""  # why the whole sheet may be left out
        self._strings: list[str] = []
        self._date_formats = set(_DATE_FORMATS)
        self._dates: list[bool] = []  # by cell style
        self._in_styles = self._reads = self._aids = False
        self._row_hidden = self._column_hidden = self._is_date = False
        self._columns_hidden: list[range] = []
        self._type = ""
        self._parts: list[str] = []

    def begin(self, reason: str) -> None:
        """Another sheet."""
        self.reason, self._row_hidden, self._columns_hidden = reason, False, []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._reads = name in {"v", "t"} or name in _RUNNING_LINES
        if name == "si" or name in _RUNNING_LINES:
            self._parts = []
        elif name == "rPh":
            self._aids = True
        elif name == "c":
            self._parts, self._type, style = [], attributes.get("t", "n"), int(attributes.get("s", "0"))
            self._is_date = style < len(self._dates) and self._dates[style]
            self._column_hidden = bool(self._columns_hidden) and self._is_hidden(attributes.get("r", ""))
        elif name == "row":
            self._row_hidden = attributes.get("hidden") in _YES
        elif name == "col" and attributes.get("hidden") in _YES:
            self._columns_hidden.append(range(int(attributes["min"]), int(attributes["max"]) + 1))
        elif name == "sheet":
            hidden = HIDDEN if attributes.get("state", "visible") != "visible" else ""
            self.sheets.append((attributes.get("name", ""), attributes.get("id", ""), hidden))
        elif name == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")
        elif name == "cellXfs":
            self._in_styles = True
        elif name == "xf" and self._in_styles:
            self._dates.append(int(attributes.get("numFmtId", "0")) in self._date_formats)
        elif name == "numFmt" and _DATE_PATTERN.search(_NO_PATTERN.sub("", attributes.get("formatCode", ""))):
            self._date_formats.add(int(attributes.get("numFmtId", "0")))

    def _is_hidden(self, reference: str) -> bool:
        column = 0
        for letter in reference.rstrip("0123456789").upper():
            column = 26 * column + ord(letter) - ord("A") + 1
        return any(column in columns for columns in self._columns_hidden)

    def text(self, characters: str) -> None:
        if self._reads and not self._aids:
            self._parts.append(characters)

    def end(self, name: str) -> None:
        self._reads = False
        if name == "si":
            self._strings.append("".join(self._parts))
        elif name == "rPh":
            self._aids = False
        elif name == "cellXfs":
            self._in_styles = False
        elif name == "c" and "".join(self._parts).strip():  # blank: a formula that was never calculated
            self._put_cell("".join(self._parts))
        elif name in _RUNNING_LINES:
            for line in _HEADER_PART.split("".join(self._parts)):
                why = PAGE_NUMBERS if _HEADER_FIELD.search(line) else ""
                self._found.put(why, _HEADER_CODE.sub(" ", f"{line}\n"))

    def _put_cell(self, written: str) -> None:
        reason = HIDDEN if self.reason or self._row_hidden or self._column_hidden else ""
        if self._type == "s":
            written = self._strings[int(written)]
        elif self._type == "b":
            written = "TRUE" if written.strip() == "1" else "FALSE"
        elif self._type == "n":
            written = as_written(float(written))
            reason = reason or (DATES if self._is_date else "")
        self._found.put(reason, f"{written}\n")


def as_written(number: float) -> str:
    """A number as its cell would state it without a format.

    >>> as_written(3.0), as_written(0.30000000000000004), as_written(1e21)
    ('3', '0.3', '1e+21')
    """
    return f"{number:.15g}"


def read_cells(package: zipfile.ZipFile, found: Gathering) -> None:
    """The sheets a workbook names, cell by cell, with the lines above and below their pages."""
    book = _Workbook(found)
    names = {name.lower(): name for name in package.namelist()}
    for part in ("xl/sharedstrings.xml", "xl/styles.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        if part in names:
            book.walk(package, names[part])
    for title, relation, hidden in book.sheets:
        found.put(hidden or SHEET_NAMES, f"{title}\n")
        place = posixpath.normpath(posixpath.join("/xl", book.targets.get(relation, ""))).lstrip("/")
        if place in package.namelist() and "worksheets" in place:
            book.begin(hidden)
            book.walk(package, place)
