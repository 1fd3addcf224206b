"""Sheets to pieces: a heading for each, then its tables, titles, free text, drawings and remarks in reading order."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean

from core.parsing.audit.gathering import unseen_note
from core.parsing.flow import ParsedFile, Piece, TableCell, Words
from core.parsing.inline import joined
from core.parsing.sheets.grid import TEXT, Area, Filled, Row, Sheet, Workbook, spread_merges
from core.parsing.sheets.joins import join_regions
from core.parsing.sheets.regions import Region, features_of_row, find_regions, lines_of
from core.parsing.table_header import SAMPLE_ROWS, Merge, header_rows
from core.types import BlockKind

_EMPTY = TableCell(Words(""), None)
_ROWS_TO_TABLE = 3  # at most, from a title to the table under it: two blank rows
_TITLE_ROWS = 3
_MAX_TITLE = 200
_PROSE_WORDS = 8
_SENTENCE_END = re.compile(r"[.!?…。！？]['\")\]”’»]*$")
_BLANKS_ALLOWED = 200_000

Lines = list[dict[int, Filled]]
Merges = Mapping[int, Sequence[Area]]  # by their first row


def reading_of(book: Workbook) -> ParsedFile:
    """The pieces of a workbook. Sheets without any content are only noted."""
    pieces: list[Piece] = []
    empty: list[str] = []
    notes = list(book.notes)
    unseen: list[str] = []
    first = ""
    for sheet in book.sheets:
        unseen += _unseen(sheet)
        first = first or (f'in the sheet "{sheet.name}" first' if unseen else "")
        notes += _notes(sheet, spread_merges(sheet.rows, sheet.merges))
        content = sheet_pieces(sheet)
        if content:
            pieces += [Piece(BlockKind.HEADING, Words(sheet.name), level=1), *content]
        else:
            empty.append(f'"{sheet.name}"')
        sheet.rows.clear()
    if empty:
        notes.append(f"Empty sheets are left out: {', '.join(empty[:20])}{' ...' if len(empty) > 20 else ''}.")
    return ParsedFile(tuple(pieces), book.title, book.metadata, (*notes, *unseen_note(unseen, first)))


def _unseen(sheet: Sheet) -> Iterator[str]:
    """The words that are read and that nobody sees: in what is hidden, or in such letters.

    In a table of the file's own the colour behind a cell may be the table's.
    """
    tables = [table.area for table in sheet.tables]
    for row, cells in sorted(sheet.rows.items()):
        away = sheet.is_hidden or row in sheet.hidden_rows
        for column, cell in sorted(cells.items()):
            hidden = away or column in sheet.hidden_columns
            if hidden or (cell.unseen and not any(area.holds(row, column) for area in tables)):
                yield from cell.text.split()


def _notes(sheet: Sheet, unspread: int) -> Iterator[str]:
    """Sentences on what a person does not see in a sheet. ``unspread``: merged cells that were not repeated."""
    filled = {column for row in sheet.rows.values() for column in row} if sheet.hidden_columns else set()
    counts = (
        (len(sheet.hidden_rows & sheet.rows.keys()), "row"),
        (len(sheet.hidden_columns & filled), "column"),
    )
    hidden = [f"{count:,} hidden {what}{'s' * (count > 1)}" for count, what in counts if count]
    if hidden:
        yield f'The sheet "{sheet.name}" has {" and ".join(hidden)}; what they hold is read all the same.'
    if sheet.unfilled:
        formulas = "formulas have" if sheet.unfilled > 1 else "formula has"
        yield (
            f'In the sheet "{sheet.name}", {sheet.unfilled:,} {formulas} no stored result and can only be shown as '
            "written; a copy saved in a spreadsheet program has the results."
        )
    if sheet.covered:
        what = "cells lie" if sheet.covered > 1 else "cell lies"
        yield f'In the sheet "{sheet.name}", {sheet.covered:,} {what} unseen under merged ones: left out.'
    if sheet.is_hidden:
        yield f'The sheet "{sheet.name}" is hidden in the workbook; it is read all the same.'
    if unspread:
        yield f'In the sheet "{sheet.name}", {unspread:,} merged cells are too large to be repeated.'


def sheet_pieces(sheet: Sheet) -> list[Piece]:
    """What a sheet holds, from top to bottom, then from left to right; remarks right behind what they are on."""
    regions = join_regions(find_regions(sheet), sheet.rows)
    titled = _titles(regions)
    tails = _remarks_by_region(sheet, regions)
    merges: dict[int, list[Area]] = defaultdict(list)
    for area in sheet.merges:
        merges[area.top].append(area)
    placed: list[tuple[int, int, list[Piece]]] = []
    for at, region in enumerate(regions):
        content = _region_pieces(sheet, merges, region, above_table=at in titled)
        placed.append((region.area.top, region.area.left, [*content, *tails.get(at, ())]))
    placed += [(drawing.row, drawing.column, list(drawing.pieces)) for drawing in sheet.drawings]
    placed.sort(key=lambda entry: entry[:2])
    return [piece for _, _, content in placed for piece in content] + tails.get(-1, [])


def _titles(regions: Sequence[Region]) -> set[int]:
    """Indexes of small regions that stand right above a table."""
    by_top: dict[int, list[Region]] = defaultdict(list)
    for region in regions:
        if region.table or (region.width > 1 and region.height > 1) or region.height > _TITLE_ROWS:
            by_top[region.area.top].append(region)
    found = set()
    for at, region in enumerate(regions):
        if region.height > _TITLE_ROWS or region.table:
            continue
        for top in range(region.area.bottom + 1, region.area.bottom + 1 + _ROWS_TO_TABLE):
            tables = by_top.get(top, [])  # side by side
            nearest = bisect_right(tables, region.area.left + 1, key=lambda table: table.area.left) - 1
            if nearest >= 0 and region.area.left <= tables[nearest].area.right:
                found.add(at)
                break
    return found


def _remarks_by_region(sheet: Sheet, regions: Sequence[Region]) -> dict[int, list[Piece]]:
    """Remarks as pieces by the index of their cell's region, -1 for those on blank cells."""
    places = {(remark.row, remark.column): -1 for remark in sheet.remarks}
    columns_by_row: dict[int, list[int]] = defaultdict(list)
    for row, column in places:
        columns_by_row[row].append(column)
    for at, region in enumerate(regions if places else ()):
        for row, left, right in region.runs:
            places.update({(row, column): at for column in columns_by_row.get(row, ()) if left <= column <= right})
    found: dict[int, list[Piece]] = defaultdict(list)
    for remark in sorted(sheet.remarks, key=lambda remark: (remark.row, remark.column)):
        found[places[remark.row, remark.column]].append(Piece(BlockKind.FOOTNOTE, Words(remark.text)))
    return found


