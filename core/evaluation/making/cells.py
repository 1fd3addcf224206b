"""Drafts from tables of data (CSV, spreadsheets): questions for the cell in the row of a key and under a header.

They say no more than the table does: "What are the seats for Aer Lingus?", "What is Spain where year is 1972?".
A table without a column that tells its rows apart gives none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.evaluation.making.draft import MOST_ROWS, Draft, is_common, plain
from core.search.answer.rows import Row, rows_of
from core.text.analysis import STOP_WORDS
from core.types import Block, Span

DATA_KINDS = frozenset({"csv", "xlsx", "ods"})
"""Kinds of documents whose tables are data."""

_GUESSED = frozenset("none no yes true false - – — n/a na nan null nil ? x same".split())
_LONGEST_KEY, _LONGEST_HEADER, _LONGEST_VALUE = 7, 16, 30  # words
_LEAST_TOLD_APART = 0.8  # share of the rows that a key has to tell apart
_WORD_BREAK = re.compile(r"[_\s]+|(?<=[a-z])(?=[A-Z][a-z])")


def cell_drafts(text: str, table: Block) -> Iterator[Draft]:
    """The drafts of a table in ``text``, of cells whose value cannot be guessed; the gold is the cell's row.

    The key is the first column of names, else of whole numbers or dates, that tells the rows apart.
    """
    rows = list(islice(rows_of(table, Span(table.start, len(text))), MOST_ROWS))
    key = _key(rows)
    if key is None:
        return
    keys = Counter(str(cell.value) for row in rows for cell in row.cells if cell.column == key.column)
    values = Counter((cell.column, str(cell.value)) for row in rows for cell in row.cells)
    for row in rows:
        columns = {cell.column: cell for cell in row.cells}
        if key.column not in columns or keys[str(columns[key.column].value)] > 1:
            continue
        headers = Counter(row.headers)
        for cell, header in zip(row.cells, row.headers, strict=True):
            value = plain(text[cell.start : cell.end])
            guessed = is_common(values[cell.column, str(cell.value)], len(rows))
            if cell.column == key.column or headers[header] > 1 or guessed or not _is_specific(value):
                continue
            if asked := _quantity(header):
                yield Draft("data", key.question(asked, columns[key.column].value), row.span, value)


@dataclass(frozen=True, slots=True)
class _Key:
    """The column that tells the rows apart. ``header``: in words, for codes and years; "" for names."""

    column: int
    header: str

    def question(self, quantity: str, value: object) -> str:
        """The question for a quantity in the row of a key's value."""
        name = plain(str(value)).rstrip("*†")
        if self.header:
            return f"What is {quantity} where {self.header} is {name}?"
        return f"What {_be(quantity)} the {quantity} for {name}?"


def _key(rows: Sequence[Row]) -> _Key | None:
    """The key of rows; ``None`` where no column tells them apart."""
    columns: dict[int, list[object]] = {}
    headers: dict[int, str] = {}
    for row in rows:
        for cell, header in zip(row.cells, row.headers, strict=True):
            columns.setdefault(cell.column, []).append(cell.value)
            headers[cell.column] = header
    told_apart = [
        column
        for column, values in sorted(columns.items())
        if len(rows) > 1 and len(set(map(str, values))) >= _LEAST_TOLD_APART * len(rows)
    ]
    for column in told_apart:
        if all(_is_name(value) for value in columns[column]):
            return _Key(column, "")
    for column in told_apart:
        is_code = len(set(map(str, columns[column]))) == len(rows) and not any(map(_is_measured, columns[column]))
        if is_code and _quantity(headers[column]):
            return _Key(column, _quantity(headers[column]))
    return None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and any(map(str.isalpha, value)) and len(value.split()) <= _LONGEST_KEY


def _is_measured(value: object) -> bool:
    """Whether a value is no whole number, date or code, but measured or a sentence."""
    return isinstance(value, float) or len(str(value).split()) > 1


def _is_specific(value: str) -> bool:
    is_word = any(map(str.isalnum, value)) and value.lower() not in _GUESSED
    return is_word and len(value.split()) <= _LONGEST_VALUE


def _quantity(header: str) -> str:
    """A header as words inside a sentence; "" where it is no words. Names keep their capitals.

    >>> _quantity("Date of birth (UTC)"), _quantity("Share Of Cars"), _quantity("United Kingdom")
    ('date of birth', 'share of cars', 'United Kingdom')
    >>> _quantity("incidents_85_99"), _quantity("DOI"), _quantity("7")
    ('incidents 85 99', 'DOI', '')
    """
    words = [word for word in _WORD_BREAK.split(re.sub(r"\([^()]*\)", "", plain(header))) if word]
    if not any(sum(map(str.isalpha, word)) > 1 for word in words) or len(words) > _LONGEST_HEADER:
        return ""
    is_title = any(word.istitle() and word.lower() in STOP_WORDS for word in words[1:])  # "Share Of Cars"
    if is_title:
        words = [word.lower() if word.istitle() else word for word in words]
    elif words[0].istitle() and words[-1].islower():
        words[0] = words[0].lower()
    return " ".join(words)


def _be(quantity: str) -> str:
    """The verb of a quantity.

    >>> _be("number of seats"), _be("incidents 85 99"), _be("losses incurred by insurers"), _be("gross status")
    ('is', 'are', 'are', 'is')
    """
    head = re.split(r" (?:of|in|for|to|and|per|by|with|who|\w+ed) ", quantity)[0].rstrip("0123456789 ")
    return "are" if head.endswith("s") and not head.endswith(("ss", "us", "is")) else "is"
