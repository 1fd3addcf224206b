"""Converts sheets to pieces: a heading for each, then its tables, titles, texts, drawings and comments in order."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import mean

from core.parsing.audit.gathering import unseen_note
from core.parsing.flow import ParsedFile, Piece, TableCell, Words
from core.parsing.inline import joined
from core.parsing.sheets.grid import Filled, Row, Sheet, Workbook, spread_merges
from core.parsing.sheets.joins import join_regions
from core.parsing.sheets.regions import Region, features_of_row, find_regions, lines_of
from core.parsing.table_header import SAMPLE_ROWS, TEXT, header_rows, merged_once, merges_in
from core.text.values.numerals import counted
from core.types import BlockKind

_EMPTY = TableCell(Words(""), None)
_MAX_ROWS_TO_TABLE = 3  # from a title to the table below it: at most two blank rows
_MAX_TITLE_ROWS = 3
_MAX_TITLE = 200  # characters
_PROSE_WORDS = 8  # mean words of a cell of running text
_SENTENCE_END = re.compile(r"[.!?…。！？]['\")\]”’»]*$")
_BLANKS_ALLOWED = 200_000

Lines = list[dict[int, Filled]]


def parsed_workbook(book: Workbook) -> ParsedFile:
    """The workbook as a ``ParsedFile``. Empty sheets are mentioned in a note. Clears the rows of ``book``."""
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
    """The words that are read although they are not visible: in hidden sheets, rows and columns, or invisible letters.

    Invisible letters in a declared table do not count, because the table's style may colour the ground.
    """
    tables = [table.area for table in sheet.tables]
    for row, cells in sorted(sheet.rows.items()):
        is_hidden_row = sheet.is_hidden or row in sheet.hidden_rows
        for column, cell in sorted(cells.items()):
            is_hidden = is_hidden_row or column in sheet.hidden_columns
            if is_hidden or (cell.unseen and not any(area.holds(row, column) for area in tables)):
                yield from cell.text.split()


def _notes(sheet: Sheet, unspread: int) -> Iterator[str]:
    """Notes for the user on a sheet. ``unspread``: the number of merged cells that were not repeated."""
    filled = {column for row in sheet.rows.values() for column in row} if sheet.hidden_columns else set()
    counts = (
        (len(sheet.hidden_rows & sheet.rows.keys()), "row"),
        (len(sheet.hidden_columns & filled), "column"),
    )
    hidden = [counted(count, f"hidden {what}") for count, what in counts if count]
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
    """The pieces of a sheet from top to bottom, then left to right. Comments come after the region of their cell."""
    regions = join_regions(find_regions(sheet), sheet.rows)
    titles = _titles(regions)
    comments = _comments_by_region(sheet, regions)
    positioned: list[tuple[int, int, list[Piece]]] = []
    for index, region in enumerate(regions):
        content = _region_pieces(sheet, region, above_table=index in titles)
        positioned.append((region.area.top, region.area.left, [*content, *comments.get(index, ())]))
    positioned += [(drawing.row, drawing.column, list(drawing.pieces)) for drawing in sheet.drawings]
    positioned.sort(key=lambda entry: entry[:2])
    return [piece for _, _, content in positioned for piece in content] + comments.get(-1, [])


def _titles(regions: Sequence[Region]) -> set[int]:
    """The indices of small regions right above a table."""
    by_top: dict[int, list[Region]] = defaultdict(list)
    for region in regions:
        if region.table or (region.width > 1 and region.height > 1) or region.height > _MAX_TITLE_ROWS:
            by_top[region.area.top].append(region)
    titles = set()
    for index, region in enumerate(regions):
        if region.height > _MAX_TITLE_ROWS or region.table:
            continue
        for top in range(region.area.bottom + 1, region.area.bottom + 1 + _MAX_ROWS_TO_TABLE):
            tables = by_top.get(top, [])  # side by side
            nearest = bisect_right(tables, region.area.left + 1, key=lambda table: table.area.left) - 1
            if nearest >= 0 and region.area.left <= tables[nearest].area.right:
                titles.add(index)
                break
    return titles


def _comments_by_region(sheet: Sheet, regions: Sequence[Region]) -> dict[int, list[Piece]]:
    """Comments as pieces, by the index of their cell's region; -1 for those on empty cells."""
    region_of = {(comment.row, comment.column): -1 for comment in sheet.comments}
    columns_by_row: dict[int, list[int]] = defaultdict(list)
    for row, column in region_of:
        columns_by_row[row].append(column)
    for index, region in enumerate(regions if region_of else ()):
        for row, left, right in region.runs:
            columns = columns_by_row.get(row, ())
            region_of.update({(row, column): index for column in columns if left <= column <= right})
    pieces: dict[int, list[Piece]] = defaultdict(list)
    for comment in sorted(sheet.comments, key=lambda comment: (comment.row, comment.column)):
        pieces[region_of[comment.row, comment.column]].append(Piece(BlockKind.FOOTNOTE, Words(comment.text)))
    return pieces