def _region_pieces(sheet: Sheet, merges: Merges, region: Region, *, above_table: bool) -> Iterator[Piece]:
    if region.table:
        yield _table(list(lines_of(region, sheet.rows)), region.table.header_rows)
        return
    lines = list(lines_of(region, sheet.rows))
    singles = [_single(line) for line in lines] if region.width == 1 or len(lines) <= _TITLE_ROWS else [None]
    texts = [single for single in singles if single is not None and single.kind == TEXT]
    if len(texts) == len(lines):
        distinct = [cell for at, cell in enumerate(texts) if not at or cell is not texts[at - 1]]
        if above_table and all(len(cell.text) <= _MAX_TITLE for cell in distinct):
            yield _text(BlockKind.CAPTION, distinct, "\n")
            return
        if len(distinct) == 1 or _is_prose(distinct):
            yield from (Piece(BlockKind.PARAGRAPH, cell.cell.words) for cell in distinct)
            return
    if above_table and len(lines) == 1 and len(cells := _distinct(lines[0])) == 2 and cells[0].kind == TEXT:
        yield _text(BlockKind.CAPTION, cells, " ")
        return
    yield from _titled_table(sheet, merges, region, lines)


def _titled_table(sheet: Sheet, merges: Merges, region: Region, lines: Lines) -> Iterator[Piece]:
    """A table; lines of one cell at its top are its title, merged ones across its whole width at its end are notes."""
    top, bottom = 0, len(lines)
    while bottom - top > 1 and _is_title(region, lines[top]):
        top += 1
    alike = [_is_across(region, line) for line in lines[top:] if _is_title(region, line)]
    if top and alike.count(_is_across(region, lines[0])) > 1:
        top = 0  # the first of several groups in the table, not a title of all
    while bottom - top > 2 and _is_across(region, lines[bottom - 1]):
        bottom -= 1
    yield from _each_once(BlockKind.CAPTION, lines[:top])
    body = lines[top:bottom]
    first_row = region.area.top + top
    looked = _looked_header(region, body, _merged_from(merges, region, first_row))
    yield _table(body, looked or _stated_header(sheet, region, body, first_row))
    yield from _each_once(BlockKind.PARAGRAPH, lines[bottom:])


