"""A second, plain reading of Excel's workbooks: the package's XML, and the records of the older binary format."""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
from collections.abc import Iterator
from io import BytesIO

import olefile

from core.parsing.second_gathering import HIDDEN, OLDER_COPIES, PAGE_NUMBERS, Gathering, PlainXml, part_names
from core.parsing.second_packages import CHARTS, read_drawings

WORKBOOK_READER = "the workbook's binary records"
DATES, SHEET_NAMES = "dates stored as numbers", "sheets' names"
_DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_DATE_PATTERN = re.compile(r"[ymdhs]", re.IGNORECASE)
_NO_PATTERN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_HEADER_PART = re.compile(r"&[LCR]|\n")
_HEADER_FIELD = re.compile(r"&[PNDTFZA]")
_HEADER_CODE = re.compile(r'&"[^"]*"|&\d+|&K[\dA-F]{6}|&.')
_RUNNING_LINES = frozenset(f"{page}{line}" for page in ("odd", "even", "first") for line in ("Header", "Footer"))


class _Strings(PlainXml):
    """The shared strings, or the comments, in order. Reading aids above characters (``rPh``) are passed over."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._reading = False
        self._aids = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._reading = name == "t" and not self._aids
        self._aids += name == "rPh"

    def end(self, name: str) -> None:
        self._reading = False
        self._aids -= name == "rPh"
        if name in {"si", "comment"}:
            self.strings.append("".join(self._parts))
            self._parts = []

    def text(self, characters: str) -> None:
        if self._reading:
            self._parts.append(characters)


class _Styles(PlainXml):
    """Which cell styles show a number as a date."""

    def __init__(self) -> None:
        super().__init__()
        self.dates: list[bool] = []
        self._formats = set(_DATE_FORMATS)
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt" and _DATE_PATTERN.search(_NO_PATTERN.sub("", attributes.get("formatCode", ""))):
            self._formats.add(int(attributes.get("numFmtId", "0")))
        elif name == "cellXfs":
            self._inside = True
        elif name == "xf" and self._inside:
            self.dates.append(int(attributes.get("numFmtId", "0")) in self._formats)

    def end(self, name: str) -> None:
        self._inside = self._inside and name != "cellXfs"


class _Sheets(PlainXml):
    """The workbook's sheets: name, relation and whether each is hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[tuple[str, str, bool]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            hidden = attributes.get("state", "visible") != "visible"
            self.sheets.append((attributes.get("name", ""), attributes.get("id", ""), hidden))


class _Relations(PlainXml):
    """Targets by relation."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")


class _Cells(PlainXml):
    """A sheet's cells, and the lines above and below its pages. ``hidden``: the whole sheet is."""

    def __init__(self, found: Gathering, strings: list[str], dates: list[bool], hidden: bool) -> None:
        super().__init__()
        self._found = found
        self._strings = strings
        self._dates = dates
        self._sheet_hidden = hidden
        self._row_hidden = False
        self._columns_hidden: list[range] = []
        self._type = ""
        self._column_hidden = self._date = False
        self._reading = ""
        self._parts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._type = attributes.get("t", "n")
            style = int(attributes.get("s", "0"))
            self._date = style < len(self._dates) and self._dates[style]
            self._column_hidden = bool(self._columns_hidden) and self._is_hidden(attributes.get("r", ""))
        elif name in {"v", "t"} or name in _RUNNING_LINES:
            self._reading, self._parts = name, []
        elif name == "row":
            self._row_hidden = attributes.get("hidden") in {"1", "true"}
        elif name == "col" and attributes.get("hidden") in {"1", "true"}:
            self._columns_hidden.append(range(int(attributes["min"]), int(attributes["max"]) + 1))

    def _is_hidden(self, reference: str) -> bool:
        column = 0
        for letter in reference.rstrip("0123456789").upper():
            column = 26 * column + ord(letter) - ord("A") + 1
        return any(column in columns for columns in self._columns_hidden)

    def end(self, name: str) -> None:
        if name != self._reading:
            return
        written = "".join(self._parts)
        self._reading = ""
        if name in _RUNNING_LINES:
            for line in _HEADER_PART.split(written):
                self._found.put(PAGE_NUMBERS if _HEADER_FIELD.search(line) else "", _HEADER_CODE.sub(" ", f"{line}\n"))
            return
        if not written.strip():
            return  # such as a formula's result that was never calculated
        reason = HIDDEN if self._sheet_hidden or self._row_hidden or self._column_hidden else ""
        if name == "v" and self._type == "s":
            written = self._strings[int(written)]
        elif name == "v" and self._type == "b":
            written = "TRUE" if written.strip() == "1" else "FALSE"
        elif name == "v" and self._type == "n":
            written = as_written(float(written))
            reason = reason or (DATES if self._date else "")
        self._found.put(reason, f"{written}\n")

    def text(self, characters: str) -> None:
        if self._reading:
            self._parts.append(characters)


def as_written(number: float) -> str:
    """A number as its cell would state it without a format.

    >>> as_written(3.0), as_written(0.30000000000000004), as_written(1e21)
    ('3', '0.3', '1e+21')
    """
    return f"{number:.15g}"