def _region_pieces(sheet: Sheet, region: Region, *, above_table: bool) -> Iterator[Piece]:
    if region.table:
        yield _table(list(lines_of(region, sheet.rows)), region.table.header_rows)
        return
    lines = list(lines_of(region, sheet.rows))
    singles = [_single(line) for line in lines] if region.width == 1 or len(lines) <= _MAX_TITLE_ROWS else [None]
    texts = [single for single in singles if single is not None and single.kind == TEXT]
    if len(texts) == len(lines):
        distinct = [cell for index, cell in enumerate(texts) if not index or cell is not texts[index - 1]]
        if above_table and all(len(cell.text) <= _MAX_TITLE for cell in distinct):
            yield _text(BlockKind.CAPTION, distinct, "\n")
            return
        if len(distinct) == 1 or _is_prose(distinct):
            yield from (Piece(BlockKind.PARAGRAPH, cell.cell.words) for cell in distinct)
            return
    if above_table and len(lines) == 1 and len(cells := _distinct(lines[0])) == 2 and cells[0].kind == TEXT:
        yield _text(BlockKind.CAPTION, cells, " ")
        return
    yield from _titled_table(sheet, region, lines)


def _titled_table(sheet: Sheet, region: Region, lines: Lines) -> Iterator[Piece]:
    """A table with its title (lines of one cell at the top) and notes (lines merged across its width at the end)."""
    top, bottom = 0, len(lines)
    while bottom - top > 1 and _is_title(region, lines[top]):
        top += 1
    later_titles = [_is_across(region, line) for line in lines[top:] if _is_title(region, line)]
    if top and later_titles.count(_is_across(region, lines[0])) > 1:
        top = 0  # it is the title of the first of several groups in the table
    while bottom - top > 2 and _is_across(region, lines[bottom - 1]):
        bottom -= 1
    yield from _each_once(BlockKind.CAPTION, lines[:top])
    body = lines[top:bottom]
    first_row = region.area.top + top
    yield _table(body, _header_by_look(region, body) or _stated_header(sheet, region, body, first_row))
    yield from _each_once(BlockKind.PARAGRAPH, lines[bottom:])


def _each_once(kind: BlockKind, lines: Lines) -> Iterator[Piece]:
    """Lines of one cell as pieces; a cell merged over several lines becomes one piece."""
    singles = [next(iter(line.values())) for line in lines]
    distinct = (cell for index, cell in enumerate(singles) if not index or cell is not singles[index - 1])
    return (Piece(kind, cell.cell.words) for cell in distinct)


def _is_title(region: Region, line: dict[int, Filled]) -> bool:
    """Whether a line is short text in the first column only, or in one cell across all columns."""
    single = _single(line)
    if region.width < 2 or single is None or single.kind != TEXT or len(single.text) > _MAX_TITLE:
        return False
    return set(line) == {region.area.left} or _is_across(region, line)


def _is_across(region: Region, line: dict[int, Filled]) -> bool:
    return region.width > 1 and len(line) == region.width and _single(line) is not None


def _header_by_look(region: Region, lines: Lines) -> int:
    """The number of header rows, by content and typography."""
    columns = range(region.area.left, region.area.right + 1)
    sample = lines[:SAMPLE_ROWS]
    merges = merges_in([[line.get(column) for column in columns] for line in sample])
    return header_rows([features_of_row(line, columns) for line in sample], merges)


def _stated_header(sheet: Sheet, region: Region, lines: Lines, top: int) -> int:
    """The number of header rows that a filter or frozen rows imply; 0 for none."""
    if len(lines) < 2:
        return 0
    left, right = region.area.left, region.area.right
    if any(area.top == top and area.left <= right and left <= area.right for area in sheet.filters):
        return 1
    frozen = sheet.header_end - top
    return frozen if 0 < frozen <= _MAX_TITLE_ROWS and frozen < len(lines) else 0


def _table(lines: Lines, header: int) -> Piece:
    """Lines as a table whose rows have the same width; empty columns are left out.

    Where the cells are so scattered that blank ones would far outnumber them, rows have only their filled cells.
    """
    columns = sorted({column for line in lines for column in line})
    count = sum(map(len, lines))
    if len(columns) * len(lines) > 3 * count + _BLANKS_ALLOWED:
        rows = [[line[column].cell for column in sorted(line)] for line in lines]
    else:
        whole = merged_once([[line.get(column) for column in columns] for line in lines], header)
        rows = [[cell.cell if cell else _EMPTY for cell in row] for row in whole]
    return Piece(BlockKind.TABLE, rows=tuple(map(tuple, rows)), header_rows=min(header, len(rows)))


def _single(line: Row) -> Filled | None:
    """The only cell of a line, which may be merged over several columns; ``None`` for several cells."""
    cells = iter(line.values())
    first = next(cells)
    return first if all(cell is first for cell in cells) else None


def _distinct(line: Row) -> list[Filled]:
    """A line's cells from left to right, merged ones once."""
    cells: list[Filled] = []
    for column in sorted(line):
        if not cells or line[column] is not cells[-1]:
            cells.append(line[column])
    return cells


def _is_prose(cells: Sequence[Filled]) -> bool:
    """Whether lines of one cell are running text rather than a list of entries."""
    words = mean(len(cell.text.split()) for cell in cells)
    sentences = sum(bool(_SENTENCE_END.search(cell.text)) for cell in cells)
    return words >= _PROSE_WORDS or (words >= _PROSE_WORDS / 2 and sentences > len(cells) / 2)


def _text(kind: BlockKind, cells: Iterable[Filled], between: str) -> Piece:
    """Cells as one piece of text, joined by ``between``."""
    return Piece(kind, joined([cell.cell.words for cell in cells], between))