def _each_once(kind: BlockKind, lines: Lines) -> Iterator[Piece]:
    """Lines of one cell as pieces; a cell merged over several of them is one."""
    singles = [next(iter(line.values())) for line in lines]
    return (Piece(kind, cell.cell.words) for at, cell in enumerate(singles) if not at or cell is not singles[at - 1])


def _is_title(region: Region, line: dict[int, Filled]) -> bool:
    """Words in the first column alone, or in one cell across all columns."""
    single = _single(line)
    if region.width < 2 or single is None or single.kind != TEXT or len(single.text) > _MAX_TITLE:
        return False
    return set(line) == {region.area.left} or _is_across(region, line)


def _is_across(region: Region, line: dict[int, Filled]) -> bool:
    return region.width > 1 and len(line) == region.width and _single(line) is not None


def _looked_header(region: Region, lines: Lines, merges: Sequence[Merge]) -> int:
    """Rows of the header as they look."""
    columns = range(region.area.left, region.area.right + 1)
    return header_rows([features_of_row(line, columns) for line in lines[:SAMPLE_ROWS]], merges)


def _stated_header(sheet: Sheet, region: Region, lines: Lines, top: int) -> int:
    """Rows of the header as the file says by a filter or by what it keeps in view; 0 where it does not."""
    if len(lines) < 2:
        return 0
    left, right = region.area.left, region.area.right
    if any(area.top == top and area.left <= right and left <= area.right for area in sheet.filters):
        return 1
    kept = sheet.heads_end - top
    return kept if 0 < kept <= _TITLE_ROWS and kept < len(lines) else 0


def _merged_from(merges: Merges, region: Region, top: int) -> list[Merge]:
    """Merged cells of the table's first rows, from its own corner."""
    left = region.area.left
    return [
        Merge(area.top - top, area.left - left, area.bottom - top, area.right - left)
        for row in range(top, min(top + SAMPLE_ROWS, region.area.bottom + 1))
        for area in merges.get(row, ())
        if region.area.holds(area.top, area.left)
    ]


def _table(lines: Lines, header: int) -> Piece:
    """Lines as rows of one width; columns blank throughout are left out.

    Where cells are strewn so far apart that blanks would outnumber them by far, rows hold their cells alone.
    """
    columns = sorted({column for line in lines for column in line})
    count = sum(map(len, lines))
    if len(columns) * len(lines) > 3 * count + _BLANKS_ALLOWED:
        rows = tuple(tuple(line[column].cell for column in sorted(line)) for line in lines)
    else:
        rows = tuple(tuple(cell.cell if (cell := line.get(column)) else _EMPTY for column in columns) for line in lines)
    return Piece(BlockKind.TABLE, rows=rows, header_rows=min(header, len(rows)))


def _single(line: Row) -> Filled | None:
    """The one cell a line shows, be it merged over several places; ``None`` when it shows more."""
    cells = iter(line.values())
    first = next(cells)
    return first if all(cell is first for cell in cells) else None


def _distinct(line: Row) -> list[Filled]:
    """A line's cells from left to right, merged ones once."""
    found: list[Filled] = []
    for column in sorted(line):
        if not found or line[column] is not found[-1]:
            found.append(line[column])
    return found


def _is_prose(cells: Sequence[Filled]) -> bool:
    """Whether lines of one cell are text to read rather than a list of entries."""
    words = [len(cell.text.split()) for cell in cells]
    ended = sum(bool(_SENTENCE_END.search(cell.text)) for cell in cells)
    return mean(words) >= _PROSE_WORDS or (mean(words) >= _PROSE_WORDS / 2 and ended > len(cells) / 2)


def _text(kind: BlockKind, cells: Iterable[Filled], between: str) -> Piece:
    """Cells as one piece of text."""
    return Piece(kind, joined([cell.cell.words for cell in cells], between))