def read_cells(data: bytes, found: Gathering) -> None:
    """A workbook: the sheets it names, cell by cell, and the comments, shapes and charts on them."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        strings, styles, sheets, relations = _Strings(), _Styles(), _Sheets(), _Relations()
        for pattern, reader in (
            (r"xl/sharedStrings\.xml", strings),
            (r"xl/styles\.xml", styles),
            (r"xl/workbook\.xml", sheets),
            (r"xl/_rels/workbook\.xml\.rels", relations),
        ):
            for name in part_names(package, pattern):
                reader.walk(package, name)
        for title, relation, hidden in sheets.sheets:
            found.drop(HIDDEN if hidden else SHEET_NAMES, f"{title}\n")
            place = posixpath.normpath(posixpath.join("/xl", relations.targets.get(relation, ""))).lstrip("/")
            if place in package.namelist() and "worksheets" in place:
                _Cells(found, strings.strings, styles.dates, hidden).walk(package, place)
        threads = part_names(package, r"xl/threadedComments/[^/]*\.xml")
        for name in part_names(package, r"xl/comments\d*\.xml|xl/comments/[^/]*\.xml"):
            comments = _Strings()
            comments.walk(package, name)
            found.put(OLDER_COPIES if threads else "", "".join(f"{text}\n" for text in comments.strings))
        read_drawings(package, r"xl/threadedComments/[^/]*\.xml|xl/drawings/drawing\d*\.xml", found)
        read_drawings(package, r"xl/charts/chart\d*\.xml", found, charts=CHARTS)


_SST, _CONTINUE, _SHEET, _STRING, _LABEL, _LABEL_SST = 0xFC, 0x3C, 0x85, 0x207, 0x204, 0xFD
_NUMBER, _RK, _MULTIPLE_RK, _FORMULA = 0x203, 0x27E, 0xBD, 0x06
_NO_NUMBER = b"\xff\xff"  # where a formula's number would end: its result is something else


def read_workbook(data: bytes, found: Gathering) -> None:
    """An old binary workbook (BIFF8), in its container or bare: strings, shared ones where cells name them, numbers.

    Source: [MS-XLS] 2.4.265 (SST), 2.5.293 (XLUnicodeRichExtendedString), 2.5.217 (RkNumber).
    """
    records = list(_records(_stream(data)))
    strings: list[str] = []
    for place, (kind, body) in enumerate(records):
        if kind == _SST:
            parts = [body]
            for later, continued in records[place + 1 :]:
                if later != _CONTINUE:
                    break
                parts.append(continued)
            strings = _shared_strings(parts)
        elif kind == _SHEET:
            found.drop(HIDDEN if body[4] & 3 else SHEET_NAMES, f"{_characters(body, 7, body[6])}\n")
        elif kind == _LABEL_SST:
            found.keep(f"{strings[struct.unpack_from('<I', body, 6)[0]]}\n")
        elif kind in {_LABEL, _STRING}:
            start = 6 if kind == _LABEL else 0
            found.keep(f"{_characters(body, start + 2, struct.unpack_from('<H', body, start)[0])}\n")
        elif kind == _NUMBER or (kind == _FORMULA and body[12:14] != _NO_NUMBER):
            _keep_number(struct.unpack_from("<d", body, 6)[0], found)
        elif kind == _RK:
            _keep_number(_rk(struct.unpack_from("<I", body, 6)[0]), found)
        elif kind == _MULTIPLE_RK:
            for start in range(4, len(body) - 6, 6):
                _keep_number(_rk(struct.unpack_from("<I", body, start + 2)[0]), found)


def _stream(data: bytes) -> bytes:
    if not data.startswith(olefile.MAGIC):
        return data
    with olefile.OleFileIO(BytesIO(data)) as container:
        name = next((name for name in ("Workbook", "Book") if container.exists(name)), "Workbook")
        return bytes(container.openstream(name).read())


def _characters(body: bytes, start: int, length: int) -> str:
    """A string of a known length, behind the byte that says how wide its characters are."""
    wide = body[start] & 1
    return body[start + 1 : start + 1 + length * (1 + wide)].decode("utf-16-le" if wide else "latin-1", "replace")


def _keep_number(number: float, found: Gathering) -> None:
    """Whether a number is shown as a date only the formats say: one of that size may be."""
    found.put(DATES if 20_000 <= number <= 60_000 else "", f"{as_written(number)}\n")


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        yield kind, stream[place + 4 : place + 4 + size]
        place += 4 + size


def _rk(value: int) -> float:
    """
    >>> _rk(0x3FF00000), _rk(301 << 2 | 3)
    (1.0, 3.01)
    """
    signed = value - (1 << 32) if value & 0x80000000 else value
    number = float(signed >> 2) if value & 2 else struct.unpack("<d", struct.pack("<Q", (value & ~3) << 32))[0]
    return number / 100 if value & 1 else number


def _shared_strings(parts: list[bytes]) -> list[str]:
    """The strings of an SST record and its continuations; characters change their width where a record ends."""
    ends = []
    joined = b"".join(parts)
    total = 0
    for body in parts:
        total += len(body)
        ends.append(total)
    count = struct.unpack_from("<I", joined, 4)[0]
    strings: list[str] = []
    place = 8
    while len(strings) < count and place + 3 <= len(joined):
        length, flags = struct.unpack_from("<HB", joined, place)
        place += 3
        runs = struct.unpack_from("<H", joined, place)[0] if flags & 8 else 0
        place += 2 if flags & 8 else 0
        extra = struct.unpack_from("<I", joined, place)[0] if flags & 4 else 0
        place += 4 if flags & 4 else 0
        pieces: list[str] = []
        wide = flags & 1
        while length > 0 and place < len(joined):
            end = next(end for end in ends if end > place)
            taken = min(length, (end - place) // (1 + wide))
            pieces.append(
                joined[place : place + taken * (1 + wide)].decode("utf-16-le" if wide else "latin-1", "replace")
            )
            place += taken * (1 + wide)
            length -= taken
            if length > 0:
                place = end
                wide = joined[place] & 1 if place < len(joined) else 0
                place += 1
        strings.append("".join(pieces))
        place += 4 * runs + extra
    return strings
