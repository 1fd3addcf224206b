"""The reader of tables in text files: comma-, semicolon-, tab- or pipe-separated values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from core.parsing.file_names import display_name, suffix_of
from core.parsing.flow import ParsedFile, Piece, TableCell, Words
from core.parsing.plain.table_dialect import SEPARATORS, Record, find_dialect, records
from core.parsing.sheets.grid import Allowance
from core.parsing.table_header import SAMPLE_ROWS, features_of, is_header_of_text
from core.text.normalise import decode
from core.types import BlockKind

_PROMISED = {"csv": ",", "tsv": "\t", "tab": "\t", "psv": "|"}
_EMPTY = TableCell(Words(""), None)
_MAX_REMEMBERED = 100_000
_PADDING_ALLOWED = 100_000
_MAX_LEAD = 100


def read(data: bytes, name: str) -> ParsedFile:
    """The file's table, and the lines before and after it as paragraphs. Raises ``ParseError``.

    >>> reading = read(b"Report\\n\\nYear;Ducks\\n2019;120\\n", "ducks.csv")
    >>> [piece.kind.value for piece in reading.pieces], reading.pieces[1].header_rows
    (['paragraph', 'table'], 1)
    """
    shown = display_name(name)
    text, encoding = decode(data, shown)
    dialect = find_dialect(text, _PROMISED.get(suffix_of(name), ""))
    rows = [[cell.strip() for cell in row] for row in records(text, dialect)]
    start, end = _table_bounds(rows) if dialect.separator else (0, len(rows))
    body = [row for row in rows[start:end] if any(row)]
    pieces = [*_paragraphs(rows[:start]), *([_table(body, Allowance(shown))] if body else []), *_paragraphs(rows[end:])]
    separator = SEPARATORS.get(dialect.separator, dialect.separator)
    metadata = {"encoding": encoding} | ({"separator": separator} if separator else {})
    return ParsedFile(tuple(pieces), metadata=metadata)


def _table_bounds(rows: Sequence[Record]) -> tuple[int, int]:
    """Where the table begins and ends among the records; titles and remarks may be around it."""
    widths = Counter(len(row) for row in rows if sum(map(bool, row)) > 1)
    if not widths:
        return 0, len(rows)
    usual = widths.most_common(1)[0][0]
    start = 0
    while start < len(rows) and sum(map(bool, rows[start])) < 2:
        start += 1
    blank = next((at for at in range(start, min(len(rows), start + _MAX_LEAD)) if not rows[at]), None)
    if blank is not None and all(len(row) < usual for row in rows[start:blank]):
        start = next((at for at in range(blank, len(rows)) if sum(map(bool, rows[at])) > 1), start)
    end = len(rows)
    while end > start and sum(map(bool, rows[end - 1])) < 2:
        end -= 1
    behind = next((at for at in range(end, len(rows)) if not rows[at]), len(rows))
    return start, behind  # what follows the last full record directly belongs to it


def _paragraphs(rows: Sequence[Record]) -> list[Piece]:
    """The lines around the table as paragraphs, separated at blank lines."""
    groups: list[list[str]] = [[]]
    for row in rows:
        words = " ".join(filter(None, row))
        if words:
            groups[-1].append(words)
        elif groups[-1]:
            groups.append([])
    return [Piece(BlockKind.PARAGRAPH, Words("\n".join(group))) for group in groups if group]


def _table(rows: Sequence[Record], allowance: Allowance) -> Piece:
    """The rows, all with the same width. Empty columns at the end are left out."""
    allowance.take(sum(map(len, rows)), 0)
    filled = [_without_empty_end(row) for row in rows]
    width = _common_width([len(row) for row in filled])
    is_headed = is_header_of_text([[features_of(cell) for cell in row] for row in rows[:SAMPLE_ROWS]])
    known: dict[str, TableCell] = {"": _EMPTY}
    made = [tuple(chain((_cell(cell, known) for cell in row), (_EMPTY,) * (width - len(row)))) for row in filled]
    if is_headed:  # a column's name is a name, be it "2019" or "No"
        made[0] = tuple(TableCell(cell.words, cell.words.text or None) for cell in made[0])
    return Piece(BlockKind.TABLE, rows=tuple(made), header_rows=int(is_headed))


def _without_empty_end(row: Record) -> Record:
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row if end == len(row) else row[:end]


def _common_width(widths: Sequence[int]) -> int:
    """The table's width: that of the widest row, or the most frequent one if padding would make the table too large."""
    widest = max(widths)
    if widest * len(widths) <= 3 * sum(widths) + _PADDING_ALLOWED:
        return widest
    return Counter(widths).most_common(1)[0][0]


def _cell(text: str, known: dict[str, TableCell]) -> TableCell:
    """A cell; equal ones are one value."""
    cell = known.get(text)
    if cell is None:
        cell = TableCell(Words(text))
        if len(known) < _MAX_REMEMBERED:
            known[text] = cell
    return cell
