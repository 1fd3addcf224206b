"""A spreadsheet's sheet as any of its formats gives it: filled cells by row and column, and what lies over them.

Rows and columns count from 0 here. Only filled cells are kept, so a sheet formatted down to its millionth row costs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.errors import ParseError
from core.parsing.flow import Piece, TableCell, Words
from core.parsing.inline import linked
from core.types import CellValue

TEXT, NUMBER, DATE, TRUTH = "text", "number", "date", "truth"

MAX_CELLS = 5_000_000
MAX_CHARACTERS = 200_000_000
_MAX_REPEATED_CELLS = 500_000
_MAX_REPEATED_CHARACTERS = 20_000_000
_WIDE_LINK, _MAX_WIDE_LINKS = 1_000, 100


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell that holds something. ``kind``: TEXT, NUMBER, DATE or TRUTH. ``strong``: bold; ``shaded``: on a colour;
    ``unseen``: in letters that nobody sees.
    """

    cell: TableCell
    kind: str = TEXT
    strong: bool = False
    shaded: bool = False
    unseen: bool = False

    @property
    def text(self) -> str:
        return self.cell.words.text

    def linked(self, target: str) -> Filled:
        """The same cell with a link over all its words."""
        return replace(self, cell=replace(self.cell, words=linked(self.text, target)))


Row = dict[int, Filled]


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """A rectangle of cells, its edges included."""

    top: int
    left: int
    bottom: int
    right: int

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on a cell."""

    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What floats over the cells, anchored at one: a chart, a text box, a picture's description."""

    row: int
    column: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A table the file itself declares, its header rows included in ``area``."""

    area: Area
    header_rows: int


@dataclass(slots=True)
class Sheet:
    """One sheet. ``heads_end``: rows before this one are kept in view or printed on every page, 0 when none are.

    ``filters``: areas with a filter, whose first row is a header. What is printed around its pages is not read.
    ``hidden_rows``, ``hidden_columns``: with those that hold nothing. ``unfilled``: formulas without a result;
    ``covered``: cells that lie unseen under merged ones.
    """

    name: str
    rows: dict[int, Row] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    tables: list[DefinedTable] = field(default_factory=list)
    filters: list[Area] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    heads_end: int = 0
    is_hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    unfilled: int = 0
    covered: int = 0


@dataclass(slots=True)
class Workbook:
    """What a reader of one format found; ``core.parsing.sheets.pieces`` makes a ``ParsedFile`` of it."""

    sheets: list[Sheet] = field(default_factory=list)
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Allowance:
    """How much one file may still hold: a few kilobytes can state the same long text a million times over."""

    shown: str
    cells: int = MAX_CELLS
    characters: int = MAX_CHARACTERS

    def take(self, cells: int, characters: int) -> None:
        """Raises ``ParseError`` when the file holds too much."""
        self.cells -= cells
        self.characters -= characters
        if self.cells < 0 or self.characters < 0:
            what = f"{MAX_CELLS:,} filled cells" if self.cells < 0 else f"{MAX_CHARACTERS:,} characters"
            raise ParseError(f"{self.shown} holds more than {what}.", "Split it into smaller files and add those.")


def filled(
    text: str,
    value: CellValue,
    kind: str = TEXT,
    *,
    strong: bool = False,
    shaded: bool = False,
    unseen: bool = False,
    links: tuple[tuple[int, int, str], ...] = (),
) -> Filled:
    """A cell of these words and this value."""
    return Filled(TableCell(Words(text, links), value), kind, strong, shaded, unseen)


def place_name(row: int, column: int) -> str:
    """The name a person gives a cell.

    >>> place_name(0, 0), place_name(9, 27)
    ('A1', 'AB10')
    """
    letters = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(65 + digit) + letters
    return f"{letters}{row + 1}"


def place_of(name: str) -> tuple[int, int] | None:
    """Row and column of a cell's name; ``None`` when it is none.

    >>> place_of("AB10"), place_of("$A$1"), place_of("Total")
    ((9, 27), (0, 0), None)
    """
    bare = name.replace("$", "")
    letters = bare.rstrip("0123456789")
    digits = bare[len(letters) :]
    if not digits or not 0 < len(letters) <= 3 or not (letters.isascii() and letters.isalpha()) or len(digits) > 7:
        return None
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return (int(digits) - 1, column - 1) if int(digits) else None


def area_of(name: str) -> Area | None:
    """The rectangle a range's name means; ``None`` when it is none.

    >>> area_of("B2:A1"), area_of("C3")
    (Area(top=0, left=0, bottom=1, right=1), Area(top=2, left=2, bottom=2, right=2))
    """
    first, _, last = name.partition(":")
    start, end = place_of(first), place_of(last or first)
    if start is None or end is None:
        return None
    (top, bottom), (left, right) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return Area(top, left, bottom, right)


def put_links(rows: dict[int, Row], links: Iterable[tuple[Area, str]]) -> None:
    """Link the words of every filled cell in each area. Of areas that span much of a sheet only some are followed."""
    large = 0
    for area, target in links:
        wide = area.right - area.left >= _WIDE_LINK or area.bottom - area.top >= _WIDE_LINK
        large += wide
        if large > _MAX_WIDE_LINKS and wide:
            continue
        for row in rows if wide else range(area.top, area.bottom + 1):
            cells = rows.get(row, {}) if area.top <= row <= area.bottom else {}
            for column in [column for column in cells if area.left <= column <= area.right]:
                cells[column] = cells[column].linked(target)


def spread_merges(rows: dict[int, Row], merges: Sequence[Area]) -> int:
    """Write each merged cell into every place it covers, so that each row can be read alone.

    Rows and columns in which nothing else stands gain nothing. Returns how many merged cells were left unspread, for
    there is a limit to what a file may multiply.

    >>> rows = {0: {0: filled("a", "a"), 2: filled("b", "b")}}
    >>> spread_merges(rows, [Area(0, 0, 0, 1)]), rows[0][1].text
    (0, 'a')
    """
    last_row = max(rows, default=-1)
    last_column = max((max(row) for row in rows.values() if row), default=-1)
    cells, characters, unspread = _MAX_REPEATED_CELLS, _MAX_REPEATED_CHARACTERS, 0
    for area in merges:
        first = rows.get(area.top, {}).get(area.left)
        if first is None:
            continue
        bottom, right = min(area.bottom, last_row), min(area.right, last_column)
        count = (bottom - area.top + 1) * (right - area.left + 1) - 1
        cells -= count
        characters -= count * len(first.text)
        if cells < 0 or characters < 0:
            cells, characters, unspread = cells + count, characters + count * len(first.text), unspread + 1
            continue
        for row in range(area.top, bottom + 1):
            places = rows.setdefault(row, {})
            for column in range(area.left, right + 1):
                places.setdefault(column, first)
    return unspread
