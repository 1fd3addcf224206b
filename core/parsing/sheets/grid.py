"""The data model of a spreadsheet, common to all formats: filled cells by row and column, merges, comments, drawings.

Rows and columns count from 0. Only filled cells are stored, so that a sheet formatted down to its millionth row costs
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.errors import ParseError
from core.parsing.flow import Piece, TableCell, Words
from core.parsing.inline import linked
from core.parsing.table_header import TEXT
from core.text.values.numerals import in_letters
from core.types import CellValue

MAX_CELLS = 5_000_000
MAX_CHARACTERS = 200_000_000
_MAX_REPEATED_CELLS = 500_000
_MAX_REPEATED_CHARACTERS = 20_000_000
_LARGE_LINK, _MAX_LARGE_LINKS = 1_000, 100  # rows or columns of the area of a link, and how many such links


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell with content. ``kind``: see ``CellFeatures``. ``strong``: bold. ``shaded``: on a coloured ground.
    ``unseen``: its text is invisible.
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
        """The same cell with a link over all its text."""
        return replace(self, cell=replace(self.cell, words=linked(self.text, target)))


Row = dict[int, Filled]


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """A rectangle of cells, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a cell. ``text``: with its author and date."""

    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing anchored at a cell: a chart, a text box, or the description of a picture."""

    row: int
    column: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A table that the file declares. ``area`` includes its header rows."""

    area: Area
    header_rows: int


@dataclass(slots=True)
class Sheet:
    """One sheet. Headers and footers of its printed pages are not read.

    ``filters``: areas with a filter, whose first row is a header. ``header_end``: the number of rows at the top that
    are frozen or printed on every page. ``hidden_rows``, ``hidden_columns``: including empty ones. ``unfilled``: the
    number of formulas without a result. ``covered``: the number of cells with content under merged cells.
    """

    name: str
    rows: dict[int, Row] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    tables: list[DefinedTable] = field(default_factory=list)
    filters: list[Area] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    header_end: int = 0
    is_hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    unfilled: int = 0
    covered: int = 0


@dataclass(slots=True)
class Workbook:
    """The result of reading one format; ``core.parsing.sheets.pieces`` converts it to a ``ParsedFile``."""

    sheets: list[Sheet] = field(default_factory=list)
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Allowance:
    """The budget of cells and characters of one file: a few kilobytes can state the same long text a million times."""

    shown: str
    cells: int = MAX_CELLS
    characters: int = MAX_CHARACTERS

    def take(self, cells: int, characters: int) -> None:
        """Spend some of the budget. Raises ``ParseError`` where it is exceeded."""
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
    """A cell with this text and value."""
    return Filled(TableCell(Words(text, links), value), kind, strong, shaded, unseen)


def place_name(row: int, column: int) -> str:
    """The name of a cell.

    >>> place_name(0, 0), place_name(9, 27)
    ('A1', 'AB10')
    """
    return f"{in_letters(column + 1).upper()}{row + 1}"


def place_of(name: str) -> tuple[int, int] | None:
    """The row and column of a cell's name; ``None`` for other text.

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
    """The rectangle of a range such as "A1:B2"; ``None`` for other text.

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
    """Link the text of every filled cell in each area. The number of large areas is limited."""
    large = 0
    for area, target in links:
        is_large = area.right - area.left >= _LARGE_LINK or area.bottom - area.top >= _LARGE_LINK
        large += is_large
        if large > _MAX_LARGE_LINKS and is_large:
            continue
        for row in rows if is_large else range(area.top, area.bottom + 1):
            cells = rows.get(row, {}) if area.top <= row <= area.bottom else {}
            for column in [column for column in cells if area.left <= column <= area.right]:
                cells[column] = cells[column].linked(target)


def spread_merges(rows: dict[int, Row], merges: Sequence[Area]) -> int:
    """Copy each merged cell into every position it covers, so that each row can be read alone.

    Nothing is copied beyond the last filled row and column. Returns how many merged cells were not spread because the
    limit of repeated cells and characters was reached.

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
            cells_of_row = rows.setdefault(row, {})
            for column in range(area.left, right + 1):
                cells_of_row.setdefault(column, first)
    return unspread
