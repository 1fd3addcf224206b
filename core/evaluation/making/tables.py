"""Drafts from tables: questions for the cell in the row of a name and under a header.

They say no more than the table does: "What are the seats for Aer Lingus?", "What is Spain where year is 1972?".
A table without a column that tells its rows apart gives none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.evaluation.making.draft import Draft, plain
from core.search.answer.rows import Row, rows_of
from core.text.analysis import STOP_WORDS
from core.text.values.calendar_names import month_of
from core.types import Block, Span

TABLE, DATA = "table", "data"
DATA_KINDS = frozenset({"csv", "xlsx", "ods"})
"""Kinds of documents whose tables are data."""

_NO_VALUES = frozenset("none no yes true false - – — n/a na nan null nil ? x".split())
_REFERS = re.compile(r"(?:the )?same\b|both\b|ditto\b|see\b|as (?:above|below|before)\b", re.IGNORECASE)
_TOTALS = frozenset("total together sum all".split())
_NO_NOUNS = STOP_WORDS | frozenset(  # at the beginning or end of a header
    "within without per allows means returns requires needs accepts contains covers describes controls sets".split()
)
_LONGEST_KEY, _LONGEST_HEADER, _LONGEST_VALUE = 7, 16, 30  # words
_MOST_ROWS = 2000  # of a table
_FEW_ROWS, _COMMON = 6, 4  # with more than six rows, a value can be guessed that more than a quarter of them have
_LEAST_TOLD_APART = 0.8  # share of the rows that a key has to tell apart
_WORD_BREAK = re.compile(r"[_\s]+|(?<=[a-z]{2})(?=[A-Z][a-z])")


def table_drafts(text: str, table: Block, kind: str) -> Iterator[Draft]:
    """The drafts of a table in ``text``, of cells whose value cannot be guessed; the gold is the cell's row.

    The key is the first column of names that tells the rows apart; in a table of data, where ``kind`` of the drafts is
    "data", else one of whole numbers or dates.
    """
    rows = list(islice(rows_of(table, Span(table.start, min(table.end, len(text)))), _MOST_ROWS))
    key = _key(rows, codes=kind == DATA)
    if key is None:
        return
    values = Counter((cell.column, str(cell.value)) for row in rows for cell in row.cells)
    for row in rows:
        name = next((str(cell.value) for cell in row.cells if cell.column == key.column), "")
        if values[key.column, name] != 1 or name.lower() in _TOTALS:
            continue
        headers = Counter(row.headers)
        for cell, header in zip(row.cells, row.headers, strict=True):
            value, count = plain(text[cell.start : cell.end]), values[cell.column, str(cell.value)]
            guessed = len(rows) > _FEW_ROWS and _COMMON * count > len(rows)
            if cell.column == key.column or headers[header] > 1 or guessed or not _is_specific(value):
                continue
            if asked := _quantity(header):
                yield Draft(kind, key.question(asked, name), row.span, value)


@dataclass(frozen=True, slots=True)
class _Key:
    """The column that tells the rows apart. ``header``: in words, for codes and years; "" for names."""

    column: int
    header: str

    def question(self, quantity: str, value: str) -> str:
        """The question for a quantity in the row of a key's value."""
        name = plain(value).rstrip("*†")
        if self.header:
            return f"What is {quantity} where {self.header} is {name}?"
        return f"What {_be(quantity)} the {quantity} for {name}?"


def _key(rows: Sequence[Row], *, codes: bool) -> _Key | None:
    """The key of rows, names or (``codes``) codes; ``None`` where no column tells them apart."""
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
    for column in told_apart if codes else ():
        is_code = len(set(map(str, columns[column]))) == len(rows) and not any(map(_is_measured, columns[column]))
        if is_code and _quantity(headers[column]):
            return _Key(column, _quantity(headers[column]))
    return None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and any(map(str.isalpha, value)) and len(plain(value).split()) <= _LONGEST_KEY


def _is_measured(value: object) -> bool:
    """Whether a value is no whole number, date or code, but measured or a sentence."""
    return isinstance(value, float) or len(str(value).split()) > 1


def _is_specific(value: str) -> bool:
    is_word = any(map(str.isalnum, value)) and value.lower() not in _NO_VALUES and not _REFERS.match(value)
    return is_word and len(value.split()) <= _LONGEST_VALUE


def _quantity(header: str) -> str:
    """A header as words inside a sentence; "" where it names no quantity. Names keep their capitals.

    >>> _quantity("Date of birth (UTC)"), _quantity("Share Of Cars"), _quantity("United Kingdom")
    ('date of birth', 'share of cars', 'United Kingdom')
    >>> _quantity("incidents_85_99"), _quantity("DOI"), _quantity("7"), _quantity("Jan 29, 2022"), _quantity("Kept for")
    ('incidents 85 99', 'DOI', '', '', '')
    """
    words = [word for word in _WORD_BREAK.split(re.sub(r"\([^()]*\)", "", plain(header))) if word]
    if not any(sum(map(str.isalpha, word)) > 1 for word in words) or any(month_of(word.lower()) for word in words):
        return ""
    first, last = words[0].lower(), words[-1].lower()
    is_noun = not {first, last} & _NO_NOUNS and not last.endswith("ly") and not (first == last and last.endswith("ed"))
    if len(words) > _LONGEST_HEADER or not is_noun:
        return ""
    is_title = any(word.istitle() and word.lower() in STOP_WORDS for word in words[1:])  # "Share Of Cars"
    if is_title:
        words = [word.lower() if word.istitle() else word for word in words]
    elif words[0].istitle() and (len(words) == 1 or words[-1].islower()):
        words[0] = first
    return " ".join(words)


def _be(quantity: str) -> str:
    """The verb of a quantity.

    >>> _be("number of seats"), _be("incidents 85 99"), _be("losses incurred"), _be("gross status")
    ('is', 'are', 'are', 'is')
    """
    head = re.split(r" (?:of|in|for|to|and|per|by|with|who|\w+ed)(?: |$)", quantity)[0].rstrip("0123456789 ")
    return "are" if head.endswith("s") and not head.endswith(("ss", "us", "is")) else "is"
